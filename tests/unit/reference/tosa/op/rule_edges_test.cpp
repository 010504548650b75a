#include <algorithm>
#include <cmath>

#include "reference/tosa/arith/float_tensor.hpp"
#include "reference/tosa/op/tensor/window.hpp"
#include "tests/unit/reference/tosa/op/alike.hpp"

// Rules at the last number that they allow and at the next, and the plain kernels where they differ most from fast
// ones.

namespace macaw::tosa {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The rules that a RESIZE of one pixel breaks.
std::vector<std::string> broken_of_resize(const Numbers& scale, const Numbers& offset, const Numbers& border,
                                          std::int64_t height, std::int64_t width) {
  const std::vector<Tensor> inputs{make<std::int8_t>(DType::kINT8, {1, 1, 1, 1}, {1}), make(DType::kSHAPE, {4}, scale),
                                   make(DType::kSHAPE, {2}, offset), make(DType::kSHAPE, {2}, border)};
  return run_operator(Op::kRESIZE, inputs, {DType::kINT8, {1, height, width, 1}},
                      {{Attr::k_mode, static_cast<std::int64_t>(ResizeMode::kNearestNeighbor)}})
      .broken;
}

/// Varies scale, offset and border of one axis; the other axis is unchanged.
std::vector<std::string> broken_along(std::size_t axis, std::int64_t n, std::int64_t d, std::int64_t offset,
                                      std::int64_t border) {
  Numbers scale{1, 1, 1, 1}, offsets{0, 0}, borders{0, 0}, extents{1, 1};
  scale[2 * axis] = n;
  scale[2 * axis + 1] = d;
  offsets[axis] = offset;
  borders[axis] = border;
  if (d > 0) extents[axis] = (border - offset) / d + 1;
  return broken_of_resize(scale, offsets, borders, extents[0], extents[1]);
}

TEST_CASE("RESIZE: scales, offsets and borders reach to the ends of their ranges, along either axis") {
  for (const std::size_t axis : {0u, 1u}) {
    INFO("axis " << axis);
    const auto says = [](const std::vector<std::string>& broken, const char* words) {
      INFO(words);
      CHECK(std::ranges::any_of(broken, [&](const auto& text) { return text.find(words) != text.npos; }));
    };
    CHECK(broken_along(axis, 256, 1, 0, 0).empty());
    says(broken_along(axis, 257, 1, 0, 0), "MAX_SCALE");
    CHECK(broken_along(axis, 2048, 8, 0, 0).empty());
    CHECK(broken_along(axis, 513, 2, 0, 0).empty());  // the quotient is rounded down
    says(broken_along(axis, 514, 2, 0, 0), "MAX_SCALE");
    says(broken_along(axis, 2049, 9, 0, 0), "2048");
    CHECK(broken_along(axis, 1, 15, 0, 0).empty());
    says(broken_along(axis, 1, 16, 0, 0), "16 times");
    CHECK(broken_along(axis, 8, 1, -8, 0).empty());
    says(broken_along(axis, 8, 1, -9, 0), "offset");
    CHECK(broken_along(axis, 8, 1, 0, 7).empty());
    says(broken_along(axis, 8, 1, 0, 8), "border");
  }
}

TEST_CASE("a window goes its steps without a remainder, or does not fit") {
  for (std::int64_t in = 1; in < 8; ++in)
    for (std::int64_t pads = 0; pads < 4; ++pads)
      for (std::int64_t reach = 1; reach < 12; ++reach)
        for (std::int64_t stride = -1; stride < 4; ++stride) {
          std::int64_t positions = 0, last = 0;
          for (std::int64_t at = 0; stride > 0 && at + reach <= in + pads; at += stride, ++positions) last = at + reach;
          const bool whole = positions > 0 && last == in + pads;
          INFO(in << " + " << pads << ", window " << reach << ", stride " << stride);
          CHECK(window_output(in, pads, reach, stride) == (whole ? positions : -1));
        }
}

TEST_CASE("a zero point that is a negative zero is zero, and the least number is none") {
  for (const auto dtype : {DType::kFP8E4M3, DType::kFP8E5M2, DType::kFP16, DType::kBF16, DType::kFP32}) {
    const auto width = size_of(dtype);
    const auto zero_point = [&](std::size_t byte, int bits) {
      Tensor tensor(dtype, {1});
      tensor.bytes()[byte] = static_cast<std::byte>(bits);
      return tensor;
    };
    const auto broken = [&](const Tensor& a, const Tensor& b) {
      return run_operator(Op::kMATMUL, {Tensor(dtype, {1, 1, 1}), Tensor(dtype, {1, 1, 1}), a, b},
                          {width == 1              ? DType::kFP16
                           : dtype == DType::kBF16 ? DType::kFP32
                                                   : dtype,
                           {1, 1, 1}})
          .broken.size();
    };
    INFO(to_string(dtype));
    const auto zero = zero_point(0, 0), negative = zero_point(width - 1, 0x80);
    CHECK(broken(zero, negative) == 0);
    CHECK(broken(negative, zero) == 0);
    for (std::size_t byte = 0; byte < width; ++byte) CHECK(broken(zero, zero_point(byte, 1)) == 1);
    if (width > 1) CHECK(broken(zero_point(0, 0x80), zero) == 1);
  }
}

TEST_CASE("plain kernels give what the fast ones do, of ties, NaN, the sign of integers, padding and few channels") {
  Random random(5);
  const Attributes axis{{Attr::k_axis, std::int64_t{1}}, {Attr::k_nan_mode, std::int64_t{1}}};
  check_alike({Op::kARGMAX,
               {random_tensor<std::int8_t>(random, DType::kINT8, {5, 9, 40}, 0, 2)},
               {DType::kINT32, {5, 40}},
               axis});
  Tensor floats(DType::kFP32, {6});
  store_floats<double>(std::vector<double>{NAN, 0.5, -1.5, 300, -300, INFINITY}, floats);
  for (const auto out : {DType::kINT8, DType::kINT16, DType::kINT32}) check_alike({Op::kCAST, {floats}, {out, {6}}});
  for (const std::int64_t is_unsigned : {0, 1})
    for (const auto out : {DType::kFP32, DType::kFP16, DType::kBF16})
      check_alike({Op::kCAST, {random_int8(random, {300})}, {out, {300}}, {{Attr::k_input_unsigned, is_unsigned}}});
  const auto none = make<std::int8_t>(DType::kINT8, {1}, {0});
  check_alike({Op::kAVG_POOL2D,
               {random_int8(random, {1, 3, 3, 5}), none, none},
               {DType::kINT8, {1, 4, 4, 5}},
               {{Attr::k_kernel, Numbers{3, 3}},
                {Attr::k_stride, Numbers{1, 1}},
                {Attr::k_pad, Numbers{2, 1, 1, 2}},
                {Attr::k_acc_type, static_cast<std::int64_t>(DType::kINT32)}}});
  for (const std::int64_t channels : {1, 2, 3, 5})
    for (const std::int64_t biases : {std::int64_t{1}, channels})
      check_alike({Op::kCONV3D,
                   {random_int8(random, {1, 2, 3, 4, 2}), random_int8(random, {channels, 2, 2, 2, 2}),
                    random_tensor<std::int32_t>(random, DType::kINT32, {biases}, -1000, 1000), none, none},
                   {DType::kINT32, {1, 2, 3, 6, channels}},
                   {{Attr::k_pad, Numbers{1, 0, 0, 1, 2, 1}},
                    {Attr::k_stride, Numbers(3, 1)},
                    {Attr::k_dilation, Numbers(3, 1)},
                    {Attr::k_acc_type, static_cast<std::int64_t>(DType::kINT32)}}});
}

TEST_CASE(
    "INEXACT_ROUND allows half, three roundings of the product and one of the sum with the zero point, each way") {
  const auto limits = [](std::int32_t value, std::int32_t multiplier, int shift, int zero_point, Mode mode) {
    const auto zero = make<std::int32_t>(DType::kINT32, {1}, {0});
    const auto outcome = run_operator(
        Op::kRESCALE,
        {make<std::int32_t>(DType::kINT32, {1}, {value}), make<std::int32_t>(DType::kINT32, {1}, {multiplier}),
         make<std::int8_t>(DType::kINT8, {1}, {static_cast<std::int8_t>(shift)}), zero,
         make<std::int8_t>(DType::kINT8, {1}, {static_cast<std::int8_t>(zero_point)})},
        {DType::kINT8, {1}},
        {{Attr::k_scale32, std::int64_t{1}},
         {Attr::k_rounding_mode, static_cast<std::int64_t>(RoundingMode::kInexactRound)},
         {Attr::k_per_channel, std::int64_t{0}},
         {Attr::k_input_unsigned, std::int64_t{0}},
         {Attr::k_output_unsigned, std::int64_t{0}}},
        mode);
    REQUIRE(outcome.broken.empty());
    return int{outcome.output.data<std::int8_t>()[0]};
  };
  // Values of v / 4 that are within reach of the next half: an error of 1/8 is far more than the roundings have.
  for (int value = -200; value <= 200; ++value)
    for (const int zero_point : {-3, 0, 5}) {
      INFO(value << " / 4 + " << zero_point);
      CHECK(limits(value, 1 << 20, 22, zero_point, Mode::kPrecise) ==
            static_cast<int>(std::ceil(value / 4. - 0.5 - 1e-4)) + zero_point);
      CHECK(limits(value, 1 << 20, 22, zero_point, Mode::kBounds) ==
            static_cast<int>(std::floor(value / 4. + 0.5 + 1e-4)) + zero_point);
    }
  // 100 + 1/2 less a small part s: of the sum's magnitude 2^-24 is 6 * 10^-6, of three products' 18 * 10^-6.
  for (const int part : {300, 350, 370, 400, 420, 450, 600}) {  // of 2^24
    const auto value = static_cast<std::int32_t>((100u << 24) + (1u << 23) - static_cast<unsigned>(part));
    const double scaled = 100.5 - std::ldexp(part, -24), error = 0.5 + std::ldexp(3 * scaled + scaled, -24);
    INFO(part << " of 2^24 below a half");
    CHECK(limits(value, 1 << 30, 54, 0, Mode::kBounds) == static_cast<int>(std::floor(scaled + error)));
    CHECK(limits(value, 1 << 30, 54, 0, Mode::kPrecise) == static_cast<int>(std::ceil(scaled - error)));
  }
}

}  // namespace
}  // namespace macaw::tosa
