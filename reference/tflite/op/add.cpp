#include "reference/tflite/op/add_sub.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{add.cc,add_common.cc},
// tensorflow/lite/kernels/internal/reference/{add.h,integer_ops/add.h}.
namespace macaw::tflite {
Result<SumScales> add_scales(float a, float b, float out, int left_shift) {
  const double twice_max = 2 * double{std::max(a, b)};
  return sum_scales(double{a} / twice_max, double{b} / twice_max, twice_max / (double(1 << left_shift) * double{out}));
}

}  // namespace macaw::tflite

namespace macaw::tflite::ADD {
namespace {

Result<void> add(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::AddOptionsT>());
  return add_or_sub(call, options->fused_activation_function, +1, add_scales);
}

}  // namespace

extern constexpr Definition kDefinition = {"ADD", 2, 2, 1, 1, add};

}  // namespace macaw::tflite::ADD
