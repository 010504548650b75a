# `./dev package`: Debian packages by CPack, one for each component.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library development python)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "Macaw maintainers <macaw@packages.invalid>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")

configure_file(cmake/debian/changelog.in debian/changelog.Debian)
execute_process(COMMAND gzip -9nkf changelog.Debian WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/debian" COMMAND_ERROR_IS_FATAL ANY)

# macaw_package(COMPONENT name section dependencies title text): `dependencies` beside the shared libraries that are found.
function(macaw_package component name section dependencies title text)
  string(TOUPPER "${component}" key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME "${name}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${dependencies}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${title}\n${text}" PARENT_SCOPE)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME ${component})
    install(FILES "${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz" cmake/debian/copyright DESTINATION share/doc/${name})
    set(overrides cmake/debian/overrides/${name})
    if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${overrides}")
      set(overrides cmake/debian/overrides/any)
    endif()
    install(FILES ${overrides} DESTINATION share/lintian/overrides RENAME ${name})
  endif()
endfunction()
macaw_package(program macaw science "" "simulator of the Arm Ethos-U NPUs and TOSA interpreter"
  "Runs TOSA graphs, TensorFlow Lite networks and networks compiled for\n Ethos-U55, U65 and U85: outputs bit by bit, performance counters, cycles.")
macaw_package(library libmacaw1 libs "" "Ethos-U device and compiled networks as libraries"
  "Registers, interrupt and time of a simulated Ethos-U NPU behind a C\n interface, for emulators and firmware on the host; compiled networks that\n are run without time behind another.")
macaw_package(development libmacaw-dev libdevel
  "libmacaw1 (= ${PROJECT_VERSION}-1), libsystemc-dev, libfmt-dev, libexpected-dev, libhwy-dev, libzip-dev, zlib1g-dev, libpugixml-dev, libinih-dev, libflatbuffers-dev"
  "libraries and headers of Macaw" "For programs that run TOSA graphs and command streams themselves, or bind\n the NPU's SystemC component.")
macaw_package(python python3-macaw python "python3 (>= 3.9), python3-numpy" "Python modules of Macaw"
  "The modules macaw and tosa_reference_model.")
include(CPack)
