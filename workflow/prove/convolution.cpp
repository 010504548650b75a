#include "workflow/prove/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace macaw::prove {
namespace {

using tosa::Attr;

std::string compare_filters(const Convolution& c, const Record& record, const Piece& piece, std::size_t channel0) {
  const auto& own = record.constants;
  const auto& filters = c.constants->filters;
  if (own.scales.size() != piece.channels || own.weights.size() != piece.channels * filters.front().size())
    return "filters of another size";
  for (std::size_t i = 0; i < piece.channels; ++i) {
    const auto& expected = filters[channel0 + i];
    for (std::size_t t = 0; t < expected.size(); ++t)
      if (own.weights[i * expected.size() + t] != expected[t])
        return fmt::format("channel {}, coefficient {} of the filter: {} in the graph, {} in the stream", channel0 + i,
                           t, expected[t], own.weights[i * expected.size() + t]);
    const auto bias = c.constants->biases.empty() ? 0 : c.constants->biases[channel0 + i];
    if (own.scales[i].bias != bias)
      return fmt::format("channel {}: bias {} in the graph, {} in the stream", channel0 + i, bias, own.scales[i].bias);
  }
  return "";
}

/// Checks of the operation that do not depend on its operands.
std::string unfit(const npu::BlockOperation& op, const Convolution& c) {
  if (op.kind != (c.depthwise ? npu::OpKind::kDepthwise : npu::OpKind::kConv)) return "operation kind differs";
  if (op.weights_from_ifm2) return "weights that are computed";
  if (op.upscale != npu::Upscale::kNone) return "an upscaled input";
  if (op.acc_input != npu::AccInput::kReset || !op.acc_output) return "accumulators shared between operations";
  if (op.transpose != 0 || op.reverse != 0) return "an output with its axes exchanged";
  if (!op.scale_per_channel) return "one scale for all channels";
  if (op.ifm.bits != c.input_bits || !op.ifm.is_signed) return fmt::format("inputs that are not int{}", c.input_bits);
  return "";
}

}  // namespace

std::string compare_products(const Convolution& c, const Record& record, const Piece& piece,
                             const std::optional<std::vector<ElementTag>>& read, const IsInput& is_input,
                             const IsPadding& is_padding) {
  const auto& op = record.operation;
  if (auto reason = unfit(op, c); !reason.empty()) return reason;
  if (!read) return "an input that is not in memory";
  const auto& kernel = op.kernel;
  const auto& window = c.constants->window;
  if (kernel.taps_y() != window[0] || kernel.taps_x() != window[1] || (!c.depthwise && op.ifm.c != window[2]))
    return "a kernel of another shape";
  if (op.ifm.zero_point != c.input_zero_point)
    return fmt::format("input zero point {} in the graph, {} in the stream", c.input_zero_point, op.ifm.zero_point);
  const auto depth = static_cast<std::size_t>(c.output[3]);
  const auto channel0 = piece.first % depth;
  if (channel0 + piece.channels > depth || piece.depth != depth) return "pieces that are not whole pixels or channels";
  if (auto reason = compare_filters(c, record, piece, channel0); !reason.empty()) return reason;

  return compare_windows({{window[0], window[1]},
                          c.op->get_ints(Attr::k_stride),
                          c.op->get_ints(Attr::k_pad),
                          c.op->get_ints(Attr::k_dilation),
                          c.input,
                          c.output,
                          c.depthwise},
                         op, piece, *read, is_input, is_padding);
}

std::vector<AccumulatorRange> accumulator_ranges(const Convolution& c, const Piece& piece) {
  const auto channel0 = piece.first % static_cast<std::size_t>(c.output[3]);
  std::vector<AccumulatorRange> ranges(piece.channels);
  const auto values = std::int64_t{1} << (c.input_bits - 1);
  const auto lowest = -values - c.input_zero_point, highest = values - 1 - c.input_zero_point;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    auto& range = ranges[i];
    range.low = range.high = c.constants->biases.empty() ? 0 : c.constants->biases[channel0 + i];
    for (const std::int64_t weight : c.constants->filters[channel0 + i]) {
      // A tap in the padding adds nothing.
      range.low += std::min({std::int64_t{0}, weight * lowest, weight * highest});
      range.high += std::max({std::int64_t{0}, weight * lowest, weight * highest});
    }
  }
  return ranges;
}

}  // namespace macaw::prove
