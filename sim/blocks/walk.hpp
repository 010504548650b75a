#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/accelerator.hpp>

#include <macaw/npu/operation.hpp>
#include "sim/blocks/box.hpp"
#include "sim/blocks/mac_work.hpp"
#include "sim/blocks/transfer.hpp"

#include <cstdint>
#include <memory>

// The block walk: one operation -> its OFM blocks in hardware order, the IFM blocks of each, and everything that
// crosses the bus or occupies a unit. No values, no time. Nothing here depends on memory latency or bandwidth.
namespace macaw::npu {

/// One OFM block, clipped to the OFM.
struct OfmBlock {
  std::uint64_t index = 0;  ///< in the operation
  bool last = false;
  Box box;
  std::uint64_t elements = 0;                   ///< that the output unit produces
  std::uint64_t ublocks_xy = 0, ublocks_c = 0;  ///< micro-blocks over height and width, over depth (all cores)
  TransferList scales;                          ///< bias and scale entries of the block
  TransferList writes;                          ///< empty if the OFM does not go to memory
};

/// One step of an OFM block: one depth block of the IFM seen through one sub-kernel. An elementwise operation has one
/// step per OFM block.
struct IfmBlock {
  std::uint64_t index = 0;           ///< in the operation
  bool first = false, last = false;  ///< of its OFM block
  Box box;                           ///< IFM elements needed, clipped; empty if the window lies in the padding
  bool fetched = false;              ///< false: retained from an earlier step, or empty
  int taps = 1;                      ///< kernel elements of the sub-kernel
  TransferList reads;                ///< IFM
  TransferList reads2;               ///< IFM2
  TransferList weights;  ///< share of the weight streams, cut at bursts; the shares of all steps add up exactly
  std::size_t kept = 0;  ///< IFM blocks that stay in the buffer after this step, itself included
  MacWork mac;
};

/// Pull generator:
///   MACAW_ASSIGN(auto walk, BlockWalk::create(op, accelerator));
///   for (OfmBlock block; walk.next_block(block);)
///     for (IfmBlock step; walk.next_step(step);) ...
/// Steps that are not pulled are skipped by next_block(), with the same effect on what is retained.
/// Keeps a copy of the operation. The number of steps is limited to kMaxSteps; beyond that create() fails.
class BlockWalk {
 public:
  static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 28;

  /// kUnsupported: too many steps. kHardwareFault: an extent, block or stride of zero or less. `separate_pixels`:
  /// writes of the OFM do not merge contiguous pixels.
  [[nodiscard]] static Result<BlockWalk> create(const BlockOperation& op, const Accelerator& accelerator,
                                                bool separate_pixels = false);
  BlockWalk(BlockWalk&&) noexcept;
  BlockWalk& operator=(BlockWalk&&) noexcept;
  ~BlockWalk();

  [[nodiscard]] std::uint64_t block_count() const;
  [[nodiscard]] std::uint64_t steps_per_block() const;
  [[nodiscard]] bool next_block(OfmBlock& block);
  [[nodiscard]] bool next_step(IfmBlock& step);

 private:
  struct State;
  explicit BlockWalk(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Traffic of a DMA job. Internal sides move no data on the bus.
struct DmaTraffic {
  TransferList reads, writes, indices;
};
/// Indexed sides (U85) are counted as if the indices were 0, 1, 2, ...: their values are not known here.
[[nodiscard]] DmaTraffic dma_traffic(const DmaOperation& op);

/// Sums over a whole operation, for tests, estimates and lists.
struct WalkTotals {
  std::uint64_t blocks = 0, steps = 0;
  std::uint64_t ifm_beats = 0, ifm2_beats = 0, weight_beats = 0, scale_beats = 0, ofm_beats = 0;
  std::uint64_t mac_active = 0;

  void add(const OfmBlock& block, unsigned beat_bytes);
  void add(const IfmBlock& step, unsigned beat_bytes);
};
[[nodiscard]] Result<WalkTotals> walk_totals(const BlockOperation& op, const Accelerator& accelerator);

}  // namespace macaw::npu
