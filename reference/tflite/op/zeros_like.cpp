#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/zeros_like.cc.
namespace macaw::tflite::ZEROS_LIKE {
namespace {

Result<void> zeros_like(Call& call) {
  MACAW_CHECK(same_type_and_shape(call));
  std::ranges::fill(call.output().bytes_to_fill(), std::byte{0});
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"ZEROS_LIKE", 1, 1, 1, 1, zeros_like};

}  // namespace macaw::tflite::ZEROS_LIKE
