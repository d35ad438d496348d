# A toolchain of CMake: Debian's cross compiler for arm64. BACKOFF_ARM64 is where `release` unpacks what Debian has for that
# processor, libuv, OpenSSL and yaml-cpp, and links the headers that are the same for all.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BACKOFF_ARM64)

set(unpacked ${BACKOFF_ARM64}/usr)
include_directories(SYSTEM ${unpacked}/include ${unpacked}/include/aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(OPENSSL_INCLUDE_DIR ${unpacked}/include CACHE PATH "")
set(OPENSSL_CRYPTO_LIBRARY ${unpacked}/lib/aarch64-linux-gnu/libcrypto.a CACHE FILEPATH "")
set(BACKOFF_YAML_CPP ${unpacked}/lib/aarch64-linux-gnu/libyaml-cpp.a CACHE FILEPATH "")
set(BACKOFF_YAML_CPP_HEADERS ${unpacked}/include CACHE PATH "")
set(ENV{PKG_CONFIG_LIBDIR} ${unpacked}/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${BACKOFF_ARM64})
# Those of header-only packages are this machine's own.
file(GLOB Boost_DIR /usr/lib/x86_64-linux-gnu/cmake/Boost-*)
set(fmt_DIR /usr/lib/x86_64-linux-gnu/cmake/fmt)
