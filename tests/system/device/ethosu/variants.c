/* Arm's core driver built for all families at once, its sources as they are: one network on a U55, a U65 and a U85.
   variants then seven arguments for each of the three: PAYLOAD WEIGHTS ARENA_BYTES INPUT INPUT_OFFSET GOLDEN
   OUTPUT_OFFSET */
#include "macaw_ethosu.h"

#include <ethosu_driver.h>
#include <pmu_ethosu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIANTS 3
#define U65_PORTS 0xaa8au /* for REGIONCFG: region 2 on the second port */

static int failures;
#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) {                                             \
      fprintf(stderr, "variants.c:%d: %s\n", __LINE__, #condition); \
      ++failures;                                                   \
    }                                                               \
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

/** An NPU, its driver, and a network that was compiled for it. */
struct variant {
  const struct ethosu_device_desc* desc;
  struct ethosu_device_config* config;
  void* address;
  const char* accelerator; /* null: the default of the family */
  uint32_t product, macs, counters;
  struct ethosu_driver driver;
  struct bytes payload, weights, arena, input, golden;
  size_t input_offset, output_offset, sizes[3];
  uint64_t base[3];
};

static void prepare(struct variant* v) {
  memset(v->arena.data, 0x5a, v->arena.size);
  memcpy(v->arena.data + v->input_offset, v->input.data, v->input.size);
  v->base[0] = (uintptr_t)v->weights.data;
  v->base[1] = v->base[2] = (uintptr_t)v->arena.data;
  v->sizes[0] = v->weights.size;
  v->sizes[1] = v->sizes[2] = v->arena.size;
}

static int is_golden(const struct variant* v) {
  return memcmp(v->arena.data + v->output_offset, v->golden.data, v->golden.size) == 0;
}

static int invoke(struct variant* v, struct ethosu_driver* driver) {
  prepare(v);
  return ethosu_invoke_v3(driver, v->payload.data, (int)v->payload.size, v->base, v->sizes, 3, NULL);
}

static void check_selection(struct variant* v) {
  uint32_t product = 9, macs = 9;
  CHECK(ethosu_get_product_config_from_cop_data(v->payload.data, (int)v->payload.size, &product, &macs) == 0);
  CHECK(product == v->product && macs == v->macs);
  CHECK(v->driver.dev.caps.product == v->product && v->driver.dev.caps.log2_macs == v->macs);
  prepare(v);
  CHECK(ethosu_invoke_auto(v->payload.data, (int)v->payload.size, v->base, v->sizes, 3, NULL) == 0);
  CHECK(is_golden(v));
  CHECK(invoke(v, NULL) == 0);
  CHECK(is_golden(v));
  struct ethosu_driver* reserved = ethosu_reserve_driver_ex(v->product, v->macs);
  CHECK(reserved == &v->driver);
  CHECK(invoke(v, reserved) == 0);
  CHECK(is_golden(v));
  ethosu_release_driver(reserved);
  CHECK(ethosu_reserve_driver_ex(v->product, 1) == NULL);
  CHECK(ethosu_reserve_driver() == NULL);
}

