#include <algorithm>
#include <bit>

#include "tests/differential/tflite/maker.hpp"

namespace macaw::test {
namespace {

/// A shape that broadcasts with `shape`.
Extents broadcast(Maker& m, Extents shape) {
  if (m.chance(30)) return m.chance(50) ? shape : Extents{1};
  for (auto& extent : shape)
    if (m.chance(30)) extent = 1;
  return shape;
}

/// Common shape of two shapes that broadcast.
Extents joined(const Extents& a, Extents b) {
  Extents result = a;
  b.insert(b.begin(), a.size() - b.size(), 1);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::max(result[i], b[i]);
  return result;
}

fb::ActivationFunctionType activation(Maker& m, fb::TensorType type) {
  using enum fb::ActivationFunctionType;
  return type == INT32 ? NONE : m.one_of(std::vector{NONE, NONE, RELU, RELU6, RELU_N1_TO_1});
}

Value second(Maker& m, const Value& a) {
  const auto shape = broadcast(m, a.shape);
  return is_quantized_type(a.type) ? m.other(a.type, shape, m.scale(), m.zero(a.type)) : m.other(a.type, shape);
}

struct Pair {
  Value a, b;
};
Pair operands(Maker& m, const std::vector<fb::TensorType>& types) {
  const Value a = m.operand(types);
  return {a, second(m, a)};
}

template <class Options>
void make_binary(Maker& m, int builtin, const std::vector<fb::TensorType>& types) {
  const auto [a, b] = operands(m, types);
  Options options;
  if constexpr (requires { options.fused_activation_function; })
    options.fused_activation_function = activation(m, a.type);
  const bool is_turned = m.chance(20);
  m.op(builtin, {is_turned ? b.id : a.id, is_turned ? a.id : b.id},
       {m.quantized_result(a.type, joined(a.shape, b.shape))}, options);
}

}  // namespace

void make_sum(Maker& m, int builtin) {
  const std::vector types = {INT8, INT8, INT16, INT32};
  if (builtin == 0) make_binary<fb::AddOptionsT>(m, builtin, types);
  else make_binary<fb::SubOptionsT>(m, builtin, types);
}

void make_mul(Maker& m, int builtin) { make_binary<fb::MulOptionsT>(m, builtin, {INT8, INT8, INT16, INT32}); }

/// Values of 16 and 32 bits, by a constant of as many elements.
void make_wide_div(Maker& m, int builtin, const Value& a) {
  std::vector<std::int16_t> divisors;
  for (std::int64_t i = elements(a.shape); i > 0; --i)
    divisors.push_back(static_cast<std::int16_t>(m.chance(50) ? m.pick(1, 300) : -m.pick(1, 300)));
  const int b = a.type == INT16 ? m.file.constant<std::int16_t>(INT16, a.shape, divisors, {m.scale() / 100}, {0})
                                : m.file.constant<std::int32_t>(INT32, a.shape, {divisors.begin(), divisors.end()});
  m.op(builtin, {a.id, b}, {m.quantized_result(a.type, a.shape)}, fb::DivOptionsT{});
}

/// By a constant. TensorFlow Lite shifts a quotient by as many bits as the divisor has, more than the ratio of the
/// scales has, and 31 more for 0: with shifts of 32 bits, which are undefined, unless the ratio is as large.
void make_div(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT8, INT16, INT32});
  if (a.type == INT16 || a.type == INT32) return make_wide_div(m, builtin, a);
  const int divisor = m.pick(1, 255);
  const float scale = m.scale();
  const Extents one(m.chance(50) ? a.shape.size() : 1, 1);
  const int b =
      a.type == UINT8
          ? m.file.constant<std::uint8_t>(UINT8, one, {static_cast<std::uint8_t>(divisor)}, {scale}, {0})
          : m.file.constant<std::int8_t>(INT8, one, {static_cast<std::int8_t>(divisor - 128)}, {scale}, {-128});
  const auto bits = static_cast<float>(std::bit_floor(static_cast<unsigned>(divisor)));
  fb::DivOptionsT options;
  options.fused_activation_function = activation(m, a.type);
  m.op(builtin, {a.id, b}, {m.result(a.type, a.shape, a.scale / (scale * bits) * 0.75F, m.zero(a.type))}, options);
}

