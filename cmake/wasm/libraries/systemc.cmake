# SystemC with coroutines over Asyncify in place of QuickThreads.
set(systemc "${sources}/systemc/src")
file(GLOB_RECURSE systemc_sources "${systemc}/sysc/*.cpp" "${systemc}/tlm_core/*.cpp" "${systemc}/tlm_utils/*.cpp")
list(FILTER systemc_sources EXCLUDE REGEX "/sysc/(packages|kernel/sc_cor_|kernel/sc_main)")
web_library(systemc ${systemc_sources} systemc/coroutines.cpp)
# Macaw names the release of the language that Debian's library was built for, too.
target_compile_features(systemc PRIVATE cxx_std_17)
target_compile_definitions(systemc PRIVATE SC_BUILD SC_INCLUDE_FX SC_DISABLE_COPYRIGHT_MESSAGE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
# This folder first: its sc_cor_qt.h is the one that the kernel includes.
target_include_directories(systemc BEFORE PRIVATE systemc "${systemc}")
set_target_properties(systemc PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
file(GLOB fixed_point "${systemc}/sysc/datatypes/fx/*.cpp")
# Sources that cannot be part of a unity build: these define names twice, or messages by a macro that must not be defined before.
set_source_files_properties(${fixed_point} "${systemc}/sysc/utils/sc_report_handler.cpp" "${systemc}/sysc/utils/sc_utils_ids.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
install(DIRECTORY "${systemc}/sysc" "${systemc}/tlm_core" "${systemc}/tlm_utils" DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
  PATTERN "packages/qt" EXCLUDE)
install(FILES "${systemc}/systemc" "${systemc}/systemc.h" "${systemc}/tlm" "${systemc}/tlm.h" DESTINATION include)
install(FILES systemc/sysc/kernel/sc_cor_qt.h DESTINATION include/sysc/kernel)
