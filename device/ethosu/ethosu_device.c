/* The device layer of Arm's core driver on top of macaw/device.h, replacing its ethosu_device_*.c. */
#include <ethosu_device.h>

#include "macaw_ethosu.h"

#include <ethosu_driver.h>
#include <ethosu_log.h>

#if defined(ETHOSU55)
#include <ethosu_config_u55.h>
#define PRODUCT 0u
#elif defined(ETHOSU65)
#include <ethosu_config_u65.h>
#define PRODUCT 1u
#elif defined(ETHOSU85)
#include <ethosu_config_u85.h>
#define PRODUCT 2u
#endif

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BITS(value, lsb, width) ((value) >> (lsb) & ((1u << (width)) - 1))
#define CMD_RUN 1u
#define CMD_CLEAR_IRQ 2u
#define CMD_CLOCK 4u
#define CMD_POWER 8u
#define STATUS_IN_RESET 8u
#define STATUS_END_REACHED 0x20u
#define STATUS_FAULTS 0x394u /* bus, parser, weight decoder, ECC, branch */
#define POLLS 100000

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
  dev->reg = base_address;
  dev->secure = secure_enable;
  dev->privileged = privilege_enable;
  if (!macaw_ethosu_npu(base_address) && macaw_ethosu_attach(base_address, NULL, NULL) != 0) return false;
  for (int i = 0; i < POLLS && macaw_ethosu_read(dev, "STATUS", 0) & STATUS_IN_RESET; ++i) continue;
  if (BITS(macaw_ethosu_read(dev, "CONFIG", 0), 28, 4) != PRODUCT) {
    LOG_ERR("Failed to initialize device. Driver has not been compiled for this product");
    return false;
  }
  if (ethosu_dev_soft_reset(dev) != ETHOSU_SUCCESS) return false;
  macaw_ethosu_claim(dev);
  return true;
}

#ifdef ETHOSU85

enum ethosu_error_codes ethosu_dev_axi_init(struct ethosu_device* dev) {
  static const uint32_t attributes[] = {NPU_MEM_ATTR_0, NPU_MEM_ATTR_1, NPU_MEM_ATTR_2, NPU_MEM_ATTR_3};
  for (unsigned i = 0; i < 4; ++i) macaw_ethosu_write(dev, "MEM_ATTR", i, attributes[i]);
  macaw_ethosu_write(dev, "AXI_SRAM", 0,
                     BITS(AXI_LIMIT_SRAM_MAX_OUTSTANDING_READ_M1 - 1u, 0, 6) |
                         BITS(AXI_LIMIT_SRAM_MAX_OUTSTANDING_WRITE_M1 - 1u, 0, 5) << 8 |
                         (uint32_t)AXI_LIMIT_SRAM_MAX_BEATS << 16);
  macaw_ethosu_write(dev, "AXI_EXT", 0,
                     BITS(AXI_LIMIT_EXT_MAX_OUTSTANDING_READ_M1 - 1u, 0, 6) |
                         BITS(AXI_LIMIT_EXT_MAX_OUTSTANDING_WRITE_M1 - 1u, 0, 5) << 8 |
                         (uint32_t)AXI_LIMIT_EXT_MAX_BEATS << 16);
  return ETHOSU_SUCCESS;
}

#else

