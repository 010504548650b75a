#include "compiler/lower/convolution.hpp"

#include <map>
#include <span>

// A convolution over depth as well: the slices that an output slice needs are placed side by side as channels.
namespace macaw::npu {
namespace {

/// Taps along the depth that fall inside the input, for one output slice.
struct Slices {
  std::int64_t first_tap = 0, count = 0, first_slice = 0;
};

Slices slices(std::int64_t out, std::int64_t in, std::int64_t taps, std::int64_t stride, std::int64_t dilation,
              std::int64_t pad) {
  Slices s;
  for (std::int64_t k = 0; k < taps; ++k) {
    const auto at = out * stride - pad + k * dilation;
    if (at < 0 || at >= in) continue;
    if (s.count++ == 0) {
      s.first_tap = k;
      s.first_slice = at;
    }
  }
  return s;
}

/// Weights in the layout of a convolution over the adjacent slices, by the taps that fall inside the input.
class SliceWeights {
 public:
  struct Prepared {
    std::shared_ptr<const LayerConstants> constants;
    Weights shape;
    std::array<std::int64_t, 2> dilation{};
  };

  /// `shape`: [OC,KD,KH,KW,IC] of `values`; `dilation`: of height and width. All references must outlive it.
  SliceWeights(Lowering& lowering, const Convolution& conv, const Shape& shape, std::span<const std::int64_t> values,
               std::array<std::int64_t, 2> dilation)
      : lowering_(lowering), conv_(conv), shape_(shape), values_(values), dilation_(dilation) {}

  Result<const Prepared*> of(const Slices& part) {
    const auto [at, added] = prepared_.try_emplace({part.first_tap, part.count});
    auto& p = at->second;
    if (!added) return &p;
    MACAW_ASSIGN(auto weights, side_by_side(part));
    p.dilation = dilation_;
    spell_out_dilation(weights, p.dilation, false);
    p.shape = {weights.oc, weights.kh, weights.kw, weights.ic, {}};
    MACAW_ASSIGN(p.constants, conv_.constants(std::move(weights)));
    return &p;
  }

 private:
  Result<Weights> side_by_side(const Slices& part) const {
    const auto oc = shape_[0], kd = shape_[1], kh = shape_[2], kw = shape_[3], ic = shape_[4];
    MACAW_ASSIGN(auto weights, zero_weights(lowering_, oc, kh, kw, std::max<std::int64_t>(part.count, 1) * ic));
    for (std::int64_t o = 0; o < oc; ++o)
      for (std::int64_t d = 0; d < part.count; ++d)
        for (std::int64_t y = 0; y < kh; ++y)
          for (std::int64_t x = 0; x < kw; ++x)
            for (std::int64_t i = 0; i < ic; ++i) {
              const auto source = ((((o * kd + part.first_tap + d) * kh + y) * kw + x) * ic) + i;
              weights.at(o, y, x, d * ic + i) =
                  static_cast<std::int16_t>(values_[static_cast<std::size_t>(source)] - conv_.weight_zero_point());
            }
    return weights;
  }

  Lowering& lowering_;
  const Convolution& conv_;
  const Shape& shape_;
  std::span<const std::int64_t> values_;
  std::array<std::int64_t, 2> dilation_;
  std::map<std::pair<std::int64_t, std::int64_t>, Prepared> prepared_;
};

}  // namespace

Result<void> lower_conv3d(Lowering& lowering) {
  MACAW_ASSIGN(const Tensor* tensor, lowering.graph.constant(lowering.op, 1));
  const auto& s = tensor->shape();
  const auto kd = s[1], kh = s[2], kw = s[3], ic = s[4];
  MACAW_ASSIGN(const auto all, zero_weights(lowering, s[0], kd * kh, kw, ic));
  MACAW_ASSIGN(const auto values, lowering.graph.integers(lowering.op, 1));
  MACAW_ASSIGN(const auto conv, Convolution::create(lowering, all.oc));
  const auto& op = lowering.current();
  const auto &stride = op.get_ints(tosa::Attr::k_stride), &pad = op.get_ints(tosa::Attr::k_pad),
             &dilations = op.get_ints(tosa::Attr::k_dilation);
  const auto &ifm = conv.ifm(), &ofm = conv.ofm();
  const auto h = ifm.extents[2], w = ifm.extents[3];
  const auto axis = [&](std::size_t i, std::int64_t in, std::int64_t out, std::int64_t taps) {
    return WindowAxis{in, out, (taps - 1) * dilations[i] + 1, stride[i], pad[2 * i], pad[2 * i + 1]};
  };
  const auto ys = window_pieces(axis(1, h, ofm.extents[2], kh)), xs = window_pieces(axis(2, w, ofm.extents[3], kw));
  SliceWeights weights(lowering, conv, s, values, {dilations[1], dilations[2]});

  std::map<std::int64_t, StorageView> gathered;  // by number of slices
  for (std::int64_t n = 0; n < ofm.extents[0]; ++n) {
    for (std::int64_t d = 0; d < ofm.extents[1]; ++d) {
      const auto part = slices(d, ifm.extents[1], kd, stride[0], dilations[0], pad[0]);
      MACAW_ASSIGN(const auto* p, weights.of(part));
      StorageView input = ifm.at(0, n).at(0, part.first_slice);
      if (part.count > 1) {
        if (!gathered.contains(part.count))
          gathered.emplace(part.count, lowering.temporary({h, w, part.count * ic}, ifm.bits));
        const auto& buffer = gathered.at(part.count);
        for (std::int64_t k = 0; k < part.count; ++k)
          MACAW_CHECK(
              lowering.copy(buffer.part(2, k * ic, ic), ifm.at(0, n).at(0, part.first_slice + k * dilations[0])));
        input = buffer.as(true, ifm.zero_point);
      }
      for (const auto& y : ys)
        for (const auto& x : xs)
          MACAW_CHECK(conv.add(p->constants, p->shape, p->dilation, false, ofm.at(0, n).at(0, d), input, y, x));
    }
  }
  return {};
}

}  // namespace macaw::npu
