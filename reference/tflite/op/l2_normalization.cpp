#include <algorithm>
#include <cmath>

#include "reference/tflite/elementwise.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/l2norm.cc,
// tensorflow/lite/kernels/internal/reference/integer_ops/l2normalization.h.
namespace macaw::tflite::l2_normalization {
namespace {

void of_floats(std::span<const float> in, std::span<float> out) {
  float squares = 0;
  for (const float x : in) squares += x * x;
  const float norm = std::max(std::sqrt(squares), 1e-6F);
  std::ranges::transform(in, out.begin(), [norm](float x) { return x / norm; });
}

template <class T>
void of_bytes(std::span<const T> in, std::int32_t zero_point, std::span<T> out) {
  constexpr int kOutputBits = 7;
  std::uint32_t squares = 0;
  for (const T x : in) squares += static_cast<std::uint32_t>((x - zero_point) * (x - zero_point));
  FixedMultiplier root = inverse_square_root(static_cast<std::int32_t>(std::min(squares, 0x7FFFFFFFU)));
  root.shift += kOutputBits;
  const std::int32_t out_zero = std::numeric_limits<T>::min() + 128;
  std::ranges::transform(in, out.begin(),
                         [&](T x) { return clamped<T>(std::int64_t{scale(x - zero_point, root)} + out_zero); });
}

Result<void> l2_normalization(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  const auto options = call.options_or_default<schema::L2NormOptionsT>();
  if (options.fused_activation_function != schema::ActivationFunctionType::NONE)
    return unsupported("a fused activation");
  const Tensor& in = *call.inputs[0].value;
  if (in.rank() == 0) return invalid("the input has no axis");
  const auto depth = static_cast<std::size_t>(in.shape().back());
  const auto rows = static_cast<std::size_t>(product(in.shape(), 0, in.rank() - 1));
  if (dtype == DType::kFP32) {
    for (std::size_t i = 0; i < rows; ++i)
      of_floats(in.data<float>().subspan(i * depth, depth), call.output().data<float>().subspan(i * depth, depth));
    return {};
  }
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const auto run = [&]<class T>(T) -> Result<void> {
    if (to.scale != 1.0F / 128 || to.zero_point != std::numeric_limits<T>::min() + 128)
      return unsupported("an output of another scale than 1/128, or another zero point than the middle");
    for (std::size_t i = 0; i < rows; ++i)
      of_bytes<T>(in.data<T>().subspan(i * depth, depth), from.zero_point,
                  call.output().data<T>().subspan(i * depth, depth));
    return {};
  };
  if (dtype == DType::kINT8) return run(std::int8_t{});
  if (dtype == DType::kUINT8) return run(std::uint8_t{});
  return unsupported_type(dtype);
}

constexpr Definition kDefinitions[] = {
    {"L2_NORMALIZATION", 1, 1, 1, 1, l2_normalization},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::l2_normalization
