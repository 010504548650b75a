#include <cmath>

#include "reference/tosa/arith/float_tensor.hpp"
#include "reference/tosa/kernels/window/fourier.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"

namespace macaw::tosa {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor floats(DType dtype, Shape shape, const std::vector<double>& values) {
  Tensor tensor(dtype, std::move(shape));
  REQUIRE(tensor.size() == static_cast<std::int64_t>(values.size()));
  store_floats<double>(values, tensor);
  return tensor;
}
Tensor floats(DType dtype, const std::vector<double>& values) {
  return floats(dtype, {static_cast<std::int64_t>(values.size())}, values);
}
Tensor zero(DType dtype) { return floats(dtype, {0}); }

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  load_floats<double>(tensor, values);
  return values;
}

/// Equal, NaN to NaN, zeros by sign.
void check_same(const Tensor& tensor, const std::vector<double>& expected) {
  const auto values = values_of(tensor);
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO("element " << i << ": " << values[i] << ", expected " << expected[i]);
    if (std::isnan(expected[i])) CHECK(std::isnan(values[i]));
    else CHECK((values[i] == expected[i] && std::signbit(values[i]) == std::signbit(expected[i])));
  }
}

Outcome unary(Op op, DType dtype, const std::vector<double>& in, Mode mode = Mode::kNormal) {
  return run_operator(op, {floats(dtype, in)}, {dtype, {static_cast<std::int64_t>(in.size())}}, {}, mode);
}

const Attributes kPropagate = {{Attr::k_nan_mode, std::int64_t{static_cast<int>(NanMode::kPropagate)}}};
const Attributes kIgnore = {{Attr::k_nan_mode, std::int64_t{static_cast<int>(NanMode::kIgnore)}}};
Attributes with_axis(Attributes attributes, std::int64_t axis) {
  attributes.emplace_back(Attr::k_axis, axis);
  return attributes;
}

}  // namespace

TEST_CASE("sums of narrow types are rounded once, to nearest even") {
  const auto add = [](DType dtype, double a, double b) {
    return values_of(run_operator(Op::kADD, {floats(dtype, {a}), floats(dtype, {b})}, {dtype, {1}}).output)[0];
  };
  CHECK(add(DType::kFP16, 2048, 1) == 2048);
  CHECK(add(DType::kFP16, 2048, 3) == 2052);
  CHECK(add(DType::kFP16, 65504, 15) == 65504);
  CHECK(add(DType::kFP16, 65504, 16) == kInf);
  CHECK(add(DType::kBF16, 256, 1) == 256);
  CHECK(add(DType::kBF16, 256, 3) == 260);
  CHECK(add(DType::kFP32, 16777216, 1) == 16777216);
  CHECK(std::isnan(add(DType::kFP32, kInf, -kInf)));
}

TEST_CASE("element-wise functions at their special values") {
  check_same(unary(Op::kCEIL, DType::kFP32, {-0.5, 1.25, -kInf}).output, {-0.0, 2, -kInf});
  check_same(unary(Op::kFLOOR, DType::kFP32, {-0.5, 1.25, kNan}).output, {-1, 1, kNan});
  check_same(unary(Op::kABS, DType::kFP16, {-0.0, -65504, kNan}).output, {0, 65504, kNan});
  check_same(unary(Op::kRECIPROCAL, DType::kFP32, {0.0, -0.0, 4, kInf}).output, {kInf, -kInf, 0.25, 0});
  check_same(unary(Op::kRSQRT, DType::kFP32, {4, 0, -1, kInf}).output, {0.5, kInf, kNan, 0});
  check_same(unary(Op::kEXP, DType::kFP32, {0, -kInf, 1000, kNan}).output, {1, 0, kInf, kNan});
  check_same(unary(Op::kLOG, DType::kFP32, {1, 0, -1, kInf}).output, {0, -kInf, kNan, kInf});
  check_same(unary(Op::kSIN, DType::kFP32, {0, -0.0, kInf}).output, {0, -0.0, kNan});
  check_same(unary(Op::kCOS, DType::kFP32, {0, kInf}).output, {1, kNan});
  check_same(unary(Op::kERF, DType::kFP32, {0, kInf, -kInf}).output, {0, 1, -1});
  check_same(unary(Op::kTANH, DType::kFP32, {-0.0, 100, -kInf}).output, {-0.0, 1, -1});
  check_same(unary(Op::kSIGMOID, DType::kFP32, {0, 1000, -kInf}).output, {0.5, 1, 0});
}

