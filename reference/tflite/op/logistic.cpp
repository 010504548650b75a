#include <cmath>

#include "reference/tflite/op/sigmoid.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/logistic.cc.
namespace macaw::tflite::LOGISTIC {
namespace {

/// As tensorflow/lite/kernels/internal/reference/logistic.h cuts it off.
float of_float(float x) {
  if (x > 16.619047164916992188F) return 1.0F;
  if (x < -9.0F) return std::exp(x);
  return 1.0F / (1.0F + std::exp(-x));
}

Result<void> logistic(Call& call) { return apply(call, {logistic_of, logistic16, of_float, 8, -128, 0}); }

}  // namespace

extern constexpr Definition kDefinition = {"LOGISTIC", 1, 1, 1, 1, logistic};

}  // namespace macaw::tflite::LOGISTIC
