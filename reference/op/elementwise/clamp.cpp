#include <algorithm>
#include <cstring>
#include <optional>

#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/fast/elementwise/float.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_out_t", "shape"},   {Category::kAttribute, "min_val", "in_out_t"},
    {Category::kAttribute, "max_val", "in_out_t"},      {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
    {Category::kOutput, "output", "in_out_t", "shape"},
};

template <class T>
T bound(const Operator& op, Attr attribute) {
  const auto bytes = op.get_bytes(attribute);
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

template <class T>
bool reversed(const Operator& op) {
  return bound<T>(op, Attr::k_max_val) < bound<T>(op, Attr::k_min_val);
}

template <DType D, class T>
T float_bound(const Operator& op, Attr attribute) {
  Tensor tensor(D, {});
  const auto bytes = op.get_bytes(attribute);
  std::copy_n(bytes.begin(), std::min(bytes.size(), tensor.bytes().size()), tensor.bytes().begin());
  return FloatInput<T>(tensor)[0];
}

template <DType D>
bool float_reversed(const Operator& op) {
  return float_bound<D, float>(op, Attr::k_max_val) < float_bound<D, float>(op, Attr::k_min_val);
}

template <DType D>
bool float_nan(const Operator& op) {
  const auto low = float_bound<D, float>(op, Attr::k_min_val), high = float_bound<D, float>(op, Attr::k_max_val);
  return low != low || high != high;
}

bool bound_is_nan(const View& v) {
  switch (v.inputs[0].dtype) {
    case DType::kFP16: return float_nan<DType::kFP16>(v.op);
    case DType::kBF16: return float_nan<DType::kBF16>(v.op);
    case DType::kFP32: return float_nan<DType::kFP32>(v.op);
    default: return false;
  }
}

bool bounds_reversed(const View& v) {
  switch (v.inputs[0].dtype) {
    case DType::kINT8: return reversed<std::int8_t>(v.op);
    case DType::kINT16: return reversed<std::int16_t>(v.op);
    case DType::kFP16: return float_reversed<DType::kFP16>(v.op);
    case DType::kBF16: return float_reversed<DType::kBF16>(v.op);
    case DType::kFP32: return float_reversed<DType::kFP32>(v.op);
    default: return false;
  }
}

template <class T>
Result<void> kernel(Call& call) {
  const auto low = bound<T>(call.op, Attr::k_min_val), high = bound<T>(call.op, Attr::k_max_val);
  (void)unary<T, T>(call, [=](T a) { return std::min(std::max(a, low), high); });
  return {};
}

template <DType D>
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    const auto low = float_bound<D, T>(call.op, Attr::k_min_val), high = float_bound<D, T>(call.op, Attr::k_max_val);
    if (ignores_nan(call))
      apply_to_blocks<T>(call, [=](T a) { return float_min<true>(float_max<true>(a, low), high); });
    else apply_to_blocks<T>(call, [=](T a) { return float_min<false>(float_max<false>(a, low), high); });
    return {};
  }
};

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInExtInt16, 0, kernel<std::int16_t>},
    {{DType::kFP16}, kInProFp, 0, float_kernel<Float<DType::kFP16>>},
    {{DType::kBF16}, kInExtBf16, 0, float_kernel<Float<DType::kBF16>>},
    {{DType::kFP32}, kInProFp, 0, float_kernel<Float<DType::kFP32>>},
};
constexpr Check kChecks[] = {
    {Rule::kErrorIf, "max_val", "max_val must not be less than min_val", bounds_reversed},
    {Rule::kErrorIf, "min_val", "min_val and max_val must not be NaN", bound_is_nan},
};

}  // namespace

extern constexpr Definition kCLAMP = {Op::kCLAMP, kArguments, kInOutType, kRows, kChecks};

}  // namespace macaw::tosa
