#include "sim/config/vela_config.hpp"
#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = npu::VelaConfig::parse(fuzz::text_of(data, size), "fuzz");
  fuzz::expect_message(config);
  if (!config) return 0;
  for (const auto& name : config->systems()) fuzz::expect_message(config->system(name));
  for (const auto& name : config->modes()) fuzz::expect_message(config->mode(name));
  return 0;
}