TEST_CASE("a precise run does not round, a bounds run gives what the compliance rule needs") {
  const double third = static_cast<float>(1.0 / 3);
  check_same(unary(Op::kEXP, DType::kFP32, {third}, Mode::kPrecise).output, {std::exp(third)});
  check_same(unary(Op::kEXP, DType::kFP32, {-2}, Mode::kBounds).output, {4});
  check_same(unary(Op::kLOG, DType::kFP32, {-2}, Mode::kBounds).output, {5});
  check_same(unary(Op::kCOS, DType::kFP32, {-2}, Mode::kBounds).output, {3});
  check_same(unary(Op::kTANH, DType::kFP32, {-2}, Mode::kBounds).output, {16});
  const auto sum = run_operator(Op::kREDUCE_SUM, {floats(DType::kFP32, {1, -2, 4})}, {DType::kFP32, {1}},
                                with_axis({}, 0), Mode::kBounds);
  check_same(sum.output, {7});
  const auto eighth =
      run_operator(Op::kCAST, {floats(DType::kFP32, {1.03125})}, {DType::kFP8E4M3, {1}}, {}, Mode::kPrecise);
  check_same(eighth.output, {1.03125});
}

TEST_CASE("POW requires a positive base, or zero with a positive exponent") {
  const auto pow = [](double a, double b) {
    return run_operator(Op::kPOW, {floats(DType::kFP32, {a}), floats(DType::kFP32, {b})}, {DType::kFP32, {1}});
  };
  check_same(pow(2, 10).output, {1024});
  CHECK(pow(0, 0.5).findings.empty());
  CHECK(pow(0, 0).findings.size() == 1);
  CHECK(pow(-1, 2).findings.size() == 1);
  CHECK(pow(1, kNan).findings.size() == 1);
  CHECK(pow(kInf, 1).findings.size() == 1);
}

TEST_CASE("nan_mode decides between a NaN and a number") {
  const auto pair = [](Op op, double a, double b, const Attributes& mode) {
    const auto outcome =
        run_operator(op, {floats(DType::kFP16, {a}), floats(DType::kFP16, {b})}, {DType::kFP16, {1}}, mode);
    return values_of(outcome.output)[0];
  };
  for (const auto op : {Op::kMAXIMUM, Op::kMINIMUM}) {
    CHECK(std::isnan(pair(op, kNan, 3, kPropagate)));
    CHECK(std::isnan(pair(op, 3, kNan, kPropagate)));
    CHECK(pair(op, kNan, 3, kIgnore) == 3);
    CHECK(pair(op, 3, kNan, kIgnore) == 3);
    CHECK(std::isnan(pair(op, kNan, kNan, kIgnore)));
  }
  const std::vector<double> values = {1, kNan, 5, kNan, -2};
  const auto reduce = [&](Op op, const Attributes& mode) {
    return values_of(
        run_operator(op, {floats(DType::kBF16, values)}, {DType::kBF16, {1}}, with_axis(mode, 0)).output)[0];
  };
  CHECK(std::isnan(reduce(Op::kREDUCE_MAX, kPropagate)));
  CHECK(reduce(Op::kREDUCE_MAX, kIgnore) == 5);
  CHECK(reduce(Op::kREDUCE_MIN, kIgnore) == -2);
  const auto largest = [&](const std::vector<double>& in, const Attributes& mode) {
    const auto outcome = run_operator(Op::kARGMAX, {floats(DType::kFP32, in)}, {DType::kINT32, {}}, with_axis(mode, 0));
    return outcome.output.data<std::int32_t>()[0];
  };
  CHECK(largest(values, kPropagate) == 1);
  CHECK(largest(values, kIgnore) == 2);
  CHECK(largest({kNan, kNan}, kIgnore) == 0);
  CHECK(largest({kNan, -kInf}, kIgnore) == 1);
  CHECK(largest({-kInf, 0, -0.0}, kPropagate) == 1);
}

TEST_CASE("CLAMP refuses bounds that are reversed or NaN") {
  const auto clamp = [](double low, double high, const Attributes& mode) {
    Attributes attributes = mode;
    for (const auto& [attribute, value] : {std::pair{Attr::k_min_val, low}, {Attr::k_max_val, high}}) {
      const auto bytes = floats(DType::kFP16, {value});
      attributes.emplace_back(attribute, std::vector<std::byte>(bytes.bytes().begin(), bytes.bytes().end()));
    }
    return run_operator(Op::kCLAMP, {floats(DType::kFP16, {-3, 0.5, kNan, kInf})}, {DType::kFP16, {4}}, attributes);
  };
  check_same(clamp(-1, 2, kPropagate).output, {-1, 0.5, kNan, 2});
  check_same(clamp(-1, 2, kIgnore).output, {-1, 0.5, -1, 2});
  CHECK(clamp(2, 1, kPropagate).broken.size() == 1);
  CHECK(clamp(kNan, 1, kPropagate).broken.size() == 1);
}

