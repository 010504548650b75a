#pragma once
#include <vector>

#include "reference/tosa/arith/scale.hpp"
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Parameters that RESCALE applies to every element, from its operands and attributes.
struct Rescale {
  std::vector<Scale> scales;  ///< valid; of consecutive elements, in turn: one, or one for each channel
  bool scale32 = false;       ///< apply_scale_32, otherwise apply_scale_16
  RoundingMode rounding = RoundingMode::kSingleRound;
  bool from_unsigned = false, to_unsigned = false;
  std::int64_t in_zp = 0, out_zp = 0;
  std::int64_t low = 0, high = 0;  ///< the range of the output's type

  [[nodiscard]] const Scale& scale(std::size_t i) const { return scales[i % scales.size()]; }
  [[nodiscard]] bool rounds_twice() const { return rounding == RoundingMode::kDoubleRound; }
  /// Element `i`, less the zero point, scaled; clears `holds` if a REQUIRE of apply_scale_32 or apply_scale_16 breaks.
  [[nodiscard]] std::int64_t apply_scale(std::int64_t value, std::size_t i, bool& holds) const {
    return scale32 ? apply_scale_32(static_cast<std::int32_t>(value), scale(i), rounds_twice(), holds)
                   : apply_scale_16(value, scale(i), holds);
  }
};

/// Whether RESCALE's REQUIREs hold for all elements.
struct RescaleRequirements {
  bool scale_fits = true;  ///< those of apply_scale_32 or apply_scale_16
  bool sum_fits = true;    ///< that of the sum with the output's zero point
};

/// The call's RESCALE in tables, blocks and vectors, split over its threads.
[[nodiscard]] RescaleRequirements rescale_fast(const Call& call, const Rescale& params);

}  // namespace macaw::tosa
