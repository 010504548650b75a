#include "reference/tflite/op/softmax.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "reference/tflite/fixed_point.hpp"

namespace macaw::tflite {
namespace {

constexpr const char* kNewton[] = {"half the divisor times the reciprocal", "the error of the reciprocal",
                                   "the reciprocal's correction", "the reciprocal's correction times 4",
                                   "the reciprocal"};

/// Collects the values of a step row by row.
class Steps {
 public:
  explicit Steps(const Shape& shape) : whole_(shape), rows_(shape) { rows_.back() = 1; }

  /// The next step of all rows; its number.
  std::size_t add(std::string name, DType dtype, bool whole, std::vector<std::size_t> from) {
    all_.push_back({std::move(name), Tensor(dtype, whole ? whole_ : rows_), std::move(from)});
    filled_.push_back(0);
    return all_.size() - 1;
  }
  void set(std::size_t step, std::int32_t value) {
    auto& tensor = all_[step].value;
    const auto at = filled_[step]++;
    if (tensor.dtype() == DType::kINT32) tensor.data<std::int32_t>()[at] = value;
    else if (tensor.dtype() == DType::kINT8) tensor.data<std::int8_t>()[at] = static_cast<std::int8_t>(value);
    else tensor.data<std::uint8_t>()[at] = static_cast<std::uint8_t>(value);
  }
  [[nodiscard]] std::vector<KernelStep> take() { return std::move(all_); }

 private:
  Shape whole_, rows_;
  std::vector<KernelStep> all_;
  std::vector<std::size_t> filled_;
};

/// Numbers of the steps, in their order.
struct Numbers {
  std::size_t maximum, exponentials, rounded, sum, zeros, shift, less_one, divisor, newton, products;
  std::size_t normal = 0, fraction = 0, twice = 0, doubled = 0, shifted = 0;  // 0: left out

  Numbers(Steps& steps, DType in, bool wide, bool every) {
    constexpr auto kInt = DType::kINT32;
    maximum = steps.add("the maximum", in, false, {});
    exponentials = steps.add("the exponentials", kInt, true, {maximum});
    rounded = steps.add("the rounded exponentials", kInt, true, {exponentials});
    sum = steps.add("their sum", kInt, false, {rounded});
    zeros = steps.add("the sum's leading zeros", kInt, false, {sum});
    shift = steps.add("the shift of the result", kInt, false, {zeros});
    less_one = steps.add("the sum's leading zeros without the sign", kInt, false, {zeros});
    if (every) {
      normal = steps.add("the normalised sum", kInt, false, {sum, less_one});
      fraction = steps.add("its fraction", kInt, false, {normal});
      twice = steps.add("its fraction times 2", kInt, false, {fraction});
    }
    divisor = steps.add("half the divisor", kInt, false, every ? std::vector{twice} : std::vector{sum, less_one});
    newton = steps.add("half the divisor times -32/17", kInt, false, {divisor});
    auto reciprocal = steps.add("the first reciprocal", kInt, false, {newton});
    for (int i = 0; i < 3; ++i) {
      const auto product = steps.add(kNewton[0], kInt, false, {divisor, reciprocal});
      const auto error = steps.add(kNewton[1], kInt, false, {product});
      const auto correction = steps.add(kNewton[2], kInt, false, {reciprocal, error});
      const auto scaled = steps.add(kNewton[3], kInt, false, {correction});
      reciprocal = steps.add(kNewton[4], kInt, false, {reciprocal, scaled});
    }
    if (every) reciprocal = doubled = steps.add("the reciprocal times 2", kInt, false, {reciprocal});
    products = steps.add("the exponentials over the sum", kInt, true, {exponentials, reciprocal});
    if (wide) shifted = steps.add("the shifted quotients", kInt, true, {products, shift});
  }
};

/// An exponential times twice half the reciprocal. The kernel's reciprocal saturates at 1 - 2^-31, which no result
/// shows.
std::int32_t product_of(std::int32_t half, std::int32_t exponential) {
  return saturate((std::int64_t{half} * exponential + (1 << 29)) >> 30);
}

template <class In>
void add_row(std::span<const In> in, const SoftmaxScaling& scaling, int bits, const Numbers& n, Steps& steps) {
  const std::int32_t max = *std::ranges::max_element(in);
  steps.set(n.maximum, max);
  std::uint32_t sum = 0;
  for (const In value : in) {
    const auto exponential = scaling.exponential(value - max);
    const auto rounded = rounding_shift(exponential, kSoftmaxSumBits);
    sum += static_cast<std::uint32_t>(rounded);
    steps.set(n.exponentials, exponential);
    steps.set(n.rounded, rounded);
  }
  const int zeros = std::countl_zero(sum), shift = kSoftmaxSumBits - zeros + 31 - bits;
  steps.set(n.sum, static_cast<std::int32_t>(sum));
  steps.set(n.zeros, zeros);
  steps.set(n.shift, shift);
  steps.set(n.less_one, zeros - 1);
  auto step = n.divisor;
  const auto x = static_cast<std::int32_t>((sum << zeros) - (1U << 31));
  if (n.normal != 0) {
    steps.set(n.normal, static_cast<std::int32_t>(sum << (zeros - 1)));
    steps.set(n.fraction, x / 2);
    steps.set(n.twice, x);
  }
  const auto half = reciprocal_of_half_sum(x, [&](std::int32_t value) { steps.set(step++, value); });
  const auto reciprocal = saturate(std::int64_t{half} * 2);
  if (n.doubled != 0) steps.set(n.doubled, reciprocal);
  for (const In value : in) {
    const auto exponential = scaling.exponential(value - max);
    const auto product = n.doubled != 0 ? doubling_high_mul(reciprocal, exponential) : product_of(half, exponential);
    steps.set(n.products, product);
    if (n.shifted != 0) steps.set(n.shifted, rounding_shift(product, shift));
  }
}

template <class In>
std::vector<KernelStep> steps_of(const SoftmaxScaling& scaling, const Tensor& input, const Tensor& output, bool every) {
  Steps steps(input.shape());
  const bool wide = size_of(output.dtype()) > sizeof(In);
  const Numbers numbers(steps, input.dtype(), wide, every);
  const auto in = input.data<In>();
  const auto depth = static_cast<std::size_t>(input.shape().back());
  for (std::size_t at = 0; at < in.size(); at += depth)
    add_row<In>(in.subspan(at, depth), scaling, static_cast<int>(8 * size_of(output.dtype())), numbers, steps);
  auto all = steps.take();
  all.push_back(
      {"the result", output, wide ? std::vector{numbers.shifted} : std::vector{numbers.products, numbers.shift}});
  return all;
}

}  // namespace

std::vector<KernelStep> softmax_steps(const SoftmaxScaling& scaling, const Tensor& input, const Tensor& output,
                                      bool every) {
  return input.dtype() == DType::kINT8 ? steps_of<std::int8_t>(scaling, input, output, every)
                                       : steps_of<std::uint8_t>(scaling, input, output, every);
}

std::vector<std::byte> softmax_table(const SoftmaxScaling& scaling) {
  std::vector<std::byte> bytes;
  for (int difference = -255; difference <= 0; ++difference)
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(scaling.exponential(difference) >> (8 * i)));
  return bytes;
}

}  // namespace macaw::tflite