TEST_CASE("CAST rounds to nearest even and clips to integers") {
  const auto in = floats(DType::kFP32, {0.5, 1.5, -2.5, 127.5, -1000, kInf, kNan});
  const auto out = run_operator(Op::kCAST, {in}, {DType::kINT8, {7}}).output;
  const std::vector<int> expected = {0, 2, -2, 127, -128, 127, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(out.data<std::int8_t>()[i] == expected[i]);
  // 2^24 + 1 lies halfway for FP32; by way of FP32, 2^24 + 2^12 + 1 would end in another BF16 or FP16 number.
  const auto ints = make<std::int32_t>(DType::kINT32, {3}, {16777217, 16777219, 2049});
  check_same(run_operator(Op::kCAST, {ints}, {DType::kFP32, {3}}).output, {16777216, 16777220, 2049});
  check_same(run_operator(Op::kCAST, {ints}, {DType::kFP16, {3}}).output, {kInf, kInf, 2048});
  check_same(run_operator(Op::kCAST, {floats(DType::kFP16, {449, 464, 465, kInf})}, {DType::kFP8E4M3, {4}}).output,
             {448, 448, kNan, kNan});
}

TEST_CASE("what lies outside the input is not multiplied by infinite weights, but for the bound") {
  const Attributes attributes = {{Attr::k_pad, std::vector<std::int64_t>{0, 0, 1, 0}},
                                 {Attr::k_stride, std::vector<std::int64_t>{1, 1}},
                                 {Attr::k_dilation, std::vector<std::int64_t>{1, 1}},
                                 {Attr::k_acc_type, std::int64_t{static_cast<int>(DType::kFP32)}},
                                 {Attr::k_local_bound, std::int64_t{1}}};
  const auto input = floats(DType::kFP32, {1, 1, 2, 1}, {3, -4});
  for (const auto op : {Op::kCONV2D, Op::kDEPTHWISE_CONV2D}) {
    const auto weight = floats(DType::kFP32, op == Op::kCONV2D ? Shape{1, 1, 2, 1} : Shape{1, 2, 1, 1}, {kInf, 2});
    const auto run = [&](Mode mode) {
      return run_operator(op, {input, weight, floats(DType::kFP32, {1}), zero(DType::kFP32), zero(DType::kFP32)},
                          {DType::kFP32, {1, 1, 2, 1}}, attributes, mode)
          .output;
    };
    check_same(run(Mode::kNormal), {7, kInf});
    check_same(run(Mode::kPrecise), {7, kInf});
    check_same(run(Mode::kBounds), {kNan, kInf});
  }
}

TEST_CASE("the matrix product takes rows of A and columns of B") {
  const auto a = floats(DType::kFP8E5M2, {2, 1, 2}, {1, 2, 3, 4}), b = floats(DType::kFP8E5M2, {2, 2, 1}, {5, 6, 7, 8});
  const auto out =
      run_operator(Op::kMATMUL, {a, b, zero(DType::kFP8E5M2), zero(DType::kFP8E5M2)}, {DType::kFP16, {2, 1, 1}});
  check_same(out.output, {17, 53});
}

TEST_CASE("a product of block-scaled operands is that of values times scales, in every mode") {
  Random random(9);
  const auto blocks = [&](DType dtype, Shape shape) {
    Tensor tensor(dtype, std::move(shape));
    const auto values = static_cast<std::size_t>(tensor.size());
    for (auto& byte : tensor.bytes().first(values)) byte = static_cast<std::byte>(pick(random, 0, 0x37));
    for (auto& byte : tensor.bytes().subspan(values)) byte = static_cast<std::byte>(pick(random, 120, 134));
    return tensor;
  };
  const auto widened = [](const Tensor& tensor) { return floats(DType::kFP32, tensor.shape(), values_of(tensor)); };
  const std::vector<std::int64_t> ones(2, 1), pads(4, 1);
  for (const auto dtype : {DType::kBS32_FP8UE8M0_FP8E5M2, DType::kBS32_FP8UE8M0_FP6E3M2, DType::kBS32_FP8UE8M0_MXINT8})
    for (const auto mode : {Mode::kNormal, Mode::kPrecise, Mode::kBounds})
      for (const std::int64_t local : {0, 1}) {
        INFO(to_string(dtype) << " mode " << static_cast<int>(mode) << " local_bound " << local);
        const auto same = [&](Op op, Tensor a, Tensor b, std::vector<Tensor> rest, const Out& out,
                              Attributes attributes) {
          attributes.emplace_back(Attr::k_local_bound, local);
          attributes.emplace_back(Attr::k_acc_type, std::int64_t(DType::kFP32));
          const auto run = [&](std::vector<Tensor> operands) {
            operands.insert(operands.end(), rest.begin(), rest.end());
            const auto outcome = run_operator(op, std::move(operands), out, attributes, mode);
            REQUIRE(outcome.broken.empty());
            return outcome.output;
          };
          CHECK(run({a, b}) == run({widened(a), widened(b)}));
        };
        const auto zero_point = zero(DType::kFP32);
        same(Op::kCONV2D, blocks(dtype, {1, 4, 5, 64}), blocks(dtype, {7, 3, 3, 64}),
             {floats(DType::kFP32, {-3.5}), zero_point, zero_point}, {DType::kFP32, {1, 4, 5, 7}},
             {{Attr::k_pad, pads}, {Attr::k_stride, ones}, {Attr::k_dilation, ones}});
        same(Op::kMATMUL_T, blocks(dtype, {2, 5, 96}), blocks(dtype, {1, 9, 96}), {zero_point, zero_point},
             {DType::kFP32, {2, 5, 9}}, {});
      }
}

TEST_CASE("a Fourier transform in parts gives the bits of one at once") {
  constexpr std::int64_t kHeight = 512, kWidth = 256;  // more than is transformed at once
  constexpr std::size_t kSize = kHeight * kWidth;
  Random random(6);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> re(kSize), im(kSize), parts_re(kSize), parts_im(kSize), re_whole(kSize), im_whole(kSize);
  for (auto* part : {&re, &im})
    for (auto& value : *part) value = any(random);
  Fourier fourier{kHeight, kWidth, kWidth, false};
  fourier.transform(re.data(), im.data(), parts_re.data(), parts_im.data());
  fourier.images = 8;
  fourier.transform(re.data(), im.data(), re_whole.data(), im_whole.data());
  CHECK(parts_re == re_whole);
  CHECK(parts_im == im_whole);
}

TEST_CASE("the fast Fourier transform gives the sums of the specification") {
  Random random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const auto& [height, width] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 8}, {4, 1}, {8, 4}, {2, 16}})
    for (const bool inverse : {false, true}) {
      const auto size = static_cast<std::size_t>(height * width);
      std::vector<double> re(size), im(size), fast_re(size), fast_im(size), re_sum(size), im_sum(size);
      for (auto* part : {&re, &im})
        for (auto& value : *part) value = any(random);
      const Fourier fourier{height, width, width, inverse};
      fourier.transform(re.data(), im.data(), fast_re.data(), fast_im.data());
      fourier.direct(re.data(), im.data(), re_sum.data(), im_sum.data(), false);
      for (std::size_t i = 0; i < size; ++i) {
        CHECK(std::fabs(fast_re[i] - re_sum[i]) < 1e-12);
        CHECK(std::fabs(fast_im[i] - im_sum[i]) < 1e-12);
      }
    }
}

