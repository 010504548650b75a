#include <macaw/npu/accelerator.hpp>

namespace macaw::npu {
namespace {

using enum Family;
#define U(h, w, c) \
  Hwc { h, w, c }
#define G(...) \
  BankGranules { __VA_ARGS__ }
#define P(a, b) a, b
#define M(...)      \
  {                 \
    { __VA_ARGS__ } \
  }
#define MACAW_ACCELERATOR(...) Accelerator{__VA_ARGS__},
constexpr Accelerator kAccelerators[] = {
#include "sim/isa/accelerators.def"
};
#undef MACAW_ACCELERATOR
#undef M
#undef P
#undef G
#undef U

// CONFIG: log2 of the MACs in bits 3:0, U85 log2 of the weight decoders in 13:12, the product in 31:28. The other
// fields (SHRAM size, ports, optional features) follow from these or do not change how a stream is executed.
constexpr std::uint32_t key_of(std::uint32_t config) {
  const std::uint32_t product = config >> 28;
  return config & (product == 2 ? 0xf000300fu : 0xf000000fu);
}

}  // namespace

std::span<const Accelerator> accelerators() { return kAccelerators; }

const Accelerator* find_accelerator(std::string_view name) {
  for (const auto& accelerator : kAccelerators)
    if (accelerator.name == name) return &accelerator;
  return nullptr;
}

const Accelerator* accelerator_from_config(std::uint32_t config_word) {
  for (const auto& accelerator : kAccelerators)
    if (key_of(accelerator.config_word) == key_of(config_word)) return &accelerator;
  return nullptr;
}

std::string_view to_string(Family family) {
  switch (family) {
    case kU55: return "U55";
    case kU65: return "U65";
    case kU85: return "U85";
  }
  return "?";
}

}  // namespace macaw::npu
