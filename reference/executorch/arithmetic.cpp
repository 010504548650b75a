#include <cmath>

#include "reference/executorch/arguments.hpp"
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// Operators of two tensors, or of a tensor and a number (pytorch/executorch kernels/portable/cpu: op_add.cpp,
// op_sub.cpp, op_mul.cpp, op_div.cpp, op_minimum.cpp, op_maximum.cpp, op_pow.cpp, op_eq.cpp and its like,
// op_logical_and.cpp and its like, op_where.cpp, op_masked_fill.cpp). Both tensors have one type; integers wrap.
namespace macaw::executorch::arithmetic {
namespace {

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return a + b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class T>
T difference(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return a - b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return a * b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// The type of a result: `dtype` where Out is void.
template <class Out>
DType result_type(DType dtype) {
  if constexpr (std::is_void_v<Out>) return dtype;
  else return std::is_same_v<Out, bool> ? DType::kBOOL : DType::kFP32;
}

/// out = f(a, b) for tensors of type T, where `make` returns f; the output has the type Out, or T if Out is void.
template <class Out, class Make>
Result<void> of_tensors(Call& call, Make make) {
  MACAW_ASSIGN(const auto type, common_type(call));
  MACAW_CHECK(expect(call.output(), result_type<Out>(type), "the output"));
  return with_number(type, [&]<class T>(T) -> Result<void> {
    using Result_ = std::conditional_t<std::is_void_v<Out>, T, Out>;
    MACAW_ASSIGN(const auto f, make(T{}));
    return binary<T, Result_>(call, f);
  });
}

/// The same of a tensor and number 1, in the type that both are promoted to.
template <class Out, class Make>
Result<void> of_number(Call& call, Make make) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_ASSIGN(const auto number, number_argument(call, 1));
  const auto promoted = number.promoted(in->dtype());
  MACAW_CHECK(expect(call.output(), result_type<Out>(promoted), "the output"));
  return with_promoted(in->dtype(), promoted, [&]<class In, class T>(In, T) -> Result<void> {
    using Result_ = std::conditional_t<std::is_void_v<Out>, T, Out>;
    MACAW_ASSIGN(const auto b, number.as<T>());
    MACAW_ASSIGN(const auto f, make(T{}));
    return unary<In, Result_>(call, [&](In a) { return f(static_cast<T>(a), b); });
  });
}

/// a + alpha * b, or a - alpha * b; alpha is argument 2.
template <class T, bool kMinus>
auto weighted_sum(const Call& call) {
  const auto make = [](T alpha) {
    return [=](T a, T b) { return kMinus ? difference(a, times(alpha, b)) : sum(a, times(alpha, b)); };
  };
  using F = decltype(make(T{}));
  const auto read = [&]() -> Result<T> {
    MACAW_ASSIGN(const auto number, number_argument(call, 2));
    if (!kMinus) return number.extracted<T>();
    if constexpr (std::is_same_v<T, bool>) return unsupported_type(DType::kBOOL);
    // A difference accepts any integer, which wraps.
    if (number.kind != Number::Kind::kInteger) return number.extracted<T>();
    return number.as<T>();
  };
  const auto alpha = read();
  return alpha ? Result<F>(make(*alpha)) : Result<F>(tl::unexpected(alpha.error()));
}
template <bool kMinus>
Result<void> weighted(Call& call) {
  return of_tensors<void>(call, [&]<class T>(T) { return weighted_sum<T, kMinus>(call); });
}
template <bool kMinus>
Result<void> weighted_number(Call& call) {
  return of_number<void>(call, [&]<class T>(T) { return weighted_sum<T, kMinus>(call); });
}

Result<void> mul(Call& call) {
  return of_tensors<void>(call, []<class T>(T) { return Result<T (*)(T, T)>(&times<T>); });
}
Result<void> mul_number(Call& call) {
  return of_number<void>(call, []<class T>(T) { return Result<T (*)(T, T)>(&times<T>); });
}

/// Integers are divided as floats.
Result<void> div(Call& call) {
  return of_tensors<float>(call, []<class T>(T) {
    return Result<float (*)(T, T)>(+[](T a, T b) { return static_cast<float>(a) / static_cast<float>(b); });
  });
}
Result<void> div_number(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  MACAW_ASSIGN(const auto number, number_argument(call, 1));
  MACAW_ASSIGN(const float divisor, number.as<float>());
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    return unary<T, float>(call, [=](T a) { return static_cast<float>(a) / divisor; });
  });
}