TEST_CASE("infinities and NaNs give in the fast Fourier transform what they give in the sums") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::int64_t kHeight = 4, kWidth = 8;
  constexpr std::size_t kSize = kHeight * kWidth;
  struct Odd {
    std::size_t place;
    double real, imag;
  };
  for (const std::vector<Odd>& odds : {std::vector<Odd>{{0, kInfinity, 1}},
                                       {{5, 1, -kInfinity}},
                                       {{31, kNan, 0}},
                                       {{3, kInfinity, kInfinity}},
                                       {{1, kInfinity, 0}, {2, -kInfinity, 0}},
                                       {{8, kInfinity, 1}, {16, kInfinity, 2}, {24, 0, kInfinity}}})
    for (const bool inverse : {false, true})
      for (const bool has_imag : {false, true}) {
        std::vector<double> re(kSize, 0.5), im(kSize, -0.25), fast_re(kSize), fast_im(kSize), re_sum(kSize),
            im_sum(kSize);
        for (const auto& [place, real, imag] : odds) {
          re[place] = real;
          im[place] = imag;
        }
        const Fourier fourier{kHeight, kWidth, kWidth, inverse};
        const auto* imag = has_imag ? im.data() : nullptr;
        fourier.transform(re.data(), imag, fast_re.data(), fast_im.data());
        fourier.direct(re.data(), imag, re_sum.data(), im_sum.data(), false);
        const auto same = [](double a, double b) { return a == b || (a != a && b != b) || std::fabs(a - b) < 1e-12; };
        for (std::size_t i = 0; i < kSize; ++i) {
          INFO(i << ": " << fast_re[i] << " " << re_sum[i] << ", " << fast_im[i] << " " << im_sum[i]);
          CHECK((same(fast_re[i], re_sum[i]) && same(fast_im[i], im_sum[i])));
        }
      }
}

}  // namespace macaw::tosa
