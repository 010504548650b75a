/* The NPUs of the process. */
#ifndef MACAW_ETHOSU_NPUS_H
#define MACAW_ETHOSU_NPUS_H

#include <macaw/device.h>

struct ethosu_driver;

struct npu {
  struct npu* next;
  const volatile void* base_address;
  macaw_device* device;
  struct ethosu_driver* driver; /* initialised most recently with the address */
};

extern struct npu* macaw_ethosu_npus;

/** Returns null if there is none. */
struct npu* macaw_ethosu_find(const volatile void* base_address);

#endif
