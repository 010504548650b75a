#include "compiler/lower/convolution.hpp"

#include <algorithm>

// Each phase of the stride is a convolution of stride 1 with every stride-th tap, whose OFM is strided in memory.
namespace macaw::npu {
namespace {

/// One phase of one axis.
struct Phase {
  std::int64_t first_tap = 0, taps = 0;  ///< tap first_tap + stride * j; the window uses them in reverse order
  std::int64_t out_first = 0;
  WindowPiece window;  ///< out_count outputs at steps of the stride
};

std::vector<Phase> phases(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                          std::int64_t out_pad) {
  std::vector<Phase> all;
  for (std::int64_t p = 0; p < std::min(stride, out); ++p) {
    Phase phase{.out_first = p, .window = {}};
    const auto position = p - out_pad;  // of the first output, over the taps
    phase.first_tap = ((position % stride) + stride) % stride;
    phase.taps = phase.first_tap < kernel ? (kernel - phase.first_tap + stride - 1) / stride : 0;
    const auto count = (out - p + stride - 1) / stride, extent = std::max<std::int64_t>(phase.taps, 1);
    const auto start = (position - phase.first_tap) / stride - (extent - 1), end = start + count - 1 + extent;
    auto& w = phase.window;
    w.out_count = count;
    w.in_first = std::clamp<std::int64_t>(start, 0, in);
    const auto last = std::clamp<std::int64_t>(end, 0, in);
    w.in_count = last - w.in_first;
    if (w.in_count > 0) {
      w.pad_before = w.in_first - start;
      w.pad_after = end - last;
    } else {
      w.in_first = w.in_count = 0;
      w.pad_after = end - start;
    }
    all.push_back(phase);
  }
  return all;
}

}  // namespace

Result<void> lower_transpose_conv2d(Lowering& lowering) {
  MACAW_ASSIGN(const Tensor* tensor, lowering.graph.constant(lowering.op, 1));
  const auto& s = tensor->shape();
  MACAW_ASSIGN(auto whole, zero_weights(lowering, s[0], s[1], s[2], s[3]));
  MACAW_ASSIGN(const auto values, lowering.graph.integers(lowering.op, 1));
  MACAW_ASSIGN(const auto conv, Convolution::create(lowering, whole.oc));
  for (std::size_t i = 0; i < values.size(); ++i)
    whole.values[i] = static_cast<std::int16_t>(values[i] - conv.weight_zero_point());
  const auto& stride = lowering.current().get_ints(tosa::Attr::k_stride);
  const auto& pad = lowering.current().get_ints(tosa::Attr::k_out_pad);
  const auto &ifm = conv.ifm(), &ofm = conv.ofm();
  const auto ys = phases(ifm.extents[1], ofm.extents[1], whole.kh, stride[0], pad[0]);
  const auto xs = phases(ifm.extents[2], ofm.extents[2], whole.kw, stride[1], pad[2]);
  for (const auto& y : ys) {
    for (const auto& x : xs) {
      // A phase without taps is the bias alone: one tap of zero.
      MACAW_ASSIGN(auto weights, zero_weights(lowering, whole.oc, std::max<std::int64_t>(y.taps, 1),
                                              std::max<std::int64_t>(x.taps, 1), whole.ic));
      for (std::int64_t o = 0; o < whole.oc; ++o)
        for (std::int64_t ty = 0; ty < y.taps && x.taps > 0; ++ty)
          for (std::int64_t tx = 0; tx < x.taps; ++tx)
            for (std::int64_t i = 0; i < whole.ic; ++i)
              weights.at(o, y.taps - 1 - ty, x.taps - 1 - tx, i) =
                  whole.at(o, y.first_tap + ty * stride[0], x.first_tap + tx * stride[1], i);
      const Weights shape{weights.oc, weights.kh, weights.kw, weights.ic, {}};
      MACAW_ASSIGN(const auto constants, conv.constants(std::move(weights)));
      for (std::int64_t n = 0; n < ifm.extents[0]; ++n) {
        const auto whole_map = batch_item(ofm, n);
        const auto map = whole_map.part(0, y.out_first, whole_map.extents[0] - y.out_first)
                             .part(1, x.out_first, whole_map.extents[1] - x.out_first)
                             .every(0, stride[0])
                             .every(1, stride[1]);
        MACAW_CHECK(conv.add(constants, shape, {1, 1}, false, map, batch_item(ifm, n), y.window, x.window));
      }
    }
  }
  return {};
}

}  // namespace macaw::npu
