#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reference/executorch/arguments.hpp"
#include "reference/executorch/positions.hpp"
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/fixed_point.hpp"

// ExecuTorch's kernels for Cortex-M: pytorch/executorch backends/cortex_m/ops (op_quantized_conv2d.cpp,
// op_quantized_depthwise_conv2d.cpp, op_quantized_linear.cpp, op_quantized_add.cpp, op_quantized_mul.cpp,
// op_quantized_avg_pool2d.cpp, op_pad.cpp), which call CMSIS-NN (arm_nn_requantize() of ARM-software/CMSIS-NN
// Include/arm_nnsupportfunctions.h rounds twice, as fixed_point.hpp does). Activations are int8 in the order NHWC
// (sim/artifact/executorch_kernels.hpp).
namespace macaw::executorch::cortex_m {
namespace {

Result<std::int32_t> word_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const auto value, integer_argument(call, index));
  if (value < INT32_MIN || value > INT32_MAX) return invalid(fmt::format("argument {} is {}", index, value));
  return static_cast<std::int32_t>(value);
}

Result<FixedMultiplier> multiplier_of(std::int64_t multiplier, std::int64_t shift) {
  if (multiplier < 0 || multiplier > INT32_MAX || shift < -31 || shift > 31)
    return invalid(fmt::format("multiplier {} and shift {}", multiplier, shift));
  return FixedMultiplier{static_cast<std::int32_t>(multiplier), static_cast<int>(shift)};
}

Result<FixedMultiplier> multiplier_argument(const Call& call, std::size_t multiplier, std::size_t shift) {
  MACAW_ASSIGN(const auto m, integer_argument(call, multiplier));
  MACAW_ASSIGN(const auto s, integer_argument(call, shift));
  return multiplier_of(m, s);
}

/// A multiplier for each of `count` channels.
Result<std::vector<FixedMultiplier>> multipliers(const Call& call, std::size_t multiplier, std::size_t shift,
                                                 std::int64_t count) {
  MACAW_ASSIGN(const auto m, list_argument(call, multiplier));
  MACAW_ASSIGN(const auto s, list_argument(call, shift));
  if (static_cast<std::int64_t>(m.size()) != count || static_cast<std::int64_t>(s.size()) != count)
    return invalid(fmt::format("{} multipliers and {} shifts, expected {} of each", m.size(), s.size(), count));
  std::vector<FixedMultiplier> result;
  for (std::size_t i = 0; i < m.size(); ++i) {
    MACAW_ASSIGN(const auto row, multiplier_of(m[i], s[i]));
    result.push_back(row);
  }
  return result;
}

/// The least and the greatest result before its low byte is stored.
struct Range {
  std::int32_t low = -128, high = 127;

  [[nodiscard]] std::int8_t clamped(std::int64_t value) const {
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(value, low, high));
  }
};

Result<Range> range_argument(const Call& call, std::size_t low, std::size_t high) {
  MACAW_ASSIGN(const auto least, word_argument(call, low));
  MACAW_ASSIGN(const auto most, word_argument(call, high));
  if (least > most) return invalid(fmt::format("outputs from {} to {}", least, most));
  return Range{least, most};
}

Result<std::array<std::int64_t, 2>> pair_argument(const Call& call, std::size_t index, std::int64_t least) {
  MACAW_ASSIGN(const auto list, list_argument(call, index));
  constexpr std::int64_t kMost = 1 << 20;
  if (list.size() != 2 || std::ranges::any_of(list, [&](auto v) { return v < least || v > kMost; }))
    return invalid(fmt::format("argument {} is not two numbers from {} to {}", index, least, kMost));
  return std::array{list[0], list[1]};
}

/// A kernel that is moved over an activation.
struct Window {
  std::array<std::int64_t, 2> kernel{}, stride{}, padding{}, dilation{1, 1};
};

/// Calls f(output position, kernel position, input position) for every place of the kernel that lies in the input;
/// begin(output position) before and end(output position) after them.
template <class Begin, class F, class End>
void slide(const Shape& in, const Shape& out, const Window& window, Begin begin, F f, End end) {
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t y = 0; y < out[1]; ++y)
      for (std::int64_t x = 0; x < out[2]; ++x) {
        const auto to = static_cast<std::size_t>((n * out[1] + y) * out[2] + x);
        begin(to);
        for (std::int64_t ky = 0; ky < window.kernel[0]; ++ky)
          for (std::int64_t kx = 0; kx < window.kernel[1]; ++kx) {
            const auto iy = y * window.stride[0] - window.padding[0] + ky * window.dilation[0];
            const auto ix = x * window.stride[1] - window.padding[1] + kx * window.dilation[1];
            if (iy < 0 || iy >= in[1] || ix < 0 || ix >= in[2]) continue;
            f(to, static_cast<std::size_t>(ky * window.kernel[1] + kx),
              static_cast<std::size_t>((n * in[1] + iy) * in[2] + ix));
          }
        end(to);
      }
}

