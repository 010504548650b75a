# What not every call of the program needs is loaded by the calls that do.

# macaw_late(NAME source...): a library NAME of the sources, beside the program. All else that it calls is the program's.
function(macaw_late name)
  add_library(${name} MODULE "${version_source}" ${ARGN})
  add_dependencies(${name} macaw_version)
  add_dependencies(macaw ${name})
  target_link_libraries(${name} PRIVATE macaw_flags fmt::fmt tl::expected)
  # It has names that the program has as well.
  target_link_options(${name} PRIVATE LINKER:-Bsymbolic)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/macaw)
endfunction()
macaw_late(macaw_npz ../base/late/library.cpp ../base/npz.cpp)
target_link_libraries(macaw_npz PRIVATE PkgConfig::LIBZIP)
macaw_late(macaw_timed_model ../sim/sc/late/library.cpp $<TARGET_OBJECTS:macaw_sc> $<TARGET_OBJECTS:macaw_npu_device>)
target_link_libraries(macaw_timed_model PRIVATE macaw_systemc)

target_sources(macaw PRIVATE ../base/late/load.cpp ../sim/sc/late/load.cpp)
set_property(TARGET macaw PROPERTY LINK_LIBRARY_OVERRIDE
  "WHOLE_ARCHIVE,macaw_machine,macaw_walk,macaw_timing,macaw_datapath,macaw_artifact,macaw_isa")
target_link_options(macaw PRIVATE LINKER:--as-needed "LINKER:--export-dynamic-symbol=_ZN5macaw*"
                                  "LINKER:--export-dynamic-symbol=_ZNK5macaw*" "LINKER:--export-dynamic-symbol=_ZT?N5macaw*")
file(RELATIVE_PATH from_program "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}/macaw")
set_target_properties(macaw PROPERTIES BUILD_RPATH "$ORIGIN;${PROJECT_BINARY_DIR}" INSTALL_RPATH "$ORIGIN/${from_program}"
                                       MACAW_ARCHIVES ON)
