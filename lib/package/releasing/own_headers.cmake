# With arm64.cmake, after project(): a folder that a package of this machine adds is not searched, as its libc is not arm64's.
list(APPEND CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
