#include <cmath>

#include "reference/executorch/arguments.hpp"
#include "reference/tflite/quantization.hpp"

// Sums, means and extremes along axes, and normalisations (pytorch/executorch kernels/portable/cpu: op_mean.cpp,
// op_sum.cpp, op_amax.cpp, op_amin.cpp, op_any.cpp, op_native_layer_norm.cpp, op_native_group_norm.cpp, vec_ops.h).
// Floats are summed in single precision, from the first element on.
namespace macaw::executorch::normalization {
namespace {

/// The elements that each output element is made of: those of `in` that agree with it on the other axes.
struct Reduction {
  std::vector<std::size_t> starts, steps;  ///< of outputs, and from there to their elements

  static Reduction create(const Shape& shape, const std::vector<std::size_t>& axes) {
    Reduction result;
    std::vector<std::size_t> strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * static_cast<std::size_t>(shape[axis]);
    result.starts = result.steps = {0};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      auto& places = std::ranges::binary_search(axes, axis) ? result.steps : result.starts;
      std::vector<std::size_t> next;
      next.reserve(places.size() * static_cast<std::size_t>(shape[axis]));
      for (const auto place : places)
        for (std::size_t i = 0; i < static_cast<std::size_t>(shape[axis]); ++i)
          next.push_back(place + i * strides[axis]);
      places = std::move(next);
    }
    return result;
  }
};

/// Checks the output's shape; `keep`: reduced axes stay with extent 1.
Result<Reduction> reduction_of(Call& call, const Tensor& in, const std::vector<std::size_t>& axes, bool keep) {
  Shape shape;
  for (std::size_t axis = 0; axis < in.rank(); ++axis)
    if (!std::ranges::binary_search(axes, axis)) shape.push_back(in.shape()[axis]);
    else if (keep) shape.push_back(1);
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  MACAW_CHECK(call.account(in.size()));
  // A tensor without elements may have axes of any extent, which must not be walked through.
  if (in.size() == 0) return Reduction{std::vector<std::size_t>(static_cast<std::size_t>(call.output().size())), {}};
  return Reduction::create(in.shape(), axes);
}

/// No axis is reduced: each output element depends on one input element.
Result<Reduction> unreduced(Call& call, const Tensor& in) { return reduction_of(call, in, {}, false); }

/// Inputs: the tensor, axes or None, whether they stay.
Result<Reduction> listed_reduction(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto axes, axes_argument(call, 1, in->rank()));
  MACAW_ASSIGN(const auto keep, integer_argument(call, 2));
  return reduction_of(call, *in, axes, keep != 0);
}

/// Sums of floats; of integers and booleans as floats, or as integers where the output has such.
template <bool kMean>
Result<void> sum(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto places, listed_reduction(call));
  Tensor& out = call.output();
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = in->data<T>();
    if (!kMean && out.dtype() == DType::kINT64 && !std::is_same_v<T, float>) {
      const auto to = out.uninitialized_data<std::int64_t>();
      for (std::size_t i = 0; i < places.starts.size(); ++i) {
        std::uint64_t total = 0;
        for (const auto step : places.steps) total += static_cast<std::uint64_t>(from[places.starts[i] + step]);
        to[i] = static_cast<std::int64_t>(total);
      }
      return {};
    }
    MACAW_CHECK(expect(out, DType::kFP32, "the output"));
    const auto to = out.uninitialized_data<float>();
    for (std::size_t i = 0; i < places.starts.size(); ++i) {
      float total = 0;
      for (const auto step : places.steps) total += static_cast<float>(from[places.starts[i] + step]);
      to[i] = kMean ? total / static_cast<float>(places.steps.size()) : total;
    }
    return {};
  });
}