Result<void> expect_activation(const Tensor& tensor, std::string_view what) {
  MACAW_CHECK(expect(tensor, DType::kINT8, what));
  return expect_rank(tensor, 4, what);
}

struct Convolution {
  const Tensor *in = nullptr, *weight = nullptr, *bias = nullptr;
  Window window;
  std::int32_t input_offset = 0, output_offset = 0;
  std::vector<FixedMultiplier> scales;
  Range range;
};

/// Inputs: activation, weights, biases or None, stride, padding, dilation; from `rest` on input offset, output offset,
/// multipliers, shifts, least and greatest output, and scratch memory, which does not matter.
Result<Convolution> convolution(Call& call, std::size_t rest) {
  Convolution c;
  MACAW_ASSIGN(c.in, call.input(0));
  MACAW_ASSIGN(c.weight, call.input(1));
  c.bias = call.optional_input(2);
  Tensor& out = call.output();
  MACAW_CHECK(expect_activation(*c.in, "the input"));
  MACAW_CHECK(expect_activation(*c.weight, "the weights"));
  MACAW_CHECK(expect_activation(out, "the output"));
  MACAW_ASSIGN(c.window.stride, pair_argument(call, 3, 1));
  MACAW_ASSIGN(c.window.padding, pair_argument(call, 4, 0));
  MACAW_ASSIGN(c.window.dilation, pair_argument(call, 5, 1));
  c.window.kernel = {c.weight->shape()[1], c.weight->shape()[2]};
  MACAW_ASSIGN(c.input_offset, word_argument(call, rest));
  MACAW_ASSIGN(c.output_offset, word_argument(call, rest + 1));
  const auto channels = out.shape()[3];
  MACAW_ASSIGN(c.scales, multipliers(call, rest + 2, rest + 3, channels));
  MACAW_ASSIGN(c.range, range_argument(call, rest + 4, rest + 5));
  if (c.in->shape()[0] != out.shape()[0]) return invalid("input and output have different numbers of batches");
  if (c.bias) {
    MACAW_CHECK(expect(*c.bias, DType::kINT32, "the bias"));
    MACAW_CHECK(expect(*c.bias, Shape{channels}, "the bias"));
  }
  MACAW_ASSIGN(const auto macs, element_count({out.size(), c.window.kernel[0], c.window.kernel[1]}));
  MACAW_CHECK(call.account(macs));
  return c;
}

template <class Accumulate>
Result<void> convolve(Call& call, const Convolution& c, Accumulate accumulate) {
  Tensor& out = call.output();
  // A tensor without elements may have axes of any extent, which must not be walked through.
  if (out.size() == 0) return {};
  const auto channels = static_cast<std::size_t>(out.shape()[3]);
  const auto to = out.uninitialized_data<std::int8_t>();
  std::vector<std::int32_t> sums(channels);
  slide(
      c.in->shape(), out.shape(), c.window,
      [&](std::size_t) {
        for (std::size_t o = 0; o < channels; ++o) sums[o] = c.bias ? c.bias->data<std::int32_t>()[o] : 0;
      },
      [&](std::size_t, std::size_t tap, std::size_t from) { accumulate(sums, tap, from); },
      [&](std::size_t position) {
        for (std::size_t o = 0; o < channels; ++o)
          to[position * channels + o] = c.range.clamped(std::int64_t{scale(sums[o], c.scales[o])} + c.output_offset);
      });
  return {};
}

/// Sums have 32 bits and wrap.
void add_product(std::int32_t& sum, std::int64_t a, std::int64_t b) { sum = wrap(std::int64_t{sum} + a * b); }

