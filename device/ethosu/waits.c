/* Who waits in Arm's core driver lets time pass in the NPUs: their interrupts, and the driver's semaphores. The device
   layer names this file, so that its semaphores take the place of the driver's weak ones. */
#include "macaw_ethosu.h"
#include "npus.h"

#include <ethosu_device.h>
#include <ethosu_driver.h>
#include <ethosu_log.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_RUNNING 1u
#define SLICE UINT64_C(100000) /* cycles of one NPU before the next has its turn */

void macaw_ethosu_claim(struct ethosu_device* dev) {
  struct npu* npu = macaw_ethosu_find(dev->reg);
  if (npu) npu->driver = (struct ethosu_driver*)((char*)dev - offsetof(struct ethosu_driver, dev));
}

uint64_t macaw_ethosu_wait(uint64_t cycles) {
  uint64_t passed = 0;
  for (int running = 1; running && passed < cycles;) {
    const uint64_t slice = cycles - passed < SLICE ? cycles - passed : SLICE;
    running = 0;
    for (struct npu* npu = macaw_ethosu_npus; npu; npu = npu->next) {
      if (!npu->driver) continue;
      if (!macaw_device_interrupt(npu->device) && macaw_ethosu_read(&npu->driver->dev, "STATUS", 0) & STATUS_RUNNING) {
        running = 1;
        if (macaw_device_advance(npu->device, macaw_device_time(npu->device) + slice) != MACAW_DEVICE_OK) {
          LOG_ERR("%s", macaw_device_message());
          return 0;
        }
      }
      if (macaw_device_interrupt(npu->device)) {
        ethosu_irq_handler(npu->driver);
        return passed + 1;
      }
    }
    if (running) passed += slice;
  }
  return passed;
}

struct semaphore {
  unsigned count;
};

void* ethosu_semaphore_create(void) { return calloc(1, sizeof(struct semaphore)); }

void ethosu_semaphore_destroy(void* sem) { free(sem); }

int ethosu_semaphore_give(void* sem) {
  struct semaphore* semaphore = sem;
  ++semaphore->count;
  return 0;
}

/* A timeout counts cycles of the NPU. Where nothing runs, nobody can give the semaphore any more. */
int ethosu_semaphore_take(void* sem, uint64_t timeout) {
  struct semaphore* semaphore = sem;
  while (semaphore->count == 0) {
    const uint64_t passed = macaw_ethosu_wait(timeout);
    if (semaphore->count != 0) break;
    if (passed == 0) {
      if (timeout != 0) LOG_ERR("No NPU runs that would end the wait");
      return -1;
    }
    if (timeout != ETHOSU_SEMAPHORE_WAIT_FOREVER) timeout -= passed < timeout ? passed : timeout;
  }
  --semaphore->count;
  return 0;
}
