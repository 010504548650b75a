#include "sim/isa/accelerator_table.hpp"

namespace macaw::npu {

std::span<const Accelerator> accelerators() { return detail::kAccelerators; }

const Accelerator* find_accelerator(std::string_view name) {
  for (const auto& accelerator : detail::kAccelerators)
    if (accelerator.name == name) return &accelerator;
  return nullptr;
}

const Accelerator* accelerator_from_config(std::uint32_t config_word) {
  for (const auto& accelerator : detail::kAccelerators)
    if (((accelerator.config_word ^ config_word) & traits(accelerator.family).config_mask) == 0) return &accelerator;
  return nullptr;
}

std::string_view to_string(Family family) { return traits(family).name; }

}  // namespace macaw::npu
