#include "reference/tflite/op/add_sub.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{sub.cc,sub_common.cc},
// tensorflow/lite/kernels/internal/reference/sub.h.
namespace macaw::tflite {
// Other than those of ADD, the ratios are in single precision.
Result<SumScales> sub_scales(float a, float b, float out, int left_shift) {
  const float twice_max = 2 * std::max(a, b);
  return sum_scales(double{a / twice_max}, double{b / twice_max},
                    double{twice_max / (static_cast<float>(1 << left_shift) * out)});
}

}  // namespace macaw::tflite

namespace macaw::tflite::SUB {
namespace {

Result<void> sub(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::SubOptionsT>());
  return add_or_sub(call, options->fused_activation_function, -1, sub_scales);
}

}  // namespace

extern constexpr Definition kDefinition = {"SUB", 2, 2, 1, 1, sub};

}  // namespace macaw::tflite::SUB
