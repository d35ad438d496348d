# What scripts find in their environment as they configure the build, and all tests of ctest, whatever their user has set.
# Read by CMakeLists.txt, and by ctest before its tests.
set(ENV{PYTHONUTF8} 1)  # the texts of this repository are UTF-8, in every locale
execute_process(COMMAND test -w "$ENV{HOME}" RESULT_VARIABLE not_writable)
if(not_writable)  # Go, for one, builds nothing without a home
  execute_process(COMMAND pwd OUTPUT_VARIABLE home OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(ENV{HOME} ${home})
endif()