static void check_counters(struct variant* v) {
  struct ethosu_driver* drv = &v->driver;
  const int u85 = v->product == ETHOSU_PRODUCT_U85;
  const enum ethosu_pmu_event_type own =
      u85 ? ETHOSU_PMU_SRAM_RD_DATA_BEAT_RECEIVED : ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED;
  const enum ethosu_pmu_event_type other =
      u85 ? ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED : ETHOSU_PMU_SRAM_RD_DATA_BEAT_RECEIVED;
  const uint32_t last = v->counters - 1;
  CHECK(ETHOSU_PMU_Get_NumEventCountersForDrv(drv) == v->counters);
  ETHOSU_PMU_Enable(drv);
  ETHOSU_PMU_Set_EVTYPER(drv, 0, ETHOSU_PMU_NPU_ACTIVE);
  ETHOSU_PMU_Set_EVTYPER(drv, last, own);
  ETHOSU_PMU_Set_EVTYPER(drv, last, other); /* not an event of this family: refused with a message */
  CHECK(ETHOSU_PMU_Get_EVTYPER(drv, 0) == ETHOSU_PMU_NPU_ACTIVE);
  CHECK(ETHOSU_PMU_Get_EVTYPER(drv, last) == own);
  ETHOSU_PMU_CNTR_Enable(drv, 1u | 1u << last | ETHOSU_PMU_CCNT_Msk);
  ETHOSU_PMU_CYCCNT_Reset(drv);
  ETHOSU_PMU_EVCNTR_ALL_Reset(drv);
  CHECK(invoke(v, drv) == 0);
  CHECK(is_golden(v));
  CHECK(ETHOSU_PMU_Get_EVCNTR(drv, 0) > 0);
  CHECK(ETHOSU_PMU_Get_EVCNTR(drv, last) > 0);
  CHECK(ETHOSU_PMU_Get_CCNTR(drv) >= ETHOSU_PMU_Get_EVCNTR(drv, 0));
  ETHOSU_PMU_Disable(drv);
}

static int remapped, selected;

static uint64_t remap(uint64_t address, int index) {
  CHECK(index >= -1 && index < 3);
  ++remapped;
  return address;
}

static unsigned int select_config(uint64_t address, int index) {
  (void)address;
  ++selected;
  return index < 0 ? 2 : index == 0 ? 3 : 1;
}

/** The same NPU with callbacks of the user, and then with a configuration of the user. */
static void check_user(struct variant* v) {
  static struct ethosu_device_user_ops ops = {remap, select_config}; /* kept by the driver */
  ethosu_deinit(&v->driver);
  memset(&v->driver, 0, sizeof v->driver);
  CHECK(ethosu_init_ex(&v->driver, v->desc, v->config, &ops, v->address, NULL, 0, 1, 1) == 0);
  CHECK(invoke(v, &v->driver) == 0);
  CHECK(is_golden(v));
  CHECK(remapped == 4 && selected == 4); /* the command stream and three regions */
  CHECK((macaw_ethosu_read(&v->driver.dev, "REGIONCFG", 0) & 0x3f) == (3 | 1 << 2 | 1 << 4));
  CHECK(macaw_ethosu_read(&v->driver.dev, "QCONFIG", 0) == 2);
}

static void check_user_config(struct variant* v) {
  struct u65_config_t own = *(struct u65_config_t*)v->config->config;
  struct ethosu_device_config config = {&own};
  own.regioncfg.word = U65_PORTS;
  own.axi_limit2.word = 0x01020012;
  ethosu_deinit(&v->driver);
  memset(&v->driver, 0, sizeof v->driver);
  CHECK(ethosu_init_ex(&v->driver, v->desc, &config, NULL, v->address, NULL, 0, 0, 0) == 0);
  CHECK(invoke(v, &v->driver) == 0);
  CHECK(is_golden(v));
  CHECK(macaw_ethosu_read(&v->driver.dev, "REGIONCFG", 0) == (U65_PORTS & 0x3f));
  CHECK(macaw_ethosu_read(&v->driver.dev, "AXI_LIMIT2", 0) == own.axi_limit2.word);
  ethosu_deinit(&v->driver);
  config.config = NULL;
  CHECK(ethosu_init_ex(&v->driver, v->desc, &config, NULL, v->address, NULL, 0, 0, 0) == -1);
  CHECK(ethosu_init_ex(&v->driver, v->desc, v->config, NULL, v->address, NULL, 0, 1, 1) == 0);
}

static void check_together(struct variant* all) {
  for (int i = 0; i < VARIANTS; ++i) {
    struct variant* v = &all[i];
    prepare(v);
    CHECK(ethosu_invoke_async(&v->driver, v->payload.data, (int)v->payload.size, v->base, v->sizes, 3, NULL) == 0);
  }
  for (int i = VARIANTS - 1; i >= 0; --i) {
    CHECK(ethosu_wait(&all[i].driver, true) == 0);
    CHECK(is_golden(&all[i]));
  }
}