/// By constants other than 0.
void make_floor_div(Maker& m, int builtin) {
  const Value a = m.operand({FLOAT32});
  const Extents shape = broadcast(m, a.shape);
  std::vector<float> divisors;
  for (std::int64_t i = elements(shape); i > 0; --i)
    divisors.push_back(static_cast<float>(m.chance(50) ? m.pick(1, 300) : -m.pick(1, 300)) / 16.0F);
  const int b = m.file.constant<float>(FLOAT32, shape, divisors);
  m.op(builtin, {a.id, b}, {m.result(FLOAT32, a.shape)});
}

void make_squared_difference(Maker& m, int builtin) {
  const auto [a, b] = operands(m, {INT8, INT8, INT32});
  m.op(builtin, {a.id, b.id}, {m.quantized_result(a.type, joined(a.shape, b.shape))});
}

void make_better(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT16, INT32});
  const Value b = m.other(a.type, broadcast(m, a.shape), a.scale, a.zero);
  m.op(builtin, {a.id, b.id}, {m.result_like(a, joined(a.shape, b.shape))});
}

void make_comparison(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT32, FLOAT32});
  const Value b = m.chance(30) ? m.other(a.type, a.shape, a.scale, a.zero) : second(m, a);
  m.op(builtin, {a.id, b.id}, {m.result(BOOL, joined(a.shape, b.shape))});
}

void make_logical(Maker& m, int builtin) {
  const Value a = m.operand({BOOL});
  m.op(builtin, {a.id, m.other(BOOL, a.shape).id}, {m.result(BOOL, a.shape)});
}

void make_logical_not(Maker& m, int builtin) {
  const Value a = m.operand({BOOL});
  m.op(builtin, {a.id}, {m.result(BOOL, a.shape)});
}

void make_select(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT16, FLOAT32});
  const Value condition = m.input(BOOL, a.shape);
  m.op(builtin, {condition.id, a.id, m.other(a.type, a.shape, a.scale, a.zero).id}, {m.result_like(a, a.shape)});
}

void make_prelu(Maker& m, int builtin) {
  const Value a = m.operand({INT8});
  Extents shape = a.shape;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    if (m.chance(70)) shape[i] = 1;
  const Value alpha = m.constant(a.type, shape, m.scale(), m.zero(a.type));
  m.op(builtin, {a.id, alpha.id}, {m.quantized_result(a.type, a.shape)});
}

/// Functions of 8-bit values; ABS, RELU and others have 16 bits as well.
void make_unary(Maker& m, int builtin) {
  constexpr int kAbs = 101, kRelu = 19;
  const Value a = m.operand(builtin == kAbs || builtin == kRelu ? std::vector{INT8, INT8, INT16} : std::vector{INT8});
  // The output scale of HARD_SWISH must not be much smaller.
  const float scale = std::max(m.scale(), a.scale / 16);
  m.op(builtin, {a.id}, {m.result(a.type, a.shape, scale, m.zero(a.type))});
}

/// Clamps the values as they are.
void make_relu6(Maker& m, int builtin) {
  const Value a = m.operand({INT8});
  m.op(builtin, {a.id}, {m.result_like(a, a.shape)});
}

void make_leaky_relu(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT16});
  fb::LeakyReluOptionsT options;
  options.alpha = static_cast<float>(m.pick(-150, 150)) / 100.0F;
  m.op(builtin, {a.id}, {m.quantized_result(a.type, a.shape)}, options);
}

