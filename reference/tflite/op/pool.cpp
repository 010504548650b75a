#include "reference/tflite/op/pool.hpp"

#include <algorithm>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/pooling_common.cc.
namespace macaw::tflite {

Result<Pool> Pool::create(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::Pool2DOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  const Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect_rank(*in, 4, "the input"));
  const Shape& shape = in->shape();
  Pool pool{.batches = shape[0], .depth = shape[3], .y = {}, .x = {}};
  MACAW_ASSIGN(pool.y, window_axis({shape[1], options->filter_height, options->stride_h}, options->padding));
  MACAW_ASSIGN(pool.x, window_axis({shape[2], options->filter_width, options->stride_w}, options->padding));
  MACAW_CHECK(expect(out, Shape{pool.batches, pool.y.out, pool.x.out, pool.depth}, "the output"));
  MACAW_ASSIGN(const auto work,
               element_count({out.size(), std::min(pool.y.kernel, pool.y.in), std::min(pool.x.kernel, pool.x.in)}));
  MACAW_CHECK(call.account(work));
  // Elements outside the input are no part of a window, so a larger one needs no more memory.
  const auto bounded = element_count({pool.y.kernel, pool.x.kernel});
  constexpr std::int64_t kMaxWindow = std::int64_t{1} << 26;
  if (!bounded || *bounded > kMaxWindow) return unsupported("a window of more than 2^26 elements");
  if (in->dtype() == DType::kFP32) {
    MACAW_ASSIGN(pool.float_range, activation_range(options->fused_activation_function));
    return pool;
  }
  if (!is_quantized(in->dtype())) return unsupported_type(in->dtype());
  MACAW_CHECK(expect_same_quantization(call.inputs[0], call.outputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(pool.range, activation_range(options->fused_activation_function, out.dtype(), to));
  return pool;
}

}  // namespace macaw::tflite
