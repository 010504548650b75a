#pragma once
#include "compiler/lowering.hpp"

namespace macaw::npu {

/// Sums over the channels of [h][w][c] into [h][w][1].
[[nodiscard]] Result<void> sum_channels(Lowering& lowering, const StorageView& out, const StorageView& in,
                                        const Output& how = {});

/// A dense view as [outer][extent][inner] around an axis.
[[nodiscard]] StorageView around_axis(const StorageView& dense, std::size_t axis);

/// Maximum or minimum along the middle axis of [outer][extent][inner] into [outer][1][inner].
[[nodiscard]] Result<void> reduce_extreme(Lowering& lowering, bool maximum, const StorageView& out,
                                          const StorageView& in);

}  // namespace macaw::npu
