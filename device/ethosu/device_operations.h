/* Operations on an NPU that the device layers of all versions of Arm's core driver share. */
#ifndef MACAW_ETHOSU_DEVICE_OPERATIONS_H
#define MACAW_ETHOSU_DEVICE_OPERATIONS_H

#include <macaw_ethosu.h>

#include <ethosu_device.h>
#include <ethosu_driver.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACAW_BITS(value, lsb, width) ((value) >> (lsb) & ((1u << (width)) - 1))

/** A product as CONFIG encodes it; `family` is the first part of the names of its accelerators: ethos-u55. */
struct macaw_ethosu_product {
  uint32_t number;
  const char* family;
};

/** Creates the NPU if there is none at the address, and waits for its reset. False, after a message, if it cannot be
    created or belongs to another product. */
bool macaw_ethosu_open(struct ethosu_device* dev, void* base_address, struct macaw_ethosu_product product,
                       uint32_t secure, uint32_t privileged);

/** Resets the NPU to the security state and privilege level of `dev`; false after a message. */
bool macaw_ethosu_reset(struct ethosu_device* dev);

/** How a job reaches memory: `remap` may be null; `select` returns a region's configuration, or is null if `queue` and
    `regions` hold those of the command stream and of all regions. */
struct macaw_ethosu_access {
  uint64_t (*remap)(uint64_t address, int index);
  unsigned int (*select)(uint64_t address, int index);
  uint32_t queue, regions;
};

void macaw_ethosu_run(struct ethosu_device* dev, const uint8_t* stream, uint32_t length, const uint64_t* base_addr,
                      int num_base_addr, struct macaw_ethosu_access access);
void macaw_ethosu_print_status(struct ethosu_device* dev);
/** Clears the interrupt. False if the job did not reach its end. */
bool macaw_ethosu_end_job(struct ethosu_device* dev);
bool macaw_ethosu_has_access_state(struct ethosu_device* dev);
void macaw_ethosu_get_info(struct ethosu_device* dev, struct ethosu_hw_info* info);
void macaw_ethosu_set_clock_and_power(struct ethosu_device* dev, enum ethosu_clock_q_request clock_q,
                                      enum ethosu_power_q_request power_q);
/** Whether the NPU can run what was compiled for the words CONFIG and ID; prints each difference. */
bool macaw_ethosu_fits(struct ethosu_device* dev, uint32_t config, uint32_t id);

/** Values of AXI_LIMITn of U55 and U65, from numbers of transactions. */
#define MACAW_AXI_LIMIT(n)                                                   \
  (AXI_LIMIT##n##_MAX_BEATS_BYTES | (uint32_t)AXI_LIMIT##n##_MEM_TYPE << 4 | \
   MACAW_BITS(AXI_LIMIT##n##_MAX_OUTSTANDING_READS - 1u, 0, 6) << 16 |       \
   MACAW_BITS(AXI_LIMIT##n##_MAX_OUTSTANDING_WRITES - 1u, 0, 5) << 24)

#endif
