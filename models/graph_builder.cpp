#include "models/graph_builder.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace macaw::models {
namespace {

template <class T>
Tensor tensor_of(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor(dtype, std::move(shape));
  assert(static_cast<std::size_t>(tensor.size()) == values.size());
  std::copy(values.begin(), values.end(), tensor.data<T>().begin());
  return tensor;
}

template <std::size_t N>
std::vector<std::int64_t> list(const std::array<std::int64_t, N>& values) {
  return {values.begin(), values.end()};
}

/// Output extents of a window over NHWC; the specification wants no remainder.
std::array<std::int64_t, 2> output_extents(const Shape& nhwc, const Window& w) {
  std::array<std::int64_t, 2> out{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto span = nhwc[1 + i] + w.pad[2 * i] + w.pad[2 * i + 1] - (w.kernel[i] - 1) * w.dilation[i] - 1;
    assert(span >= 0 && span % w.stride[i] == 0);
    out[i] = span / w.stride[i] + 1;
  }
  return out;
}

std::vector<std::byte> one_byte(std::int8_t v) { return {static_cast<std::byte>(v)}; }

/// The type of sums of products with elements of a type.
DType sum_type(DType dtype) { return dtype == DType::kINT16 ? DType::kINT48 : DType::kINT32; }

struct Multipliers16 {
  std::vector<std::int16_t> multiplier;
  std::vector<std::int8_t> shift;
};
/// Multipliers of 31 bits rounded to 15.
Multipliers16 to_16_bits(const Rescale& rescale) {
  Multipliers16 out;
  for (std::size_t i = 0; i < rescale.multiplier.size(); ++i) {
    auto multiplier = (std::int64_t{rescale.multiplier[i]} + (1 << 15)) >> 16;
    int shift = rescale.shift[i] - 16;
    if (multiplier == 1 << 15) {
      multiplier /= 2;
      --shift;
    }
    assert(shift >= 2);
    out.multiplier.push_back(static_cast<std::int16_t>(multiplier));
    out.shift.push_back(static_cast<std::int8_t>(shift));
  }
  return out;
}

void set_convolution(tosa::Operator& op, const Window& window, DType sums) {
  op.set(tosa::Attr::k_pad, list(window.pad));
  op.set(tosa::Attr::k_stride, list(window.stride));
  op.set(tosa::Attr::k_dilation, list(window.dilation));
  op.set(tosa::Attr::k_local_bound, std::int64_t{0});
  op.set(tosa::Attr::k_acc_type, static_cast<std::int64_t>(sums));
}

}  // namespace

Tensor int8_tensor(Shape shape, const std::vector<std::int8_t>& values) {
  return tensor_of(DType::kINT8, std::move(shape), values);
}
Tensor int16_tensor(Shape shape, const std::vector<std::int16_t>& values) {
  return tensor_of(DType::kINT16, std::move(shape), values);
}
Tensor int32_tensor(Shape shape, const std::vector<std::int32_t>& values) {
  return tensor_of(DType::kINT32, std::move(shape), values);
}

Window same_window(const Shape& nhwc, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
  Window w{{kernel, kernel}, {stride, stride}, {dilation, dilation}, {}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto extent = nhwc[1 + i], out = (extent + stride - 1) / stride;
    const auto pad = (out - 1) * stride + (kernel - 1) * dilation + 1 - extent;
    assert(pad >= 0);
    w.pad[2 * i] = pad / 2;
    w.pad[2 * i + 1] = pad - pad / 2;
  }
  return w;
}

void append_scale(Rescale& rescale, double real) {
  assert(real > 0 && real < double{1 << 28});
  int exponent = 0;
  const double mantissa = std::frexp(real, &exponent);
  auto multiplier = static_cast<std::int64_t>(std::ldexp(mantissa, 31) + 0.5);
  int shift = 31 - exponent;
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    --shift;
  }
  for (; shift > 62; --shift) multiplier /= 2;
  rescale.multiplier.push_back(static_cast<std::int32_t>(multiplier));
  rescale.shift.push_back(static_cast<std::int8_t>(shift));
}

