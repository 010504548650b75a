#pragma once
#include <macaw/npu/accelerator.hpp>

#include <macaw/npu/operation.hpp>
#include "sim/blocks/sub_kernel.hpp"

#include <cstdint>

namespace macaw::npu {

/// Work of the MAC array: `weight_blocks` times `cycles` busy cycles.
struct MacWork {
  std::uint64_t weight_blocks = 0;
  std::uint64_t cycles = 0;   ///< of one weight block, without waiting for the weight decoder
  bool uses_weights = false;  ///< each weight block has to be decoded; false for pooling
  int tap_group = 0;          ///< U85: a weight block is decoded and used in parts of this many taps; 0: as a whole
  [[nodiscard]] std::uint64_t active() const { return weight_blocks * cycles; }  ///< adds to MAC_ACTIVE
};

/// Cores that share the depth of an operation: 2 on U65-512 in dual-core mode, else 1.
[[nodiscard]] int active_cores(const BlockOperation& op, const Accelerator& accelerator);

/// Cost of a step for one column of micro-blocks in depth over one micro-block in height and width.
struct UblockWork {
  std::uint64_t weight_blocks = 0;
  std::uint64_t cycles = 0;  ///< of one weight block
};

/// Walk rules 3.1 (U55/U65): `piece` of the kernel, `channels` of the IFM.
[[nodiscard]] UblockWork ublock_work_u65(const BlockOperation& op, const SubKernel& piece, int channels);

/// U85 walk rules 3: one weight block per step and micro-block in depth. Cycles are computed for the whole kernel; a
/// piece gets its share by taps, so that the pieces add up.
[[nodiscard]] UblockWork ublock_work_u85(const BlockOperation& op, const SubKernel& piece, int channels);

/// Taps of the kernel that U85 decodes and multiplies at a time; 0: all (U85 walk rules 4.3).
[[nodiscard]] int tap_group_u85(const BlockOperation& op);

}  // namespace macaw::npu
