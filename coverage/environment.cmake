# What scripts find in their environment as they configure the build, and all tests of ctest, whatever their user has set.
# Read by CMakeLists.txt, and by ctest before its tests.
set(ENV{PYTHONUTF8} 1)  # our texts are, in every locale
