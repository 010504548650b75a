#include "device_operations.h"

#include "npus.h"

#include <ethosu_log.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#define CMD_RUN 1u
#define CMD_CLEAR_IRQ 2u
#define CMD_CLOCK 4u
#define CMD_POWER 8u
#define STATUS_IN_RESET 8u
#define STATUS_END_REACHED 0x20u
#define STATUS_FAULTS 0x394u /* bus, parser, weight decoder, ECC, branch */
#define POLLS 100000
#define U85 2u

static bool wait_for_reset(struct ethosu_device* dev) {
  int polls = 0;
  while (polls < POLLS && macaw_ethosu_read(dev, "STATUS", 0) & STATUS_IN_RESET) ++polls;
  return polls < POLLS;
}

bool macaw_ethosu_open(struct ethosu_device* dev, void* base_address, struct macaw_ethosu_product product,
                       uint32_t secure, uint32_t privileged) {
  dev->reg = base_address;
  dev->secure = secure;
  dev->privileged = privileged;
  if (!macaw_ethosu_npu(base_address) && macaw_ethosu_attach_family(base_address, product.family) != 0) return false;
  (void)wait_for_reset(dev);
  if (MACAW_BITS(macaw_ethosu_read(dev, "CONFIG", 0), 28, 4) == product.number) return true;
  LOG_ERR("Failed to initialize device. Driver has not been compiled for this product");
  return false;
}

bool macaw_ethosu_reset(struct ethosu_device* dev) {
  macaw_ethosu_write(dev, "RESET", 0, (dev->privileged ? 1u : 0u) | (dev->secure ? 0u : 2u));
  if (!wait_for_reset(dev)) {
    LOG_ERR("Soft reset timed out");
    return false;
  }
  if (macaw_ethosu_has_access_state(dev)) return true;
  LOG_ERR("Failed to switch security state and privilege level");
  return false;
}

static void write_address(struct ethosu_device* dev, const char* name, unsigned index, uint64_t address) {
  macaw_ethosu_write(dev, name, 2 * index, (uint32_t)address);
  macaw_ethosu_write(dev, name, 2 * index + 1, (uint32_t)(address >> 32));
}

static uint32_t kept_command(const struct ethosu_device* dev) {
  return macaw_ethosu_read(dev, "CMD", 0) & (CMD_CLOCK | CMD_POWER);
}

/* Addresses of a host have more than the 32 or 40 bits that the hardware supports. */
void macaw_ethosu_run(struct ethosu_device* dev, const uint8_t* stream, uint32_t length, const uint64_t* base_addr,
                      int num_base_addr, struct macaw_ethosu_access access) {
  assert(num_base_addr <= 8);
  uint32_t regions = 0;
  const uint64_t from = (uintptr_t)stream, queue = access.remap ? access.remap(from, -1) : from;
  write_address(dev, "QBASE", 0, queue);
  macaw_ethosu_write(dev, "QSIZE", 0, length);
  macaw_ethosu_write(dev, "QCONFIG", 0, access.select ? access.select(queue, -1) : access.queue);
  for (int i = 0; i < num_base_addr; ++i) {
    const uint64_t address = access.remap ? access.remap(base_addr[i], i) : base_addr[i];
    write_address(dev, "BASEP", (unsigned)i, address);
    regions |= access.select ? access.select(address, i) << (2 * i) : access.regions & 3u << (2 * i);
  }
  macaw_ethosu_write(dev, "REGIONCFG", 0, regions);
  macaw_ethosu_write(dev, "CMD", 0, kept_command(dev) | CMD_RUN);
}

void macaw_ethosu_print_status(struct ethosu_device* dev) {
  const uint32_t status = macaw_ethosu_read(dev, "STATUS", 0);
  const char* fault = macaw_device_fault(macaw_ethosu_npu(dev->reg));
  LOG_ERR("NPU status=0x%08" PRIx32 ", qread=%" PRIu32 ", cmd_end_reached=%u", status,
          macaw_ethosu_read(dev, "QREAD", 0), (unsigned)MACAW_BITS(status, 5, 1));
  if (fault) LOG_ERR("NPU fault: %s", fault);
}

bool macaw_ethosu_end_job(struct ethosu_device* dev) {
  macaw_ethosu_write(dev, "CMD", 0, kept_command(dev) | CMD_CLEAR_IRQ);
  return (macaw_ethosu_read(dev, "STATUS", 0) & (STATUS_FAULTS | STATUS_END_REACHED)) == STATUS_END_REACHED;
}

