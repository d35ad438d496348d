# What is installed, in components `library`, `conformance`, `program` and `documents`, and how it is found: find_package(backoff),
# pkg-config backoff. Nothing here knows where it was built: a tree may be moved. Checked by: consumers_test.py.
include(CMakePackageConfigHelpers)
get_property(drop_ins GLOBAL PROPERTY backoff_drop_ins)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/backoff)
set(shared_dir ${CMAKE_INSTALL_DATADIR}/backoff)

# The directories are said besides: CMake before 3.23 knows no file sets.
install(TARGETS backoff_core backoff_c backoff_c_static EXPORT backoff_targets COMPONENT library FILE_SET HEADERS
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${drop_ins} EXPORT backoff_targets COMPONENT library
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/backoff/drop_in
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/backoff/drop_in)
install(EXPORT backoff_targets NAMESPACE backoff:: DESTINATION ${cmake_dir} COMPONENT library)
configure_package_config_file(package/backoffConfig.cmake.in package/backoffConfig.cmake INSTALL_DESTINATION ${cmake_dir})
# The interface of the library is that of 0.1.0: who asks for that version gets this one.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/package/backoffConfigVersion.cmake COMPATIBILITY AnyNewerVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/backoffConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/package/backoffConfigVersion.cmake
  DESTINATION ${cmake_dir} COMPONENT library)

# The prefix as seen from the file itself.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
foreach(library backoff ${drop_ins})
  if(library MATCHES "_static$")
    continue()
  endif()
  set(include_below "")
  if(NOT library STREQUAL backoff)
    set(include_below /backoff/drop_in)
  endif()
  configure_file(package/pkgconfig.in package/${library}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endforeach()

# The sources of the drop-ins, to be compiled with an application.
install(DIRECTORY c99/ DESTINATION ${shared_dir}/c99 COMPONENT library FILES_MATCHING PATTERN "*.c")
install(DIRECTORY examples/ DESTINATION ${shared_dir}/examples COMPONENT documents USE_SOURCE_PERMISSIONS)
install(FILES ${PROJECT_SOURCE_DIR}/properties/ports/helpers/python/example_port.py
  DESTINATION ${shared_dir}/examples/python COMPONENT documents)
if(BACKOFF_DEVELOPER)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/properties/protocol/schemas/ DESTINATION ${shared_dir}/protocol COMPONENT documents)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/properties/protocol/README.md DESTINATION ${shared_dir}/protocol COMPONENT documents)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents RENAME library.md)

set(CPACK_PACKAGE_NAME backoff-oracle)
set(CPACK_PACKAGE_CONTACT "the backoff-oracle authors")
set(CPACK_PACKAGE_VENDOR backoff-oracle)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)