/// Weights: output channel, height, width, channels of a group.
Result<void> conv2d(Call& call) {
  MACAW_ASSIGN(const auto c, convolution(call, 6));
  const auto in_channels = static_cast<std::size_t>(c.in->shape()[3]);
  const auto depth = static_cast<std::size_t>(c.weight->shape()[3]);
  const auto out_channels = static_cast<std::size_t>(call.output().shape()[3]);
  if (c.weight->shape()[0] != call.output().shape()[3] || in_channels == 0 || depth == 0 || in_channels % depth != 0 ||
      out_channels % (in_channels / depth) != 0)
    return invalid("the channels of input, weights and output do not fit each other");
  MACAW_ASSIGN(const auto macs,
               element_count({call.output().size(), c.window.kernel[0], c.window.kernel[1], c.weight->shape()[3]}));
  MACAW_CHECK(call.account(macs));
  const auto taps = static_cast<std::size_t>(c.window.kernel[0] * c.window.kernel[1]);
  const auto per_group = out_channels / (in_channels / depth);
  const auto in = c.in->data<std::int8_t>(), weight = c.weight->data<std::int8_t>();
  return convolve(call, c, [&](std::vector<std::int32_t>& sums, std::size_t tap, std::size_t from) {
    for (std::size_t o = 0; o < out_channels; ++o) {
      const auto* a = in.data() + from * in_channels + o / per_group * depth;
      const auto* w = weight.data() + (o * taps + tap) * depth;
      for (std::size_t i = 0; i < depth; ++i) add_product(sums[o], std::int64_t{a[i]} + c.input_offset, w[i]);
    }
  });
}

/// Weights: 1, height, width, output channel. Argument 6: output channels for each input channel.
Result<void> depthwise_conv2d(Call& call) {
  MACAW_ASSIGN(const auto c, convolution(call, 7));
  MACAW_ASSIGN(const auto multiplier, integer_argument(call, 6));
  const auto in_channels = c.in->shape()[3], out_channels = call.output().shape()[3];
  if (multiplier < 1 || multiplier > out_channels || in_channels * multiplier != out_channels ||
      c.weight->shape()[0] != 1 || c.weight->shape()[3] != out_channels)
    return invalid("the channels of input, weights and output do not fit each other");
  const auto in = c.in->data<std::int8_t>(), weight = c.weight->data<std::int8_t>();
  return convolve(call, c, [&](std::vector<std::int32_t>& sums, std::size_t tap, std::size_t from) {
    const auto* a = in.data() + from * static_cast<std::size_t>(in_channels);
    const auto* w = weight.data() + tap * sums.size();
    for (std::size_t o = 0; o < sums.size(); ++o)
      add_product(sums[o], std::int64_t{a[o / static_cast<std::size_t>(multiplier)]} + c.input_offset, w[o]);
  });
}

/// Inputs: the tensor, weights (a row for each output), biases or None, sums of the weights with the input's offset and
/// the biases in them, or None, offsets of input, weights and output, multipliers, shifts, greatest and least output.
/// The kernel scales all outputs by the first multiplier, so that a list of several is refused.
Result<void> linear(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* weight, call.input(1));
  const Tensor *bias = call.optional_input(2), *sums = call.optional_input(3);
  std::int32_t offsets[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    MACAW_ASSIGN(offsets[i], word_argument(call, 4 + i));
  }
  const auto [input_offset, weight_offset, output_offset] = offsets;
  Tensor& out = call.output();
  MACAW_CHECK(expect(*in, DType::kINT8, "the input"));
  MACAW_CHECK(expect(*weight, DType::kINT8, "the weights"));
  MACAW_CHECK(expect(out, DType::kINT8, "the output"));
  MACAW_CHECK(expect_rank(*weight, 2, "the weights"));
  const auto outputs = weight->shape()[0], inputs = weight->shape()[1];
  if (in->rank() == 0 || in->shape().back() != inputs) return invalid("input and weights do not fit each other");
  Shape shape = in->shape();
  shape.back() = outputs;
  MACAW_CHECK(expect(out, shape, "the output"));
  MACAW_ASSIGN(const auto scales, multipliers(call, 7, 8, 1));
  MACAW_ASSIGN(const auto range, range_argument(call, 10, 9));
  for (const auto* list : {bias, sums})
    if (list) {
      MACAW_CHECK(expect(*list, DType::kINT32, "biases or sums"));
      if (list->size() != outputs) return invalid("not one bias or sum for each output");
    }
  MACAW_ASSIGN(const auto macs, element_count({out.size(), inputs}));
  MACAW_CHECK(call.account(macs));
  const auto from = in->data<std::int8_t>(), weights = weight->data<std::int8_t>();
  const auto to = out.uninitialized_data<std::int8_t>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto row = i / static_cast<std::size_t>(outputs), o = i % static_cast<std::size_t>(outputs);
    std::int32_t sum = sums ? sums->data<std::int32_t>()[o] : bias ? bias->data<std::int32_t>()[o] : 0;
    // The sums have the input's offset already.
    const std::int64_t offset = sums ? 0 : input_offset;
    for (std::size_t k = 0; k < static_cast<std::size_t>(inputs); ++k)
      add_product(sum, from[row * static_cast<std::size_t>(inputs) + k] + offset,
                  std::int64_t{weights[o * static_cast<std::size_t>(inputs) + k]} + weight_offset);
    to[i] = range.clamped(std::int64_t{scale(sum, scales[0])} + output_offset);
  }
  return {};
}

