#include <macaw/tflite/interpreter.hpp>

#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto network = tflite::parse_network(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(network);
  if (!network) return 0;
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  std::vector<Tensor> inputs;
  for (const int index : network->main().inputs) {
    const auto& info = network->main().tensors[static_cast<std::size_t>(index)];
    const auto bytes = byte_count(info.dtype, info.shape);
    if (!bytes || *bytes > kMost) return 0;
    inputs.emplace_back(info.dtype, info.shape);
  }
  tflite::State state;
  fuzz::expect_message(tflite::run(*network, inputs, state, {.max_work = kMost, .max_memory = 16 * kMost}));
  return 0;
}
