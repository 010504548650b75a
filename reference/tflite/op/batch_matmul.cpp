#include <fmt/format.h>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/batch_matmul.cc,
// tensorflow/lite/kernels/internal/reference/batch_matmul.h.
namespace macaw::tflite::batch_matmul {
namespace {

/// One operand of the product, stored so that each product is that of a row of one operand and a row of the other.
struct Side {
  std::int64_t rows, depth, row_stride, depth_stride;

  Side(const Shape& shape, bool rows_come_last)
      : rows(shape[shape.size() - (rows_come_last ? 1 : 2)]),
        depth(shape[shape.size() - (rows_come_last ? 2 : 1)]),
        row_stride(rows_come_last ? 1 : depth),
        depth_stride(rows_come_last ? rows : 1) {}
};

/// Shape of the batches: all but the last two axes.
Shape batches_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

template <class T, class Sum, class Finish>
Result<void> multiply(Call& call, const Side& a, const Side& b, std::int32_t a_zero, std::int32_t b_zero,
                      Finish&& finish) {
  const Tensor &left = *call.inputs[0].value, &right = *call.inputs[1].value;
  MACAW_ASSIGN(const auto batches, Broadcast::create({batches_of(left.shape()), batches_of(right.shape())},
                                                     batches_of(call.output().shape())));
  T* out = call.output().uninitialized_data<T>().data();
  batches.for_each<2>([&](std::size_t, const auto& at) {
    const T* x = left.data<T>().data() + static_cast<std::int64_t>(at[0]) * a.rows * a.depth;
    const T* y = right.data<T>().data() + static_cast<std::int64_t>(at[1]) * b.rows * b.depth;
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < b.rows; ++j) {
        Sum sum = 0;
        for (std::int64_t k = 0; k < a.depth; ++k) {
          const auto u = x[i * a.row_stride + k * a.depth_stride], v = y[j * b.row_stride + k * b.depth_stride];
          if constexpr (std::is_floating_point_v<Sum>) sum += u * v;
          else sum += (Sum{u} - a_zero) * (Sum{v} - b_zero);
        }
        *out++ = finish(sum);
      }
  });
  return {};
}

Result<void> quantized(Call& call, const Side& a, const Side& b) {
  MACAW_ASSIGN(const Affine left, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine right, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  // The product of the scales is in single precision.
  const float product_scale = left.scale * right.scale;
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{product_scale} / double{to.scale}));
  if (call.output().dtype() == DType::kINT16) {
    constexpr int kWideShiftLimit = 8;
    if (left.zero_point != 0 || right.zero_point != 0 || to.zero_point != 0 || ratio.shift >= kWideShiftLimit)
      return unsupported("int16 with a zero point, or with a scale of 128 or more");
    return multiply<std::int16_t, std::int64_t>(
        call, a, b, 0, 0, [&](std::int64_t sum) { return clamped<std::int16_t>(scale_wide(sum, ratio)); });
  }
  MACAW_CHECK(expect(call.output(), DType::kINT8, "the output"));
  return multiply<std::int8_t, std::int64_t>(call, a, b, left.zero_point, right.zero_point, [&](std::int64_t sum) {
    return clamped<std::int8_t>(std::int64_t{scale(static_cast<std::int32_t>(sum), ratio)} + to.zero_point);
  });
}

Result<void> batch_matmul(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::BatchMatMulOptionsT>());
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  for (const auto& operand : {call.inputs[0], call.inputs[1], call.outputs[0]})
    if (operand.value->rank() < 2) return invalid("an operand of rank below 2");
  const Side a(call.inputs[0].value->shape(), options->adj_x), b(call.inputs[1].value->shape(), !options->adj_y);
  const Shape& out = call.output().shape();
  if (a.depth != b.depth || out[out.size() - 2] != a.rows || out.back() != b.rows)
    return invalid(fmt::format("{}x{} times {}x{} is not {}", a.rows, a.depth, b.depth, b.rows, to_string(out)));
  MACAW_ASSIGN(const auto work, element_count({call.output().size(), a.depth}));
  MACAW_CHECK(call.account(work));
  if (dtype == DType::kFP32) return multiply<float, float>(call, a, b, 0, 0, [](float sum) { return sum; });
  return quantized(call, a, b);
}

constexpr Definition kDefinitions[] = {
    {"BATCH_MATMUL", 2, 2, 1, 1, batch_matmul},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::batch_matmul
