/* Arm's core driver as its sources are, with Macaw beneath it: one network through every call of its API.
   driver PAYLOAD WEIGHTS ARENA_BYTES INPUT INPUT_OFFSET GOLDEN OUTPUT_OFFSET REPORTS */
#include "macaw_ethosu.h"

#include <ethosu_driver.h>
#include <pmu_ethosu.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST ((void*)0x48102000)
#define SECOND ((void*)0x48103000)
#define THIRD ((void*)0x48104000)
#define INFERENCES 10 /* of a thread */
#define STATUS_RUNNING 1u
#define STATUS_PMU 0x40u

static int failures;
#define CHECK(condition)                                          \
  do {                                                            \
    if (!(condition)) {                                           \
      fprintf(stderr, "driver.c:%d: %s\n", __LINE__, #condition); \
      ++failures;                                                 \
    }                                                             \
  } while (0)

struct bytes {
  unsigned char* data;
  size_t size;
};

static struct bytes take(size_t size) {
  const struct bytes bytes = {aligned_alloc(4096, (size + 4095) / 4096 * 4096), size};
  if (!bytes.data) exit(2);
  memset(bytes.data, 0, size);
  return bytes;
}

static struct bytes load(const char* file) {
  FILE* in = fopen(file, "rb");
  if (!in || fseek(in, 0, SEEK_END) != 0) exit(2);
  const struct bytes bytes = take((size_t)ftell(in));
  rewind(in);
  if (fread(bytes.data, 1, bytes.size, in) != bytes.size) exit(2);
  fclose(in);
  return bytes;
}

static struct bytes payload, weights, input, golden;
static size_t input_offset, output_offset;

/** The memory that an inference uses. */
struct job {
  struct bytes arena;
  uint64_t base[3];
  size_t sizes[3];
};

static void prepare(struct job* job) {
  memset(job->arena.data, 0x5a, job->arena.size);
  memcpy(job->arena.data + input_offset, input.data, input.size);
  job->base[0] = (uintptr_t)weights.data;
  job->base[1] = job->base[2] = (uintptr_t)job->arena.data;
  job->sizes[0] = weights.size;
  job->sizes[1] = job->sizes[2] = job->arena.size;
}

static int invoke(struct ethosu_driver* drv, struct job* job) {
  return ethosu_invoke_v3(drv, payload.data, (int)payload.size, job->base, job->sizes, 3, NULL);
}

static int invoke_async(struct ethosu_driver* drv, struct job* job) {
  return ethosu_invoke_async(drv, payload.data, (int)payload.size, job->base, job->sizes, 3, NULL);
}

static int is_golden(const struct job* job) {
  return memcmp(job->arena.data + output_offset, golden.data, golden.size) == 0;
}

/** The driver's handler would take an overflow for the end of the job. */
static unsigned overflows;
void ethosu_irq_handler(struct ethosu_driver* drv) {
  const uint32_t status = ETHOSU_PMU_Get_STATUS(drv);
  if (status & STATUS_PMU && status & STATUS_RUNNING) {
    ++overflows;
    CHECK(ETHOSU_PMU_Get_CNTR_OVS(drv) & ETHOSU_PMU_CCNT_Msk);
    ETHOSU_PMU_Set_CNTR_OVS(drv, ETHOSU_PMU_CCNT_Msk);
    macaw_ethosu_write(&drv->dev, "CMD", 0, (macaw_ethosu_read(&drv->dev, "CMD", 0) & 0xc) | 2);
    CHECK(!(ETHOSU_PMU_Get_STATUS(drv) & STATUS_PMU));
    CHECK(!macaw_device_interrupt(macaw_ethosu_npu(drv->dev.reg)));
    return;
  }
  drv->job.state = ETHOSU_JOB_DONE;
  macaw_ethosu_write(&drv->dev, "CMD", 0, (macaw_ethosu_read(&drv->dev, "CMD", 0) & 0xc) | 2);
  drv->job.result = (ETHOSU_PMU_Get_STATUS(drv) & 0x3b4) == 0x20 ? ETHOSU_JOB_RESULT_OK : ETHOSU_JOB_RESULT_ERROR;
  ethosu_semaphore_give(drv->semaphore);
}

static uint64_t check_back_to_back(struct ethosu_driver* drv, struct job* job) {
  uint64_t cycles = 0;
  ETHOSU_PMU_Enable(drv);
  ETHOSU_PMU_Set_EVTYPER(drv, 0, ETHOSU_PMU_NPU_ACTIVE);
  CHECK(ETHOSU_PMU_Get_EVTYPER(drv, 0) == ETHOSU_PMU_NPU_ACTIVE);
  ETHOSU_PMU_PMCCNTR_CFG_Set_Start_Event(drv, ETHOSU_PMU_NPU_ACTIVE);
  ETHOSU_PMU_PMCCNTR_CFG_Set_Stop_Event(drv, ETHOSU_PMU_NPU_IDLE);
  ETHOSU_PMU_CNTR_Enable(drv, ETHOSU_PMU_CNT1_Msk | ETHOSU_PMU_CCNT_Msk);
  for (int i = 0; i < 100; ++i) {
    ETHOSU_PMU_CYCCNT_Reset(drv);
    ETHOSU_PMU_EVCNTR_ALL_Reset(drv);
    prepare(job);
    if (invoke(drv, job) != 0 || !is_golden(job)) {
      CHECK(!"a hundred inferences with the right output");
      break;
    }
    const uint64_t active = ETHOSU_PMU_Get_EVCNTR(drv, 0);
    if (i == 0) cycles = active;
    CHECK(active == cycles);
    CHECK(ETHOSU_PMU_Get_CCNTR(drv) == active);
  }
  ETHOSU_PMU_Disable(drv);
  CHECK(cycles > 0);
  return cycles;
}

static void check_async(struct ethosu_driver* drv, struct job* job) {
  prepare(job);
  CHECK(ethosu_wait(drv, false) == -2);
  CHECK(invoke_async(drv, job) == 0);
  CHECK(ethosu_wait(drv, false) == 1);
  CHECK(!is_golden(job));
  CHECK(invoke_async(drv, job) == -1);
  CHECK(ethosu_wait(drv, true) == 0);
  CHECK(is_golden(job));
}

static void check_abort(struct ethosu_driver* drv, struct job* job, struct job* other) {
  prepare(job);
  prepare(other);
  struct ethosu_driver* reserved = ethosu_reserve_driver();
  CHECK(reserved == drv);
  CHECK(invoke_async(drv, job) == 0);
  CHECK(macaw_ethosu_wait(50) == 50);
  ethosu_release_driver(reserved);
  CHECK(!(ETHOSU_PMU_Get_STATUS(drv) & STATUS_RUNNING));
  CHECK(invoke(drv, other) == 0);
  CHECK(is_golden(other));
  CHECK(!is_golden(job));
  CHECK(macaw_ethosu_wait(1000000) == 0);
  CHECK(!is_golden(job));
}

/** The payload with one bit of a word turned. */
static int invoke_changed(struct ethosu_driver* drv, struct job* job, size_t word, uint32_t bit) {
  prepare(job);
  ((uint32_t*)payload.data)[word] ^= bit;
  const int result = invoke(drv, job);
  ((uint32_t*)payload.data)[word] ^= bit;
  return result;
}

static void check_refusals(struct ethosu_driver* drv, struct job* job) {
  CHECK(invoke_changed(drv, job, 0, 1) == -1);        /* magic */
  CHECK(invoke_changed(drv, job, 2, 1) == -1);        /* configuration: MACs */
  CHECK(invoke_changed(drv, job, 2, 1u << 30) == -1); /* configuration: product */
  CHECK(invoke_changed(drv, job, 3, 1u << 30) == -1); /* version of the architecture */
  prepare(job);
  job->base[1] += 8;
  CHECK(invoke(drv, job) == -1);
  prepare(job);
  CHECK(invoke(drv, job) == 0);
  CHECK(is_golden(job));
}

static void check_fault(struct ethosu_driver* drv, struct job* job) {
  const size_t word = payload.size / 4 / 2;
  uint32_t* at = (uint32_t*)payload.data + word;
  const uint32_t kept = *at;
  prepare(job);
  *at = 0x000003ff; /* no command */
  CHECK(invoke_async(drv, job) == 0);
  CHECK(ethosu_wait(drv, true) == -1);
  *at = kept;
  prepare(job);
  CHECK(invoke(drv, job) == 0);
  CHECK(is_golden(job));
}

static void check_overflow(struct ethosu_driver* drv, struct job* job) {
  prepare(job);
  ETHOSU_PMU_Enable(drv);
  ETHOSU_PMU_CNTR_Enable(drv, ETHOSU_PMU_CCNT_Msk);
  ETHOSU_PMU_Set_CCNTR(drv, UINT64_C(0xffffffffffff) - 1000);
  ETHOSU_PMU_Set_CNTR_IRQ_Enable(drv, ETHOSU_PMU_CCNT_Msk);
  CHECK(ETHOSU_PMU_Get_IRQ_Enable(drv) == ETHOSU_PMU_CCNT_Msk);
  overflows = 0;
  CHECK(invoke(drv, job) == 0);
  CHECK(overflows == 1);
  CHECK(is_golden(job));
  ETHOSU_PMU_Disable(drv);
}

static void check_two(struct ethosu_driver* drv, struct job* job, struct job* other) {
  struct ethosu_driver second;
  memset(&second, 0, sizeof second);
  CHECK(ethosu_init(&second, SECOND, NULL, 0, 1, 1) == 0);
  prepare(job);
  prepare(other);
  CHECK(invoke_async(drv, job) == 0);
  CHECK(invoke_async(&second, other) == 0);
  CHECK(ethosu_wait(&second, true) == 0);
  CHECK(ethosu_wait(drv, true) == 0);
  CHECK(is_golden(job));
  CHECK(is_golden(other));
  ethosu_deinit(&second);
  macaw_ethosu_detach(SECOND);
}

/** An NPU whose driver is no more, beside one that runs. */
static void check_without_driver(struct ethosu_driver* drv, struct job* job) {
  struct ethosu_driver* other = calloc(1, sizeof *other);
  CHECK(other && ethosu_init(other, SECOND, NULL, 0, 1, 1) == 0);
  ethosu_deinit(other);
  free(other);
  prepare(job);
  CHECK(invoke(drv, job) == 0);
  CHECK(is_golden(job));
  macaw_ethosu_detach(SECOND);
}

/** Inferences of one thread with an NPU of its own. */
struct worker {
  pthread_t thread;
  struct job* job;
  void* base_address;
  int equal;
};

static void* work(void* argument) {
  struct worker* worker = argument;
  struct ethosu_driver drv;
  memset(&drv, 0, sizeof drv);
  if (ethosu_init(&drv, worker->base_address, NULL, 0, 1, 1) != 0) return NULL;
  for (int i = 0; i < INFERENCES; ++i) {
    prepare(worker->job);
    if (invoke(&drv, worker->job) == 0 && is_golden(worker->job)) ++worker->equal;
  }
  ethosu_deinit(&drv);
  return NULL;
}

static void check_threads(struct job* job, struct job* other) {
  struct worker workers[] = {{.job = job, .base_address = SECOND}, {.job = other, .base_address = THIRD}};
  for (size_t i = 0; i < 2; ++i) CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(pthread_join(workers[i].thread, NULL) == 0);
    CHECK(workers[i].equal == INFERENCES);
    macaw_ethosu_detach(workers[i].base_address);
  }
}

