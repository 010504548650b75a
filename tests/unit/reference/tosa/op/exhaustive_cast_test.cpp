#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/unit/reference/tosa/op/harness.hpp"

// Every row of CAST between floating-point types: all encodings of a type of 16 or fewer bits, and of FP32 all values
// at and beside the boundaries where rounding changes. The expected results come from sorted tables of all numbers of a
// type, decoded here.

namespace macaw::tosa {
namespace {

struct Layout {
  int exponent_bits, mantissa_bits;
  bool has_infinity;
};

Layout layout_of(DType dtype) {
  switch (dtype) {
    case DType::kFP32: return {8, 23, true};
    case DType::kFP16: return {5, 10, true};
    case DType::kBF16: return {8, 7, true};
    case DType::kFP8E4M3: return {4, 3, false};
    case DType::kFP8E5M2: return {5, 2, true};
    default: FAIL("not a type of CAST"); return {};
  }
}

double value_of(DType dtype, std::uint32_t bits) {
  const auto [exponents, mantissas, has_infinity] = layout_of(dtype);
  const auto top = (1u << exponents) - 1, full = (1u << mantissas) - 1;
  const auto exponent = bits >> mantissas & top, mantissa = bits & full;
  const double sign = bits >> (exponents + mantissas) & 1 ? -1 : 1;
  if (exponent == top && has_infinity) return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == top && mantissa == full) return std::nan("");
  const int bias = (1 << (exponents - 1)) - 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissas);
  return sign * std::ldexp(mantissa + full + 1, static_cast<int>(exponent) - bias - mantissas);
}

/// All numbers of a type from 0 up; the index of a number is its encoding.
std::vector<double> numbers_of(DType dtype) {
  std::vector<double> numbers;
  for (std::uint32_t bits = 0;; ++bits) {
    const auto value = value_of(dtype, bits);
    if (!std::isfinite(value)) return numbers;
    numbers.push_back(value);
  }
}

/// Result of rounding a number: the nearest of `numbers`, the even encoding of two; beyond the last one as if there
/// were another, which is infinity or NaN.
double rounded(double value, const std::vector<double>& numbers, bool has_infinity) {
  if (std::isnan(value)) return value;
  const double magnitude = std::fabs(value), sign = std::signbit(value) ? -1 : 1;
  const auto beyond = has_infinity ? INFINITY : std::nan("");
  const auto last = numbers.size() - 1;
  const double step = numbers[last] - numbers[last - 1];
  // One above the last would have an odd encoding if the last's is even.
  const double limit = numbers[last] + step / 2;
  if (magnitude > limit || (magnitude == limit && last % 2 != 0)) return sign * beyond;
  const auto above = std::ranges::lower_bound(numbers, magnitude);
  if (above == numbers.end()) return sign * numbers[last];
  if (above == numbers.begin() || *above == magnitude) return sign * *above;
  const auto below = above - 1;
  const double up = *above - magnitude, down = magnitude - *below;
  const bool even_below = (below - numbers.begin()) % 2 == 0;
  return sign * (down < up || (down == up && even_below) ? *below : *above);
}

bool same(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

double element(const Tensor& tensor, std::size_t i) {
  switch (size_of(tensor.dtype())) {
    case 1: return value_of(tensor.dtype(), tensor.data<std::uint8_t>()[i]);
    case 2: return value_of(tensor.dtype(), tensor.data<std::uint16_t>()[i]);
    default: return tensor.data<float>()[i];
  }
}

Tensor all_encodings(DType dtype) {
  const auto bits = info(dtype).bits;
  Tensor tensor(dtype, {std::int64_t{1} << bits});
  for (std::uint32_t i = 0; i < 1u << bits; ++i)
    if (bits == 8) tensor.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    else tensor.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
  return tensor;
}

/// FP32 at and beside every number of a type and every middle between two, of both signs, and the special ones.
Tensor boundaries_of(DType dtype) {
  std::vector<float> values{0.f, -0.f, INFINITY, -INFINITY, NAN, -NAN, 0x1p-149f, -0x1p-149f, 3.4e38f, -3.4e38f};
  auto numbers = numbers_of(dtype);
  numbers.push_back(2 * numbers.back() - numbers[numbers.size() - 2]);
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    for (const double at : {numbers[i], (numbers[i] + numbers[i + 1]) / 2}) {
      const auto exact = static_cast<float>(at);
      for (const float value : {exact, std::nextafter(exact, 0.f), std::nextafter(exact, INFINITY)}) {
        values.push_back(value);
        values.push_back(-value);
      }
    }
  return make<float>(DType::kFP32, {static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("CAST between floating-point types of every encoding and boundary") {
  int rows = 0;
  for (const auto& row : find_definition(Op::kCAST)->rows) {
    const auto from = row.types[0], to = row.types[1];
    const auto is_number = [](DType dtype) {
      return dtype == DType::kFP32 || dtype == DType::kFP16 || dtype == DType::kBF16 || dtype == DType::kFP8E4M3 ||
             dtype == DType::kFP8E5M2;
    };
    if (!is_number(from) || !is_number(to)) continue;
    ++rows;
    INFO(to_string(from) << " to " << to_string(to));
    const auto input = from == DType::kFP32 ? boundaries_of(to) : all_encodings(from);
    const auto output = run_operator(Op::kCAST, {input}, {to, input.shape()}).output;
    const auto numbers = to == DType::kFP32 ? std::vector<double>() : numbers_of(to);
    for (std::size_t i = 0; i < static_cast<std::size_t>(input.size()); ++i) {
      const auto value = element(input, i);
      const auto want = to == DType::kFP32 ? value : rounded(value, numbers, layout_of(to).has_infinity);
      if (!same(element(output, i), want)) FAIL_CHECK(value << " became " << element(output, i) << ", not " << want);
    }
  }
  CHECK(rows == 16);
}

TEST_CASE("CAST of int32 rounds once") {
  // At and beside every middle of two numbers of up to 25 significant bits, where one rounding could be two.
  std::vector<std::int32_t> values{0, -1, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max()};
  for (int top = 1; top < 31; ++top)
    for (int bit = 0; bit < top; ++bit)
      for (const std::int64_t beside : {-2, -1, 0, 1, 2})
        for (const std::int64_t sign : {-1, 1}) {
          const auto value = sign * ((std::int64_t{1} << top) + (std::int64_t{3} << bit) + beside);
          if (value == static_cast<std::int32_t>(value)) values.push_back(static_cast<std::int32_t>(value));
        }
  const auto count = std::ssize(values);
  for (const bool is_unsigned : {false, true})
    for (const auto to : {DType::kFP32, DType::kFP16, DType::kBF16}) {
      INFO(to_string(to) << (is_unsigned ? " from unsigned" : ""));
      const auto input = make<std::int32_t>(DType::kINT32, {count}, values);
      const auto output =
          run_operator(Op::kCAST, {input}, {to, {count}}, {{Attr::k_input_unsigned, std::int64_t{is_unsigned}}}).output;
      const auto numbers = to == DType::kFP32 ? std::vector<double>() : numbers_of(to);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = is_unsigned ? static_cast<double>(static_cast<std::uint32_t>(values[i])) : values[i];
        const double want = to == DType::kFP32 ? static_cast<float>(value) : rounded(value, numbers, true);
        if (!same(element(output, i), want)) FAIL_CHECK(value << " became " << element(output, i) << ", not " << want);
      }
    }
}

}  // namespace macaw::tosa
