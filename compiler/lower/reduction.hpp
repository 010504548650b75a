#pragma once
#include "compiler/lowering.hpp"

#include <functional>

namespace macaw::npu {

/// Sums over the channels of [h][w][c] into [h][w][1].
[[nodiscard]] Result<void> sum_channels(Lowering& lowering, const StorageView& out, const StorageView& in,
                                        const Output& how = {});

/// A dense view as [outer][extent][inner] around an axis.
[[nodiscard]] StorageView around_axis(const StorageView& dense, std::size_t axis);

/// Maximum or minimum along the middle axis of [outer][extent][inner] into [outer][1][inner].
[[nodiscard]] Result<void> reduce_extreme(Lowering& lowering, bool maximum, const StorageView& out,
                                          const StorageView& in);

/// out = a times the transpose of b_rows; all operands are matrices.
using MultiplyRows = std::function<Result<void>(const StorageView& out, const StorageView& a, const StorageView& b_rows,
                                                const Output& how)>;
/// Lowers a MATMUL, one batch item at a time.
[[nodiscard]] Result<void> multiply_matrices(Lowering& lowering, const MultiplyRows& multiply);

/// Input [outer][axis][inner] and result [outer][1][inner] of an ARGMAX.
struct Argmax {
  StorageView out, in;
};
[[nodiscard]] Result<Argmax> argmax(Lowering& lowering);

}  // namespace macaw::npu
