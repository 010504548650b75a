#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

std::int64_t zero_point(Maker& m, DType dtype) { return dtype == DType::kINT8 && m.one_in(2) ? m.pick(-128, 127) : 0; }

Tensor zero_point_tensor(Maker& m, DType dtype) {
  if (is_float(dtype)) return Tensor(dtype, {1});
  const auto value = zero_point(m, dtype);
  return m.values(dtype, {1}, value, value);
}

/// Attributes of one axis of a window over `in` positions that ends at its last whole step.
struct Axis {
  std::int64_t before, after, stride, dilation, out;
};

Axis fitting_axis(Maker& m, std::int64_t in, std::int64_t kernel) {
  Axis axis{m.pick(0, 2), m.pick(0, 2), m.pick(1, 3), m.one_in(3) ? m.pick(2, 3) : 1, 0};
  const auto reach = (kernel - 1) * axis.dilation + 1;
  while (in + axis.before + axis.after < reach || (in + axis.before + axis.after - reach) % axis.stride != 0)
    ++axis.after;
  axis.out = (in + axis.before + axis.after - reach) / axis.stride + 1;
  return axis;
}

std::int64_t bias_size(Maker& m, std::int64_t channels) { return m.one_in(4) ? 1 : channels; }

/// The input of a convolution: the given one, or of small extents; of whole blocks if it or the weight is block-scaled.
const Tensor& spatial(Maker& m, int rank) {
  const auto in = m.type("in_t"), weight = m.type("weight_t");
  if (!is_block_scale(in) && !is_block_scale(weight)) return m.take(in, rank, rank);
  Shape shape;
  while (std::ssize(shape) < rank - 1) shape.push_back(m.pick(1, 2));
  shape.push_back(kInnermostBlockSize * (m.one_in(4) ? 2 : 1));
  return m.add(in, shape);
}

std::int64_t out_channels(Maker& m, const Tensor& in) {
  return in.size() <= 300 && !is_block_scale(m.type("weight_t")) ? m.pick(1, 35) : m.pick(1, 5);
}

/// The arguments name the type variables of the zero points.
void add_bias_and_zero_points(Maker& m, std::int64_t channels, const char* in = "in_zp_t",
                              const char* weight = "weight_zp_t") {
  m.add(m.type("out_t"), {bias_size(m, channels)});
  m.add(zero_point_tensor(m, m.type(in)));
  m.add(zero_point_tensor(m, m.type(weight)));
}

/// CONV2D and CONV3D: one window axis for each of the input's middle axes.
template <int kAxes>
void convolution(Maker& m) {
  const auto& in = spatial(m, kAxes + 2);
  const auto channels = out_channels(m, in);
  Shape weight{channels}, out{in.shape()[0]};
  std::vector<std::int64_t> pad, stride, dilation;
  for (int i = 0; i < kAxes; ++i) {
    weight.push_back(m.pick(1, 3));
    const auto axis = fitting_axis(m, in.shape()[static_cast<std::size_t>(i) + 1], weight.back());
    pad.insert(pad.end(), {axis.before, axis.after});
    stride.push_back(axis.stride);
    dilation.push_back(axis.dilation);
    out.push_back(axis.out);
  }
  weight.push_back(in.shape().back());
  out.push_back(channels);
  m.add(m.type("weight_t"), weight);
  add_bias_and_zero_points(m, channels);
  m.set(Attr::k_pad, pad);
  m.set(Attr::k_stride, stride);
  m.set(Attr::k_dilation, dilation);
  m.out(m.type("out_t"), out);
}

