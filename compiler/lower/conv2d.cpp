#include "compiler/lower/convolution.hpp"

namespace macaw::npu {
namespace {

Result<void> convolve(Lowering& lowering, const Convolution& conv, Weights weights, bool depthwise) {
  const auto& attribute = lowering.current().get_ints(tosa::Attr::k_dilation);
  const auto& ifm = conv.ifm();
  std::array<std::int64_t, 2> dilation{attribute[0], attribute[1]};
  MACAW_ASSIGN(const auto axes,
               window_axes(lowering, {weights.kh, weights.kw}, dilation, ifm.extents[1], ifm.extents[2]));
  spell_out_dilation(weights, dilation, depthwise);
  const Weights shape{weights.oc, weights.kh, weights.kw, weights.ic, {}};
  MACAW_ASSIGN(const auto constants, conv.constants(std::move(weights)));
  const auto ys = window_pieces(axes[0]), xs = window_pieces(axes[1]);
  for (std::int64_t n = 0; n < ifm.extents[0]; ++n)
    for (const auto& y : ys)
      for (const auto& x : xs)
        MACAW_CHECK(
            conv.add(constants, shape, dilation, depthwise, batch_item(conv.ofm(), n), batch_item(ifm, n), y, x));
  return {};
}

}  // namespace

Result<void> lower_conv2d(Lowering& lowering) {
  MACAW_ASSIGN(const Tensor* tensor, lowering.graph.constant(lowering.op, 1));
  const auto& s = tensor->shape();
  MACAW_ASSIGN(auto weights, zero_weights(lowering, s[0], s[1], s[2], s[3]));
  MACAW_ASSIGN(const auto values, lowering.graph.integers(lowering.op, 1));
  MACAW_ASSIGN(const auto conv, Convolution::create(lowering, weights.oc));
  for (std::size_t i = 0; i < values.size(); ++i)
    weights.values[i] = static_cast<std::int16_t>(values[i] - conv.weight_zero_point());
  return convolve(lowering, conv, std::move(weights), false);
}

Result<void> lower_depthwise_conv2d(Lowering& lowering) {
  MACAW_ASSIGN(const Tensor* tensor, lowering.graph.constant(lowering.op, 1));
  const auto& s = tensor->shape();  // [KH,KW,C,M]
  const auto channels = s[2], multiplier = s[3];
  // DEPTHWISE has as many output as input channels; with a multiplier, it becomes a convolution whose other weights are
  // zero.
  const bool dense = multiplier != 1;
  MACAW_ASSIGN(auto weights, zero_weights(lowering, channels * multiplier, s[0], s[1], dense ? channels : 1));
  MACAW_ASSIGN(const auto values, lowering.graph.integers(lowering.op, 1));
  MACAW_ASSIGN(const auto conv, Convolution::create(lowering, weights.oc));
  auto value = values.begin();
  for (std::int64_t y = 0; y < s[0]; ++y)
    for (std::int64_t x = 0; x < s[1]; ++x)
      for (std::int64_t o = 0; o < weights.oc; ++o)
        weights.at(o, y, x, dense ? o / multiplier : 0) =
            static_cast<std::int16_t>(*value++ - conv.weight_zero_point());
  return convolve(lowering, conv, std::move(weights), !dense);
}

}  // namespace macaw::npu