static void check_wrong_family(const struct variant* u55, const struct variant* u85) {
  struct ethosu_driver driver;
  memset(&driver, 0, sizeof driver);
  CHECK(ethosu_init_ex(&driver, u85->desc, u85->config, NULL, u55->address, NULL, 0, 1, 1) == -1);
  CHECK(macaw_ethosu_attach((void*)0x48109000, NULL, NULL) == -1); /* none of the families is the default */
  setenv("MACAW_ACCELERATOR", "ethos-u85-512", 1);
  CHECK(ethosu_init_ex(&driver, u85->desc, u85->config, NULL, (void*)0x48109000, NULL, 0, 1, 1) == 0);
  CHECK(driver.dev.caps.log2_macs == ETHOSU_MACS_512);
  ethosu_deinit(&driver);
  macaw_ethosu_detach((void*)0x48109000);
  CHECK(ethosu_init_ex(&driver, u55->desc, u55->config, NULL, (void*)0x48109000, NULL, 0, 1, 1) == 0);
  CHECK(driver.dev.caps.log2_macs == ETHOSU_MACS_128); /* the accelerator of the environment is of another family */
  ethosu_deinit(&driver);
  macaw_ethosu_detach((void*)0x48109000);
  unsetenv("MACAW_ACCELERATOR");
}

int main(int argc, char** argv) {
  struct variant all[VARIANTS] = {
      {.desc = &ethosu_device_desc_u55,
       .config = &ethosu_device_config_u55,
       .address = (void*)0x48102000,
       .product = ETHOSU_PRODUCT_U55,
       .macs = ETHOSU_MACS_128,
       .counters = 4},
      {.desc = &ethosu_device_desc_u65,
       .config = &ethosu_device_config_u65,
       .address = (void*)0x48103000,
       .accelerator = "ethos-u65-512",
       .product = ETHOSU_PRODUCT_U65,
       .macs = ETHOSU_MACS_512,
       .counters = 4},
      {.desc = &ethosu_device_desc_u85,
       .config = &ethosu_device_config_u85,
       .address = (void*)0x48104000,
       .product = ETHOSU_PRODUCT_U85,
       .macs = ETHOSU_MACS_256,
       .counters = 8},
  };
  if (argc != 1 + 7 * VARIANTS) return 2;
  for (int i = 0; i < VARIANTS; ++i) {
    struct variant* v = &all[i];
    char** from = argv + 1 + 7 * i;
    v->payload = load(from[0]);
    v->weights = load(from[1]);
    v->arena = take(strtoul(from[2], NULL, 0));
    v->input = load(from[3]);
    v->input_offset = strtoul(from[4], NULL, 0);
    v->golden = load(from[5]);
    v->output_offset = strtoul(from[6], NULL, 0);
    if (v->accelerator) CHECK(macaw_ethosu_attach(v->address, v->accelerator, NULL) == 0);
    CHECK(ethosu_init_ex(&v->driver, v->desc, v->config, NULL, v->address, NULL, 0, 1, 1) == 0);
  }
  if (failures) return 1;
  for (int i = 0; i < VARIANTS; ++i) {
    check_selection(&all[i]);
    check_counters(&all[i]);
  }
  check_together(all);
  check_user(&all[0]);
  check_user_config(&all[1]);
  check_together(all);
  check_wrong_family(&all[0], &all[2]);
  for (int i = 0; i < VARIANTS; ++i) {
    struct variant* v = &all[i];
    ethosu_deinit(&v->driver);
    macaw_ethosu_detach(v->address);
    free(v->payload.data);
    free(v->weights.data);
    free(v->arena.data);
    free(v->input.data);
    free(v->golden.data);
  }
  return failures ? 1 : 0;
}
