/* The performance monitor of one family on top of macaw/device.h. The file that includes this one includes the family's
   interface header before and defines COUNTERS, their number, and PMU(function), the names of the functions. */
#include <macaw_ethosu.h>

#include <ethosu_driver.h>
#include <ethosu_log.h>
#include <pmu_ethosu.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENABLE 1u
#define RESET_EVENTS 2u
#define RESET_CYCLES 4u
#define EVENT_MASK 0x3ffu
#define STOP_EVENT 16
#define NOT_AN_EVENT UINT32_MAX

/* The events of the family and their numbers in hardware, from the driver's own list. */
#define EVENT_OF(kind, name) \
  { ETHOSU_PMU_##name, PMU_EVENT_##name }
#define COMMA ,
static const struct {
  enum ethosu_pmu_event_type type;
  uint32_t number;
} events[] = {EXPAND_PMU_EVENT(EVENT_OF, COMMA)};

static uint32_t get(struct ethosu_driver* drv, const char* name, unsigned word) {
  return macaw_ethosu_read(&drv->dev, name, word);
}

static void set(struct ethosu_driver* drv, const char* name, unsigned word, uint32_t value) {
  macaw_ethosu_write(&drv->dev, name, word, value);
}

/** Returns the number of an event, or NOT_AN_EVENT after a message. */
static uint32_t number_of(enum ethosu_pmu_event_type type) {
  for (size_t i = 0; i < sizeof events / sizeof *events; ++i)
    if (events[i].type == type) return events[i].number;
  LOG_ERR("Invalid ethosu_pmu_event_type: %d", (int)type);
  return NOT_AN_EVENT;
}

void PMU(Enable)(struct ethosu_driver* drv) {
  ethosu_request_power(drv);
  set(drv, "PMCR", 0, ENABLE);
}

void PMU(Disable)(struct ethosu_driver* drv) {
  set(drv, "PMCR", 0, 0);
  ethosu_release_power(drv);
}

uint32_t PMU(Get_NumEventCounters)(void) { return COUNTERS; }

void PMU(Set_EVTYPER)(struct ethosu_driver* drv, uint32_t num, enum ethosu_pmu_event_type type) {
  assert(num < COUNTERS);
  const uint32_t number = number_of(type);
  if (number != NOT_AN_EVENT) set(drv, "PMEVTYPER", num, number);
}

enum ethosu_pmu_event_type PMU(Get_EVTYPER)(struct ethosu_driver* drv, uint32_t num) {
  assert(num < COUNTERS);
  const uint32_t number = get(drv, "PMEVTYPER", num);
  for (size_t i = 0; i < sizeof events / sizeof *events; ++i)
    if (events[i].number == number) return events[i].type;
  LOG_ERR("Unknown PMU event id: 0x%" PRIx32, number);
  return ETHOSU_PMU_SENTINEL;
}

void PMU(CYCCNT_Reset)(struct ethosu_driver* drv) { set(drv, "PMCR", 0, get(drv, "PMCR", 0) | RESET_CYCLES); }

void PMU(EVCNTR_ALL_Reset)(struct ethosu_driver* drv) { set(drv, "PMCR", 0, get(drv, "PMCR", 0) | RESET_EVENTS); }

void PMU(CNTR_Enable)(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMCNTENSET", 0, mask); }

void PMU(CNTR_Disable)(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMCNTENCLR", 0, mask); }

uint32_t PMU(CNTR_Status)(struct ethosu_driver* drv) { return get(drv, "PMCNTENSET", 0); }

uint64_t PMU(Get_CCNTR)(struct ethosu_driver* drv) {
  const uint32_t low = get(drv, "PMCCNTR", 0);
  return (uint64_t)get(drv, "PMCCNTR", 1) << 32 | low;
}

static void write_cycles(struct ethosu_driver* drv, uint64_t val) {
  set(drv, "PMCCNTR", 0, (uint32_t)val);
  set(drv, "PMCCNTR", 1, (uint32_t)(val >> 32) & 0xffff);
}

void PMU(Set_CCNTR)(struct ethosu_driver* drv, uint64_t val) {
  const uint32_t active = PMU(CNTR_Status)(drv) & ETHOSU_PMU_CCNT_Msk;
  if (active) PMU(CNTR_Disable)(drv, active);
  write_cycles(drv, val);
  if (active) PMU(CNTR_Enable)(drv, active);
}

uint32_t PMU(Get_EVCNTR)(struct ethosu_driver* drv, uint32_t num) {
  assert(num < COUNTERS);
  return get(drv, "PMEVCNTR", num);
}

void PMU(Set_EVCNTR)(struct ethosu_driver* drv, uint32_t num, uint32_t val) {
  assert(num < COUNTERS);
  set(drv, "PMEVCNTR", num, val);
}

uint32_t PMU(Get_CNTR_OVS)(struct ethosu_driver* drv) { return get(drv, "PMOVSSET", 0); }

void PMU(Set_CNTR_OVS)(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMOVSCLR", 0, mask); }

void PMU(Set_CNTR_IRQ_Enable)(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMINTSET", 0, mask); }

void PMU(Set_CNTR_IRQ_Disable)(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMINTCLR", 0, mask); }

uint32_t PMU(Get_IRQ_Enable)(struct ethosu_driver* drv) { return get(drv, "PMINTSET", 0); }

void PMU(CNTR_Increment)(struct ethosu_driver* drv, uint32_t mask) {
  const uint32_t active = PMU(CNTR_Status)(drv);
  PMU(CNTR_Disable)(drv, mask);
  if (mask & ETHOSU_PMU_CCNT_Msk) write_cycles(drv, PMU(Get_CCNTR)(drv) + 1);
  for (uint32_t i = 0; i < COUNTERS; ++i)
    if (mask & 1u << i) PMU(Set_EVCNTR)(drv, i, PMU(Get_EVCNTR)(drv, i) + 1);
  PMU(CNTR_Enable)(drv, active);
}

void PMU(PMCCNTR_CFG_Set_Start_Event)(struct ethosu_driver* drv, enum ethosu_pmu_event_type start_event) {
  const uint32_t number = number_of(start_event);
  if (number != NOT_AN_EVENT) set(drv, "PMCCNTR_CFG", 0, (get(drv, "PMCCNTR_CFG", 0) & ~EVENT_MASK) | number);
}

void PMU(PMCCNTR_CFG_Set_Stop_Event)(struct ethosu_driver* drv, enum ethosu_pmu_event_type stop_event) {
  const uint32_t number = number_of(stop_event);
  if (number != NOT_AN_EVENT)
    set(drv, "PMCCNTR_CFG", 0, (get(drv, "PMCCNTR_CFG", 0) & ~(EVENT_MASK << STOP_EVENT)) | number << STOP_EVENT);
}

uint32_t PMU(Get_QREAD)(struct ethosu_driver* drv) { return get(drv, "QREAD", 0); }

uint32_t PMU(Get_STATUS)(struct ethosu_driver* drv) { return get(drv, "STATUS", 0); }
