# Flags and helpers that every target of the project uses.

include(GNUInstallDirs)

# Folders of this name below platform/ hold the sources for the system.
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  set(MACAW_PLATFORM wasi)
else()
  set(MACAW_PLATFORM linux)
endif()

add_library(macaw_flags INTERFACE)
target_include_directories(macaw_flags INTERFACE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
# -ffp-contract=off: results must not depend on whether the compiler fuses a multiply and an add.
target_compile_options(macaw_flags INTERFACE -Wall -Wextra -Wpedantic -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Where memory is short, the dynamic linker ends a program that loads a library with unique symbols.
  target_compile_options(macaw_flags INTERFACE -fno-gnu-unique)
  # Our functions are never replaced at load time, so the compiler may inline them.
  target_compile_options(macaw_flags INTERFACE -fno-semantic-interposition)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns about std::string's own copies (GCC bug 105651).
  target_compile_options(macaw_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It warns about types of unnamed namespaces in files that it takes for headers.
  target_compile_options(macaw_flags INTERFACE -Wno-subobject-linkage)
  if(PROJECT_IS_TOP_LEVEL)
    # Joined sources leave it little garbage to collect before they end; looking for it takes a tenth of the time.
    target_compile_options(macaw_flags INTERFACE --param=ggc-min-heapsize=524288)
  endif()
endif()
if(MACAW_WERROR)
  target_compile_options(macaw_flags INTERFACE -Werror)
endif()
if(MACAW_SANITIZE)
  target_compile_options(macaw_flags INTERFACE -fsanitize=${MACAW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(macaw_flags INTERFACE -fsanitize=${MACAW_SANITIZE})
  if(MACAW_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # SystemC's coroutines do not keep the frames that the sanitizer would hold back for it.
    target_compile_options(macaw_flags INTERFACE -fsanitize-address-use-after-return=never)
    # Sources ask for it as g++ says it.
    target_compile_definitions(macaw_flags INTERFACE __SANITIZE_ADDRESS__)
  endif()
endif()

# macaw_precompile(TARGET header...): headers that nearly every file of the target reads, parsed once for all of them.
function(macaw_precompile target)
  if(MACAW_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span>
      <string> <vector> <fmt/format.h> "${PROJECT_SOURCE_DIR}/include/macaw/tensor.hpp" ${ARGN})
  endif()
endfunction()

# macaw_compile_for_targets(SOURCE): one that Highway compiles once for each instruction set. Without optimisation its
# inline functions that know the sets of their source become one for all sources, which then call what is not there.
function(macaw_compile_for_targets source)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# macaw_compile_apart(source...): those of them that Highway compiles once for each instruction set are not joined with others.
function(macaw_compile_apart)
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" marked REGEX "^#define HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
    if(marked)
      macaw_compile_for_targets("${source}")
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# macaw_join_targets(VARIABLE): where the build joins sources, puts one in place of those of the list that Highway compiles
# once for each instruction set and that ask it for the same sets: its headers are parsed that often.
function(macaw_join_targets variable)
  set(keys)
  foreach(source IN LISTS ${variable})
    file(STRINGS "${source}" marked REGEX "^#define HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
    if(CMAKE_UNITY_BUILD AND marked)
      file(STRINGS "${source}" sets REGEX "^#(undef|define) HWY_(WANT|DISABLED)_")
      string(MD5 key "${sets}")
      list(APPEND keys ${key})
      list(APPEND sources_${key} "${source}")
      string(REPLACE ";" "\n" sets_${key} "${sets}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES keys)
  foreach(key IN LISTS keys)
    list(LENGTH sources_${key} count)
    if(count GREATER 1)
      string(SUBSTRING ${key} 0 8 name)
      set(joined "${CMAKE_CURRENT_BINARY_DIR}/targets_${name}.cpp")
      # Each source names itself as what Highway includes again.
      set(self "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${joined}\"\n")
      set(content "${sets_${key}}\n${self}#include <hwy/foreach_target.h>\n#include <hwy/highway.h>\n")
      foreach(source IN LISTS sources_${key})
        string(APPEND content "#include \"${source}\"\n")
      endforeach()
      string(APPEND content "${self}")
      file(CONFIGURE OUTPUT "${joined}" CONTENT "${content}" @ONLY)
      set_source_files_properties("${joined}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      macaw_compile_for_targets("${joined}")
      list(REMOVE_ITEM ${variable} ${sources_${key}})
      list(APPEND ${variable} "${joined}")
    endif()
  endforeach()
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()

# macaw_optimize(TARGET level): what a release compiles the target with in place of -O3: O1 where a run of a network spends no
# time, Og (those passes of -O1 that cost the compiler little) where none comes.
function(macaw_optimize target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-${level}>)
endfunction()

# macaw_library(NAME [OPTIMIZE level] [SOURCES file...] [O1_SOURCES file...] [DEPENDS lib...] [PRECOMPILE header...]): a library
# macaw_NAME, shared or static as BUILD_SHARED_LIBS says, of the sources or else of every .cpp below this folder. A target that
# links it sees include/ and no flags of ours. O1_SOURCES are compiled with -O1 (macaw_NAME_O1).
function(macaw_library name)
  cmake_parse_arguments(arg "" "OPTIMIZE" "SOURCES;O1_SOURCES;DEPENDS;PRECOMPILE" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  if(arg_O1_SOURCES)
    list(REMOVE_ITEM arg_SOURCES ${arg_O1_SOURCES})
  endif()
  macaw_compile_apart(${arg_SOURCES})
  macaw_join_targets(arg_SOURCES)
  add_library(macaw_${name} ${arg_SOURCES})
  target_include_directories(macaw_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(macaw_${name} PRIVATE $<BUILD_INTERFACE:macaw_flags> PUBLIC ${arg_DEPENDS})
  if(arg_OPTIMIZE)
    macaw_optimize(macaw_${name} ${arg_OPTIMIZE})
  endif()
  # Each batch of joined sources parses the headers of the library once more.
  set_target_properties(macaw_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 64
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(arg_O1_SOURCES)
    add_library(macaw_${name}_O1 OBJECT ${arg_O1_SOURCES})
    target_link_libraries(macaw_${name}_O1 PRIVATE macaw_flags ${arg_DEPENDS})
    macaw_optimize(macaw_${name}_O1 O1)
    set_target_properties(macaw_${name}_O1 PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
    target_sources(macaw_${name} PRIVATE $<TARGET_OBJECTS:macaw_${name}_O1>)
  endif()
  if(NOT CMAKE_UNITY_BUILD)
    list(TRANSFORM arg_PRECOMPILE PREPEND "${PROJECT_SOURCE_DIR}/")
    macaw_precompile(macaw_${name} ${arg_PRECOMPILE})
    if(arg_O1_SOURCES)
      macaw_precompile(macaw_${name}_O1)
    endif()
  endif()
endfunction()

# macaw_component(NAME lib...): what macaw::NAME of the installed package links, in the tree as well.
function(macaw_component name)
  add_library(macaw_api_${name} INTERFACE)
  add_library(macaw::${name} ALIAS macaw_api_${name})
  target_link_libraries(macaw_api_${name} INTERFACE ${ARGN})
  target_compile_features(macaw_api_${name} INTERFACE cxx_std_20)
  set_target_properties(macaw_api_${name} PROPERTIES EXPORT_NAME ${name})
endfunction()

# macaw_shared_component(TARGET NAME INCLUDES description): a shared library that users link alone, installed with the target
# macaw::NAME and the pkg-config file macaw-NAME, of macaw_NAME. `INCLUDES` is below the prefix.
function(macaw_shared_component target name includes description)
  include(GNUInstallDirs)
  add_library(macaw::${name} ALIAS ${target})
  string(REGEX REPLACE "^include" "${CMAKE_INSTALL_INCLUDEDIR}" installed "${includes}")
  target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${includes}>" "$<INSTALL_INTERFACE:${installed}>")
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT ${target}Targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
  install(EXPORT ${target}Targets NAMESPACE macaw:: FILE macaw-${name}.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/macaw COMPONENT development)
  string(REPLACE "_" "-" MACAW_PC_NAME "macaw-${name}")
  set(MACAW_PC_LIBRARY ${target})
  set(MACAW_PC_DESCRIPTION "${description}")
  set(MACAW_PC_INCLUDES "${installed}")
  file(RELATIVE_PATH MACAW_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/component.pc.in" "${PROJECT_BINARY_DIR}/${MACAW_PC_NAME}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${MACAW_PC_NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endfunction()

# The levels of test programs: O1 where their own loops take time, the others in a release without optimisation.
set(MACAW_TEST_O1 -O1)
set(MACAW_TEST_O0 $<IF:$<CONFIG:Release>,-O0,-O1>)

# macaw_test(NAME [FOLDER folder [BELOW]] [OPTIMIZE O1] [DEPENDS lib...]): one Catch2 program and its ctest case, of every .cpp
# in FOLDER (BELOW: and in the folders below it), or of every .cpp below the folder NAME.
function(macaw_test name)
  cmake_parse_arguments(arg "BELOW" "FOLDER;OPTIMIZE" "DEPENDS" ${ARGN})
  if(arg_BELOW)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}/*.cpp")
  elseif(arg_FOLDER)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}/*.cpp")
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  endif()
  if(sources)
    macaw_compile_apart(${sources})
    get_filename_component(group "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    set(target test_${group}_${name})
    add_executable(${target} ${sources})
    target_link_libraries(${target} PRIVATE macaw_flags macaw_test_support ${arg_DEPENDS})
    set(level O0)
    if(arg_OPTIMIZE)
      set(level ${arg_OPTIMIZE})
    endif()
    target_compile_options(${target} PRIVATE ${MACAW_TEST_${level}})
    if(MACAW_PRECOMPILE)
      target_precompile_headers(${target} REUSE_FROM macaw_test_${level})
    endif()
    if(macaw_workflow IN_LIST arg_DEPENDS)
      # SystemC's library refers to sc_main, which macaw_timed has, also where nothing else of that is needed.
      target_link_options(${target} PRIVATE LINKER:--undefined=sc_main)
    endif()
    add_test(NAME ${group}.${name} COMMAND ${target} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()

# macaw_use_custom_op_example(TARGET): a test that loads docs/examples/custom_op, whose file is MACAW_CUSTOM_OP_EXAMPLE.
function(macaw_use_custom_op_example target)
  add_dependencies(${target} macaw_custom_op_example)
  target_compile_definitions(${target} PRIVATE MACAW_CUSTOM_OP_EXAMPLE="$<TARGET_FILE:macaw_custom_op_example>")
endfunction()
