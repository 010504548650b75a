#include "sim/isa/accelerator_table.hpp"

#include <cstdlib>

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

// Without a default, so that a new family does not compile before it has a row.
constexpr std::size_t row_of(Family family) {
  switch (family) {
    case Family::kU55: return 0;
    case Family::kU65: return 1;
    case Family::kU85: return 2;
  }
  std::abort();
}

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFamilies.size(); ++i)
    if (row_of(kFamilies[i].family) != i) return false;
  return kFamilies.size() == 3;
}
static_assert(in_order(), "families.def needs one row per Family, in the order of the enumeration");

// CONFIG: log2 of the MACs in bits 3:0, U85 log2 of the weight decoders in 13:12, the product in 31:28. The other
// fields (SHRAM size, ports, optional features) follow from these or do not change how a stream is executed.
constexpr std::uint32_t key_of(std::uint32_t config) {
  const std::uint32_t product = config >> 28;
  return config & (product == 2 ? 0xf000300fu : 0xf000000fu);
}

}  // namespace

std::span<const FamilyTraits> all_families() { return kFamilies; }

const FamilyTraits& traits(Family family) { return kFamilies[row_of(family)]; }

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
