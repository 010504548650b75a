# What not every call of the program needs is loaded by the calls that do: the timed model, with SystemC.
add_library(macaw_timed_model MODULE ../sim/sc/late/library.cpp "${version_source}" $<TARGET_OBJECTS:macaw_sc>)
add_dependencies(macaw_timed_model macaw_version)
target_link_libraries(macaw_timed_model PRIVATE macaw_flags macaw_systemc fmt::fmt tl::expected)
# It has names that the program has as well.
target_link_options(macaw_timed_model PRIVATE LINKER:-Bsymbolic)
set_target_properties(macaw_timed_model PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
install(TARGETS macaw_timed_model LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/macaw)

# All else that it calls is the program's.
target_sources(macaw PRIVATE ../sim/sc/late/load.cpp)
add_dependencies(macaw macaw_timed_model)
set_property(TARGET macaw PROPERTY LINK_LIBRARY_OVERRIDE
  "WHOLE_ARCHIVE,macaw_machine,macaw_walk,macaw_timing,macaw_datapath,macaw_artifact,macaw_isa")
target_link_options(macaw PRIVATE LINKER:--as-needed "LINKER:--export-dynamic-symbol=_ZN5macaw*"
                                  "LINKER:--export-dynamic-symbol=_ZNK5macaw*" "LINKER:--export-dynamic-symbol=_ZT?N5macaw*")
file(RELATIVE_PATH from_program "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}/macaw")
set_target_properties(macaw PROPERTIES BUILD_RPATH "$ORIGIN;${PROJECT_BINARY_DIR}" INSTALL_RPATH "$ORIGIN/${from_program}")
