#pragma once
#include <macaw/npu/accelerator.hpp>

#include "sim/isa/operation.hpp"

#include <cstdint>

namespace macaw::npu {

/// Work of the MAC array: `weight_blocks` times `cycles` busy cycles.
struct MacWork {
  std::uint64_t weight_blocks = 0;
  std::uint64_t cycles = 0;    ///< of one weight block, without waiting for the weight decoder
  bool uses_weights = false;   ///< each weight block has to be decoded; false for pooling
  [[nodiscard]] std::uint64_t active() const { return weight_blocks * cycles; }  ///< adds to MAC_ACTIVE
};

/// Cores that share the depth of an operation: 2 on U65-512 in dual-core mode, else 1.
[[nodiscard]] int active_cores(const BlockOperation& op, const Accelerator& accelerator);

/// OFM micro-block per core. 256 MACs per core work on 1x4x8 instead of 2x2x8 for a convolution of one row
/// (timing rules 2.1).
[[nodiscard]] Hwc ofm_ublock(const BlockOperation& op, const Accelerator& accelerator);

/// Channels of an IFM block of a convolution or reduce-sum (walk rules 2.1).
[[nodiscard]] int ifm_block_depth(const BlockOperation& op);

/// Weight blocks that one column of micro-blocks in depth costs for `taps` taps and `channels` channels of the IFM:
/// multiply by the micro-blocks in depth for the work of a step (walk rules 3.1).
[[nodiscard]] std::uint64_t weight_blocks_per_ublock(const BlockOperation& op, int taps, int channels);

/// Cycles of one weight block over `ublocks_xy` micro-blocks in height and width (walk rules 3.1).
[[nodiscard]] std::uint64_t weight_block_cycles(const BlockOperation& op, int taps, std::uint64_t ublocks_xy);

}  // namespace macaw::npu