/// A NaN wins, the first of two.
template <class T, bool kLeast>
Result<T (*)(T, T)> extreme() {
  return +[](T a, T b) {
    if constexpr (std::is_same_v<T, float>)
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
    return kLeast ? (b < a ? b : a) : (a < b ? b : a);
  };
}
Result<void> minimum(Call& call) {
  return of_tensors<void>(call, []<class T>(T) { return extreme<T, true>(); });
}
Result<void> maximum(Call& call) {
  return of_tensors<void>(call, []<class T>(T) { return extreme<T, false>(); });
}

/// In float32, to which the exponent is rounded too; the power is rounded from double precision.
Result<void> pow_number(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_ASSIGN(const auto number, number_argument(call, 1));
  if (number.promoted(in->dtype()) != DType::kFP32) return unsupported("an integer power of integers");
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  MACAW_ASSIGN(const float exponent, number.as<float>());
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    return unary<T, float>(call, [=](T a) {
      return static_cast<float>(std::pow(static_cast<double>(static_cast<float>(a)), double{exponent}));
    });
  });
}

enum class Relation { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

template <Relation kRelation, class T>
Result<bool (*)(T, T)> relation() {
  return +[](T a, T b) {
    switch (kRelation) {
      case Relation::kEqual: return a == b;
      case Relation::kNotEqual: return a != b;
      case Relation::kLess: return a < b;
      case Relation::kLessOrEqual: return a <= b;
      case Relation::kGreater: return a > b;
      default: return a >= b;
    }
  };
}
template <Relation kRelation>
Result<void> compare(Call& call) {
  return of_tensors<bool>(call, []<class T>(T) { return relation<kRelation, T>(); });
}
template <Relation kRelation>
Result<void> compare_number(Call& call) {
  return of_number<bool>(call, []<class T>(T) { return relation<kRelation, T>(); });
}

enum class Logic { kAnd, kOr, kXor };

template <Logic kLogic>
Result<void> logic(Call& call) {
  return of_tensors<bool>(call, []<class T>(T) {
    return Result<bool (*)(T, T)>(+[](T a, T b) {
      const bool x = a != T{}, y = b != T{};
      return kLogic == Logic::kAnd ? x && y : kLogic == Logic::kOr ? x || y : x != y;
    });
  });
}

template <Logic kLogic>
Result<void> bits(Call& call) {
  MACAW_ASSIGN(const auto type, common_type(call));
  if (type == DType::kFP32) return unsupported_type(type);
  return of_tensors<void>(call, []<class T>(T) {
    return Result<T (*)(T, T)>(+[](T a, T b) {
      if constexpr (std::is_same_v<T, float>) return a;
      else
        return static_cast<T>(kLogic == Logic::kAnd  ? std::uint64_t(a) & std::uint64_t(b)
                              : kLogic == Logic::kOr ? std::uint64_t(a) | std::uint64_t(b)
                                                     : std::uint64_t(a) ^ std::uint64_t(b));
    });
  });
}

Result<void> logical_not(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  return with_number(in->dtype(), [&]<class T>(T) { return unary<T, bool>(call, [](T a) { return a == T{}; }); });
}

/// Inputs: the condition, and two tensors of one type.
Result<void> where(Call& call) {
  MACAW_ASSIGN(const Tensor* condition, call.input(0));
  MACAW_ASSIGN(const Tensor* a, call.input(1));
  MACAW_ASSIGN(const Tensor* b, call.input(2));
  MACAW_CHECK(expect(*condition, DType::kBOOL, "the condition"));
  MACAW_CHECK(expect(*b, a->dtype(), "input 2"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, a->dtype(), "the output"));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({condition->shape(), a->shape(), b->shape()}, out.shape()));
  return with_number(a->dtype(), [&]<class T>(T) -> Result<void> {
    const auto c = condition->data<bool>();
    const auto x = a->data<T>(), y = b->data<T>();
    const auto z = out.uninitialized_data<T>();
    broadcast.for_each<3>([&](std::size_t i, const auto& at) { z[i] = c[at[0]] ? x[at[1]] : y[at[2]]; });
    return {};
  });
}

