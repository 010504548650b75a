#include <array>
#include <numbers>

#include "reference/tflite/to_tosa/lowering.hpp"

// Functions of FP32. TOSA computes them by operators that round otherwise than the kernels do.
namespace macaw::tflite {
namespace {

/// Operators on values of FP32 and on numbers that are broadcast to them.
class Floats32 {
 public:
  Floats32(Emitter& tosa, ValueId x) : tosa_(tosa), rank_(tosa.shape(x).size()) {}

  [[nodiscard]] ValueId number(float value) { return tosa_.number(value, rank_); }
  [[nodiscard]] ValueId operator()(Op op, ValueId x) { return tosa_.add_like(op, {x}); }
  [[nodiscard]] ValueId sum(ValueId x, float y) { return tosa_.binary(Op::kADD, x, number(y)); }
  [[nodiscard]] ValueId product(ValueId x, float y) { return tosa_.mul(x, number(y)); }
  /// `above` where x is greater than 0, or 0 as well with `or_equal`; else `below`.
  [[nodiscard]] ValueId by_sign(ValueId x, ValueId above, ValueId below, bool or_equal = false) {
    const auto is_above = tosa_.binary(or_equal ? Op::kGREATER_EQUAL : Op::kGREATER, x, number(0), DType::kBOOL);
    return tosa_.add(Op::kSELECT, {is_above, above, below}, DType::kFP32, Shape(tosa_.shape(below)));
  }

 private:
  Emitter& tosa_;
  std::size_t rank_;
};

/// The two kernels: exact, by the error function; approximate, by the hyperbolic tangent.
ValueId gelu(Floats32& math, Emitter& tosa, ValueId x, bool is_approximate) {
  using std::numbers::inv_sqrtpi_v, std::numbers::sqrt2_v;
  constexpr float kRootOfHalf = 1 / sqrt2_v<float>, kCubic = 0.044715F;
  if (!is_approximate)
    return tosa.mul(math.product(x, 0.5F), math.sum(math(Op::kERF, math.product(x, kRootOfHalf)), 1));
  const auto cube = math.product(tosa.mul(x, tosa.mul(x, x)), kCubic);
  const auto inner = math.product(tosa.binary(Op::kADD, x, cube), 2 * inv_sqrtpi_v<float> * kRootOfHalf);
  return tosa.mul(math.product(x, 0.5F), math.sum(math(Op::kTANH, inner), 1));
}

struct OneOperator {
  std::string_view name;
  Op op;
};
constexpr std::array kOneOperator = {
    OneOperator{"ABS", Op::kABS},   OneOperator{"EXP", Op::kEXP},     OneOperator{"LOG", Op::kLOG},
    OneOperator{"TANH", Op::kTANH}, OneOperator{"RSQRT", Op::kRSQRT}, OneOperator{"LOGISTIC", Op::kSIGMOID},
};

struct Clamp {
  std::string_view name;
  float low, high;
};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::array kClamps = {
    Clamp{"RELU", 0, kInfinity},
    Clamp{"RELU6", 0, 6},
    Clamp{"RELU_0_TO_1", 0, 1},
    Clamp{"RELU_N1_TO_1", -1, 1},
};

}  // namespace

Result<void> finish_floats(Lowering& lowering, ValueId id, schema::ActivationFunctionType activation) {
  MACAW_ASSIGN(const FloatRange range, activation_range(activation));
  return lowering.output(lowering.tosa.clamp_floats(id, range.min, range.max));
}

Result<void> lower_float_function(Lowering& lowering) {
  auto& tosa = lowering.tosa;
  const auto& call = lowering.call;
  MACAW_ASSIGN(const auto x, lowering.input(0));
  if (const auto f = std::ranges::find(kOneOperator, call.name, &OneOperator::name); f != kOneOperator.end())
    return lowering.output(tosa.add_like(f->op, {x}));
  if (const auto c = std::ranges::find(kClamps, call.name, &Clamp::name); c != kClamps.end())
    return lowering.output(tosa.clamp_floats(x, c->low, c->high));
  Floats32 math(tosa, x);
  if (call.name == "LEAKY_RELU") {
    const float slope = call.options_or_default<schema::LeakyReluOptionsT>().alpha;
    return lowering.output(math.by_sign(x, x, math.product(x, slope)));
  }
  if (call.name == "PRELU") {
    MACAW_ASSIGN(const auto slopes, lowering.input(1));
    const auto scaled = tosa.mul(x, slopes);
    if (tosa.shape(scaled) != tosa.shape(x)) return unsupported("slopes to which the input is broadcast");
    return lowering.output(math.by_sign(x, x, scaled, true));
  }
  if (call.name == "ELU") return lowering.output(math.by_sign(x, x, math.sum(math(Op::kEXP, x), -1), true));
  if (call.name == "HARD_SWISH") {
    const auto gate = tosa.clamp_floats(math.sum(x, 3), 0, 6);
    return lowering.output(math.product(tosa.mul(x, gate), 1.0F / 6));
  }
  if (call.name == "GELU")
    return lowering.output(gelu(math, tosa, x, call.options_or_default<schema::GeluOptionsT>().approximate));
  return unsupported_type(DType::kFP32);
}

Result<void> lower_float_softmax(Lowering& lowering, float beta) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const auto x, lowering.input());
  const std::size_t axis = tosa.shape(x).size() - 1;
  Floats32 math(tosa, x);
  auto difference = tosa.binary(Op::kSUB, x, tosa.reduce(Op::kREDUCE_MAX, x, axis));
  if (beta != 1) difference = math.product(difference, beta);
  const auto values = math(Op::kEXP, difference);
  const auto sum = tosa.reduce(Op::kREDUCE_SUM, values, axis);
  return lowering.output(tosa.mul(values, math(Op::kRECIPROCAL, sum)));
}

}  // namespace macaw::tflite
