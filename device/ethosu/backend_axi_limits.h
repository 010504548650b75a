/* The second part of backend.h for U55 and U65, which have four AXI limits. */
static void init_axi(struct ethosu_device* dev) {
  const family_config* config = config_of(dev);
  macaw_ethosu_write(dev, "AXI_LIMIT0", 0, config->axi_limit0.word);
  macaw_ethosu_write(dev, "AXI_LIMIT1", 0, config->axi_limit1.word);
  macaw_ethosu_write(dev, "AXI_LIMIT2", 0, config->axi_limit2.word);
  macaw_ethosu_write(dev, "AXI_LIMIT3", 0, config->axi_limit3.word);
}

static bool reset(struct ethosu_device* dev) {
  if (!macaw_ethosu_reset(dev)) return false;
  dev->desc->ops->axi_init(dev);
  return true;
}

/* Not constant: a program may change the default at run time. */
static family_config default_config = {
    .qconfig.word = NPU_QCONFIG,
    .regioncfg.word = REGIONS,
    .axi_limit0.word = MACAW_AXI_LIMIT(0),
    .axi_limit1.word = MACAW_AXI_LIMIT(1),
    .axi_limit2.word = MACAW_AXI_LIMIT(2),
    .axi_limit3.word = MACAW_AXI_LIMIT(3),
};

struct ethosu_device_config JOINED(ethosu_device_config_, FAMILY) = {.config = &default_config};
