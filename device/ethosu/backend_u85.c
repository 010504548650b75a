/* Ethos-U85 for Arm's core driver from version 1.99 on. */
#include <ethosu_config_u85.h>
#include <ethosu_driver.h>
#include <ethosu_interface_u85.h>

#define FAMILY u85
#define PRODUCT ETHOSU_PRODUCT_U85
#define COUNTERS 8
#include "backend.h"

static void init_axi(struct ethosu_device* dev) {
  const family_config* config = config_of(dev);
  for (unsigned i = 0; i < 4; ++i) macaw_ethosu_write(dev, "MEM_ATTR", i, config->mem_attr[i].word);
  macaw_ethosu_write(dev, "AXI_SRAM", 0, config->axi_sram.word);
  macaw_ethosu_write(dev, "AXI_EXT", 0, config->axi_ext.word);
}

static bool reset(struct ethosu_device* dev) {
  if (!macaw_ethosu_reset(dev)) return false;
  dev->desc->ops->axi_init(dev);
  macaw_ethosu_write(dev, "POWER_CTRL", 0, config_of(dev)->power_ctrl.word);
  return true;
}

/* Not constant: a program may change the default at run time. */
static family_config default_config = {
    .mem_attr = {{.word = NPU_MEM_ATTR_0},
                 {.word = NPU_MEM_ATTR_1},
                 {.word = NPU_MEM_ATTR_2},
                 {.word = NPU_MEM_ATTR_3}},
    .qconfig.word = NPU_QCONFIG,
    .regioncfg.word = REGIONS,
    .axi_sram.max_outstanding_read_m1 = AXI_LIMIT_SRAM_MAX_OUTSTANDING_READ - 1,
    .axi_sram.max_outstanding_write_m1 = AXI_LIMIT_SRAM_MAX_OUTSTANDING_WRITE - 1,
    .axi_sram.max_beats = AXI_LIMIT_SRAM_MAX_BEATS,
    .axi_ext.max_outstanding_read_m1 = AXI_LIMIT_EXT_MAX_OUTSTANDING_READ - 1,
    .axi_ext.max_outstanding_write_m1 = AXI_LIMIT_EXT_MAX_OUTSTANDING_WRITE - 1,
    .axi_ext.max_beats = AXI_LIMIT_EXT_MAX_BEATS,
    .power_ctrl.mac_step_cycles = NPU_MAC_PWR_RAMP_CYCLES,
};

struct ethosu_device_config ethosu_device_config_u85 = {.config = &default_config};
