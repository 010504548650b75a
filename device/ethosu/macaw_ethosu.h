/* Beneath Arm's Ethos-U core driver on a host: NPUs by the base address that ethosu_init() is given. */
#ifndef MACAW_ETHOSU_H
#define MACAW_ETHOSU_H

#include <macaw/device.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ethosu_device;

/** Puts an NPU at a base address, which is a name and need not point at anything. `accelerator` and `system` as in
    macaw_device_create(); null: the environment's MACAW_ACCELERATOR, or what the driver is built for, and MACAW_SYSTEM.
    ethosu_init() does the same with nulls for an address without an NPU. 0, or -1 after a message on stderr. */
int macaw_ethosu_attach(const void* base_address, const char* accelerator, const char* system);

/** Takes the NPU away; its driver has been deinitialised before. */
void macaw_ethosu_detach(const void* base_address);

/** The NPU at a base address; null: none. */
macaw_device* macaw_ethosu_npu(const volatile void* base_address);

/** Time in the NPUs that run a job, and interrupts to ethosu_irq_handler(), in this thread: until one has come,
   `cycles` at most. The cycles that passed, 1 at least, or 0: nothing runs and no interrupt is due. */
uint64_t macaw_ethosu_wait(uint64_t cycles);

/* For the files beside this one. */
void macaw_ethosu_claim(struct ethosu_device* dev);
uint32_t macaw_ethosu_read(const struct ethosu_device* dev, const char* name, unsigned word);
void macaw_ethosu_write(const struct ethosu_device* dev, const char* name, unsigned word, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
