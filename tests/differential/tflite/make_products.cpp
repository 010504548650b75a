#include <algorithm>

#include "tests/differential/tflite/maker.hpp"

namespace macaw::test {
namespace {

constexpr int kMostFilter = 4;

fb::ActivationFunctionType activation(Maker& m) {
  using enum fb::ActivationFunctionType;
  return m.one_of(std::vector{NONE, NONE, RELU, RELU6, RELU_N1_TO_1});
}

/// The filter of an input, with one scale, or one for each of its channels along an axis; of uint8 with a zero point.
Value filter(Maker& m, const Value& input, const Extents& shape, std::size_t axis, bool is_per_channel) {
  if (input.type == UINT8) return m.constant(UINT8, shape, m.scale() / 10, m.zero(UINT8));
  Value value = m.constant(INT8, shape);
  std::vector<float> scales;
  const int count = is_per_channel ? shape[axis] : 1;
  for (int i = 0; i < count; ++i) scales.push_back(m.scale() / 10);
  m.file.quantized(value.id, scales, static_cast<int>(axis));
  if (!is_per_channel) value.scale = scales[0];
  return value;
}

/// The bias that goes with an input and a filter, or -1.
int bias(Maker& m, const Value& input, const Value& filter, int channels) {
  if (m.chance(20)) return -1;
  return m.constant(input.type == INT16 ? INT64 : INT32, {channels}, input.scale * filter.scale, 0).id;
}

int same_extent(int in, int stride) { return (in + stride - 1) / stride; }
int valid_extent(int in, int kernel, int stride, int dilation) {
  return (in - (kernel - 1) * dilation - 1) / stride + 1;
}

/// A window over an axis, which fits the axis if there is no padding.
struct Axis {
  int in, kernel, stride, dilation, out;
};
Axis axis(Maker& m, int in, fb::Padding padding, bool may_dilate, int most = kMostFilter) {
  Axis a{in, m.pick(1, most), m.pick(1, 3), may_dilate && m.chance(30) ? m.pick(2, 3) : 1, 0};
  if (padding == fb::Padding::VALID) {
    a.kernel = std::min(a.kernel, in);
    if ((a.kernel - 1) * a.dilation + 1 > in) a.dilation = 1;
    a.out = valid_extent(in, a.kernel, a.stride, a.dilation);
  } else {
    a.out = same_extent(in, a.stride);
  }
  return a;
}

/// Scale of an output whose sums have that many products.
Value sums_result(Maker& m, const Value& in, const Extents& shape) {
  return m.result(in.type, shape, m.scale() * (in.type == INT16 ? 3 : 10), m.zero(in.type));
}

}  // namespace

void make_conv_2d(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT8, INT16}, 4);
  fb::Conv2DOptionsT options;
  options.padding = m.chance(50) ? fb::Padding::SAME : fb::Padding::VALID;
  const Axis y = axis(m, in.shape[1], options.padding, true), x = axis(m, in.shape[2], options.padding, true);
  options.stride_h = y.stride;
  options.stride_w = x.stride;
  options.dilation_h_factor = y.dilation;
  options.dilation_w_factor = x.dilation;
  options.fused_activation_function = activation(m);
  const int channels = m.pick(1, 9);
  const Value weights = filter(m, in, {channels, y.kernel, x.kernel, in.shape[3]}, 0, m.chance(70));
  const int b = bias(m, in, weights, channels);
  if (b < 0 && in.type == INT16) options.quantized_bias_type = INT64;
  m.op(builtin, {in.id, weights.id, b}, {sums_result(m, in, {in.shape[0], y.out, x.out, channels})}, options);
}

void make_depthwise_conv_2d(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT8, INT16}, 4);
  fb::DepthwiseConv2DOptionsT options;
  options.padding = m.chance(50) ? fb::Padding::SAME : fb::Padding::VALID;
  const Axis y = axis(m, in.shape[1], options.padding, true), x = axis(m, in.shape[2], options.padding, true);
  options.stride_h = y.stride;
  options.stride_w = x.stride;
  options.dilation_h_factor = y.dilation;
  options.dilation_w_factor = x.dilation;
  options.depth_multiplier = m.chance(60) ? 1 : m.pick(2, 3);
  options.fused_activation_function = activation(m);
  const int channels = in.shape[3] * options.depth_multiplier;
  // TensorFlow Lite takes scales for each channel alone.
  const Value weights = filter(m, in, {1, y.kernel, x.kernel, channels}, 3, true);
  m.op(builtin, {in.id, weights.id, bias(m, in, weights, channels)},
       {sums_result(m, in, {in.shape[0], y.out, x.out, channels})}, options);
}

void make_transpose_conv(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16}, 4);
  fb::TransposeConvOptionsT options;
  options.padding = m.chance(50) ? fb::Padding::SAME : fb::Padding::VALID;
  options.stride_h = m.pick(1, 3);
  options.stride_w = m.pick(1, 3);
  const int kh = m.pick(1, kMostFilter), kw = m.pick(1, kMostFilter), channels = m.pick(1, 6);
  const bool is_same = options.padding == fb::Padding::SAME;
  const auto extent = [&](int n, int stride, int kernel) {
    return is_same ? n * stride : (n - 1) * stride + std::max(kernel, stride);
  };
  const Extents out = {in.shape[0], extent(in.shape[1], options.stride_h, kh),
                       extent(in.shape[2], options.stride_w, kw), channels};
  const Value weights = filter(m, in, {channels, kh, kw, in.shape[3]}, 0, true);
  std::vector<int> inputs = {m.ints({out[0], out[1], out[2], out[3]}), weights.id, in.id};
  if (const int b = bias(m, in, weights, channels); b >= 0) inputs.push_back(b);
  else if (in.type == INT16) options.quantized_bias_type = INT64;
  m.op(builtin, inputs, {sums_result(m, in, out)}, options);
}

