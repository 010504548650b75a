# Destinations of `cmake --install`: headers, libraries, package description, program, configurations, licence. The
# Python modules are installed by python/.
include(CMakePackageConfigHelpers)

macaw_component(tosa macaw_tosa macaw_executorch macaw_tflite macaw_verify fmt::fmt tl::expected)
macaw_component(npu macaw_write_artifact macaw_functional macaw_timed macaw_run fmt::fmt tl::expected)
macaw_component(sc macaw_npu_device macaw_api_npu macaw_systemc)

# From those that need to those that are needed, as a static link wants them.
set(macaw_libraries macaw_run macaw_npu_device macaw_timed macaw_config macaw_write_artifact macaw_functional macaw_blocks macaw_datapath macaw_artifact macaw_isa
                    macaw_verify macaw_executorch macaw_tflite macaw_tosa macaw_interpreter macaw_import macaw_import_v1 macaw_op macaw_arith macaw_base)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/macaw")
install(TARGETS ${macaw_libraries} macaw_systemc macaw_api_tosa macaw_api_npu macaw_api_sc EXPORT macawTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(EXPORT macawTargets NAMESPACE macaw:: DESTINATION ${package_dir})
configure_package_config_file(cmake/macawConfig.cmake.in "${PROJECT_BINARY_DIR}/macawConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/macawConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/macawConfig.cmake" "${PROJECT_BINARY_DIR}/macawConfigVersion.cmake" DESTINATION ${package_dir})

list(TRANSFORM macaw_libraries PREPEND "-l" OUTPUT_VARIABLE MACAW_PC_LIBRARIES)
list(JOIN MACAW_PC_LIBRARIES " " MACAW_PC_LIBRARIES)
file(RELATIVE_PATH MACAW_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/macaw.pc.in "${PROJECT_BINARY_DIR}/macaw.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/macaw.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(DIRECTORY include/macaw DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS macaw RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/macaw COMPONENT program)
install(FILES cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
