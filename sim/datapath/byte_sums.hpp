#pragma once
#include "sim/datapath/output_rows.hpp"

#include <functional>

namespace macaw::npu {

/// An operand of a sum, and the function from a value, zero point subtracted, to its term in the sum.
struct Addend {
  const FeatureMapView& map;
  std::function<std::int64_t(std::int64_t)> term;
};

/// Adds two operands with a table look-up per element, and vector lanes for the scale and the following stages. Returns
/// false without any effect unless elements are bytes, all sums fit 32 bits and lanes are exact. Both operands are read
/// before anything is written.
[[nodiscard]] bool sum_bytes(const BlockOperation& operation, const Addend& first, const Addend& second,
                             const Scaling& scaling, OutputRows& out);

}  // namespace macaw::npu
