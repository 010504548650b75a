#include "sim/isa/generation.hpp"

#include "sim/isa/accelerator_table.hpp"

#include <cstdlib>

// Switches without a default, so that a new family does not compile before it has its row and its generation.
namespace macaw::npu {
namespace {

using detail::kFamilies;

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

}  // namespace

std::span<const FamilyTraits> all_families() { return kFamilies; }

const FamilyTraits& traits(Family family) { return kFamilies[row_of(family)]; }

namespace isa {

const Generation& generation(Family family) {
  switch (family) {
    case Family::kU55:
    case Family::kU65: return u55_u65::generation();
    case Family::kU85: return u85::generation();
  }
  std::abort();
}

}  // namespace isa
}  // namespace macaw::npu
