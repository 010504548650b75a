#pragma once
#include <macaw/tflite/interpreter.hpp>

#include "tests/fuzz/target.hpp"

namespace macaw::fuzz {

/// Runs a network on zeros, within limits. Whether it came to its end.
inline bool run(const tflite::Network& network) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  std::vector<Tensor> inputs;
  for (const int index : network.main().inputs) {
    const auto& info = network.main().tensors[static_cast<std::size_t>(index)];
    const auto bytes = byte_count(info.dtype, info.shape);
    if (!bytes || *bytes > kMost) return false;
    inputs.emplace_back(info.dtype, info.shape);
  }
  tflite::State state;
  const auto result = tflite::run(network, inputs, state, {.max_work = kMost, .max_memory = 16 * kMost});
  expect_message(result);
  return result.has_value();
}

}  // namespace macaw::fuzz
