#include <cmath>
#include <numbers>

#include "reference/executorch/arguments.hpp"
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// Functions of one element (pytorch/executorch kernels/portable/cpu: op_sigmoid.cpp, op_tanh.cpp, op_rsqrt.cpp,
// op_gelu.cpp, op_relu.cpp, op_hardtanh.cpp, op_clamp.cpp and the like). Those of the C library are rounded from double
// precision.
namespace macaw::executorch::functions {
namespace {

/// Integers count as floats.
template <float (*kFunction)(float)>
Result<void> real(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  return with_number(in->dtype(), [&]<class T>(T) {
    return unary<T, float>(call, [](T value) { return kFunction(static_cast<float>(value)); });
  });
}

float sigmoid(float x) { return 1.0F / (1.0F + exponential(-x)); }
float silu(float x) { return x / (1.0F + exponential(-x)); }
float rsqrt(float x) { return static_cast<float>(1.0 / double{std::sqrt(x)}); }
float square_root(float x) { return std::sqrt(x); }
float reciprocal(float x) { return 1.0F / x; }
float logarithm(float x) { return static_cast<float>(std::log(double{x})); }
float sine(float x) { return static_cast<float>(std::sin(double{x})); }
float cosine(float x) { return static_cast<float>(std::cos(double{x})); }
float error_function(float x) { return static_cast<float>(std::erf(double{x})); }

float gelu_exact(float x) {
  if (std::isinf(x)) return x < 0 ? 0.0F : x;
  return static_cast<float>(0.5 * double{x} * (1 + std::erf(double{x} * (1 / std::numbers::sqrt2))));
}

float gelu_by_tanh(float x) {
  if (std::isinf(x)) return x < 0 ? 0.0F : x;
  const auto beta = static_cast<float>(std::numbers::sqrt2 * 2 * std::numbers::inv_sqrtpi * 0.5);
  const float kappa = 0.044715F;
  const float inner = beta * (x + kappa * (x * x * x));
  return static_cast<float>(0.5 * double{x} * (1.0 + double{hyperbolic_tangent(inner)}));
}

/// Input 1: "none" or "tanh".
Result<void> gelu(Call& call) {
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
      if constexpr (std::is_same_v<T, float>) return std::abs(a);
      else
        return static_cast<T>(a < T{} ? std::uint64_t{0} - static_cast<std::uint64_t>(a)
                                      : static_cast<std::uint64_t>(a));
    });
  });
}

/// Between numbers 1 and 2, of which either may be None. The upper one counts where they cross; a NaN stays.
Result<void> clamp(Call& call) {
  return same_type(call, [&]<class T>(T) {
    const auto make = [](bool has_low, T low, bool has_high, T high) {
      return [=](T a) {
        if (has_low && a < low) a = low;
        if (has_high && high < a) a = high;
        return a;
      };
    };
    using F = decltype(make(false, T{}, false, T{}));
    T bounds[2] = {};
    const bool has[2] = {call.optional_input(1) != nullptr, call.optional_input(2) != nullptr};
    for (std::size_t i = 0; i < 2; ++i) {
      if (!has[i]) continue;
      const auto bound = number_argument<T>(call, 1 + i);
      if (!bound) return Result<F>(tl::unexpected(bound.error()));
      bounds[i] = *bound;
    }
    return Result<F>(make(has[0], bounds[0], has[1], bounds[1]));
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
    {"aten::silu", 1, 1, 1, 1, real<silu>},
    {"aten::gelu", 2, 2, 1, 1, gelu},
    {"aten::relu", 1, 1, 1, 1, relu},
    {"aten::neg", 1, 1, 1, 1, negative},
    {"aten::abs", 1, 1, 1, 1, absolute},
    {"aten::clamp", 3, 3, 1, 1, clamp},
    {"aten::hardtanh", 3, 3, 1, 1, clamp},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::functions
