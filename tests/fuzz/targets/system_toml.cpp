#include "sim/config/system_config.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  macaw::fuzz::expect_message(macaw::npu::parse_system_config(macaw::fuzz::text_of(data, size), "fuzz"));
  return 0;
}
