/* Ethos-U65 for Arm's core driver from version 1.99 on. */
#include <ethosu_config_u65.h>
#include <ethosu_driver.h>
#include <ethosu_interface_u65.h>

#define FAMILY u65
#define PRODUCT ETHOSU_PRODUCT_U65
#define COUNTERS 4
#include "backend.h"
#include "backend_axi_limits.h"
