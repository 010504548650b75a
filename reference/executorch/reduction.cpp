#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/executorch/arguments.hpp"
#include "reference/tflite/quantization.hpp"

// aten::_softmax of fp32, extremes along an axis with their places, and aten::embedding (pytorch/executorch
// kernels/portable/cpu: op_softmax.cpp, op_argmax.cpp, op_max.cpp, op_min.cpp, op_embedding.cpp).
namespace macaw::executorch::reduction {
namespace {

/// Elements along an axis: element k of line n is at at(n, k).
struct AxisLines {
  std::size_t count, extent, inner;
  [[nodiscard]] std::size_t at(std::size_t line, std::size_t k) const {
    return (line / inner * extent + k) * inner + line % inner;
  }
};

AxisLines lines_of(const Shape& shape, std::size_t axis) {
  const auto inner = static_cast<std::size_t>(product(shape, axis + 1, shape.size()));
  return {static_cast<std::size_t>(product(shape, 0, axis)) * inner, static_cast<std::size_t>(shape[axis]),
          std::max<std::size_t>(inner, 1)};
}

Result<void> softmax(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
  MACAW_CHECK(expect(*in, DType::kFP32, "the input"));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
  MACAW_CHECK(call.account(in->size()));
  const auto lines = lines_of(in->shape(), axis);
  const auto from = in->data<float>();
  const auto to = call.output().uninitialized_data<float>();
  for (std::size_t line = 0; lines.extent > 0 && line < lines.count; ++line) {
    float most = from[lines.at(line, 0)];
    for (std::size_t k = 1; k < lines.extent; ++k) most = std::max(from[lines.at(line, k)], most);
    float sum = exponential(from[lines.at(line, 0)] - most);
    for (std::size_t k = 1; k < lines.extent; ++k) sum += exponential(from[lines.at(line, k)] - most);
    for (std::size_t k = 0; k < lines.extent; ++k)
      to[lines.at(line, k)] = exponential(from[lines.at(line, k)] - most) / sum;
  }
  return {};
}

/// Inputs: the tensor, the axis or None, whether the axis stays. The first NaN is the greatest.
Result<void> argmax(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto keep, integer_argument(call, 2));
  MACAW_CHECK(expect(call.output(), DType::kINT64, "the output"));
  AxisLines lines{1, static_cast<std::size_t>(in->size()), 1};
  Shape shape(keep ? in->rank() : 0, 1);
  if (call.optional_input(1)) {
    MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
    MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
    lines = lines_of(in->shape(), axis);
    shape = in->shape();
    if (keep) shape[axis] = 1;
    else shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  if (lines.extent == 0) return invalid("the axis has no elements");
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  MACAW_CHECK(call.account(in->size()));
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = in->data<T>();
    const auto to = call.output().uninitialized_data<std::int64_t>();
    for (std::size_t line = 0; line < lines.count; ++line) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < lines.extent; ++k) {
        const T value = from[lines.at(line, k)], most = from[lines.at(line, best)];
        if (most == most && !(value <= most)) best = k;
      }
      to[line] = static_cast<std::int64_t>(best);
    }
    return {};
  });
}

/// Inputs: the tensor, the axis, whether the axis stays. Outputs: the extremes, and where along the axis they are. The
/// first NaN is the extreme, else the first of equal elements.
template <bool kLeast>
Result<void> extreme_of_axis(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
  MACAW_ASSIGN(const auto keep, integer_argument(call, 2));
  AxisLines lines{1, 1, 1};
  Shape shape = in->shape();
  if (in->rank() > 0 || (dim != 0 && dim != -1)) {
    MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
    lines = lines_of(in->shape(), axis);
    if (keep) shape[axis] = 1;
    else shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  if (lines.extent == 0) return invalid("the axis has no elements");
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(1), DType::kINT64, "the output of places"));
  for (const std::size_t i : {0, 1}) MACAW_CHECK(expect(call.output(i), shape, "an output"));
  MACAW_CHECK(call.account(in->size()));
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = in->data<T>();
    const auto values = call.output().uninitialized_data<T>();
    const auto places = call.output(1).uninitialized_data<std::int64_t>();
    for (std::size_t line = 0; line < lines.count; ++line) {
      std::size_t best = 0;
      T most = from[lines.at(line, 0)];
      for (std::size_t k = 1; k < lines.extent && most == most; ++k) {
        const T value = from[lines.at(line, k)];
        if (value == value && !(kLeast ? value < most : most < value)) continue;
        most = value;
        best = k;
      }
      values[line] = most;
      places[line] = static_cast<std::int64_t>(best);
    }
    return {};
  });
}

/// Inputs: rows, their numbers, and three arguments that only training has a use for.
Result<void> embedding(Call& call) {
  MACAW_ASSIGN(const Tensor* rows, call.input(0));
  MACAW_ASSIGN(const Tensor* indices, call.input(1));
  MACAW_CHECK(expect_rank(*rows, 2, "the weights"));
  MACAW_CHECK(expect(call.output(), rows->dtype(), "the output"));
  auto shape = indices->shape();
  shape.push_back(rows->shape()[1]);
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  MACAW_ASSIGN(const auto numbers, integers(*indices, "the indices"));
  MACAW_CHECK(call.account(call.output().size()));
  const auto row = static_cast<std::size_t>(rows->shape()[1]) * size_of(rows->dtype());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= rows->shape()[0]) return invalid("an index is none of a row");
    if (row > 0)
      std::memcpy(call.output().bytes().data() + i * row,
                  rows->bytes().data() + static_cast<std::size_t>(numbers[i]) * row, row);
  }
  return {};
}

constexpr Definition kDefinitions[] = {
    {"aten::_softmax", 3, 3, 1, 1, softmax},
    {"aten::argmax", 3, 3, 1, 1, argmax},
    {"aten::max.dim_max", 3, 3, 2, 2, extreme_of_axis<false>},
    {"aten::min.dim_min", 3, 3, 2, 2, extreme_of_axis<true>},
    {"aten::embedding", 5, 5, 1, 1, embedding},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::reduction
