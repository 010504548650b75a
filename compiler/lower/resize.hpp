#pragma once
#include "compiler/lowering.hpp"

namespace macaw::npu {

/// One axis: output o lies at o * d + offset, in units of 1/n of an input element.
struct ResizeAxis {
  std::int64_t n = 1, d = 1, offset = 0, in = 1, out = 1;
};

struct Resize {
  StorageView out, in;
  ResizeAxis y, x;
  bool bilinear = false;
};
[[nodiscard]] Result<Resize> resize(Lowering& lowering);

/// Lowers a resize to copies of rows and columns, or to sums of two of them multiplied by integers.
[[nodiscard]] Result<void> resize_by_parts(Lowering& lowering, const Resize& r);

}  // namespace macaw::npu