bool macaw_ethosu_has_access_state(struct ethosu_device* dev) {
  const uint32_t state = macaw_ethosu_read(dev, "PROT", 0);
  return MACAW_BITS(state, 0, 1) == (dev->privileged ? 1u : 0u) && MACAW_BITS(state, 1, 1) == (dev->secure ? 0u : 1u);
}

void macaw_ethosu_get_info(struct ethosu_device* dev, struct ethosu_hw_info* info) {
  const uint32_t config = macaw_ethosu_read(dev, "CONFIG", 0), id = macaw_ethosu_read(dev, "ID", 0);
  info->cfg.macs_per_cc = MACAW_BITS(config, 0, 4);
  info->cfg.cmd_stream_version = MACAW_BITS(config, 4, 4);
  info->cfg.custom_dma = MACAW_BITS(config, 27, 1);
  info->version.version_status = MACAW_BITS(id, 0, 4);
  info->version.version_minor = MACAW_BITS(id, 4, 4);
  info->version.version_major = MACAW_BITS(id, 8, 4);
  info->version.product_major = MACAW_BITS(id, 12, 4);
  info->version.arch_patch_rev = MACAW_BITS(id, 16, 4);
  info->version.arch_minor_rev = MACAW_BITS(id, 20, 8);
  info->version.arch_major_rev = MACAW_BITS(id, 28, 4);
}

void macaw_ethosu_set_clock_and_power(struct ethosu_device* dev, enum ethosu_clock_q_request clock_q,
                                      enum ethosu_power_q_request power_q) {
  uint32_t command = kept_command(dev);
  if (power_q != ETHOSU_POWER_Q_UNCHANGED)
    command = (command & ~CMD_POWER) | (power_q == ETHOSU_POWER_Q_ENABLE ? CMD_POWER : 0);
  if (clock_q != ETHOSU_CLOCK_Q_UNCHANGED)
    command = (command & ~CMD_CLOCK) | (clock_q == ETHOSU_CLOCK_Q_ENABLE ? CMD_CLOCK : 0);
  macaw_ethosu_write(dev, "CMD", 0, command);
}

/* Fields of CONFIG in which a payload and the NPU must agree. */
struct config_field {
  const char* name;
  unsigned lsb, width;
  bool only_u85;
};
static const struct config_field config_fields[] = {
    {"product", 28, 4, false},    {"macs_per_cc", 0, 4, false}, {"cmd_stream_version", 4, 4, false},
    {"num_axi_sram", 8, 2, true}, {"num_axi_ext", 10, 1, true},
};

bool macaw_ethosu_fits(struct ethosu_device* dev, uint32_t cfg_in, uint32_t id_in) {
  const uint32_t config = macaw_ethosu_read(dev, "CONFIG", 0), id = macaw_ethosu_read(dev, "ID", 0);
  bool fits = true;
  for (size_t i = 0; i < sizeof config_fields / sizeof *config_fields; ++i) {
    const struct config_field* field = &config_fields[i];
    const uint32_t npu = MACAW_BITS(config, field->lsb, field->width);
    const uint32_t optimizer = MACAW_BITS(cfg_in, field->lsb, field->width);
    if (npu == optimizer || (field->only_u85 && MACAW_BITS(config, 28, 4) != U85)) continue;
    LOG_ERR("NPU config mismatch. npu.%s=%u, optimizer.%s=%u", field->name, (unsigned)npu, field->name,
            (unsigned)optimizer);
    fits = false;
  }
  if (!MACAW_BITS(config, 27, 1) && MACAW_BITS(cfg_in, 27, 1)) {
    LOG_ERR("NPU config mismatch. npu.custom_dma=0, optimizer.custom_dma=1");
    fits = false;
  }
  if (MACAW_BITS(id, 28, 4) != MACAW_BITS(id_in, 28, 4) || MACAW_BITS(id, 20, 8) < MACAW_BITS(id_in, 20, 8)) {
    LOG_ERR("NPU arch mismatch. npu.arch=%u.%u.%u, optimizer.arch=%u.%u.%u", (unsigned)MACAW_BITS(id, 28, 4),
            (unsigned)MACAW_BITS(id, 20, 8), (unsigned)MACAW_BITS(id, 16, 4), (unsigned)MACAW_BITS(id_in, 28, 4),
            (unsigned)MACAW_BITS(id_in, 20, 8), (unsigned)MACAW_BITS(id_in, 16, 4));
    fits = false;
  }
  return fits;
}