/** Threads that share one NPU. */
static void* share(void* argument) {
  struct worker* worker = argument;
  for (int i = 0; i < INFERENCES; ++i) {
    struct ethosu_driver* drv = ethosu_reserve_driver();
    prepare(worker->job);
    if (drv && invoke(drv, worker->job) == 0 && is_golden(worker->job)) ++worker->equal;
    ethosu_release_driver(drv);
  }
  return NULL;
}

static void check_sharing(struct job* job, struct job* other) {
  struct worker workers[] = {{.job = job}, {.job = other}};
  for (size_t i = 0; i < 2; ++i) CHECK(pthread_create(&workers[i].thread, NULL, share, &workers[i]) == 0);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(pthread_join(workers[i].thread, NULL) == 0);
    CHECK(workers[i].equal == INFERENCES);
  }
}

static void check_reset_between(struct ethosu_driver* drv, struct job* job) {
  for (int i = 0; i < 3; ++i) {
    CHECK(ethosu_soft_reset(drv) == 0);
    CHECK(!(ETHOSU_PMU_Get_STATUS(drv) & STATUS_RUNNING));
    prepare(job);
    CHECK(invoke(drv, job) == 0);
    CHECK(is_golden(job));
  }
}

/** A wait that nothing would end. */
static void check_idle_wait(struct ethosu_driver* drv) {
  struct ethosu_driver* reserved = ethosu_reserve_driver();
  CHECK(reserved == drv);
  CHECK(ethosu_reserve_driver() == NULL);
  ethosu_release_driver(reserved);
}

