/* The descriptor of one family for Arm's core driver from version 1.99 on, in place of its ethosu_backend_uNN.c and
   ethosu_pmu_uNN.c. The file that includes this one includes the family's configuration and interface headers before
   and defines FAMILY (u55), PRODUCT and COUNTERS; it goes on with init_axi(), reset() and the default configuration. */
#include <device_operations.h>

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define TEXT_OF_(name) #name
#define TEXT_OF(name) TEXT_OF_(name)
#define NAME "ethos-" TEXT_OF(FAMILY)
#define PMU(function) JOINED(macaw_ethosu_pmu_##function##_, FAMILY)
#include <pmu_functions.h>

typedef struct JOINED(FAMILY, _config_t) family_config;

static void init_axi(struct ethosu_device* dev);

static bool reset(struct ethosu_device* dev);

static bool init(struct ethosu_device* dev, const struct ethosu_device_desc* desc, struct ethosu_device_config* cfg,
                 struct ethosu_device_user_ops* ops, void* base_address, uint32_t secure_enable,
                 uint32_t privilege_enable) {
  const struct macaw_ethosu_product product = {PRODUCT, NAME};
  struct ethosu_hw_info info;
  if (!cfg->config) {
    LOG_ERR("config is NULL!");
    return false;
  }
  if (!macaw_ethosu_open(dev, base_address, product, secure_enable, privilege_enable)) return false;
  macaw_ethosu_get_info(dev, &info);
  dev->desc = desc;
  dev->config = cfg;
  dev->user_ops = ops;
  dev->caps.product = PRODUCT;
  dev->caps.log2_macs = info.cfg.macs_per_cc;
  if (!dev->desc->ops->soft_reset(dev)) return false;
  macaw_ethosu_claim(dev);
  return true;
}

static const family_config* config_of(const struct ethosu_device* dev) { return dev->config->config; }

static void run(struct ethosu_device* dev, const uint8_t* cmd_stream_ptr, uint32_t cms_length,
                const uint64_t* base_addr, int num_base_addr) {
  const struct ethosu_device_user_ops none = {NULL, NULL};
  const struct ethosu_device_user_ops* user = dev->user_ops ? dev->user_ops : &none;
  const struct macaw_ethosu_access access = {user->address_remap, user->config_select, config_of(dev)->qconfig.word,
                                             config_of(dev)->regioncfg.word};
  macaw_ethosu_run(dev, cmd_stream_ptr, cms_length, base_addr, num_base_addr, access);
}

static const struct ethosu_device_ops device_ops = {
    .init = init,
    .axi_init = init_axi,
    .run_command_stream = run,
    .print_err_status = macaw_ethosu_print_status,
    .handle_interrupt = macaw_ethosu_end_job,
    .get_hw_info = macaw_ethosu_get_info,
    .verify_access_state = macaw_ethosu_has_access_state,
    .soft_reset = reset,
    .set_clock_and_power = macaw_ethosu_set_clock_and_power,
    .verify_optimizer_config = macaw_ethosu_fits,
};

const struct ethosu_device_desc JOINED(ethosu_device_desc_, FAMILY) = {.name = NAME, .ops = &device_ops};

#define OPERATION(function) .ETHOSU_PMU_##function = PMU(function)
static const struct ethosu_pmu_ops pmu_ops = {
    OPERATION(Enable),
    OPERATION(Disable),
    OPERATION(Get_NumEventCounters),
    OPERATION(Set_EVTYPER),
    OPERATION(Get_EVTYPER),
    OPERATION(CYCCNT_Reset),
    OPERATION(EVCNTR_ALL_Reset),
    OPERATION(CNTR_Enable),
    OPERATION(CNTR_Disable),
    OPERATION(CNTR_Status),
    OPERATION(Get_CCNTR),
    OPERATION(Set_CCNTR),
    OPERATION(Get_EVCNTR),
    OPERATION(Set_EVCNTR),
    OPERATION(Get_CNTR_OVS),
    OPERATION(Set_CNTR_OVS),
    OPERATION(Set_CNTR_IRQ_Enable),
    OPERATION(Set_CNTR_IRQ_Disable),
    OPERATION(Get_IRQ_Enable),
    OPERATION(CNTR_Increment),
    OPERATION(PMCCNTR_CFG_Set_Start_Event),
    OPERATION(PMCCNTR_CFG_Set_Stop_Event),
    OPERATION(Get_QREAD),
    OPERATION(Get_STATUS),
};

const struct ethosu_pmu_desc JOINED(ethosu_pmu_desc_, FAMILY) = {.ops = &pmu_ops};

/** The regions of REGIONCFG as the configuration header sets them. */
#define REGIONS                                                                                                  \
  (NPU_REGIONCFG_0 | NPU_REGIONCFG_1 << 2 | NPU_REGIONCFG_2 << 4 | NPU_REGIONCFG_3 << 6 | NPU_REGIONCFG_4 << 8 | \
   NPU_REGIONCFG_5 << 10 | NPU_REGIONCFG_6 << 12 | NPU_REGIONCFG_7 << 14)
