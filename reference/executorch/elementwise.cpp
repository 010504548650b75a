#include <cstdint>

#include "reference/executorch/arguments.hpp"
#include "reference/tflite/elementwise.hpp"

// aten::add and aten::mul of two tensors of one type, or of a tensor and a number (pytorch/executorch
// kernels/portable/cpu/op_add.cpp and op_mul.cpp). Integers wrap.
namespace macaw::executorch::elementwise {
namespace {

/// f(T{}) for a type that the kernels have here.
template <class F>
Result<void> with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kINT8: return f(std::int8_t{});
    case DType::kUINT8: return f(std::uint8_t{});
    case DType::kINT16: return f(std::int16_t{});
    case DType::kINT32: return f(std::int32_t{});
    case DType::kINT64: return f(std::int64_t{});
    case DType::kFP32: return f(float{});
    default: return unsupported_type(dtype);
  }
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return a + b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return a * b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

Result<void> add(Call& call) {
  MACAW_ASSIGN(const auto type, common_type(call));
  MACAW_CHECK(expect(call.output(), type, "the output"));
  return with_type(type, [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto alpha, number_argument<T>(call, 2));
    return binary<T, T>(call, [&](T a, T b) { return sum(a, times(alpha, b)); });
  });
}

Result<void> mul(Call& call) {
  MACAW_ASSIGN(const auto type, common_type(call));
  MACAW_CHECK(expect(call.output(), type, "the output"));
  return with_type(type, [&]<class T>(T) -> Result<void> { return binary<T, T>(call, times<T>); });
}

/// out[i] = f(in[i]) of one type; `make` gives f for it.
template <class Make>
Result<void> unary(Call& call, Make make) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  return with_type(in->dtype(), [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto f, make(T{}));
    const auto from = in->data<T>();
    const auto to = call.output().data_to_fill<T>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = f(from[i]);
    return {};
  });
}

Result<void> add_number(Call& call) {
  return unary(call, [&]<class T>(T) {
    const auto make = [](T b, T alpha) { return [=](T a) { return sum(a, times(alpha, b)); }; };
    using F = decltype(make(T{}, T{}));
    const auto b = number_argument<T>(call, 1), alpha = number_argument<T>(call, 2);
    if (!b) return Result<F>(tl::unexpected(b.error()));
    if (!alpha) return Result<F>(tl::unexpected(alpha.error()));
    return Result<F>(make(*b, *alpha));
  });
}

Result<void> mul_number(Call& call) {
  return unary(call, [&]<class T>(T) {
    const auto make = [](T b) { return [=](T a) { return times(a, b); }; };
    using F = decltype(make(T{}));
    const auto b = number_argument<T>(call, 1);
    if (!b) return Result<F>(tl::unexpected(b.error()));
    return Result<F>(make(*b));
  });
}

}  // namespace

namespace aten_add_Scalar {
extern constexpr Definition kDefinition = {"aten::add.Scalar_out", 3, 3, 1, 1, add_number};
}
namespace aten_mul_Scalar {
extern constexpr Definition kDefinition = {"aten::mul.Scalar_out", 2, 2, 1, 1, mul_number};
}
namespace {

constexpr Definition kDefinitions[] = {
    {"aten::add", 3, 3, 1, 1, add},
    {"aten::add.Scalar_out", 3, 3, 1, 1, add_number},
    {"aten::mul", 2, 2, 1, 1, mul},
    {"aten::mul.Scalar_out", 2, 2, 1, 1, mul_number},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::elementwise
