/* The memory of this process as an NPU addresses it: a bus address is a pointer. */
#ifndef MACAW_HOST_MEMORY_H
#define MACAW_HOST_MEMORY_H

#include <stdint.h>

/** The memory callback of macaw_device_host. Sets `size` to the bytes up to the end of the contiguous mappings. */
void* macaw_ethosu_memory(void* user, uint64_t address, uint64_t* size);

#endif