GraphBuilder::GraphBuilder() {
  graph_.version = tosa::kVersion1_0;
  graph_.blocks.emplace_back().name = "main";
}

tosa::ValueId GraphBuilder::value(std::string_view prefix, DType dtype, Shape shape) {
  auto& values = block().values;
  tosa::Value v;
  v.name = std::string(prefix) + "_" + std::to_string(values.size());
  v.dtype = dtype;
  v.shape = std::move(shape);
  values.push_back(std::move(v));
  return static_cast<tosa::ValueId>(values.size() - 1);
}

tosa::Operator& GraphBuilder::add_operator(tosa::Op op, std::vector<tosa::ValueId> inputs, tosa::ValueId output) {
  auto& added = block().operators.emplace_back();
  added.op = op;
  added.inputs = std::move(inputs);
  added.outputs = {output};
  return added;
}

tosa::ValueId GraphBuilder::input(std::string name, DType dtype, Shape shape) {
  const auto id = value("input", dtype, std::move(shape));
  block().values[id].name = std::move(name);
  block().inputs.push_back(id);
  return id;
}

void GraphBuilder::output(tosa::ValueId value, std::string name) {
  block().values[value].name = std::move(name);
  block().outputs.push_back(value);
}

tosa::ValueId GraphBuilder::constant(Tensor tensor) {
  const auto id = value("const", tensor.dtype(), tensor.shape());
  block().values[id].data = std::make_shared<const Tensor>(std::move(tensor));
  add_operator(tosa::Op::kCONST, {}, id);
  return id;
}

tosa::ValueId GraphBuilder::zero_point(DType dtype, std::int64_t v) {
  Tensor tensor(dtype, {1});
  std::memcpy(tensor.bytes().data(), &v, tensor.bytes().size());
  return constant(std::move(tensor));
}

tosa::ValueId GraphBuilder::conv2d(tosa::ValueId input, Tensor weight, Tensor bias, const Window& window,
                                   std::int8_t input_zp, std::int8_t weight_zp) {
  const auto w = constant(std::move(weight)), b = constant(std::move(bias));
  return conv2d(input, w, b, window, input_zp, weight_zp);
}

tosa::ValueId GraphBuilder::conv2d(tosa::ValueId input, tosa::ValueId w, tosa::ValueId b, const Window& window,
                                   std::int8_t input_zp, std::int8_t weight_zp) {
  const auto in = shape(input);
  assert(in.size() == 4 && shape(w).size() == 4 && shape(w)[3] == in[3]);
  const auto oc = shape(w)[0];
  const auto [oh, ow] = output_extents(in, window);
  const auto izp = zero_point(dtype(input), input_zp), wzp = zero_point(dtype(w), weight_zp);
  const auto sums = sum_type(dtype(input));
  const auto out = value("conv2d", sums, {in[0], oh, ow, oc});
  auto& op = add_operator(tosa::Op::kCONV2D, {input, w, b, izp, wzp}, out);
  set_convolution(op, window, sums);
  return out;
}

tosa::ValueId GraphBuilder::depthwise_conv2d(tosa::ValueId input, Tensor weight, Tensor bias, const Window& window,
                                             std::int8_t input_zp, std::int8_t weight_zp) {
  const auto in = shape(input);
  assert(in.size() == 4 && weight.rank() == 4 && weight.shape()[2] == in[3]);
  const auto oc = in[3] * weight.shape()[3];
  const auto [oh, ow] = output_extents(in, window);
  const auto w = constant(std::move(weight)), b = constant(std::move(bias));
  const auto izp = zero_point(DType::kINT8, input_zp), wzp = zero_point(DType::kINT8, weight_zp);
  const auto out = value("depthwise_conv2d", DType::kINT32, {in[0], oh, ow, oc});
  auto& op = add_operator(tosa::Op::kDEPTHWISE_CONV2D, {input, w, b, izp, wzp}, out);
  set_convolution(op, window, DType::kINT32);
  return out;
}

