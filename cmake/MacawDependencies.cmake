# Everything comes from Debian packages (`./dev setup` installs them).
if(MACAW_PLATFORM STREQUAL "wasi")
  include(MacawWasm)
else()
  find_package(PkgConfig REQUIRED)
  find_package(fmt REQUIRED)
  find_package(tl-expected REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(Eigen3 REQUIRED NO_MODULE)
  find_package(Threads REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(pugixml REQUIRED)
  pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
  pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)
  pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
  pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
  pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
  pkg_check_modules(TURBOJPEG REQUIRED IMPORTED_TARGET libturbojpeg)
  pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp)
endif()
find_program(FLATC flatc REQUIRED)

# Debian's SystemC exports its C++17 version symbol only; its headers test the macro for nothing newer.
add_library(macaw_systemc INTERFACE)
target_link_libraries(macaw_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(macaw_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
get_target_property(systemc_include PkgConfig::SYSTEMC INTERFACE_INCLUDE_DIRECTORIES)
if(systemc_include)
  target_include_directories(macaw_systemc SYSTEM INTERFACE ${systemc_include})
endif()

# Every header that the build makes; all that an analysis of the sources needs.
add_custom_target(macaw_generated)

# macaw_flatbuffer(TARGET schema.fbs...): headers generated at build time, reachable as "NAME_generated.h".
function(macaw_flatbuffer target)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  set(headers)
  foreach(schema IN LISTS ARGN)
    get_filename_component(base "${schema}" NAME_WE)
    add_custom_command(
      OUTPUT "${out}/${base}_generated.h"
      COMMAND ${FLATC} --cpp --scoped-enums --gen-mutable --gen-object-api --reflect-names -o "${out}" "${CMAKE_CURRENT_SOURCE_DIR}/${schema}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${schema}")
    list(APPEND headers "${out}/${base}_generated.h")
  endforeach()
  add_custom_target(${target}_headers DEPENDS ${headers})
  add_dependencies(macaw_generated ${target}_headers)
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_headers)
  target_include_directories(${target} SYSTEM INTERFACE "${out}")
endfunction()
