#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/blocks/walk.hpp"
#include "sim/datapath/weight_stream.hpp"
#include "sim/isa/pmu_events.hpp"
#include "sim/timed/axi_port.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

// Items that the units exchange: an operation in progress, its OFM blocks, and their steps and slices.
namespace macaw::npu::timed {

/// Time that each unit spent on an operation or block. Read units are busy from a request to its last address.
struct UnitTimes {
  Ticks mac{}, weight_decoder{}, output_unit{}, ifm_read{}, weight_read{}, ofm_write{};
};

/// An OFM block that is complete.
struct BlockRecord {
  Ticks start{}, end{};
  UnitTimes busy;
};

/// A block operation between its issue and its last write response.
struct KernelRun {
  std::size_t command = 0;        ///< index in the command stream
  std::uint32_t byte_offset = 0;  ///< of the command
  std::uint64_t number = 0;       ///< from 1, in the order of issue; identifies the operation in the units
  BlockOperation op;
  std::optional<BlockWalk> walk;           ///< moved into the traversal
  std::uint64_t blocks = 0, finished = 0;  ///< OFM blocks in total, and those with all write responses received
  std::uint64_t written = 0;               ///< OFM blocks whose data has been sent to memory
  std::shared_ptr<KernelRun> previous;     ///< null once its blocks no longer matter to this operation
  sc_core::sc_event* progress = nullptr;   ///< notified when a block of any operation finishes

  std::vector<WeightStreamSize> weight_streams;  ///< U85: one per decoder; empty: their contents are unknown
  double decode_cycles = 0;                      ///< of one weight block (U85: of one weight)
  double output_per_element = 0;
  double output_start = 0;  ///< per OFM block
  Ticks mac_pass{};         ///< U85: pause of the MAC array between two passes over the depth of a block

  std::shared_ptr<std::size_t> unfinished;          ///< operations of the chain that have not finished, shared by all
                                                    ///< of them
  std::vector<std::shared_ptr<KernelRun>> chained;  ///< U85: operations that follow through the chain buffer, block by
                                                    ///< block
  int accumulators = 2;                             ///< U85: OFM blocks that the accumulator RAM holds, at most two
  std::uint64_t out_lanes = 1;                      ///< channels that the output unit produces together

  static constexpr std::size_t kFinishTimes = 8;  // one more than the maximum of BLOCKDEP
  std::array<Ticks, kFinishTimes>
      finish_times{};          ///< of the last blocks that finished, by their number modulo the size
  std::optional<Ticks> start;  ///< of the first fetch
  Ticks issued{}, end{};
  Ticks computed{};    ///< the output unit had passed on the last element
  Ticks dependency{};  ///< time spent waiting for the previous operation after it had computed everything
  UnitTimes busy;
  bool keep_blocks = false, keep_totals = false;
  std::vector<BlockRecord> records;  ///< in order of completion, if keep_blocks
  WalkTotals totals;                 ///< of the blocks and steps passed on, if keep_totals

  [[nodiscard]] bool is_finished() const { return finished == blocks; }
};

/// One OFM block on its way through the pipeline.
struct Job {
  std::shared_ptr<KernelRun> run;
  OfmBlock block;
  BurstCursor writes;
  std::optional<Ticks> start;  ///< of the first fetch
  UnitTimes busy;
  struct ScalePart {
    std::uint64_t bytes = 0;  ///< of the block's scales, from their start
    Ticks arrived{};
  };
  std::vector<ScalePart> scales;  ///< U85: requested parts, in order
  Beats scales_used;              ///< U85: words that the output unit has released

  void spend(Ticks UnitTimes::*unit, Ticks time) {
    busy.*unit += time;
    run->busy.*unit += time;
  }
  void release() {
    run.reset();
    start.reset();
    busy = {};
    scales.clear();
    scales_used = {};
  }
};

/// One step of an OFM block.
struct IfmStep {
  std::shared_ptr<Job> job;
  IfmBlock ifm;
  int slot = -1;  ///< IFM buffer that holds its data; -1: none is needed
  Ticks ready{};  ///< U85: when the accumulators that it continues are available
  void release() { job.reset(); }
};

/// Weights come from a stream or from IFM2.
[[nodiscard]] inline bool decodes_weights(const BlockOperation& op) { return op.has_weights() || op.weights_from_ifm2; }

/// PMU counts of the MAC array and the output unit for an operation.
[[nodiscard]] inline Cause mac_work(const BlockOperation& op) {
  return op.ifm.bits == 32 ? Cause::kMac32 : op.ifm.bits == 16 ? Cause::kMac16 : Cause::kMac8;
}
[[nodiscard]] inline Cause output_work(const BlockOperation& op) {
  return op.ofm.bits == 8 ? Cause::kAo8 : Cause::kAoWider;
}

using KernelRef = std::shared_ptr<KernelRun>;
using JobRef = std::shared_ptr<Job>;
using IfmStepRef = std::shared_ptr<IfmStep>;

/// Part of an OFM block on its way to memory.
struct OutputSlice {
  JobRef job;
  Beats beats{};  ///< of the block's writes that are due with this slice, counted from the block's start
  bool last = false;
  Ticks ready{};  ///< not to be written before
};

/// Recycles objects when their last reference is released: steps are large and numerous.
template <class T>
class Pool {
 public:
  [[nodiscard]] std::shared_ptr<T> take() {
    T* object;
    if (free_->empty()) {
      object = new T;
    } else {
      object = free_->back().release();
      free_->pop_back();
    }
    return std::shared_ptr<T>(object, [free = free_](T* p) {
      p->release();
      free->emplace_back(p);
    });
  }

 private:
  std::shared_ptr<std::vector<std::unique_ptr<T>>> free_ = std::make_shared<std::vector<std::unique_ptr<T>>>();
};

}  // namespace macaw::npu::timed
