/* The hardware beneath Arm's Ethos-U core driver on a host: NPUs, identified by the base address given to
   ethosu_init(). */
#ifndef MACAW_ETHOSU_H
#define MACAW_ETHOSU_H

#include <macaw/device.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ethosu_device;

/** Creates an NPU at a base address, which is an identifier and need not point at anything. `accelerator` and `system`
    are those of macaw_device_create(); null: MACAW_ACCELERATOR (default: the accelerator that the driver is built for)
    and MACAW_SYSTEM of the environment. ethosu_init() does the same with nulls for an address without an NPU. A driver
    that is built for several families has no default accelerator here; its ethosu_init_ex() takes MACAW_ACCELERATOR if
    it belongs to the family of the descriptor, else ethos-u55-128, ethos-u65-256 or ethos-u85-256. Returns 0, or -1
    after a message on stderr. */
int macaw_ethosu_attach(const void* base_address, const char* accelerator, const char* system);

/** Removes the NPU; its driver must have been deinitialised before. */
void macaw_ethosu_detach(const void* base_address);

/** Returns the NPU at a base address, or null. */
macaw_device* macaw_ethosu_npu(const volatile void* base_address);

/** Advances time in the NPUs that run a job, by at most `cycles`, until an interrupt has been delivered to
    ethosu_irq_handler() in this thread. Returns the cycles that passed, at least 1, or 0 if no job runs and no
    interrupt is pending. */
uint64_t macaw_ethosu_wait(uint64_t cycles);

/* Shared by the files of this folder. */
int macaw_ethosu_attach_family(const void* base_address, const char* family); /* ethos-u55 */
void macaw_ethosu_claim(struct ethosu_device* dev);
uint32_t macaw_ethosu_read(const struct ethosu_device* dev, const char* name, unsigned word);
void macaw_ethosu_write(const struct ethosu_device* dev, const char* name, unsigned word, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
