#include <cmath>
#include <numbers>
#include <optional>

#include "reference/executorch/arguments.hpp"
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// Functions of one element (pytorch/executorch kernels/portable/cpu: op_sigmoid.cpp, op_tanh.cpp, op_rsqrt.cpp,
// op_gelu.cpp, op_relu.cpp, op_hardtanh.cpp, op_clamp.cpp and the like). Those of the C library are rounded from double
// precision: within one unit in the last place of a library that is exact to that.
namespace macaw::executorch::functions {
namespace {

/// Integers are converted to float.
template <float (*kFunction)(float)>
Result<void> real(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  return with_number(in->dtype(), [&]<class T>(T) {
    return unary<T, float>(call, [](T value) { return kFunction(static_cast<float>(value)); });
  });
}

float sigmoid(float x) { return 1.0F / (1.0F + exponential(-x)); }
float rsqrt(float x) { return static_cast<float>(1.0 / double{std::sqrt(x)}); }
float square_root(float x) { return std::sqrt(x); }
float reciprocal(float x) { return 1.0F / x; }
float logarithm(float x) { return static_cast<float>(std::log(double{x})); }
float sine(float x) { return static_cast<float>(std::sin(double{x})); }
float cosine(float x) { return static_cast<float>(std::cos(double{x})); }
float error_function(float x) { return static_cast<float>(std::erf(double{x})); }

float gelu_exact(float x) {
  if (std::isinf(x)) return x < 0 ? 0.0F : x;
  return static_cast<float>(0.5 * double{x} * (1 + std::erf(double{x} * 0.70710678118654752440)));
}

float gelu_by_tanh(float x) {
  if (std::isinf(x)) return x < 0 ? 0.0F : x;
  const auto beta = static_cast<float>(std::numbers::sqrt2 * 2 * std::numbers::inv_sqrtpi * 0.5);
  const float kappa = 0.044715F;
  const float inner = beta * (x + kappa * (x * x * x));
  return static_cast<float>(0.5 * double{x} * (1.0 + double{hyperbolic_tangent(inner)}));
}

/// Input 1: "none" or "tanh". Of floats alone.
Result<void> gelu(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(*in, DType::kFP32, "the input"));
  MACAW_ASSIGN(const auto approximation, text_argument(call, 1));
  if (approximation == "none") return real<gelu_exact>(call);
  if (approximation == "tanh") return real<gelu_by_tanh>(call);
  return invalid("the approximation is neither \"none\" nor \"tanh\"");
}

/// out = f(in) of one type; `make` gives f for it.
template <class Make>
Result<void> same_type(Call& call, Make make) {
  MACAW_ASSIGN(const auto type, same_type_and_shape(call));
  return with_number(type, [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto f, make(T{}));
    return unary<T, T>(call, f);
  });
}

Result<void> relu(Call& call) {
  return same_type(call, []<class T>(T) {
    // A NaN stays.
    return Result<T (*)(T)>(+[](T a) { return a < T{} ? T{} : a; });
  });
}

Result<void> negative(Call& call) {
  return same_type(call, []<class T>(T) {
    return Result<T (*)(T)>(+[](T a) {
      if constexpr (std::is_same_v<T, float>) return -a;
      else return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
    });
  });
}

Result<void> absolute(Call& call) {
  return same_type(call, []<class T>(T) {
    return Result<T (*)(T)>(+[](T a) {
      // A negative zero is not less than zero, and stays.
      if constexpr (std::is_same_v<T, float>) return a < 0 ? -a : a;
      else
        return static_cast<T>(a < T{} ? std::uint64_t{0} - static_cast<std::uint64_t>(a)
                                      : static_cast<std::uint64_t>(a));
    });
  });
}

/// The greater or the lesser of two; a NaN wins, the first of two (util/math_util.h).
template <class T>
T greater_of(T a, T b) {
  if (a != a || b != b) return a != a ? a : b;
  return a < b ? b : a;
}
template <class T>
T lesser_of(T a, T b) {
  if (a != a || b != b) return a != a ? a : b;
  return b < a ? b : a;
}

/// A bound is a value of the result's type, which for booleans is not checked.
template <class T>
Result<T> bound_of(const Number& number) {
  if constexpr (std::is_same_v<T, bool>) return number.as<T>();
  else if (number.kind == Number::Kind::kBoolean) return number.as<T>();
  else return number.extracted<T>();
}

/// Limits to numbers 1 and 2, one of which may be None, in the type that all are promoted to. Where the lower bound
/// exceeds the upper one, the result is the upper one; NaN is propagated.
Result<void> clamp(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  std::optional<Number> low, high;
  auto promoted = in->dtype();
  for (auto [bound, index] : {std::pair{&low, std::size_t{1}}, {&high, std::size_t{2}}}) {
    if (!call.optional_input(index)) continue;
    MACAW_ASSIGN(*bound, number_argument(call, index));
    promoted = (*bound)->promoted(promoted);
  }
  if (!low && !high) return invalid("there is neither a lower nor an upper bound");
  MACAW_CHECK(expect(call.output(), promoted, "the output"));
  return with_promoted(in->dtype(), promoted, [&]<class In, class T>(In, T) -> Result<void> {
    T least{}, most{};
    if (low) {
      MACAW_ASSIGN(least, bound_of<T>(*low));
    }
    if (high) {
      MACAW_ASSIGN(most, bound_of<T>(*high));
    }
    return unary<In, T>(call, [&](In value) {
      auto a = static_cast<T>(value);
      if (low) a = greater_of(a, least);
      if (high) a = lesser_of(a, most);
      return a;
    });
  });
}

/// Limits to numbers 1 and 2, which are converted to the input's type. Where the lower bound exceeds the upper one, the
/// result is the upper one.
Result<void> hardtanh(Call& call) {
  MACAW_ASSIGN(const auto type, same_type_and_shape(call));
  if (type == DType::kBOOL) return unsupported_type(type);
  MACAW_ASSIGN(const auto low, number_argument(call, 1));
  MACAW_ASSIGN(const auto high, number_argument(call, 2));
  return with_number(type, [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto least, low.fitting<T>());
    MACAW_ASSIGN(const auto most, high.fitting<T>());
    return unary<T, T>(call, [&](T a) { return lesser_of<T>(greater_of<T>(a, least), most); });
  });
}

constexpr Definition kDefinitions[] = {
    {"aten::sigmoid", 1, 1, 1, 1, real<sigmoid>},
    {"aten::tanh", 1, 1, 1, 1, real<hyperbolic_tangent>},
    {"aten::exp", 1, 1, 1, 1, real<exponential>},
    {"aten::log", 1, 1, 1, 1, real<logarithm>},
    {"aten::rsqrt", 1, 1, 1, 1, real<rsqrt>},
    {"aten::sqrt", 1, 1, 1, 1, real<square_root>},
    {"aten::reciprocal", 1, 1, 1, 1, real<reciprocal>},
    {"aten::sin", 1, 1, 1, 1, real<sine>},
    {"aten::cos", 1, 1, 1, 1, real<cosine>},
    {"aten::erf", 1, 1, 1, 1, real<error_function>},
    {"aten::gelu", 2, 2, 1, 1, gelu},
    {"aten::relu", 1, 1, 1, 1, relu},
    {"aten::neg", 1, 1, 1, 1, negative},
    {"aten::abs", 1, 1, 1, 1, absolute},
    {"aten::clamp", 3, 3, 1, 1, clamp},
    {"aten::hardtanh", 3, 3, 1, 1, hardtanh},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::functions
