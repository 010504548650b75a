/* The device layer of Arm's core driver up to version 1.0, replacing its ethosu_device_*.c. */
#include "device_operations.h"

#if defined(ETHOSU55)
#include <ethosu_config_u55.h>
static const struct macaw_ethosu_product product = {0, "ethos-u55"};
#elif defined(ETHOSU65)
#include <ethosu_config_u65.h>
static const struct macaw_ethosu_product product = {1, "ethos-u65"};
#elif defined(ETHOSU85)
#include <ethosu_config_u85.h>
static const struct macaw_ethosu_product product = {2, "ethos-u85"};
#endif

#include <assert.h>

uint64_t __attribute__((weak)) ethosu_address_remap(uint64_t address, int index) {
  (void)index;
  return address;
}

unsigned int __attribute__((weak)) ethosu_config_select(uint64_t address, int index) {
  static const unsigned regions[] = {NPU_REGIONCFG_0, NPU_REGIONCFG_1, NPU_REGIONCFG_2, NPU_REGIONCFG_3,
                                     NPU_REGIONCFG_4, NPU_REGIONCFG_5, NPU_REGIONCFG_6, NPU_REGIONCFG_7};
  (void)address;
  assert(index >= -1 && index <= 7);
  return index < 0 ? NPU_QCONFIG : regions[index];
}

bool ethosu_dev_init(struct ethosu_device* dev, void* base_address, uint32_t secure_enable, uint32_t privilege_enable) {
  if (!macaw_ethosu_open(dev, base_address, product, secure_enable, privilege_enable)) return false;
  if (ethosu_dev_soft_reset(dev) != ETHOSU_SUCCESS) return false;
  macaw_ethosu_claim(dev);
  return true;
}

#ifdef ETHOSU85

enum ethosu_error_codes ethosu_dev_axi_init(struct ethosu_device* dev) {
  static const uint32_t attributes[] = {NPU_MEM_ATTR_0, NPU_MEM_ATTR_1, NPU_MEM_ATTR_2, NPU_MEM_ATTR_3};
  for (unsigned i = 0; i < 4; ++i) macaw_ethosu_write(dev, "MEM_ATTR", i, attributes[i]);
  macaw_ethosu_write(dev, "AXI_SRAM", 0,
                     MACAW_BITS(AXI_LIMIT_SRAM_MAX_OUTSTANDING_READ_M1 - 1u, 0, 6) |
                         MACAW_BITS(AXI_LIMIT_SRAM_MAX_OUTSTANDING_WRITE_M1 - 1u, 0, 5) << 8 |
                         (uint32_t)AXI_LIMIT_SRAM_MAX_BEATS << 16);
  macaw_ethosu_write(dev, "AXI_EXT", 0,
                     MACAW_BITS(AXI_LIMIT_EXT_MAX_OUTSTANDING_READ_M1 - 1u, 0, 6) |
                         MACAW_BITS(AXI_LIMIT_EXT_MAX_OUTSTANDING_WRITE_M1 - 1u, 0, 5) << 8 |
                         (uint32_t)AXI_LIMIT_EXT_MAX_BEATS << 16);
  return ETHOSU_SUCCESS;
}

#else

enum ethosu_error_codes ethosu_dev_axi_init(struct ethosu_device* dev) {
  macaw_ethosu_write(dev, "AXI_LIMIT0", 0, MACAW_AXI_LIMIT(0));
  macaw_ethosu_write(dev, "AXI_LIMIT1", 0, MACAW_AXI_LIMIT(1));
  macaw_ethosu_write(dev, "AXI_LIMIT2", 0, MACAW_AXI_LIMIT(2));
  macaw_ethosu_write(dev, "AXI_LIMIT3", 0, MACAW_AXI_LIMIT(3));
  return ETHOSU_SUCCESS;
}

#endif

void ethosu_dev_run_command_stream(struct ethosu_device* dev, const uint8_t* cmd_stream_ptr, uint32_t cms_length,
                                   const uint64_t* base_addr, int num_base_addr) {
  const struct macaw_ethosu_access access = {ethosu_address_remap, ethosu_config_select, 0, 0};
  macaw_ethosu_run(dev, cmd_stream_ptr, cms_length, base_addr, num_base_addr, access);
}

void ethosu_dev_print_err_status(struct ethosu_device* dev) { macaw_ethosu_print_status(dev); }

bool ethosu_dev_handle_interrupt(struct ethosu_device* dev) { return macaw_ethosu_end_job(dev); }

bool ethosu_dev_verify_access_state(struct ethosu_device* dev) { return macaw_ethosu_has_access_state(dev); }

enum ethosu_error_codes ethosu_dev_soft_reset(struct ethosu_device* dev) {
  if (!macaw_ethosu_reset(dev)) return ETHOSU_GENERIC_FAILURE;
  ethosu_dev_axi_init(dev);
#ifdef NPU_MAC_PWR_RAMP_CYCLES
  macaw_ethosu_write(dev, "POWER_CTRL", 0, MACAW_BITS(NPU_MAC_PWR_RAMP_CYCLES, 0, 6));
#endif
  return ETHOSU_SUCCESS;
}

void ethosu_dev_get_hw_info(struct ethosu_device* dev, struct ethosu_hw_info* hwinfo) {
  macaw_ethosu_get_info(dev, hwinfo);
}

enum ethosu_error_codes ethosu_dev_set_clock_and_power(struct ethosu_device* dev, enum ethosu_clock_q_request clock_q,
                                                       enum ethosu_power_q_request power_q) {
  macaw_ethosu_set_clock_and_power(dev, clock_q, power_q);
  return ETHOSU_SUCCESS;
}

bool ethosu_dev_verify_optimizer_config(struct ethosu_device* dev, uint32_t cfg_in, uint32_t id_in) {
  return macaw_ethosu_fits(dev, cfg_in, id_in);
}