/// A NaN wins.
template <bool kLeast>
Result<void> extreme(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_ASSIGN(const auto places, listed_reduction(call));
  if (places.steps.empty() && !places.starts.empty()) return invalid("the axes have no elements");
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = in->data<T>();
    const auto to = call.output().uninitialized_data<T>();
    for (std::size_t i = 0; i < places.starts.size(); ++i) {
      T best = from[places.starts[i]];
      for (const auto step : places.steps) {
        const T value = from[places.starts[i] + step];
        if (best == best && (value != value || (kLeast ? value < best : best < value))) best = value;
      }
      to[i] = best;
    }
    return {};
  });
}

Result<void> any_of(Call& call, const Reduction& places) {
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  const Tensor& in = *call.inputs[0].value;
  return with_number(in.dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = in.data<T>();
    const auto to = call.output().uninitialized_data<bool>();
    for (std::size_t i = 0; i < places.starts.size(); ++i)
      to[i] = std::ranges::any_of(places.steps, [&](auto step) { return from[places.starts[i] + step] != T{}; });
    return {};
  });
}

/// Inputs: the tensor, axes or one axis, whether they stay.
Result<void> any_of_axes(Call& call) {
  const auto* axes = call.optional_input(1);
  if (axes && axes->size() == 0) {
    // An empty list reduces no axis, while None reduces all of them.
    MACAW_ASSIGN(const Tensor* in, call.input(0));
    MACAW_ASSIGN(const auto places, unreduced(call, *in));
    return any_of(call, places);
  }
  MACAW_ASSIGN(const auto places, listed_reduction(call));
  return any_of(call, places);
}

Result<void> any_of_all(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto axes, axes_argument(call, 1, in->rank()));
  MACAW_ASSIGN(const auto places, reduction_of(call, *in, axes, false));
  return any_of(call, places);
}

/// Sums of the elements and of their squares (reduce_add() and vec_powerf() of vec_ops.h).
struct Sums {
  float values = 0, squares = 0;
};
Sums sums_of(std::span<const float> values) {
  Sums sums;
  for (const float value : values) sums.values += value;
  for (const float value : values) sums.squares += value * value;
  return sums;
}

Result<void> expect_floats(const Call& call, std::initializer_list<std::size_t> inputs) {
  for (const auto i : inputs)
    if (const auto* tensor = call.optional_input(i)) MACAW_CHECK(expect(*tensor, DType::kFP32, "an operand"));
  for (std::size_t i = 0; i < call.outputs.size(); ++i) MACAW_CHECK(expect(call.output(i), DType::kFP32, "an output"));
  return {};
}

/// Inputs: the tensor, the shape of the normalised part, weights or None, biases or None, epsilon. Outputs: the result,
/// means, and reciprocals of deviations. In single precision; the variance is the mean of the squares less the square
/// of the mean. A row without elements has the mean 0.
Result<void> layer_norm(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto normalised, list_argument(call, 1));
  MACAW_ASSIGN(const auto epsilon, real_argument(call, 4));
  MACAW_CHECK(expect_floats(call, {0, 2, 3}));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  const auto outer = in->rank() - normalised.size();
  if (normalised.empty() || normalised.size() > in->rank() ||
      !std::equal(normalised.begin(), normalised.end(), in->shape().begin() + std::ptrdiff_t(outer)))
    return invalid("what is normalised is not the end of the input's shape");
  const auto *weight = call.optional_input(2), *bias = call.optional_input(3);
  for (const auto* operand : {weight, bias})
    if (operand) MACAW_CHECK(expect(*operand, Shape(normalised.begin(), normalised.end()), "weights or biases"));
  const auto rows = static_cast<std::size_t>(product(in->shape(), 0, outer));
  const auto size = static_cast<std::size_t>(product(in->shape(), outer, in->rank()));
  for (const std::size_t i : {1, 2})
    if (call.output(i).size() != static_cast<std::int64_t>(rows)) return invalid("an output has not one value a row");
  MACAW_CHECK(call.account(in->size()));
  const auto from = in->data<float>();
  const auto to = call.output().uninitialized_data<float>();
  for (std::size_t row = 0; row < rows; ++row) {
    const auto values = from.subspan(row * size, size);
    float mean = 0, reciprocal = std::numeric_limits<float>::quiet_NaN();
    if (!values.empty()) {
      const auto sums = sums_of(values);
      const auto count = static_cast<float>(size);
      mean = sums.values / count;
      const float variance = sums.squares / count - mean * mean;
      const float deviation = std::sqrt(variance + static_cast<float>(epsilon));
      for (std::size_t i = 0; i < size; ++i)
        to[row * size + i] = (values[i] - mean) / deviation * (weight ? weight->data<float>()[i] : 1.0F) +
                             (bias ? bias->data<float>()[i] : 0.0F);
      reciprocal = static_cast<float>(1.0 / double{deviation});
    }
    call.output(1).data<float>()[row] = mean;
    call.output(2).data<float>()[row] = reciprocal;
  }
  return {};
}

