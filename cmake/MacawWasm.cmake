# The libraries for WebAssembly that cmake/wasm/libraries has built, under the names that MacawDependencies.cmake finds elsewhere.
# SQLite is missing, which only studies need.
set(libraries "${MACAW_WASM_ROOT}/libraries")
if(NOT EXISTS "${libraries}/lib/libsystemc.a")
  message(FATAL_ERROR "${libraries} has no libraries for WebAssembly: `./dev web` builds them")
endif()

# macaw_wasm_library(TARGET [lib...]): an imported target with the headers of all.
function(macaw_wasm_library target)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${libraries}/include")
  foreach(name IN LISTS ARGN)
    target_link_libraries(${target} INTERFACE "${libraries}/lib/lib${name}.a")
  endforeach()
endfunction()
macaw_wasm_library(fmt::fmt fmt)
macaw_wasm_library(tl::expected)
macaw_wasm_library(nlohmann_json::nlohmann_json)
macaw_wasm_library(Eigen3::Eigen)
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE "${libraries}/include/eigen3")
macaw_wasm_library(Threads::Threads)
macaw_wasm_library(ZLIB::ZLIB z)
macaw_wasm_library(pugixml::pugixml pugixml)
macaw_wasm_library(PkgConfig::LIBZIP zip z)
macaw_wasm_library(PkgConfig::SYSTEMC systemc)
macaw_wasm_library(PkgConfig::INIH inih)
macaw_wasm_library(PkgConfig::HWY hwy)
macaw_wasm_library(PkgConfig::YAML_CPP yaml-cpp)
# FlatBuffers reads numbers of text by functions that wasi-libc does not have, unless it is told not to.
add_compile_definitions(FLATBUFFERS_LOCALE_INDEPENDENT=0)
set(FLATBUFFERS_LIBRARY "${libraries}/lib/libflatbuffers.a" CACHE FILEPATH "library of FlatBuffers")
set(TOMLPLUSPLUS_INCLUDE "${libraries}/include" CACHE PATH "headers of toml++")
# Every program needs the part of the C++ library that the sysroot lacks.
link_libraries("${libraries}/lib/libmacaw_exceptions.a")
