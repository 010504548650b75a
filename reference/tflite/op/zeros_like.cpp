#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/zeros_like.cc.
namespace macaw::tflite {
namespace {

Result<void> zeros_like(Call& call) {
  MACAW_CHECK(same_type_and_shape(call));
  std::ranges::fill(call.output().bytes_to_fill(), std::byte{0});
  return {};
}

}  // namespace

extern constexpr Definition kZEROS_LIKE = {"ZEROS_LIKE", 1, 1, 1, 1, zeros_like};

}  // namespace macaw::tflite
