#include "sim/isa/accelerator_table.hpp"

namespace macaw::npu {
namespace {

// CONFIG: log2 of the MACs in bits 3:0, U85 log2 of the weight decoders in 13:12, the product in 31:28. The other
// fields (SHRAM size, ports, optional features) follow from these or do not change how a stream is executed.
constexpr std::uint32_t key_of(std::uint32_t config) {
  const std::uint32_t product = config >> 28;
  return config & (product == 2 ? 0xf000300fu : 0xf000000fu);
}

}  // namespace

std::span<const Accelerator> accelerators() { return detail::kAccelerators; }

const Accelerator* find_accelerator(std::string_view name) {
  for (const auto& accelerator : detail::kAccelerators)
    if (accelerator.name == name) return &accelerator;
  return nullptr;
}

const Accelerator* accelerator_from_config(std::uint32_t config_word) {
  for (const auto& accelerator : detail::kAccelerators)
    if (key_of(accelerator.config_word) == key_of(config_word)) return &accelerator;
  return nullptr;
}

std::string_view to_string(Family family) {
  switch (family) {
    case Family::kU55: return "U55";
    case Family::kU65: return "U65";
    case Family::kU85: return "U85";
  }
  return "?";
}

}  // namespace macaw::npu