/// Least and greatest output, if the program has such arguments.
Result<Range> optional_range(const Call& call, std::size_t index) {
  if (call.inputs.size() <= index) return Range{};
  return range_argument(call, index, index + 1);
}

Result<void> expect_bytes(const Call& call, std::size_t a, std::size_t b) {
  for (const auto i : {a, b}) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(i));
    MACAW_CHECK(expect(*tensor, DType::kINT8, fmt::format("input {}", i)));
  }
  return expect(call.output(), DType::kINT8, "the output");
}

/// z = f(a, b) of inputs 0 and `second`, which repeat along axes of extent 1.
template <class F>
Result<void> of_two(Call& call, std::size_t second, F f) {
  const Tensor &a = *call.inputs[0].value, &b = *call.inputs[second].value;
  MACAW_ASSIGN(const auto places, Broadcast::create({a.shape(), b.shape()}, call.output().shape()));
  const auto x = a.data<std::int8_t>(), y = b.data<std::int8_t>();
  const auto z = call.output().uninitialized_data<std::int8_t>();
  places.for_each<2>([&](std::size_t i, const auto& at) { z[i] = f(x[at[0]], y[at[1]]); });
  return {};
}

/// Inputs: tensor, zero point, multiplier and shift of each operand, then those of the output.
Result<void> add(Call& call) {
  constexpr int kLeftShift = 20;
  MACAW_CHECK(expect_bytes(call, 0, 4));
  MACAW_ASSIGN(const auto zero_a, word_argument(call, 1));
  MACAW_ASSIGN(const auto scale_a, multiplier_argument(call, 2, 3));
  MACAW_ASSIGN(const auto zero_b, word_argument(call, 5));
  MACAW_ASSIGN(const auto scale_b, multiplier_argument(call, 6, 7));
  MACAW_ASSIGN(const auto zero_out, word_argument(call, 8));
  MACAW_ASSIGN(const auto scale_out, multiplier_argument(call, 9, 10));
  MACAW_ASSIGN(const auto range, optional_range(call, 11));
  const auto term = [](std::int8_t value, std::int32_t zero, FixedMultiplier by) {
    return std::int64_t{scale(wrap((std::int64_t{value} - zero) * (std::int64_t{1} << kLeftShift)), by)};
  };
  return of_two(call, 4, [&](std::int8_t a, std::int8_t b) {
    const auto sum = wrap(term(a, zero_a, scale_a) + term(b, zero_b, scale_b));
    return range.clamped(std::int64_t{scale(sum, scale_out)} + zero_out);
  });
}

/// Inputs: tensor and zero point of each operand, then zero point, multiplier and shift of the output.
Result<void> mul(Call& call) {
  MACAW_CHECK(expect_bytes(call, 0, 2));
  MACAW_ASSIGN(const auto zero_a, word_argument(call, 1));
  MACAW_ASSIGN(const auto zero_b, word_argument(call, 3));
  MACAW_ASSIGN(const auto zero_out, word_argument(call, 4));
  MACAW_ASSIGN(const auto by, multiplier_argument(call, 5, 6));
  MACAW_ASSIGN(const auto range, optional_range(call, 7));
  return of_two(call, 2, [&](std::int8_t a, std::int8_t b) {
    const auto product = wrap((std::int64_t{a} - zero_a) * (std::int64_t{b} - zero_b));
    return range.clamped(std::int64_t{scale(product, by)} + zero_out);
  });
}

/// Argument 4, which programs of earlier versions do not have: those have the zero point there.
Result<bool> ceil_mode_argument(const Call& call) {
  const auto* argument = call.optional_input(4);
  if (!argument || argument->dtype() != DType::kBOOL) return false;
  MACAW_ASSIGN(const auto value, integer_argument(call, 4));
  return value != 0;
}

/// Windows along an axis; with `ceil_mode` also one that begins inside the input or its padding and ends behind it
/// (pooling_output_size() of op_quantized_avg_pool2d.cpp). Divisions truncate toward zero.
std::int64_t pooled_extent(std::int64_t extent, const Window& window, std::size_t axis, bool ceil_mode) {
  const auto stride = window.stride[axis], padding = window.padding[axis];
  const auto rest = extent + 2 * padding - window.kernel[axis];
  auto count = rest / stride + 1;
  if (ceil_mode && rest % stride != 0) ++count;
  if (ceil_mode && (count - 1) * stride >= extent + padding) --count;
  return count;
}

