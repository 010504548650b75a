#pragma once
#include "sim/datapath/output_rows.hpp"

#include <functional>

namespace macaw::npu {

/// An operand of a sum, and what a value of it, zero point subtracted, adds.
struct Addend {
  const FeatureMapView& map;
  std::function<std::int64_t(std::int64_t)> term;
};

/// The sum of two operands, by a look-up for each element and vector lanes for the scale and what follows. False, and
/// nothing is done, unless elements are bytes, all sums fit 32 bits and lanes are exact. Both operands are read before
/// anything is written.
[[nodiscard]] bool sum_bytes(const BlockOperation& operation, const Addend& first, const Addend& second,
                             const Scaling& scaling, OutputRows& out);

}  // namespace macaw::npu