/** System and reports as the environment says; the cycles of a job in front of ideal memory. */
static uint64_t check_environment(struct job* job, const char* reports) {
  struct ethosu_driver drv;
  memset(&drv, 0, sizeof drv);
  setenv("MACAW_SYSTEM", "no-such-system", 1);
  CHECK(ethosu_init(&drv, SECOND, NULL, 0, 1, 1) == -1);
  setenv("MACAW_SYSTEM", "ideal", 1);
  setenv("MACAW_REPORT_DIR", reports, 1);
  CHECK(ethosu_init(&drv, SECOND, NULL, 0, 1, 1) == 0);
  unsetenv("MACAW_SYSTEM");
  ETHOSU_PMU_Enable(&drv);
  ETHOSU_PMU_Set_EVTYPER(&drv, 0, ETHOSU_PMU_NPU_ACTIVE);
  ETHOSU_PMU_CNTR_Enable(&drv, ETHOSU_PMU_CNT1_Msk);
  prepare(job);
  CHECK(invoke(&drv, job) == 0);
  unsetenv("MACAW_REPORT_DIR");
  const uint64_t cycles = ETHOSU_PMU_Get_EVCNTR(&drv, 0);
  ETHOSU_PMU_Disable(&drv);
  ethosu_deinit(&drv);
  macaw_ethosu_detach(SECOND);
  return cycles;
}

