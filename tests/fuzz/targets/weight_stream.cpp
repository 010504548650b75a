#include <algorithm>

#include "sim/datapath/weight_stream.hpp"
#include "tests/fuzz/target.hpp"

using namespace macaw;

// The first byte selects the format. What is decoded and encoded again decodes to the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::size_t kMost = 1 << 14;
  const std::span stream(data + 1, size - 1);
  if (data[0] % 2 != 0) {
    fuzz::expect_message(npu::decode_fast_weight_stream(stream, std::min(kMost, 2 * size)));
    return 0;
  }
  const auto weights = npu::decode_weight_stream(stream, kMost);
  fuzz::expect_message(weights);
  if (!weights || weights->empty()) return 0;
  const auto encoded = npu::encode_weight_stream(*weights);
  if (!encoded) __builtin_trap();
  const auto again = npu::decode_weight_stream(*encoded, weights->size());
  if (!again || *again != *weights) __builtin_trap();
  return 0;
}