tosa::ValueId GraphBuilder::rescale(tosa::ValueId input, DType output, const Rescale& rescale) {
  const auto in_type = dtype(input);
  const auto shape_of_all = shape(input);
  const auto n = static_cast<std::int64_t>(rescale.multiplier.size());
  assert(n == static_cast<std::int64_t>(rescale.shift.size()) && (n == 1 || n == shape_of_all.back()));
  const bool scale32 = in_type != DType::kINT48;
  const auto [narrow, narrow_shift] = scale32 ? Multipliers16{} : to_16_bits(rescale);
  const auto multiplier =
      constant(scale32 ? tensor_of(DType::kINT32, {n}, rescale.multiplier) : tensor_of(DType::kINT16, {n}, narrow));
  const auto shift = constant(tensor_of(DType::kINT8, {n}, scale32 ? rescale.shift : narrow_shift));
  const auto izp = zero_point(in_type, rescale.input_zp), ozp = zero_point(output, rescale.output_zp);
  const auto out = value("rescale", output, shape_of_all);
  auto& op = add_operator(tosa::Op::kRESCALE, {input, multiplier, shift, izp, ozp}, out);
  op.set(tosa::Attr::k_scale32, std::int64_t{scale32});
  op.set(tosa::Attr::k_rounding_mode, static_cast<std::int64_t>(rescale.rounding));
  op.set(tosa::Attr::k_per_channel, std::int64_t{n > 1});
  op.set(tosa::Attr::k_input_unsigned, std::int64_t{0});
  op.set(tosa::Attr::k_output_unsigned, std::int64_t{0});
  return out;
}

tosa::ValueId GraphBuilder::clamp(tosa::ValueId input, std::int8_t min, std::int8_t max) {
  const auto out = value("clamp", DType::kINT8, Shape(shape(input)));
  auto& op = add_operator(tosa::Op::kCLAMP, {input}, out);
  op.set(tosa::Attr::k_min_val, one_byte(min));
  op.set(tosa::Attr::k_max_val, one_byte(max));
  op.set(tosa::Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  return out;
}

tosa::ValueId GraphBuilder::avg_pool2d(tosa::ValueId input, const Window& window, std::int8_t input_zp,
                                       std::int8_t output_zp) {
  const auto in = shape(input);
  const auto [oh, ow] = output_extents(in, window);
  const auto izp = zero_point(DType::kINT8, input_zp), ozp = zero_point(DType::kINT8, output_zp);
  const auto out = value("avg_pool2d", DType::kINT8, {in[0], oh, ow, in[3]});
  auto& op = add_operator(tosa::Op::kAVG_POOL2D, {input, izp, ozp}, out);
  op.set(tosa::Attr::k_kernel, list(window.kernel));
  op.set(tosa::Attr::k_stride, list(window.stride));
  op.set(tosa::Attr::k_pad, list(window.pad));
  op.set(tosa::Attr::k_acc_type, static_cast<std::int64_t>(DType::kINT32));
  return out;
}

tosa::ValueId GraphBuilder::max_pool2d(tosa::ValueId input, const Window& window) {
  const auto in = shape(input);
  const auto [oh, ow] = output_extents(in, window);
  const auto out = value("max_pool2d", DType::kINT8, {in[0], oh, ow, in[3]});
  auto& op = add_operator(tosa::Op::kMAX_POOL2D, {input}, out);
  op.set(tosa::Attr::k_kernel, list(window.kernel));
  op.set(tosa::Attr::k_stride, list(window.stride));
  op.set(tosa::Attr::k_pad, list(window.pad));
  op.set(tosa::Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  return out;
}

}  // namespace macaw::models
