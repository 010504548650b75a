/* Ethos-U55 for Arm's core driver from version 1.99 on. */
#include <ethosu_config_u55.h>
#include <ethosu_driver.h>
#include <ethosu_interface_u55.h>

#define FAMILY u55
#define PRODUCT ETHOSU_PRODUCT_U55
#define COUNTERS 4
#include "backend.h"
#include "backend_axi_limits.h"