static void check_information(struct ethosu_driver* drv) {
  struct ethosu_driver_version version;
  struct ethosu_hw_info info;
  ethosu_get_driver_version(&version);
  ethosu_get_hw_info(drv, &info);
  const uint32_t config = ((const uint32_t*)payload.data)[2];
  CHECK(version.major == ETHOSU_DRIVER_VERSION_MAJOR);
  CHECK(info.cfg.macs_per_cc == (config & 15));
  CHECK(info.cfg.cmd_stream_version == (config >> 4 & 15));
  CHECK(ETHOSU_PMU_Get_NumEventCounters() == ETHOSU_PMU_NCOUNTERS);
}

int main(int argc, char** argv) {
  struct ethosu_driver drv;
  struct job job, other;
  if (argc != 9) return 2;
  payload = load(argv[1]);
  weights = load(argv[2]);
  job.arena = take(strtoul(argv[3], NULL, 0));
  other.arena = take(job.arena.size);
  input = load(argv[4]);
  input_offset = strtoul(argv[5], NULL, 0);
  golden = load(argv[6]);
  output_offset = strtoul(argv[7], NULL, 0);

  memset(&drv, 0, sizeof drv);
  CHECK(ethosu_init(&drv, FIRST, NULL, 0, 1, 1) == 0);
  if (failures) return 1;
  check_information(&drv);
  const uint64_t cycles = check_back_to_back(&drv, &job);
  check_reset_between(&drv, &job);
  check_idle_wait(&drv);
  check_async(&drv, &job);
  check_abort(&drv, &job, &other);
  check_refusals(&drv, &job);
  check_fault(&drv, &job);
  check_overflow(&drv, &job);
  check_two(&drv, &job, &other);
  check_without_driver(&drv, &job);
  check_sharing(&job, &other);
  check_threads(&job, &other);
  ethosu_deinit(&drv);
  macaw_ethosu_detach(FIRST);
  printf("%" PRIu64 " cycles, with ideal memory %" PRIu64 "\n", cycles, check_environment(&job, argv[8]));
  free(payload.data);
  free(weights.data);
  free(input.data);
  free(golden.data);
  free(job.arena.data);
  free(other.arena.data);
  return failures ? 1 : 0;
}
