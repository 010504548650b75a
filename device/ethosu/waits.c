/* A wait in Arm's core driver advances the time of the NPUs: their interrupts, and the driver's semaphores and mutex.
   The device layer refers to this file, so that its functions replace the driver's weak ones. */
#include "macaw_ethosu.h"
#include "npus.h"
#include "reports.h"
#include "turn.h"

#include <ethosu_device.h>
#include <ethosu_driver.h>
#include <ethosu_log.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/single_threaded.h>
#include <time.h>

#define STATUS_RUNNING 1u
#define IDLE_TIMEOUT_MS 60000  /* ms without a running job */
#define SLICE UINT64_C(100000) /* cycles of one NPU before the next has its turn */

void macaw_ethosu_claim(struct ethosu_device* dev) {
  macaw_ethosu_take_turn();
  struct npu* npu = macaw_ethosu_find(dev->reg);
  if (npu) npu->driver = (struct ethosu_driver*)((char*)dev - offsetof(struct ethosu_driver, dev));
  macaw_ethosu_leave_turn();
}

enum outcome { NOTHING_RUNS, TIME_PASSED, INTERRUPTED };

static int runs(const struct npu* npu) { return macaw_ethosu_read(&npu->driver->dev, "STATUS", 0) & STATUS_RUNNING; }

/* Called when a job has ended. */
static void report_finished_job(const struct npu* npu) {
  const char* warning = macaw_device_warning(npu->device);
  if (warning) LOG_WARN("%s", warning);
  macaw_ethosu_report(npu->device);
}

static enum outcome pass_slice(uint64_t cycles) {
  enum outcome outcome = NOTHING_RUNS;
  for (struct npu* npu = macaw_ethosu_npus; npu; npu = npu->next) {
    if (!npu->driver) continue;
    if (!macaw_device_interrupt(npu->device) && runs(npu)) {
      outcome = TIME_PASSED;
      if (macaw_device_advance(npu->device, macaw_device_time(npu->device) + cycles) != MACAW_DEVICE_OK) {
        LOG_ERR("%s", macaw_device_message());
        npu->driver = NULL; /* the error would be reported each time */
        continue;
      }
    }
    if (!macaw_device_interrupt(npu->device)) continue;
    if (!runs(npu)) report_finished_job(npu);
    ethosu_irq_handler(npu->driver);
    return INTERRUPTED;
  }
  return outcome;
}

uint64_t macaw_ethosu_wait(uint64_t cycles) {
  uint64_t passed = 0;
  while (passed < cycles) {
    const uint64_t slice = cycles - passed < SLICE ? cycles - passed : SLICE;
    macaw_ethosu_take_turn();
    const enum outcome outcome = pass_slice(slice);
    macaw_ethosu_leave_turn();
    if (outcome == INTERRUPTED) return passed + 1;
    if (outcome == NOTHING_RUNS) break;
    passed += slice;
  }
  return passed;
}

struct semaphore {
  unsigned count;
};

void* ethosu_semaphore_create(void) { return calloc(1, sizeof(struct semaphore)); }

/* The device layer learns of a driver's end only through its semaphore. */
void ethosu_semaphore_destroy(void* sem) {
  macaw_ethosu_take_turn();
  for (struct npu* npu = macaw_ethosu_npus; npu; npu = npu->next)
    if (npu->driver && npu->driver->semaphore == sem) npu->driver = NULL;
  macaw_ethosu_leave_turn();
  free(sem);
}

int ethosu_semaphore_give(void* sem) {
  struct semaphore* semaphore = sem;
  macaw_ethosu_take_turn();
  ++semaphore->count;
  macaw_ethosu_leave_turn();
  return 0;
}

static int try_to_take(struct semaphore* semaphore) {
  macaw_ethosu_take_turn();
  const int there = semaphore->count > 0;
  if (there) --semaphore->count;
  macaw_ethosu_leave_turn();
  return there;
}

/* A timeout counts cycles of the NPU. If no job runs, only another thread can give the semaphore. */
int ethosu_semaphore_take(void* sem, uint64_t timeout) {
  const struct timespec millisecond = {0, 1000000};
  unsigned idle = 0;
  while (!try_to_take(sem)) {
    if (timeout == 0) return -1;
    const uint64_t passed = macaw_ethosu_wait(timeout < SLICE ? timeout : SLICE);
    if (timeout != ETHOSU_SEMAPHORE_WAIT_FOREVER) timeout -= passed < timeout ? passed : timeout;
    if (passed != 0) {
      idle = 0;
    } else if (try_to_take(sem)) {
      return 0;
    } else if (__libc_single_threaded || ++idle == IDLE_TIMEOUT_MS) {
      LOG_ERR("No NPU runs that would end the wait");
      return -1;
    } else {
      nanosleep(&millisecond, NULL);
    }
  }
  return 0;
}

void* ethosu_mutex_create(void) {
  static char any;
  return &any;
}

void ethosu_mutex_destroy(void* mutex) { (void)mutex; }

int ethosu_mutex_lock(void* mutex) {
  (void)mutex;
  macaw_ethosu_take_turn();
  return 0;
}

int ethosu_mutex_unlock(void* mutex) {
  (void)mutex;
  macaw_ethosu_leave_turn();
  return 0;
}
