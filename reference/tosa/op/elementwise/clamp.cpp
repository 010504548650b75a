#include <algorithm>
#include <cstring>
#include <optional>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"

namespace macaw::tosa::CLAMP {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_out_t").shape("shape"),
    attribute("min_val").type("in_out_t"),
    attribute("max_val").type("in_out_t"),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("in_out_t").shape("shape"),
};
using V = ViewOf<kArguments>;

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

bool bound_is_nan(const V& v) {
  switch (v.dtype("input")) {
    case kFP16: return float_nan<kFP16>(v.op);
    case kBF16: return float_nan<kBF16>(v.op);
    case kFP32: return float_nan<kFP32>(v.op);
    default: return false;
  }
}

bool bounds_reversed(const V& v) {
  switch (v.dtype("input")) {
    case kINT8: return reversed<std::int8_t>(v.op);
    case kINT16: return reversed<std::int16_t>(v.op);
    case kFP16: return float_reversed<kFP16>(v.op);
    case kBF16: return float_reversed<kBF16>(v.op);
    case kFP32: return float_reversed<kFP32>(v.op);
    default: return false;
  }
}

template <class T>
Result<void> kernel(Call& call) {
  const auto low = bound<T>(call.op, Attr::k_min_val), high = bound<T>(call.op, Attr::k_max_val);
  (void)unary<T, T>(call, [=](T a) { return std::min(std::max(a, low), high); });
  return {};
}

template <class T>
Result<void> clamp(Call& call, T low, T high) {
  if (ignores_nan(call)) apply_to_blocks<T>(call, [=](T a) { return float_min<true>(float_max<true>(a, low), high); });
  else apply_to_blocks<T>(call, [=](T a) { return float_min<false>(float_max<false>(a, low), high); });
  return {};
}

template <DType D>
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    return clamp(call, float_bound<D, T>(call.op, Attr::k_min_val), float_bound<D, T>(call.op, Attr::k_max_val));
  }
};

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).takes_tiles(0).by(kernel<std::int8_t>),
    row({kINT16}).in(kExtInt16).takes_tiles(0).by(kernel<std::int16_t>),
    row({kFP16}).in(kProFp).by(float_kernel<Float<kFP16>>),
    row({kBF16}).in(kExtBf16).by(float_kernel<Float<kBF16>>),
    row({kFP32}).in(kProFp).by(float_kernel<Float<kFP32>>),
};
constexpr Check kChecks[] = {
    error_if("max_val", "max_val must not be less than min_val", named<bounds_reversed>),
    error_if("min_val", "min_val and max_val must not be NaN", named<bound_is_nan>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kCLAMP, kArguments, kInOutType, kRows, kChecks};

}  // namespace macaw::tosa::CLAMP
