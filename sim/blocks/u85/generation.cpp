#include "sim/blocks/generation.hpp"

namespace macaw::npu::blocks::u85 {
namespace {

constexpr int kChunk = 16;  // elements of an NHWC chunk
constexpr std::uint64_t kIndexBytes = 4;

class Blocks final : public Generation {
 public:
  /// Rule: timing 6.
  [[nodiscard]] WalkRules rules(const BlockOperation& op, const Accelerator& accelerator) const override {
    WalkRules rules;
    rules.cut = SubKernels::Cut::kColumnsOnly;
    rules.serpentine = true;
    rules.retain_by_position = true;
    rules.refresh = true;
    rules.retained = keeps_channels(op) ? 0 : 4;
    rules.ifm_ram_bytes = accelerator.ram.ifm;
    rules.reads = rules.writes = {kChunk};
    rules.elementwise_reads = Channel::kReadIfmStream;
    rules.weight_streams = op.fast_weights ? 1 : accelerator.weight_decoders;
    return rules;
  }

  [[nodiscard]] UblockWork ublock_work(const BlockOperation& op, const SubKernel& piece, int channels) const override {
    return ublock_work_u85(op, piece, channels);
  }
  [[nodiscard]] int tap_group(const BlockOperation& op) const override { return tap_group_u85(op); }
  /// Consistent with ublock_work_u85().
  [[nodiscard]] int input_granule(const BlockOperation& op) const override {
    if (op.kind != OpKind::kConv) return 1;
    return op.kernel.part_kernel_first && op.ifm.c <= 8 ? 8 : 16;
  }

  /// Rule: u85 6.5.
  [[nodiscard]] DmaTraffic dma_traffic(const DmaOperation& op) const override {
    DmaTraffic traffic;
    if (!op.src_internal)
      traffic.reads.push_back(
          dma_side(op, Channel::kReadMem2Mem, op.src_region, op.src, op.src_stride0, op.src_stride1));
    if (!op.dst_internal)
      traffic.writes.push_back(
          dma_side(op, Channel::kWriteMem2Mem, op.dst_region, op.dst, op.dst_stride0, op.dst_stride1));
    if (op.src_indexed || op.dst_indexed) {
      const auto n = dma_counts(op);
      Transfer indices = contiguous(Channel::kReadMem2MemIndex, op.idx_region, op.idx, n.rows * kIndexBytes);
      indices.levels[0] = {n.planes, static_cast<std::int64_t>(n.rows * kIndexBytes) + op.idx_skip1};
      traffic.indices.push_back(indices);
    }
    return traffic;
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Blocks kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::blocks::u85