Result<Window> pool_window(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect_activation(*in, "the input"));
  MACAW_CHECK(expect_activation(call.output(), "the output"));
  if (in->shape()[0] != call.output().shape()[0] || in->shape()[3] != call.output().shape()[3])
    return invalid("input and output have different batches or channels");
  Window window;
  MACAW_ASSIGN(window.kernel, pair_argument(call, 1, 1));
  MACAW_ASSIGN(window.stride, pair_argument(call, 2, 1));
  MACAW_ASSIGN(window.padding, pair_argument(call, 3, 0));
  MACAW_ASSIGN(const bool ceil_mode, ceil_mode_argument(call));
  for (const std::size_t i : {0, 1}) {
    const auto expected = pooled_extent(in->shape()[1 + i], window, i, ceil_mode);
    if (call.output().shape()[1 + i] != expected)
      return invalid(fmt::format("the output has {} elements along axis {}, expected {}", call.output().shape()[1 + i],
                                 1 + i, expected));
  }
  MACAW_ASSIGN(const auto work, element_count({call.output().size(), window.kernel[0], window.kernel[1]}));
  MACAW_CHECK(call.account(work));
  return window;
}

/// The mean of the elements that lie in the input, halves away from zero. Inputs: activation, extents of the window,
/// stride, padding, and whether windows may end behind the input; what follows does not matter.
Result<void> avg_pool2d(Call& call) {
  MACAW_ASSIGN(const auto window, pool_window(call));
  if (call.output().size() == 0) return {};
  const Tensor& in = *call.inputs[0].value;
  const auto channels = static_cast<std::size_t>(in.shape()[3]);
  const auto from = in.data<std::int8_t>();
  const auto to = call.output().uninitialized_data<std::int8_t>();
  std::vector<std::int64_t> sums(channels);
  std::int64_t count = 0;
  bool is_empty = false;
  slide(
      in.shape(), call.output().shape(), window,
      [&](std::size_t) {
        std::ranges::fill(sums, 0);
        count = 0;
      },
      [&](std::size_t, std::size_t, std::size_t at) {
        ++count;
        for (std::size_t c = 0; c < channels; ++c) sums[c] += from[at * channels + c];
      },
      [&](std::size_t position) {
        is_empty |= count == 0;
        for (std::size_t c = 0; c < channels && count > 0; ++c)
          to[position * channels + c] =
              Range{}.clamped((sums[c] > 0 ? sums[c] + count / 2 : sums[c] - count / 2) / count);
      });
  if (is_empty) return invalid("a window lies outside the input");
  return {};
}

/// Inputs: activation, elements before and behind on each axis, and the value that they are.
Result<void> pad(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto before, list_argument(call, 1));
  MACAW_ASSIGN(const auto behind, list_argument(call, 2));
  MACAW_ASSIGN(const auto value, word_argument(call, 3));
  MACAW_CHECK(expect(*in, DType::kINT8, "the input"));
  MACAW_CHECK(expect(call.output(), DType::kINT8, "the output"));
  constexpr std::size_t kRank = 4;
  constexpr std::int64_t kMost = 1 << 20;
  const auto bad = [&](auto v) { return v < 0 || v > kMost; };
  if (before.size() != kRank || behind.size() != kRank || in->rank() > kRank || std::ranges::any_of(before, bad) ||
      std::ranges::any_of(behind, bad))
    return invalid("paddings that are not four numbers for up to four axes");
  const auto skipped = kRank - in->rank();
  const Shape begin(before.begin() + std::ptrdiff_t(skipped), before.end());
  Shape shape = in->shape();
  for (std::size_t axis = 0; axis < in->rank(); ++axis)
    if (__builtin_add_overflow(shape[axis], begin[axis] + behind[skipped + axis], &shape[axis]))
      return invalid(fmt::format("axis {} has more than 2^63-1 elements", axis));
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  pad_elements<std::int8_t>(*in, begin, static_cast<std::int8_t>(value), call.output());
  return {};
}

constexpr Definition kDefinitions[] = {
    {"cortex_m::quantized_conv2d", 12, 13, 1, 1, conv2d},
    {"cortex_m::quantized_depthwise_conv2d", 13, 14, 1, 1, depthwise_conv2d},
    {"cortex_m::quantized_linear", 11, 11, 1, 1, linear},
    {"cortex_m::quantized_add", 11, 13, 1, 1, add},
    {"cortex_m::quantized_mul", 7, 9, 1, 1, mul},
    {"cortex_m::quantized_avg_pool2d", 4, 9, 1, 1, avg_pool2d},
    {"cortex_m::pad", 4, 4, 1, 1, pad},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::cortex_m