enum ethosu_error_codes ethosu_dev_axi_init(struct ethosu_device* dev) {
#define LIMIT(n)                                                                               \
  macaw_ethosu_write(dev, "AXI_LIMIT" #n, 0,                                                   \
                     AXI_LIMIT##n##_MAX_BEATS_BYTES | (uint32_t)AXI_LIMIT##n##_MEM_TYPE << 4 | \
                         BITS(AXI_LIMIT##n##_MAX_OUTSTANDING_READS - 1u, 0, 6) << 16 |         \
                         BITS(AXI_LIMIT##n##_MAX_OUTSTANDING_WRITES - 1u, 0, 5) << 24)
  LIMIT(0);
  LIMIT(1);
  LIMIT(2);
  LIMIT(3);
#undef LIMIT
  return ETHOSU_SUCCESS;
}

#endif

static void write_address(struct ethosu_device* dev, const char* name, unsigned index, uint64_t address) {
  macaw_ethosu_write(dev, name, 2 * index, (uint32_t)address);
  macaw_ethosu_write(dev, name, 2 * index + 1, (uint32_t)(address >> 32));
}

static uint32_t kept_command(const struct ethosu_device* dev) {
  return macaw_ethosu_read(dev, "CMD", 0) & (CMD_CLOCK | CMD_POWER);
}

/* Addresses of a host have more than the 32 or 40 bits that the hardware supports. */
void ethosu_dev_run_command_stream(struct ethosu_device* dev, const uint8_t* cmd_stream_ptr, uint32_t cms_length,
                                   const uint64_t* base_addr, int num_base_addr) {
  assert(num_base_addr <= 8);
  uint32_t regions = 0;
  const uint64_t queue = ethosu_address_remap((uintptr_t)cmd_stream_ptr, -1);
  write_address(dev, "QBASE", 0, queue);
  macaw_ethosu_write(dev, "QSIZE", 0, cms_length);
  macaw_ethosu_write(dev, "QCONFIG", 0, ethosu_config_select(queue, -1));
  for (int i = 0; i < num_base_addr; ++i) {
    const uint64_t address = ethosu_address_remap(base_addr[i], i);
    write_address(dev, "BASEP", (unsigned)i, address);
    regions |= ethosu_config_select(address, i) << (2 * i);
  }
  macaw_ethosu_write(dev, "REGIONCFG", 0, regions);
  macaw_ethosu_write(dev, "CMD", 0, kept_command(dev) | CMD_RUN);
}

void ethosu_dev_print_err_status(struct ethosu_device* dev) {
  const uint32_t status = macaw_ethosu_read(dev, "STATUS", 0);
  const char* fault = macaw_device_fault(macaw_ethosu_npu(dev->reg));
  LOG_ERR("NPU status=0x%08" PRIx32 ", qread=%" PRIu32 ", cmd_end_reached=%u", status,
          macaw_ethosu_read(dev, "QREAD", 0), (unsigned)BITS(status, 5, 1));
  if (fault) LOG_ERR("NPU fault: %s", fault);
}

bool ethosu_dev_handle_interrupt(struct ethosu_device* dev) {
  macaw_ethosu_write(dev, "CMD", 0, kept_command(dev) | CMD_CLEAR_IRQ);
  return (macaw_ethosu_read(dev, "STATUS", 0) & (STATUS_FAULTS | STATUS_END_REACHED)) == STATUS_END_REACHED;
}

bool ethosu_dev_verify_access_state(struct ethosu_device* dev) {
  const uint32_t state = macaw_ethosu_read(dev, "PROT", 0);
  return BITS(state, 0, 1) == (dev->privileged ? 1u : 0u) && BITS(state, 1, 1) == (dev->secure ? 0u : 1u);
}

enum ethosu_error_codes ethosu_dev_soft_reset(struct ethosu_device* dev) {
  macaw_ethosu_write(dev, "RESET", 0, (dev->privileged ? 1u : 0u) | (dev->secure ? 0u : 2u));
  int polls = 0;
  while (polls < POLLS && macaw_ethosu_read(dev, "STATUS", 0) & STATUS_IN_RESET) ++polls;
  if (polls == POLLS) {
    LOG_ERR("Soft reset timed out");
    return ETHOSU_GENERIC_FAILURE;
  }
  if (!ethosu_dev_verify_access_state(dev)) {
    LOG_ERR("Failed to switch security state and privilege level");
    return ETHOSU_GENERIC_FAILURE;
  }
  ethosu_dev_axi_init(dev);
#ifdef ETHOSU85
  macaw_ethosu_write(dev, "POWER_CTRL", 0, BITS(NPU_MAC_PWR_RAMP_CYCLES, 0, 6));
#endif
  return ETHOSU_SUCCESS;
}

void ethosu_dev_get_hw_info(struct ethosu_device* dev, struct ethosu_hw_info* hwinfo) {
  const uint32_t config = macaw_ethosu_read(dev, "CONFIG", 0), id = macaw_ethosu_read(dev, "ID", 0);
  hwinfo->cfg.macs_per_cc = BITS(config, 0, 4);
  hwinfo->cfg.cmd_stream_version = BITS(config, 4, 4);
  hwinfo->cfg.custom_dma = BITS(config, 27, 1);
  hwinfo->version.version_status = BITS(id, 0, 4);
  hwinfo->version.version_minor = BITS(id, 4, 4);
  hwinfo->version.version_major = BITS(id, 8, 4);
  hwinfo->version.product_major = BITS(id, 12, 4);
  hwinfo->version.arch_patch_rev = BITS(id, 16, 4);
  hwinfo->version.arch_minor_rev = BITS(id, 20, 8);
  hwinfo->version.arch_major_rev = BITS(id, 28, 4);
}

enum ethosu_error_codes ethosu_dev_set_clock_and_power(struct ethosu_device* dev, enum ethosu_clock_q_request clock_q,
                                                       enum ethosu_power_q_request power_q) {
  uint32_t command = kept_command(dev);
  if (power_q != ETHOSU_POWER_Q_UNCHANGED)
    command = (command & ~CMD_POWER) | (power_q == ETHOSU_POWER_Q_ENABLE ? CMD_POWER : 0);
  if (clock_q != ETHOSU_CLOCK_Q_UNCHANGED)
    command = (command & ~CMD_CLOCK) | (clock_q == ETHOSU_CLOCK_Q_ENABLE ? CMD_CLOCK : 0);
  macaw_ethosu_write(dev, "CMD", 0, command);
  return ETHOSU_SUCCESS;
}

/* Fields of CONFIG in which a payload and the NPU must agree. */
struct config_field {
  const char* name;
  unsigned lsb, width;
};
static const struct config_field config_fields[] = {
    {"product", 28, 4},     {"macs_per_cc", 0, 4},  {"cmd_stream_version", 4, 4},
#ifdef ETHOSU85
    {"num_axi_sram", 8, 2}, {"num_axi_ext", 10, 1},
#endif
};

bool ethosu_dev_verify_optimizer_config(struct ethosu_device* dev, uint32_t cfg_in, uint32_t id_in) {
  const uint32_t config = macaw_ethosu_read(dev, "CONFIG", 0), id = macaw_ethosu_read(dev, "ID", 0);
  bool fits = true;
  for (size_t i = 0; i < sizeof config_fields / sizeof *config_fields; ++i) {
    const struct config_field* field = &config_fields[i];
    const uint32_t npu = BITS(config, field->lsb, field->width), optimizer = BITS(cfg_in, field->lsb, field->width);
    if (npu == optimizer) continue;
    LOG_ERR("NPU config mismatch. npu.%s=%u, optimizer.%s=%u", field->name, (unsigned)npu, field->name,
            (unsigned)optimizer);
    fits = false;
  }
  if (!BITS(config, 27, 1) && BITS(cfg_in, 27, 1)) {
    LOG_ERR("NPU config mismatch. npu.custom_dma=0, optimizer.custom_dma=1");
    fits = false;
  }
  if (BITS(id, 28, 4) != BITS(id_in, 28, 4) || BITS(id, 20, 8) < BITS(id_in, 20, 8)) {
    LOG_ERR("NPU arch mismatch. npu.arch=%u.%u.%u, optimizer.arch=%u.%u.%u", (unsigned)BITS(id, 28, 4),
            (unsigned)BITS(id, 20, 8), (unsigned)BITS(id, 16, 4), (unsigned)BITS(id_in, 28, 4),
            (unsigned)BITS(id_in, 20, 8), (unsigned)BITS(id_in, 16, 4));
    fits = false;
  }
  return fits;
}