void make_sigmoid(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT16, FLOAT32});
  constexpr int kLogistic = 14;
  if (a.type == FLOAT32) return m.op(builtin, {a.id}, {m.result(a.type, a.shape)});
  if (a.type == INT16) return m.op(builtin, {a.id}, {m.result(a.type, a.shape, 1.0F / 32768, 0)});
  const bool is_logistic = builtin == kLogistic;
  const int zero = (is_logistic ? -128 : 0) + (a.type == UINT8 ? 128 : 0);
  m.op(builtin, {a.id}, {m.result(a.type, a.shape, is_logistic ? 1.0F / 256 : 1.0F / 128, zero)});
}

/// The operand is not negative.
void make_rsqrt(Maker& m, int builtin) {
  constexpr int kAbs = 101;
  const auto shape = m.shape(m.pick(1, 4));
  const auto type = m.one_of(std::vector{m.bytes(), m.bytes(), INT16});
  Value a = m.input(type, shape, m.scale(), type == INT8 ? -128 : 0);
  if (type == INT16) {
    const Value positive = m.result_like(a, shape);
    m.op(kAbs, {a.id}, {positive});
    a = positive;
  }
  m.op(builtin, {a.id}, {m.result(type, shape, m.scale(), m.zero(type))});
}

void make_float_unary(Maker& m, int builtin) {
  const Value a = m.operand({FLOAT32});
  m.op(builtin, {a.id}, {m.result(FLOAT32, a.shape)});
}

/// Only 16-bit values that do not grow too fast for piecewise lines.
void make_exp(Maker& m, int builtin) {
  const bool is_wide = m.chance(25);
  const Value a =
      is_wide ? m.input(INT16, m.shape(m.pick(1, 4)), m.scale() / 64, 0) : m.operand({FLOAT32, FLOAT32, INT8});
  m.op(builtin, {a.id}, {m.quantized_result(a.type, a.shape)});
}

void make_gelu(Maker& m, int builtin) {
  const Value a = m.operand({INT8});
  fb::GeluOptionsT options;
  options.approximate = m.chance(50);
  m.op(builtin, {a.id}, {m.quantized_result(a.type, a.shape)}, options);
}

void make_neg(Maker& m, int builtin) {
  const Value a = m.operand({FLOAT32, FLOAT32, INT8, INT16, INT32});
  m.op(builtin, {a.id}, {m.result_like(a, a.shape)});
}

/// Operands are positive floats: the exponential of others.
void make_sqrt(Maker& m, int builtin) {
  constexpr int kExp = 47;
  const Value a = m.operand({FLOAT32});
  const Value positive = m.result(FLOAT32, a.shape);
  m.op(kExp, {a.id}, {positive});
  m.op(builtin, {positive.id}, {m.result(FLOAT32, a.shape)});
}

void make_log(Maker& m, int builtin) {
  if (m.chance(50)) return make_sqrt(m, builtin);
  const Value a = m.operand({INT8, INT16});
  m.op(builtin, {a.id}, {m.quantized_result(a.type, a.shape)});
}

void make_quantize(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT16, UINT8, INT32, FLOAT32});
  std::vector<fb::TensorType> to;
  if (a.type == INT8) to = {INT8, UINT8, INT16, INT32};
  else if (a.type == UINT8) to = {INT8};
  else if (a.type == INT32) to = {INT8, INT16};
  else to = {INT8, INT16};
  if (a.type != INT32) {
    const auto type = m.one_of(to);
    return m.op(builtin, {a.id}, {m.result(type, a.shape, m.scale(), m.zero(type))});
  }
  const Value wide = m.input(INT32, a.shape, m.scale(), 0);
  m.op(builtin, {wide.id}, {m.quantized_result(m.one_of(to), a.shape)});
}

void make_dequantize(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT16, UINT8});
  m.op(builtin, {a.id}, {m.result(FLOAT32, a.shape)});
}

void make_cast(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT16, INT32, BOOL, FLOAT32});
  auto to = m.one_of(std::vector{INT8, INT16, INT32, FLOAT32});
  if (to == a.type) to = a.type == INT32 ? INT8 : INT32;
  // A float that no integer of the type holds has no conversion.
  if (a.type == FLOAT32) to = INT32;
  m.op(builtin, {a.id}, {m.result(to, a.shape)});
}

}  // namespace macaw::test
