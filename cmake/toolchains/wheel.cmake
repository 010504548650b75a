# g++-12 with the C library of Debian 11 (glibc 2.31), so that what it builds runs on every system with that or a newer one. Beside
# it, MACAW_WHEEL_ROOT has the static libraries of cmake/libraries; cmake/wheel/prepare.sh fills it.
set(CMAKE_SYSTEM_NAME Linux)
if(NOT MACAW_WHEEL_ARCHITECTURE)
  set(MACAW_WHEEL_ARCHITECTURE x86_64)
endif()
set(CMAKE_SYSTEM_PROCESSOR ${MACAW_WHEEL_ARCHITECTURE})
set(CMAKE_LIBRARY_ARCHITECTURE ${MACAW_WHEEL_ARCHITECTURE}-linux-gnu)
set(CMAKE_CXX_COMPILER ${MACAW_WHEEL_ARCHITECTURE}-linux-gnu-g++-12)
set(CMAKE_C_COMPILER ${MACAW_WHEEL_ARCHITECTURE}-linux-gnu-gcc-12)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MACAW_WHEEL_ROOT MACAW_WHEEL_ARCHITECTURE)
set(MACAW_STATIC_ROOT "${MACAW_WHEEL_ROOT}")
set(CMAKE_SYSROOT "${MACAW_WHEEL_ROOT}/sysroot")
set(CMAKE_FIND_ROOT_PATH "${MACAW_WHEEL_ROOT}/libraries" "${MACAW_WHEEL_ROOT}/sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
if(NOT MACAW_WHEEL_ARCHITECTURE STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${MACAW_WHEEL_ARCHITECTURE}-static -L "${CMAKE_SYSROOT}")
endif()

# Equal files wherever the sources and the build are.
string(APPEND CMAKE_C_FLAGS_INIT " -ffile-prefix-map=${MACAW_WHEEL_ROOT}=wheel-root -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
string(APPEND CMAKE_CXX_FLAGS_INIT " -ffile-prefix-map=${MACAW_WHEEL_ROOT}=wheel-root -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
# The C++ library is static, the unwinder the system's, which several libraries of a process share. SystemC's assembly does not state
# that it needs no executable stack.
# -B: files of the C library are searched in the sysroot before the compiler's own folders, which are the machine's.
foreach(kind IN ITEMS EXE SHARED MODULE)
  string(APPEND CMAKE_${kind}_LINKER_FLAGS_INIT " -B${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} -B${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE} -static-libstdc++ -Wl,-z,noexecstack -Wl,--gc-sections -Wl,--as-needed")
endforeach()
