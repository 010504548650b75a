#include <fmt/format.h>

#include "reference/tflite/op/arithmetic.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/cumsum.cc,
// tensorflow/lite/kernels/internal/reference/cumsum.h.
namespace macaw::tflite::cumsum {
namespace {

/// Calls visit(index) for the elements along an axis, line after line, in the order in which they are added; calls
/// begin() before each line.
template <class Begin, class Visit>
void for_lines(const Shape& shape, std::size_t axis, bool reverse, Begin begin, Visit visit) {
  const auto lines = product(shape, 0, axis), depth = shape[axis], stride = product(shape, axis + 1, shape.size());
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t column = 0; column < stride; ++column) {
      begin();
      for (std::int64_t d = 0; d < depth; ++d)
        visit(static_cast<std::size_t>((line * depth + (reverse ? depth - 1 - d : d)) * stride + column));
    }
}

void sum_floats(const Tensor& in, std::size_t axis, const schema::CumsumOptionsT& options, Tensor& out) {
  const auto from = in.data<float>();
  const auto to = out.data<float>();
  float sum = 0;
  for_lines(
      in.shape(), axis, options.reverse, [&] { sum = 0; },
      [&](std::size_t i) {
        const float before = sum;
        sum += from[i];
        to[i] = options.exclusive ? before : sum;
      });
}

Result<void> sum_int8(Call& call, std::size_t axis, const schema::CumsumOptionsT& options) {
  MACAW_ASSIGN(const Affine in, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine out, affine(call.outputs[0]));
  constexpr int kLeftShift = sum_left_shift(DType::kINT8);
  MACAW_ASSIGN(const SumScales s, add_scales(in.scale, in.scale, out.scale, kLeftShift));
  const auto scaled = [&](std::int32_t x) { return scale((x - in.zero_point) * (1 << kLeftShift), s.a); };
  const auto from = call.inputs[0].value->data<std::int8_t>();
  const auto to = call.output().data<std::int8_t>();
  std::int32_t sum = 0;
  for_lines(
      call.output().shape(), axis, options.reverse,
      [&] { sum = scaled(0); },  // the kernel starts with the quantised 0, which stands for -zero point
      [&](std::size_t i) {
        const std::int32_t before = sum;
        sum = wrap(std::int64_t{sum} + scaled(from[i]));
        to[i] = clamped<std::int8_t>(std::int64_t{scale(options.exclusive ? before : sum, s.out)} + out.zero_point);
      });
  return {};
}

Result<void> run_cumsum(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::CumsumOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(1));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axis"));
  if (axes.size() != 1) return invalid(fmt::format("{} axes, not one", axes.size()));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in->rank()));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  if (in->dtype() == DType::kINT8) return sum_int8(call, axis, *options);
  if (in->dtype() != DType::kFP32) return unsupported_type(in->dtype());
  sum_floats(*in, axis, *options, call.output());
  return {};
}

constexpr Definition kDefinitions[] = {{"CUMSUM", 2, 2, 1, 1, run_cumsum}};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::cumsum