/// Inputs: the tensor, the mask, and the number that elements become where it is true.
Result<void> masked_fill(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* mask, call.input(1));
  MACAW_CHECK(expect(*mask, DType::kBOOL, "the mask"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_ASSIGN(const auto number, number_argument(call, 2));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({in->shape(), mask->shape()}, out.shape()));
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto value, number.as<T>());
    const auto x = in->data<T>();
    const auto m = mask->data<bool>();
    const auto z = out.uninitialized_data<T>();
    broadcast.for_each<2>([&](std::size_t i, const auto& at) { z[i] = m[at[1]] ? value : x[at[0]]; });
    return {};
  });
}

constexpr Definition kDefinitions[] = {
    {"aten::add", 3, 3, 1, 1, weighted<false>},
    {"aten::add.Scalar_out", 3, 3, 1, 1, weighted_number<false>},
    {"aten::sub", 3, 3, 1, 1, weighted<true>},
    {"aten::sub.Scalar_out", 3, 3, 1, 1, weighted_number<true>},
    {"aten::mul", 2, 2, 1, 1, mul},
    {"aten::mul.Scalar_out", 2, 2, 1, 1, mul_number},
    {"aten::div", 2, 2, 1, 1, div},
    {"aten::div.Scalar_out", 2, 2, 1, 1, div_number},
    {"aten::minimum", 2, 2, 1, 1, minimum},
    {"aten::maximum", 2, 2, 1, 1, maximum},
    {"aten::pow.Tensor_Scalar_out", 2, 2, 1, 1, pow_number},
    {"aten::eq.Tensor_out", 2, 2, 1, 1, compare<Relation::kEqual>},
    {"aten::ne.Tensor_out", 2, 2, 1, 1, compare<Relation::kNotEqual>},
    {"aten::lt.Tensor_out", 2, 2, 1, 1, compare<Relation::kLess>},
    {"aten::le.Tensor_out", 2, 2, 1, 1, compare<Relation::kLessOrEqual>},
    {"aten::gt.Tensor_out", 2, 2, 1, 1, compare<Relation::kGreater>},
    {"aten::ge.Tensor_out", 2, 2, 1, 1, compare<Relation::kGreaterOrEqual>},
    {"aten::eq.Scalar_out", 2, 2, 1, 1, compare_number<Relation::kEqual>},
    {"aten::ne.Scalar_out", 2, 2, 1, 1, compare_number<Relation::kNotEqual>},
    {"aten::lt.Scalar_out", 2, 2, 1, 1, compare_number<Relation::kLess>},
    {"aten::le.Scalar_out", 2, 2, 1, 1, compare_number<Relation::kLessOrEqual>},
    {"aten::gt.Scalar_out", 2, 2, 1, 1, compare_number<Relation::kGreater>},
    {"aten::ge.Scalar_out", 2, 2, 1, 1, compare_number<Relation::kGreaterOrEqual>},
    {"aten::logical_and", 2, 2, 1, 1, logic<Logic::kAnd>},
    {"aten::logical_or", 2, 2, 1, 1, logic<Logic::kOr>},
    {"aten::logical_xor", 2, 2, 1, 1, logic<Logic::kXor>},
    {"aten::logical_not", 1, 1, 1, 1, logical_not},
    {"aten::bitwise_and.Tensor_out", 2, 2, 1, 1, bits<Logic::kAnd>},
    {"aten::bitwise_or.Tensor_out", 2, 2, 1, 1, bits<Logic::kOr>},
    {"aten::bitwise_xor.Tensor_out", 2, 2, 1, 1, bits<Logic::kXor>},
    {"aten::where.self_out", 3, 3, 1, 1, where},
    {"aten::masked_fill.Scalar_out", 3, 3, 1, 1, masked_fill},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::arithmetic
