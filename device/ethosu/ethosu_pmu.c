/* The performance monitor of Arm's core driver up to version 1.0, replacing its ethosu_pmu.c. */
#include <ethosu_interface.h>
#include <pmu_ethosu.h>

#define COUNTERS ETHOSU_PMU_NCOUNTERS
#define PMU(function) ETHOSU_PMU_##function
#include "pmu_functions.h"
