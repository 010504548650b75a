#include <cmath>

#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/cast.cc.
namespace macaw::tflite::CAST {
namespace {

/// As a conversion does that the language defines; a float that no integer of the type holds is clamped, as its
/// conversion is undefined.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    if (std::isnan(value)) return 0;
    constexpr double kMin = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double kMax = static_cast<double>(std::numeric_limits<To>::max());
    if (double{value} <= kMin) return std::numeric_limits<To>::min();
    if (double{value} >= kMax) return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

Result<void> cast(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  return with_number(in->dtype(), [&]<class From>(From) {
    return with_number(call.output().dtype(),
                       [&]<class To>(To) { return unary<From, To>(call, [](From x) { return convert<To>(x); }); });
  });
}

}  // namespace

extern constexpr Definition kDefinition = {"CAST", 1, 1, 1, 1, cast};

}  // namespace macaw::tflite::CAST
