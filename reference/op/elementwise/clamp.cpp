#include <algorithm>
#include <cstring>
#include <optional>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_out_t", "shape"},
    {Category::kAttribute, "min_val", "in_out_t"},
    {Category::kAttribute, "max_val", "in_out_t"},
    {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
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

bool bounds_reversed(const View& v) {
  switch (v.inputs[0].dtype) {
    case DType::kINT8: return reversed<std::int8_t>(v.op);
    case DType::kINT16: return reversed<std::int16_t>(v.op);
    default: return false;
  }
}

template <class T>
Result<void> kernel(Call& call) {
  const auto low = bound<T>(call.op, Attr::k_min_val), high = bound<T>(call.op, Attr::k_max_val);
  (void)unary<T, T>(call, [=](T a) { return std::min(std::max(a, low), high); });
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInExtInt16, 0, kernel<std::int16_t>},
};
constexpr Check kChecks[] = {
    {Rule::kErrorIf, "max_val", "max_val must not be less than min_val", bounds_reversed},
};

}  // namespace

extern constexpr Definition kCLAMP = {Op::kCLAMP, kArguments, kInOutType, kRows, kChecks};

}  // namespace macaw::tosa
