#pragma once
#include <macaw/npu/operation.hpp>

#include <cstddef>

// Sizes inside the NPU that follow from the accelerator and the operation.
namespace macaw::npu {

/// The OFM micro-block of each core: the operation's, or if it names none that of the accelerator.
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

/// Channels of an IFM block of a convolution or REDUCE_SUM, whose weights follow each other in that order. U55, U65:
/// timing 2.1; 8 for 32 bits is assumed, which only REDUCE_SUM reads. U85: Vela,
/// ethosu/regor/architecture/ethosu85/ethos_u85.cpp (hapv3/neural-compiler at ba29f2f4), where 32 bits decide before
/// sparse weights do.
[[nodiscard]] int ifm_block_depth(const IfmBlockUse& use);
[[nodiscard]] int ifm_block_depth(const BlockOperation& op, const Accelerator& accelerator);

/// Bytes of the memory inside the NPU that a DMA job can address: shared RAM of one core, or LUT RAM on U85.
[[nodiscard]] std::size_t internal_memory_bytes(const Accelerator& accelerator);

}  // namespace macaw::npu
