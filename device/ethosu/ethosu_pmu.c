/* The performance monitor of Arm's core driver on top of macaw/device.h, replacing its ethosu_pmu.c. */
#include "macaw_ethosu.h"

#include <ethosu_driver.h>
#include <ethosu_interface.h>
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

/* Hardware event numbers, indexed by enum ethosu_pmu_event_type, from the driver's own list. */
#define NUMBER_OF(kind, name) PMU_EVENT_##name
#define COMMA ,
static const uint32_t numbers[] = {EXPAND_PMU_EVENT(NUMBER_OF, COMMA)};

static uint32_t get(struct ethosu_driver* drv, const char* name, unsigned word) {
  return macaw_ethosu_read(&drv->dev, name, word);
}

static void set(struct ethosu_driver* drv, const char* name, unsigned word, uint32_t value) {
  macaw_ethosu_write(&drv->dev, name, word, value);
}

static bool is_event(enum ethosu_pmu_event_type type) {
  if ((unsigned)type < sizeof numbers / sizeof *numbers && type < ETHOSU_PMU_SENTINEL) return true;
  LOG_ERR("Invalid ethosu_pmu_event_type: %d", (int)type);
  return false;
}

void ETHOSU_PMU_Enable(struct ethosu_driver* drv) {
  ethosu_request_power(drv);
  set(drv, "PMCR", 0, ENABLE);
}

void ETHOSU_PMU_Disable(struct ethosu_driver* drv) {
  set(drv, "PMCR", 0, 0);
  ethosu_release_power(drv);
}

uint32_t ETHOSU_PMU_Get_NumEventCounters(void) { return ETHOSU_PMU_NCOUNTERS; }

void ETHOSU_PMU_Set_EVTYPER(struct ethosu_driver* drv, uint32_t num, enum ethosu_pmu_event_type type) {
  assert(num < ETHOSU_PMU_NCOUNTERS);
  if (is_event(type)) set(drv, "PMEVTYPER", num, numbers[type]);
}

enum ethosu_pmu_event_type ETHOSU_PMU_Get_EVTYPER(struct ethosu_driver* drv, uint32_t num) {
  assert(num < ETHOSU_PMU_NCOUNTERS);
  const uint32_t number = get(drv, "PMEVTYPER", num);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (numbers[i] == number) return (enum ethosu_pmu_event_type)i;
  LOG_ERR("Unknown PMU event id: 0x%" PRIx32, number);
  return ETHOSU_PMU_SENTINEL;
}

void ETHOSU_PMU_CYCCNT_Reset(struct ethosu_driver* drv) { set(drv, "PMCR", 0, get(drv, "PMCR", 0) | RESET_CYCLES); }

void ETHOSU_PMU_EVCNTR_ALL_Reset(struct ethosu_driver* drv) { set(drv, "PMCR", 0, get(drv, "PMCR", 0) | RESET_EVENTS); }

void ETHOSU_PMU_CNTR_Enable(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMCNTENSET", 0, mask); }

void ETHOSU_PMU_CNTR_Disable(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMCNTENCLR", 0, mask); }

uint32_t ETHOSU_PMU_CNTR_Status(struct ethosu_driver* drv) { return get(drv, "PMCNTENSET", 0); }

uint64_t ETHOSU_PMU_Get_CCNTR(struct ethosu_driver* drv) {
  const uint32_t low = get(drv, "PMCCNTR", 0);
  return (uint64_t)get(drv, "PMCCNTR", 1) << 32 | low;
}

static void write_cycles(struct ethosu_driver* drv, uint64_t val) {
  set(drv, "PMCCNTR", 0, (uint32_t)val);
  set(drv, "PMCCNTR", 1, (uint32_t)(val >> 32) & 0xffff);
}

void ETHOSU_PMU_Set_CCNTR(struct ethosu_driver* drv, uint64_t val) {
  const uint32_t active = ETHOSU_PMU_CNTR_Status(drv) & ETHOSU_PMU_CCNT_Msk;
  if (active) ETHOSU_PMU_CNTR_Disable(drv, active);
  write_cycles(drv, val);
  if (active) ETHOSU_PMU_CNTR_Enable(drv, active);
}

uint32_t ETHOSU_PMU_Get_EVCNTR(struct ethosu_driver* drv, uint32_t num) {
  assert(num < ETHOSU_PMU_NCOUNTERS);
  return get(drv, "PMEVCNTR", num);
}

void ETHOSU_PMU_Set_EVCNTR(struct ethosu_driver* drv, uint32_t num, uint32_t val) {
  assert(num < ETHOSU_PMU_NCOUNTERS);
  set(drv, "PMEVCNTR", num, val);
}

uint32_t ETHOSU_PMU_Get_CNTR_OVS(struct ethosu_driver* drv) { return get(drv, "PMOVSSET", 0); }

void ETHOSU_PMU_Set_CNTR_OVS(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMOVSCLR", 0, mask); }

void ETHOSU_PMU_Set_CNTR_IRQ_Enable(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMINTSET", 0, mask); }

void ETHOSU_PMU_Set_CNTR_IRQ_Disable(struct ethosu_driver* drv, uint32_t mask) { set(drv, "PMINTCLR", 0, mask); }

uint32_t ETHOSU_PMU_Get_IRQ_Enable(struct ethosu_driver* drv) { return get(drv, "PMINTSET", 0); }

void ETHOSU_PMU_CNTR_Increment(struct ethosu_driver* drv, uint32_t mask) {
  const uint32_t active = ETHOSU_PMU_CNTR_Status(drv);
  ETHOSU_PMU_CNTR_Disable(drv, mask);
  if (mask & ETHOSU_PMU_CCNT_Msk) write_cycles(drv, ETHOSU_PMU_Get_CCNTR(drv) + 1);
  for (uint32_t i = 0; i < ETHOSU_PMU_NCOUNTERS; ++i)
    if (mask & 1u << i) ETHOSU_PMU_Set_EVCNTR(drv, i, ETHOSU_PMU_Get_EVCNTR(drv, i) + 1);
  ETHOSU_PMU_CNTR_Enable(drv, active);
}

void ETHOSU_PMU_PMCCNTR_CFG_Set_Start_Event(struct ethosu_driver* drv, enum ethosu_pmu_event_type start_event) {
  if (is_event(start_event))
    set(drv, "PMCCNTR_CFG", 0, (get(drv, "PMCCNTR_CFG", 0) & ~EVENT_MASK) | numbers[start_event]);
}

void ETHOSU_PMU_PMCCNTR_CFG_Set_Stop_Event(struct ethosu_driver* drv, enum ethosu_pmu_event_type stop_event) {
  if (is_event(stop_event))
    set(drv, "PMCCNTR_CFG", 0,
        (get(drv, "PMCCNTR_CFG", 0) & ~(EVENT_MASK << STOP_EVENT)) | numbers[stop_event] << STOP_EVENT);
}

uint32_t ETHOSU_PMU_Get_QREAD(struct ethosu_driver* drv) { return get(drv, "QREAD", 0); }

uint32_t ETHOSU_PMU_Get_STATUS(struct ethosu_driver* drv) { return get(drv, "STATUS", 0); }
