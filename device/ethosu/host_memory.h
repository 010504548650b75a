/* The memory of this process as an NPU reaches it: a bus address is a pointer. */
#ifndef MACAW_HOST_MEMORY_H
#define MACAW_HOST_MEMORY_H

#include <stdint.h>

/** The memory callback of macaw_device_host. `size` is the rest of the mappings that touch each other there. */
void* macaw_ethosu_memory(void* user, uint64_t address, uint64_t* size);

#endif
