#include "npus.h"

#include "host_memory.h"
#include "macaw_ethosu.h"
#include "turn.h"

#include <ethosu_device.h>
#include <ethosu_log.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ETHOSU_MULTI_VARIANT
#define BUILT_FOR NULL
#else
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define BUILT_FOR "ethos-" TEXT(ETHOSU_ARCH) "-" TEXT(ETHOSU_MACS)
#endif

struct npu* macaw_ethosu_npus;

struct npu* macaw_ethosu_find(const volatile void* base_address) {
  struct npu* npu = macaw_ethosu_npus;
  while (npu && npu->base_address != base_address) npu = npu->next;
  return npu;
}

macaw_device* macaw_ethosu_npu(const volatile void* base_address) {
  macaw_ethosu_take_turn();
  const struct npu* npu = macaw_ethosu_find(base_address);
  macaw_ethosu_leave_turn();
  return npu ? npu->device : NULL;
}

static int attach(const void* base_address, const char* accelerator, const char* system) {
  const macaw_device_host host = {sizeof host, NULL, macaw_ethosu_memory, NULL, NULL, NULL};
  struct npu* npu = NULL;
  if (!accelerator) accelerator = getenv("MACAW_ACCELERATOR");
  if (!accelerator) accelerator = BUILT_FOR;
  if (!accelerator) {
    LOG_ERR("No NPU at %p: the driver is built for several, set MACAW_ACCELERATOR", base_address);
    return -1;
  }
  if (!system) system = getenv("MACAW_SYSTEM");
  if (macaw_ethosu_find(base_address)) {
    LOG_ERR("There is an NPU at %p already", base_address);
    return -1;
  }
  npu = calloc(1, sizeof *npu);
  if (!npu || macaw_device_create(accelerator, system, &host, &npu->device) != MACAW_DEVICE_OK) {
    LOG_ERR("No NPU at %p: %s", base_address, npu ? macaw_device_message() : "out of memory");
    free(npu);
    return -1;
  }
  npu->base_address = base_address;
  npu->next = macaw_ethosu_npus;
  macaw_ethosu_npus = npu;
  return 0;
}

int macaw_ethosu_attach(const void* base_address, const char* accelerator, const char* system) {
  macaw_ethosu_take_turn();
  const int attached = attach(base_address, accelerator, system);
  macaw_ethosu_leave_turn();
  return attached;
}

int macaw_ethosu_attach_family(const void* base_address, const char* family) {
  const char* accelerator = NULL;
#ifdef ETHOSU_MULTI_VARIANT
  static const char* const defaults[] = {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"};
  const size_t length = strlen(family);
  accelerator = getenv("MACAW_ACCELERATOR");
  if (accelerator && strncmp(accelerator, family, length) != 0) accelerator = NULL;
  for (size_t i = 0; !accelerator && i < sizeof defaults / sizeof *defaults; ++i)
    if (strncmp(defaults[i], family, length) == 0) accelerator = defaults[i];
#else
  (void)family; /* the NPU of MACAW_ACCELERATOR may belong to another: ethosu_init() reports that */
#endif
  return macaw_ethosu_attach(base_address, accelerator, NULL);
}

void macaw_ethosu_detach(const void* base_address) {
  macaw_ethosu_take_turn();
  struct npu** place = &macaw_ethosu_npus;
  while (*place && (*place)->base_address != base_address) place = &(*place)->next;
  struct npu* npu = *place;
  if (npu) {
    *place = npu->next;
    macaw_device_destroy(npu->device);
    free(npu);
  }
  macaw_ethosu_leave_turn();
}

/* An access that fails reads as 0, like one to which no NPU responds. */
static uint32_t transfer(const struct ethosu_device* dev, const char* name, unsigned word, int write, uint32_t value) {
  uint32_t offset = 0;
  macaw_ethosu_take_turn();
  macaw_device* npu = macaw_ethosu_npu(dev->reg);
  macaw_device_status status = macaw_device_register(npu, name, &offset);
  offset += 4 * word;
  if (status == MACAW_DEVICE_OK)
    status = write ? macaw_device_write(npu, offset, value) : macaw_device_read(npu, offset, &value);
  macaw_ethosu_leave_turn();
  if (status == MACAW_DEVICE_OK) return value;
  LOG_ERR("%s of %s: %s", write ? "Write" : "Read", name, macaw_device_message());
  return 0;
}

uint32_t macaw_ethosu_read(const struct ethosu_device* dev, const char* name, unsigned word) {
  return transfer(dev, name, word, 0, 0);
}

void macaw_ethosu_write(const struct ethosu_device* dev, const char* name, unsigned word, uint32_t value) {
  (void)transfer(dev, name, word, 1, value);
}
