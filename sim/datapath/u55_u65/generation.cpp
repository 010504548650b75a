#include "sim/datapath/generation.hpp"

#include "sim/datapath/u55_u65/elementwise.hpp"
#include "sim/datapath/u55_u65/weight_order.hpp"
#include "sim/datapath/weight_runs.hpp"

#include <algorithm>
#include <utility>

namespace macaw::npu::datapath::u55_u65 {
namespace {

class Datapath final : public Generation {
 public:
  [[nodiscard]] Result<void> check(const BlockOperation& op) const override {
    if (op.kind == OpKind::kResize || (op.kind == OpKind::kPool && op.pool > PoolMode::kReduceSum))
      return fail(ErrorCode::kHardwareFault, "the operation does not exist on U55 and U65");
    return {};
  }
  [[nodiscard]] int convolution_bits() const override { return 16; }

  [[nodiscard]] Result<OutputStage> output_stage(const BlockOperation& op, const Accelerator& accelerator,
                                                 const MemoryMap& memory) const override {
    auto stage = ActivationStage::create(op, accelerator, memory);
    if (!stage) return tl::unexpected<Error>(std::move(stage).error());
    return Result<OutputStage>(tl::in_place, std::in_place_type<ActivationStage>, *std::move(stage));
  }

  /// Tables of 256 words of the OFM's width; a 16-bit OFM has 512 bases and slopes.
  [[nodiscard]] std::optional<ByteRange> activation_table(const BlockOperation& op,
                                                          const Accelerator& accelerator) const override {
    constexpr std::size_t kSlot = 256;  // unit of the index of ACTIVATION
    if (op.activation.function != ActivationFunction::kTable) return std::nullopt;
    const auto index = static_cast<std::size_t>(std::max(0, op.activation.table));
    const std::size_t first = static_cast<std::size_t>(accelerator.lut_offset()) + kSlot * index;
    const std::size_t size = op.ofm.bits == 8 ? 256 : op.ofm.bits == 16 ? 2048 : 1024;
    return ByteRange{first, first + size};
  }

  [[nodiscard]] Result<void> elementwise(const BlockOperation& op, const FeatureMapView* ifm,
                                         const FeatureMapView* ifm2, bool scalar, OutputRows& out) const override {
    return npu::elementwise(op, *ifm, ifm2, scalar, out);
  }

  /// Swaps the operands; the scales belong to positions and are unchanged.
  void exchange_operands(BlockOperation& op) const override {
    std::swap(op.ifm, op.ifm2);
    op.operands_swapped = !op.operands_swapped;
  }

  /// The source is contiguous; the destination of U65 skips bytes between rows and between planes.
  [[nodiscard]] DmaSides dma_sides(const DmaOperation& op) const override {
    const Int128 rows = op.dimensions > 1 ? op.size0 : 1;
    const Int128 row = Int128{op.len} + op.skip0;
    return {{op.src, Int128{op.len}, Int128{op.len} * rows}, {op.dst, row, row * rows + op.skip1}};
  }

  [[nodiscard]] ScaleFormat scale_format(const BlockOperation&) const override { return ScaleFormat::kBias40Scale32; }

  [[nodiscard]] Result<void> complete(WeightGeometry&, const BlockOperation&, const Accelerator&) const override {
    return {};
  }
  [[nodiscard]] Int128 weight_symbols(const WeightGeometry& g, int stream) const override {
    return symbols_u55(g, stream);
  }
  void place_weights(const WeightGeometry& g, int stream, std::span<const std::int16_t> symbols,
                     std::span<std::int16_t> ohwi) const override {
    place_runs([&](auto visit) { traverse_u55(g, stream, visit); }, symbols, ohwi);
  }
  void order_weights(const WeightGeometry& g, int stream, std::span<const std::int16_t> ohwi,
                     std::vector<std::int16_t>& symbols) const override {
    order_runs([&](auto visit) { traverse_u55(g, stream, visit); }, ohwi, symbols);
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Datapath kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::datapath::u55_u65
