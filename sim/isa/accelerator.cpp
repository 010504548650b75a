#include "sim/isa/accelerator_table.hpp"

namespace macaw::npu {
namespace {

#define MACAW_FAMILY(...) FamilyTraits{__VA_ARGS__},
constexpr auto kFamilies = [] {
  using enum Family;
  return std::to_array<FamilyTraits>({
#include "sim/isa/families.def"
  });
}();
#undef MACAW_FAMILY

constexpr bool has_every_family() {
  for (std::size_t i = 0; i < kFamilies.size(); ++i)
    if (static_cast<std::size_t>(kFamilies[i].family) != i) return false;
  return kFamilies.back().family == Family::kU85;
}
static_assert(has_every_family(), "families.def needs one row per Family, in the order of the enumeration");

// CONFIG: log2 of the MACs in bits 3:0, U85 log2 of the weight decoders in 13:12, the product in 31:28. The other
// fields (SHRAM size, ports, optional features) follow from these or do not change how a stream is executed.
constexpr std::uint32_t key_of(std::uint32_t config) {
  const std::uint32_t product = config >> 28;
  return config & (product == 2 ? 0xf000300fu : 0xf000000fu);
}

}  // namespace

std::span<const FamilyTraits> all_families() { return kFamilies; }

const FamilyTraits& traits(Family family) { return kFamilies[static_cast<std::size_t>(family)]; }

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

std::string_view to_string(Family family) { return traits(family).name; }

}  // namespace macaw::npu
