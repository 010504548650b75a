#include "sim/datapath/generation.hpp"

#include "sim/datapath/execute.hpp"
#include "sim/datapath/u85/elementwise.hpp"
#include "sim/datapath/u85/weight_order.hpp"
#include "sim/datapath/weight_runs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace macaw::npu::datapath::u85 {
namespace {

/// Pools that continue or keep accumulators. The index of an ARGMAX counts the taps of one operation, and an AVERAGE
/// divides by those of one operation; for the whole window both would be wrong, and neither is documented (u85 6.7).
Result<void> check_shared(PoolMode mode) {
  if (mode == PoolMode::kArgMaxX || mode == PoolMode::kArgMaxY)
    return fail(ErrorCode::kUnsupported, "an ARGMAX pool whose accumulators are shared between operations");
  if (mode == PoolMode::kAverage)
    return fail(ErrorCode::kUnsupported, "an AVERAGE pool whose accumulators are shared between operations");
  return {};
}

/// Bytes of a table; the index of ACTIVATION counts tables of this size.
std::size_t table_bytes(TableForm form) {
  switch (form) {
    case TableForm::kFromOfm: return 0;
    case TableForm::kU8U8:
    case TableForm::kS8S8: return 256;
    case TableForm::kS8S16: return 512;
    case TableForm::kS8S32: return 1024;
    case TableForm::kS16S16:
    case TableForm::kS16S32:
    case TableForm::kTanh:
    case TableForm::kSigmoid: return 2048;
  }
  return 0;
}

class Datapath final : public Generation {
 public:
  [[nodiscard]] Result<void> check(const BlockOperation& op) const override {
    for (const auto* map : {&op.ifm, &op.ifm2, &op.ofm}) {
      const bool read = map == &op.ofm || (map == &op.ifm2 ? op.has_ifm2() : reads_ifm(op));
      const bool in_memory = map->storage == Storage::kTile2x2 || map->storage == Storage::kTile3x1;
      // The register is the step from element to element; all public streams use the element's size.
      if (read && in_memory && map->layout == Layout::kNHWC && map->stride_c != map->bytes() && map->c > 1 &&
          map->stride_c != 0)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("NHWC elements of {} bytes at a distance of {}", map->bytes(), map->stride_c));
    }
    if (op.kind == OpKind::kPool && (op.acc_input != AccInput::kReset || !op.acc_output))
      MACAW_CHECK(check_shared(op.pool));
    if (op.weights_from_ifm2 && op.acc_input == AccInput::kIfm2)
      return fail(ErrorCode::kHardwareFault, "IFM2 gives either weights or accumulators");
    return {};
  }
  [[nodiscard]] int convolution_bits() const override { return 32; }

  [[nodiscard]] Result<OutputStage> output_stage(const BlockOperation& op, const Accelerator& accelerator,
                                                 const MemoryMap& memory) const override {
    auto stage = ActivationStageU85::create(op, accelerator, memory);
    if (!stage) return tl::unexpected<Error>(std::move(stage).error());
    return Result<OutputStage>(tl::in_place, std::in_place_type<ActivationStageU85>, *std::move(stage));
  }

  [[nodiscard]] std::optional<ByteRange> activation_table(const BlockOperation& op, const Accelerator&) const override {
    if (op.activation.function == ActivationFunction::kNone) return std::nullopt;
    const std::size_t size = table_bytes(op.activation.form);
    if (size == 0) return std::nullopt;
    const auto index = static_cast<std::size_t>(std::max(0, op.activation.table));
    return ByteRange{size * index, size * index + size};
  }

  [[nodiscard]] Result<void> elementwise(const BlockOperation& op, const FeatureMapView* ifm,
                                         const FeatureMapView* ifm2, bool scalar, OutputRows& out) const override {
    return elementwise_u85(op, ifm, ifm2, scalar, out);
  }

  void exchange_operands(BlockOperation& op) const override {
    std::swap(op.ifm, op.ifm2);
    std::swap(op.ifm_scale, op.ifm2_scale);
  }

  [[nodiscard]] DmaSides dma_sides(const DmaOperation& op) const override {
    return {{op.src, op.src_stride0, op.src_stride1, op.src_indexed},
            {op.dst, op.dst_stride0, op.dst_stride1, op.dst_indexed}};
  }

  [[nodiscard]] ScaleFormat scale_format(const BlockOperation& op) const override {
    return op.acc_format == AccFormat::kI48 ? ScaleFormat::kBias48Scale15 : ScaleFormat::kBias32Scale31;
  }

  [[nodiscard]] Result<void> complete(WeightGeometry& g, const BlockOperation& op,
                                      const Accelerator& accelerator) const override {
    if (op.ublock.c < kGroupChannels * accelerator.weight_decoders)
      return fail(ErrorCode::kHardwareFault, fmt::format("a micro-block of {} channels does not feed {} weight "
                                                         "decoders",
                                                         op.ublock.c, accelerator.weight_decoders));
    g.ofm_ublock_depth = op.ublock.c;
    g.streams = accelerator.weight_decoders;
    g.macs = accelerator.macs;
    g.stride_y = op.kernel.stride_y;
    g.stride_x = op.kernel.stride_x;
    g.sparse = op.sparse_weights;
    return {};
  }
  [[nodiscard]] Int128 weight_symbols(const WeightGeometry& g, int) const override { return symbols_u85(g); }
  void place_weights(const WeightGeometry& g, int stream, std::span<const std::int16_t> symbols,
                     std::span<std::int16_t> ohwi) const override {
    place_runs([&](auto visit) { traverse_u85(g, stream, visit); }, symbols, ohwi);
  }
  void order_weights(const WeightGeometry& g, int stream, std::span<const std::int16_t> ohwi,
                     std::vector<std::int16_t>& symbols) const override {
    order_runs([&](auto visit) { traverse_u85(g, stream, visit); }, ohwi, symbols);
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Datapath kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::datapath::u85
