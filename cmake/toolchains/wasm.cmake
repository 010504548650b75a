# WebAssembly (WASI preview 1) by Debian's clang-19 and lld-19. MACAW_WASM_ROOT is the folder that `./dev web` fills: sysroot/ of
# the npm package @yowasp/clang (wasi-libc, libc++) and the libraries of cmake/libraries.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_VERSION 1)
set(MACAW_STATIC_ROOT "${MACAW_WASM_ROOT}")
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasip1)
set(CMAKE_C_COMPILER_TARGET wasm32-wasip1)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MACAW_WASM_ROOT)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_FIND_ROOT_PATH "${MACAW_WASM_ROOT}/libraries")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(sysroot "${MACAW_WASM_ROOT}/sysroot")
# The sysroot lies beside a compiler of another release, whose own headers are not taken.
set(common "-nostdlibinc -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID")
set(headers "-isystem ${sysroot}/include/wasm32-wasip1")
set(CMAKE_C_FLAGS_INIT "${common} ${headers}")
set(CMAKE_CXX_FLAGS_INIT "${common} -nostdinc++ -isystem ${sysroot}/include/c++/v1 ${headers} -fwasm-exceptions -Wno-#warnings")
# The memory of a module grows up to 4 GiB; a run that takes more than --max-memory ends with an error before that.
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-nostdlib -fuse-ld=lld -L${sysroot}/lib/wasm32-wasip1 -Wl,-z,stack-size=4194304 -Wl,--stack-first -Wl,--max-memory=4294967296")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT
  "${sysroot}/lib/wasm32-wasip1/crt1-command.o -lc++ -lc++abi -lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-process-clocks -lwasi-emulated-getpid -lc ${sysroot}/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a")
