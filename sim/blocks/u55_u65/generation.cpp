#include "sim/blocks/generation.hpp"

namespace macaw::npu::blocks::u55_u65 {
namespace {

constexpr int kChunk = 16;  // elements of an NHWC chunk, per core

class Blocks final : public Generation {
 public:
  /// Rule: timing 2.
  [[nodiscard]] WalkRules rules(const BlockOperation& op, const Accelerator& accelerator) const override {
    const int cores = active_cores(op, accelerator);
    WalkRules rules;
    rules.retained = 2;  // two halves of the IFM buffer
    rules.writes = {kChunk * cores};
    rules.weight_streams = rules.scale_streams = cores;
    return rules;
  }

  [[nodiscard]] UblockWork ublock_work(const BlockOperation& op, const SubKernel& piece, int channels) const override {
    return ublock_work_u65(op, piece, channels);
  }
  /// Consistent with ublock_work_u65().
  [[nodiscard]] int input_granule(const BlockOperation& op) const override {
    if (op.kind != OpKind::kConv) return 1;
    if (op.kernel.part_kernel_first) return 8;
    return op.ifm.bits == 16 ? 16 : 32;
  }
  [[nodiscard]] int tap_group(const BlockOperation&) const override { return 0; }

  /// Rule: u55_u65 6.5: the source is contiguous over all rows, the destination skips. Vela only emits 1-D jobs; 2-D
  /// and 3-D jobs follow the rule without having been measured.
  [[nodiscard]] DmaTraffic dma_traffic(const DmaOperation& op) const override {
    DmaTraffic traffic;
    const auto n = dma_counts(op);
    if (!op.src_internal)
      traffic.reads.push_back(contiguous(Channel::kReadMem2Mem, op.src_region, op.src, op.len * n.rows * n.planes));
    if (!op.dst_internal) {
      const auto rows = static_cast<std::int64_t>(n.rows);
      const auto row = static_cast<std::int64_t>(op.len) + op.skip0;
      traffic.writes.push_back(dma_side(op, Channel::kWriteMem2Mem, op.dst_region, op.dst, row, rows * row + op.skip1));
    }
    return traffic;
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Blocks kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::blocks::u55_u65
