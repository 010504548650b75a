# macaw_ethosu(TARGET DRIVER NPU): a library TARGET of Arm's core driver whose sources lie in the folder DRIVER (its
# ethosu_driver.c as it is), built for NPU, "ethos-u55-128", with Macaw in place of the hardware. Has the API of
# ethosu_driver.h and pmu_ethosu.h. Include from a project that has found Macaw, or that Macaw is a part of.
set(MACAW_ETHOSU_FOLDER "${CMAKE_CURRENT_LIST_DIR}")

function(macaw_ethosu target driver npu)
  if(NOT npu MATCHES "^ethos-(u55|u65|u85)-([0-9]+)$")
    message(FATAL_ERROR "macaw_ethosu: '${npu}' is not the name of an NPU such as ethos-u55-128")
  endif()
  set(arch ${CMAKE_MATCH_1})
  set(macs ${CMAKE_MATCH_2})
  string(TOUPPER ${arch} family)
  set(own ethosu_device.c ethosu_pmu.c host_memory.c npus.c waits.c)
  list(TRANSFORM own PREPEND "${MACAW_ETHOSU_FOLDER}/")
  add_library(${target} STATIC "${driver}/src/ethosu_driver.c" ${own})
  target_include_directories(${target} PUBLIC "${MACAW_ETHOSU_FOLDER}" "${driver}/include" PRIVATE "${driver}/src")
  target_compile_definitions(${target} PUBLIC ETHOSU_ARCH=${arch} ETHOSU_MACS=${macs} ETHOS${family})
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  if(TARGET macaw_device)
    target_link_libraries(${target} PUBLIC macaw_device)
  else()
    target_link_libraries(${target} PUBLIC macaw::macaw_device)
  endif()
endfunction()
