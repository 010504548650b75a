#include "tests/differential/operators/naive/sum.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

void add_bias(const Node& n, Sum& sum, std::int64_t channel) { sum.add(n.in[2], n.in[2].size() == 1 ? 0 : channel); }

/// CONV2D, and CONV3D with a depth: [N,(D,)H,W,C].
void convolution(Node& n) {
  const auto &in = n.in[0], &weight = n.in[1];
  const auto axes = in.rank() - 2;
  const auto in_zp = zero_point(n.in[3]), weight_zp = zero_point(n.in[4]);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    Sum sum(n.out[0].dtype());
    // [OC,(KD,)KH,KW,IC]: the elements of one output channel are the window in the order of the pseudo-code.
    Shape window = weight.shape();
    window[0] = 1;
    std::int64_t taps = 1;
    for (const auto extent : window) taps *= extent;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      auto w = index_of(window, tap);
      Shape from{at[0]};
      bool inside = true;
      for (std::size_t i = 0; i < axes; ++i) {
        from.push_back(at[i + 1] * n.attr(Attr::k_stride, i) - n.attr(Attr::k_pad, 2 * i) +
                       w[i + 1] * n.attr(Attr::k_dilation, i));
        inside &= from.back() >= 0 && from.back() < in.shape()[i + 1];
      }
      if (!inside) continue;
      from.push_back(w.back());
      w[0] = at.back();
      sum.add_product(in, offset(in.shape(), from), in_zp, weight, offset(weight.shape(), w), weight_zp);
    }
    add_bias(n, sum, at.back());
    sum.put(n.out[0], o);
  }
}

void depthwise(Node& n) {
  const auto &in = n.in[0], &weight = n.in[1];
  const auto& s = in.shape();
  const auto& k = weight.shape();
  const auto in_zp = zero_point(n.in[3]), weight_zp = zero_point(n.in[4]);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const auto c = at[3] / k[3], multiple = at[3] % k[3];
    Sum sum(n.out[0].dtype());
    for (std::int64_t ky = 0; ky < k[0]; ++ky)
      for (std::int64_t kx = 0; kx < k[1]; ++kx) {
        const auto y = at[1] * n.attr(Attr::k_stride, 0) - n.attr(Attr::k_pad, 0) + ky * n.attr(Attr::k_dilation, 0);
        const auto x = at[2] * n.attr(Attr::k_stride, 1) - n.attr(Attr::k_pad, 2) + kx * n.attr(Attr::k_dilation, 1);
        if (y < 0 || y >= s[1] || x < 0 || x >= s[2]) continue;
        sum.add_product(in, offset(s, {at[0], y, x, c}), in_zp, weight, offset(k, {ky, kx, c, multiple}), weight_zp);
      }
    add_bias(n, sum, at[3]);
    sum.put(n.out[0], o);
  }
}

void transpose(Node& n) {
  const auto &in = n.in[0], &weight = n.in[1];
  const auto &s = in.shape(), &k = weight.shape();
  const auto in_zp = zero_point(n.in[3]), weight_zp = zero_point(n.in[4]);
  const auto stride_y = n.attr(Attr::k_stride, 0), stride_x = n.attr(Attr::k_stride, 1);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    Sum sum(n.out[0].dtype());
    for (std::int64_t ky = 0; ky < k[1]; ++ky)
      for (std::int64_t kx = 0; kx < k[2]; ++kx)
        for (std::int64_t ic = 0; ic < k[3]; ++ic) {
          const auto y = at[1] - n.attr(Attr::k_out_pad, 0) - ky, x = at[2] - n.attr(Attr::k_out_pad, 2) - kx;
          if (y < 0 || y >= s[1] * stride_y || x < 0 || x >= s[2] * stride_x || y % stride_y != 0 || x % stride_x != 0)
            continue;
          sum.add_product(in, offset(s, {at[0], y / stride_y, x / stride_x, ic}), in_zp, weight,
                          offset(k, {at[3], ky, kx, ic}), weight_zp);
        }
    add_bias(n, sum, at[3]);
    sum.put(n.out[0], o);
  }
}

constexpr Entry kConvolutionEntries[] = {
    {Op::kCONV2D, convolution},
    {Op::kCONV3D, convolution},
    {Op::kDEPTHWISE_CONV2D, depthwise},
    {Op::kTRANSPOSE_CONV2D, transpose},
};

}  // namespace

std::span<const Entry> convolutions() { return kConvolutionEntries; }

}  // namespace macaw::test::naive