/// Inputs: the tensor, weights or None, biases or None, batches, channels, elements of a channel, groups, epsilon. Sums
/// are in single precision, everything made of them in double.
Result<void> group_norm(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  std::int64_t extents[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    MACAW_ASSIGN(extents[i], integer_argument(call, 3 + i));
  }
  const auto [batches, channels, inner, groups] = extents;
  MACAW_ASSIGN(const auto epsilon, real_argument(call, 7));
  MACAW_CHECK(expect_floats(call, {0, 1, 2}));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  const auto count = element_count({batches, channels, inner});
  if (!count || *count != in->size() || groups < 1 || channels % groups != 0)
    return invalid("batches, channels and groups do not fit the input");
  const auto *weight = call.optional_input(1), *bias = call.optional_input(2);
  for (const auto* operand : {weight, bias})
    if (operand) MACAW_CHECK(expect(*operand, Shape{channels}, "weights or biases"));
  for (const std::size_t i : {1, 2}) MACAW_CHECK(expect(call.output(i), Shape{batches, groups}, "an output"));
  MACAW_CHECK(call.account(in->size()));
  const auto from = in->data<float>();
  const auto to = call.output().uninitialized_data<float>();
  const auto depth = static_cast<std::size_t>(channels / groups), area = static_cast<std::size_t>(inner);
  for (std::size_t group = 0; group < static_cast<std::size_t>(batches * groups); ++group) {
    const auto values = from.subspan(group * depth * area, depth * area);
    double mean = 0, reciprocal = std::numeric_limits<double>::quiet_NaN();
    if (!values.empty()) {
      const auto sums = sums_of(values);
      const auto size = static_cast<double>(values.size());
      mean = double{sums.values} / size;
      const double variance = double{sums.squares} / size - mean * mean;
      reciprocal = 1.0 / std::sqrt(variance + epsilon);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto& result = to[group * depth * area + i];
      if (!weight && !bias) {
        result = static_cast<float>((double{values[i]} - mean) * reciprocal);
        continue;
      }
      const auto channel = group % static_cast<std::size_t>(groups) * depth + i / area;
      const double scale = reciprocal * (weight ? double{weight->data<float>()[channel]} : 1.0);
      const double shift = -scale * mean + (bias ? double{bias->data<float>()[channel]} : 0.0);
      result = static_cast<float>(scale * double{values[i]} + shift);
    }
    call.output(1).data<float>()[group] = static_cast<float>(mean);
    call.output(2).data<float>()[group] = static_cast<float>(reciprocal);
  }
  return {};
}

constexpr Definition kDefinitions[] = {
    {"aten::mean", 4, 4, 1, 1, sum<true>},
    {"aten::sum.IntList_out", 4, 4, 1, 1, sum<false>},
    {"aten::amax", 3, 3, 1, 1, extreme<false>},
    {"aten::amin", 3, 3, 1, 1, extreme<true>},
    {"aten::any", 3, 3, 1, 1, any_of_axes},
    {"aten::any.dims_out", 3, 3, 1, 1, any_of_axes},
    {"aten::any.all_out", 1, 1, 1, 1, any_of_all},
    {"aten::native_layer_norm", 5, 5, 3, 3, layer_norm},
    {"aten::native_group_norm", 8, 8, 3, 3, group_norm},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::normalization
