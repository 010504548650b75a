#pragma once
#include <macaw/npu/operation.hpp>

#include <cstddef>

// Sizes inside the NPU that depend on the accelerator and the operation.
namespace macaw::npu {

/// The OFM micro-block of each core: the operation's, otherwise the accelerator's.
[[nodiscard]] Hwc ofm_ublock(const BlockOperation& op, const Accelerator& accelerator);

/// Parameters that determine the depth of an IFM block.
struct IfmBlockUse {
  Family family = Family::kU55;
  int macs = 0;              ///< of the accelerator
  int ofm_ublock_depth = 0;  ///< channels
  int ifm_bits = 8;
  bool part_kernel_first = false;
  bool sparse_weights = false;
};

/// Channels of an IFM block of a convolution or REDUCE_SUM, by which its weights are ordered. U55, U65: timing 2.1; 8
/// for 32 bits, which only REDUCE_SUM reads, is assumed. U85: Vela, ethosu/regor/architecture/ethosu85/ethos_u85.cpp
/// (hapv3/neural-compiler at ba29f2f4), which tests for 32 bits before sparse weights.
[[nodiscard]] int ifm_block_depth(const IfmBlockUse& use);
[[nodiscard]] int ifm_block_depth(const BlockOperation& op, const Accelerator& accelerator);

/// Bytes of the memory inside the NPU that a DMA job can address: shared RAM of one core, or LUT RAM on U85.
[[nodiscard]] std::size_t internal_memory_bytes(const Accelerator& accelerator);

}  // namespace macaw::npu