void make_fully_connected(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16}, 2);
  const int channels = m.pick(1, 12);
  fb::FullyConnectedOptionsT options;
  options.fused_activation_function = activation(m);
  const Value weights = filter(m, in, {channels, in.shape[1]}, 0, m.chance(30));
  const int b = bias(m, in, weights, channels);
  if (b < 0 && in.type == INT16) options.quantized_bias_type = INT64;
  m.op(builtin, {in.id, weights.id, b}, {sums_result(m, in, {in.shape[0], channels})}, options);
}

void make_batch_matmul(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT16}, m.pick(2, 4));
  fb::BatchMatMulOptionsT options;
  options.adj_x = m.chance(30);
  options.adj_y = m.chance(30);
  const auto rank = a.shape.size();
  const int rows = a.shape[rank - (options.adj_x ? 1 : 2)], depth = a.shape[rank - (options.adj_x ? 2 : 1)],
            columns = m.pick(1, 8);
  Extents b = a.shape, out = a.shape;
  b[rank - 2] = options.adj_y ? columns : depth;
  b[rank - 1] = options.adj_y ? depth : columns;
  out[rank - 2] = rows;
  out[rank - 1] = columns;
  const Value right = m.other(a.type, b, m.scale(), m.zero(a.type));
  m.op(builtin, {a.id, right.id}, {sums_result(m, a, out)}, options);
}

void make_pool(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16}, 4);
  fb::Pool2DOptionsT options;
  options.padding = m.chance(50) ? fb::Padding::SAME : fb::Padding::VALID;
  const Axis y = axis(m, in.shape[1], options.padding, false, 8), x = axis(m, in.shape[2], options.padding, false, 8);
  options.stride_h = y.stride;
  options.stride_w = x.stride;
  options.filter_height = y.kernel;
  options.filter_width = x.kernel;
  options.fused_activation_function = activation(m);
  m.op(builtin, {in.id}, {m.result_like(in, {in.shape[0], y.out, x.out, in.shape[3]})}, options);
}

void make_svdf(Maker& m, int builtin) {
  const int batches = m.pick(1, 3), inputs = m.pick(1, 12), units = m.pick(1, 6), rank = m.pick(1, 2),
            memory = m.pick(1, 8), filters = units * rank;
  const bool is_narrow = m.chance(50);
  const auto state_type = is_narrow ? INT8 : INT16;
  const Value in = m.input(INT8, {batches, inputs}, m.scale(), m.zero(INT8));
  const Value feature = m.constant(INT8, {filters, inputs}, m.scale() / 10, 0);
  const Value time = m.constant(state_type, {filters, memory}, m.scale() / (is_narrow ? 10.0F : 2000.0F), 0);
  const float scale = m.scale() / (is_narrow ? 1.0F : 100.0F);
  const int b = m.constant(INT32, {units}, scale * time.scale, 0).id;
  const int state = m.file.variable(state_type, {batches, filters * memory}, {scale}, {is_narrow ? m.zero(INT8) : 0});
  fb::SVDFOptionsT options;
  options.rank = rank;
  options.fused_activation_function = fb::ActivationFunctionType::RELU;
  m.op(builtin, {in.id, feature.id, time.id, b, state}, {m.quantized_result(INT8, {batches, units})}, options);
}

/// The standard cell: no peepholes, projection or layer normalisation. The gates' inputs have the scale 2^-12, their
/// results 2^-15; the scale of the cell's state is a power of two.
void make_lstm(Maker& m, int builtin) {
  constexpr std::size_t kInputWeights = 1, kStateWeights = 5, kBiases = 12, kOutputState = 18, kCellState = 19,
                        kInputs = 24;
  const int batches = m.pick(1, 2), steps = m.pick(1, 4), depth = m.pick(1, 6), units = m.pick(1, 6);
  fb::UnidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = fb::ActivationFunctionType::TANH;
  options.time_major = m.chance(50);
  options.cell_clip = m.chance(30) ? 1.0F : 0.0F;
  const auto type = m.chance(60) ? m.bytes() : INT16;
  const int first = options.time_major ? steps : batches, second = options.time_major ? batches : steps;
  const Value in = m.input(type, {first, second, depth}, m.scale() / (type == INT16 ? 100.0F : 1.0F), m.zero(type));
  const float state_scale = type == INT16 ? 1.0F / 32768 : 1.0F / 128;
  const std::int64_t state_zero = type == INT8 ? m.pick(-20, 20) : 0;
  std::vector<int> inputs(kInputs, -1);
  inputs[0] = in.id;
  for (std::size_t gate = 0; gate < 4; ++gate) {
    const Value from_input = m.constant(INT8, {units, depth}, m.scale() / 10, 0);
    const Value from_state = m.constant(INT8, {units, units}, m.scale() / 10, 0);
    inputs[kInputWeights + gate] = from_input.id;
    inputs[kStateWeights + gate] = from_state.id;
    inputs[kBiases + gate] = m.constant(type == INT16 ? INT64 : INT32, {units}, in.scale * from_input.scale, 0).id;
  }
  inputs[kOutputState] = m.file.variable(type, {batches, units}, {state_scale}, {state_zero});
  inputs[kCellState] = m.file.variable(INT16, {batches, units}, {1.0F / static_cast<float>(1 << m.pick(10, 13))}, {0});
  m.op(builtin, inputs, {m.result(type, {first, second, units}, state_scale, state_zero)}, options);
}

}  // namespace macaw::test