void depthwise(Maker& m) {
  const auto& in = spatial(m, 4);
  const auto kh = m.pick(1, 3), kw = m.pick(1, 3), multiplier = m.one_in(2) ? 1 : m.pick(2, 3);
  const auto y = fitting_axis(m, in.shape()[1], kh), x = fitting_axis(m, in.shape()[2], kw);
  const auto channels = in.shape()[3] * multiplier;
  m.add(m.type("weight_t"), {kh, kw, in.shape()[3], multiplier});
  add_bias_and_zero_points(m, channels, "in_t", "weight_t");
  m.set(Attr::k_pad, std::vector{y.before, y.after, x.before, x.after});
  m.set(Attr::k_stride, std::vector{y.stride, x.stride});
  m.set(Attr::k_dilation, std::vector{y.dilation, x.dilation});
  m.out(m.type("out_t"), {in.shape()[0], y.out, x.out, channels});
}

void transpose_conv2d(Maker& m) {
  const auto& in = spatial(m, 4);
  const auto channels = std::min<std::int64_t>(out_channels(m, in), 20);
  Shape weight{channels}, out{in.shape()[0]};
  std::vector<std::int64_t> pad, stride;
  for (std::size_t i = 1; i <= 2; ++i) {
    const auto kernel = m.pick(1, 3);
    weight.push_back(kernel);
    stride.push_back(m.pick(1, 3));
    auto before = m.pick(1 - kernel, 2), after = m.pick(1 - kernel, 2);
    const auto rest = (in.shape()[i] - 1) * stride.back() + kernel;
    if (rest + before + after < 1) before = after = 0;
    pad.insert(pad.end(), {before, after});
    out.push_back(rest + before + after);
  }
  weight.push_back(in.shape()[3]);
  out.push_back(channels);
  m.add(m.type("weight_t"), weight);
  add_bias_and_zero_points(m, channels);
  m.set(Attr::k_out_pad, pad);
  m.set(Attr::k_stride, stride);
  m.out(m.type("out_t"), out);
}

/// A pooling window: padding below the kernel. Its parameters are attributes, or inputs of the ADAPTIVE operators.
void pool_window(Maker& m, const Tensor& in, bool adaptive) {
  std::vector<std::int64_t> kernel, stride, pad;
  Shape out{in.shape()[0]};
  for (std::size_t i = 1; i <= 2; ++i) {
    const auto extent = in.shape()[i];
    const auto size = m.pick(1, 4);
    auto before = m.pick(0, size - 1), after = m.pick(0, size - 1), step = m.pick(1, 3);
    while (extent + before + after < size) ++(before < size - 1 ? before : after);
    while ((extent + before + after - size) % step != 0) --step;
    kernel.push_back(size);
    stride.push_back(step);
    pad.insert(pad.end(), {before, after});
    out.push_back((extent + before + after - size) / step + 1);
  }
  out.push_back(in.shape()[3]);
  if (adaptive) {
    for (const auto& parameter : {kernel, stride, pad}) m.add_shape(parameter);
  } else {
    m.set(Attr::k_kernel, kernel);
    m.set(Attr::k_stride, stride);
    m.set(Attr::k_pad, pad);
  }
  m.out(m.type("in_out_t"), out);
}

template <bool kAdaptive>
void max_pool(Maker& m) {
  pool_window(m, m.take(m.type("in_out_t"), 4, 4), kAdaptive);
}

template <bool kAdaptive>
void avg_pool(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& in = m.take(dtype, 4, 4);
  m.add(zero_point_tensor(m, dtype));
  m.add(zero_point_tensor(m, dtype));
  pool_window(m, in, kAdaptive);
}

constexpr OperatorCases kConvolutionCases[] = {
    {Op::kCONV2D, convolution<2>},
    {Op::kCONV3D, convolution<3>},
    {Op::kDEPTHWISE_CONV2D, depthwise},
    {Op::kTRANSPOSE_CONV2D, transpose_conv2d},
    {Op::kMAX_POOL2D, max_pool<false>},
    {Op::kAVG_POOL2D, avg_pool<false>},
    {Op::kMAX_POOL2D_ADAPTIVE, max_pool<true>},
    {Op::kAVG_POOL2D_ADAPTIVE, avg_pool<true>},
};

}  // namespace

std::span<const OperatorCases> convolution_cases() { return kConvolutionCases; }

}  // namespace macaw::test
