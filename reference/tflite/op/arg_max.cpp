#include "reference/tflite/op/arg_best.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/arg_min_max.cc.
namespace macaw::tflite::ARG_MAX {
namespace {

Result<void> arg_max(Call& call) {
  return arg_best(call, [](auto x, auto y) { return x > y; });
}

}  // namespace

extern constexpr Definition kDefinition = {"ARG_MAX", 2, 2, 1, 1, arg_max};

}  // namespace macaw::tflite::ARG_MAX
