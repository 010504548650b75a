#include "tests/fuzz/stream.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto artifact = fuzz::stream_of(data, size);
  npu::TimedOptions options;
  options.functional = fuzz::small_limits();
  options.max_cycles = 200'000;
  fuzz::expect_message(npu::run_timed(artifact, *artifact.accelerator, {}, options));
  return 0;
}
