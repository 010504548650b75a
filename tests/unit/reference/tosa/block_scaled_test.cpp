#include <catch2/catch.hpp>

#include <cmath>
#include <optional>
#include <random>

#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "tests/unit/reference/tosa/out.hpp"

// The operators on blocks with scales against loops written from the specification's pseudo-code.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

using Random = std::mt19937_64;
using Attributes = std::vector<std::pair<Attr, AttributeValue>>;

constexpr DType kValueTypes[] = {DType::kFP4E2M1, DType::kFP6E2M3, DType::kFP6E3M2,
                                 DType::kFP8E4M3, DType::kFP8E5M2, DType::kMXINT8};

/// One operator; SHAPE tensors and int32 of one element are constants, the rest inputs.
RunResult apply(Op kind, const std::vector<Tensor>& operands, const std::vector<Out>& outs,
                const Attributes& attributes, const Options& options = {}) {
  GraphBuilder b;
  std::vector<ValueId> ids, results;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto name = "in" + std::to_string(i);
    const bool fixed =
        operands[i].dtype() == DType::kSHAPE || (operands[i].dtype() == DType::kINT32 && operands[i].size() == 1);
    if (!fixed) inputs.push_back(operands[i]);
    ids.push_back(fixed ? b.constant(name, operands[i]) : b.input(name, operands[i].dtype(), operands[i].shape()));
  }
  for (std::size_t i = 0; i < outs.size(); ++i) {
    results.push_back(b.value("out" + std::to_string(i), outs[i].dtype, outs[i].shape));
    b.output(results.back());
  }
  b.add(kind, ids, results).attributes = attributes;
  auto result = run(b.graph(kVersion1_1), inputs, options);
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  return std::move(*result);
}

std::vector<Tensor> valid(RunResult result) {
  INFO((result.verdict.first() ? result.verdict.first()->to_string() : std::string()));
  REQUIRE(result.verdict.status() == Status::kValid);
  return std::move(result.outputs);
}

std::string broken(const RunResult& result) {
  REQUIRE(result.verdict.first());
  return result.verdict.first()->rule;
}

Attributes block(std::int64_t size) { return {{Attr::k_block_size, size}}; }

/// Elements of a format of `exponent` and `mantissa` bits, written down independently of reference/tosa/arith.
double value_of(DType type, unsigned bits) {
  const auto number = [&](int exponents, int mantissas, bool ieee, bool has_nan) {
    const int exponent = static_cast<int>(bits >> mantissas) & ((1 << exponents) - 1);
    const int mantissa = static_cast<int>(bits) & ((1 << mantissas) - 1);
    const double sign = (bits >> (exponents + mantissas)) & 1 ? -1 : 1;
    const int bias = (1 << (exponents - 1)) - 1;
    const bool top = exponent == (1 << exponents) - 1;
    if (ieee && top) return mantissa ? std::nan("") : sign * INFINITY;
    if (has_nan && top && mantissa == (1 << mantissas) - 1) return std::nan("");
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissas);
    return sign * std::ldexp(mantissa + (1 << mantissas), exponent - bias - mantissas);
  };
  switch (type) {
    case DType::kFP4E2M1: return number(2, 1, false, false);
    case DType::kFP6E2M3: return number(2, 3, false, false);
    case DType::kFP6E3M2: return number(3, 2, false, false);
    case DType::kFP8E4M3: return number(4, 3, false, true);
    case DType::kFP8E5M2: return number(5, 2, true, false);
    case DType::kFP8UE8M0: return bits == 255 ? std::nan("") : std::ldexp(1, static_cast<int>(bits) - 127);
    case DType::kMXINT8: return static_cast<std::int8_t>(bits) / 64.0;
    case DType::kBF16: return number(8, 7, true, false);
    default: FAIL("no format"); return 0;
  }
}

double element(const Tensor& tensor, std::size_t i) {
  if (tensor.dtype() == DType::kFP32) return tensor.data<float>()[i];
  if (tensor.dtype() == DType::kFP64) return tensor.data<double>()[i];
  if (tensor.dtype() == DType::kBF16) return value_of(tensor.dtype(), tensor.data<std::uint16_t>()[i]);
  return value_of(tensor.dtype(), std::to_integer<unsigned>(tensor.bytes()[i]));
}

Tensor random_values(Random& random, DType type, Shape shape, bool special = false) {
  Tensor tensor(type, std::move(shape));
  std::uniform_int_distribution<unsigned> any(0, (1u << info(type).bits) - 1);
  for (auto& byte : tensor.bytes()) {
    byte = std::byte(any(random));
    while (!special && !std::isfinite(value_of(type, std::to_integer<unsigned>(byte)))) byte = std::byte(any(random));
  }
  return tensor;
}
Tensor random_scales(Random& random, Shape shape, unsigned low = 117, unsigned high = 137) {
  Tensor tensor(DType::kFP8UE8M0, std::move(shape));
  std::uniform_int_distribution<unsigned> any(low, high);
  for (auto& byte : tensor.bytes()) byte = std::byte(any(random));
  return tensor;
}
Tensor random_floats(Random& random, Shape shape) {
  Tensor tensor(DType::kFP32, std::move(shape));
  std::normal_distribution<float> any(0, 1);
  std::uniform_int_distribution<int> exponent(-20, 20);
  for (auto& value : tensor.data<float>()) value = std::ldexp(any(random), exponent(random));
  return tensor;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check_equal(const Tensor& got, const std::vector<float>& expected) {
  REQUIRE(got.size() == static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!same(element(got, i), expected[i])) FAIL_CHECK(i << ": " << element(got, i) << " is not " << expected[i]);
}

}  // namespace

TEST_CASE("CAST_FROM_BLOCK_SCALED multiplies every encoding by every scale") {
  for (const auto type : kValueTypes) {
    INFO(to_string(type));
    const std::int64_t count = 1 << info(type).bits, blocks = std::max<std::int64_t>(count / 32, 1);
    Tensor values(type, {256, blocks * 32}), scales(DType::kFP8UE8M0, {256, blocks});
    for (std::int64_t row = 0; row < 256; ++row) {
      for (std::int64_t i = 0; i < blocks * 32; ++i)
        values.bytes()[static_cast<std::size_t>(row * blocks * 32 + i)] = std::byte(i % count);
      for (std::int64_t i = 0; i < blocks; ++i)
        scales.bytes()[static_cast<std::size_t>(row * blocks + i)] = std::byte(row);
    }
    const auto out =
        valid(apply(Op::kCAST_FROM_BLOCK_SCALED, {values, scales}, {{DType::kFP32, values.shape()}}, block(32)));
    std::vector<float> expected;
    for (std::size_t i = 0; i < static_cast<std::size_t>(values.size()); ++i)
      expected.push_back(static_cast<float>(element(values, i)) * static_cast<float>(element(scales, i / 32)));
    check_equal(out[0], expected);
    Options precise;
    precise.precise = true;
    const auto reference = valid(
        apply(Op::kCAST_FROM_BLOCK_SCALED, {values, scales}, {{DType::kBF16, values.shape()}}, block(32), precise));
    REQUIRE(reference[0].dtype() == DType::kFP64);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!same(element(reference[0], i), element(values, i) * element(scales, i / 32))) FAIL_CHECK("precise " << i);
  }
}

TEST_CASE("CAST_TO_BLOCK_SCALED chooses the least scale that does not overflow") {
  Random random(11);
  for (const auto type : kValueTypes)
    for (int repeat = 0; repeat < 40; ++repeat) {
      INFO(to_string(type) << " " << repeat);
      auto input = random_floats(random, {3, 64});
      if (repeat % 4 == 0) {  // maxima just at and around the limit between two scales
        const float limit = type == DType::kFP4E2M1   ? 7.f
                            : type == DType::kFP6E2M3 ? 7.75f
                            : type == DType::kFP6E3M2 ? 30.f
                            : type == DType::kFP8E4M3 ? 464.f
                            : type == DType::kFP8E5M2 ? 61440.f
                                                      : 1.9921875f;
        for (auto& value : input.data<float>()) value = std::fmod(value, limit / 2);
        const float edges[] = {limit, std::nextafter(limit, 0.f), -std::nextafter(limit, 1e30f), limit / 1024, 0};
        for (std::size_t i = 0; i < 5; ++i) input.data<float>()[i * 32 + i] = edges[i];
      }
      const auto out =
          valid(apply(Op::kCAST_TO_BLOCK_SCALED, {input}, {{type, {3, 64}}, {DType::kFP8UE8M0, {3, 2}}}, block(32)));
      for (std::size_t b = 0; b < 6; ++b) {
        long double greatest = 0;
        for (std::size_t i = b * 32; i < b * 32 + 32; ++i) greatest = std::fmax(greatest, std::fabs(element(input, i)));
        // Every scale is tried: the right one is the least by which the greatest value stays in range when rounded.
        double largest = 0, step = 0;
        for (unsigned bits = 0; bits < 1u << (info(type).bits - 1); ++bits)
          if (const auto v = value_of(type, bits); std::isfinite(v) && v > largest) step = v - largest, largest = v;
        int expected = -127;
        const long double limit = largest + 0.5L * step;
        while (expected < 127 && !(type == DType::kFP8E4M3 ? greatest / std::ldexp(1.0L, expected) <= limit
                                                           : greatest / std::ldexp(1.0L, expected) < limit))
          ++expected;
        if (greatest == 0) expected = -127;
        CHECK(element(out[1], b) == std::ldexp(1.0, expected));
        for (std::size_t i = b * 32; i < b * 32 + 32; ++i) {
          const double wanted = element(input, i) / std::ldexp(1.0, expected), got = element(out[0], i);
          // The nearest of all encodings.
          double best = INFINITY;
          for (unsigned bits = 0; bits < 1u << info(type).bits; ++bits)
            if (const auto v = value_of(type, bits); std::isfinite(v)) best = std::fmin(best, std::fabs(v - wanted));
          if (std::fabs(got - wanted) != best) FAIL_CHECK(wanted << " became " << got);
        }
      }
    }
}

TEST_CASE("CAST_TO_BLOCK_SCALED of NaN and infinity has a NaN for scale") {
  for (const float special : {NAN, INFINITY, -INFINITY}) {
    Tensor input(DType::kFP32, {64});
    input.data<float>()[40] = special;
    const auto out =
        valid(apply(Op::kCAST_TO_BLOCK_SCALED, {input}, {{DType::kFP8E5M2, {64}}, {DType::kFP8UE8M0, {2}}}, block(32)));
    CHECK(element(out[1], 0) == 0x1p-127);
    CHECK(std::isnan(element(out[1], 1)));
    CHECK(std::isnan(element(out[0], 40)));
    CHECK(element(out[0], 0) == 0);
  }
}

TEST_CASE("MATMUL_T_BLOCK_SCALED sums block by block") {
  Random random(5);
  for (const auto type : kValueTypes)
    for (const std::int64_t d : {1, 2}) {
      INFO(to_string(type) << " " << d);
      const std::int64_t n = 2, h = 3, w = 5, c = 96;
      const auto a = random_values(random, type, {n, h, c}), b = random_values(random, type, {d, w, c});
      const auto sa = random_scales(random, {n, h, c / 32}), sb = random_scales(random, {d, w, c / 32});
      const auto out = valid(apply(Op::kMATMUL_T_BLOCK_SCALED, {a, sa, b, sb}, {{DType::kFP32, {n, h, w}}}, block(32)));
      std::vector<float> expected;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t y = 0; y < h; ++y)
          for (std::int64_t x = 0; x < w; ++x) {
            float acc = 0;
            const auto row = static_cast<std::size_t>(i * h + y),
                       column = static_cast<std::size_t>((d == 1 ? 0 : i) * w + x);
            for (std::size_t k = 0; k < 3; ++k) {
              float sum = 0;
              for (std::size_t j = 0; j < 32; ++j)
                sum += static_cast<float>(element(a, row * 96 + k * 32 + j)) *
                       static_cast<float>(element(b, column * 96 + k * 32 + j));
              acc += sum * static_cast<float>(element(sa, row * 3 + k) * element(sb, column * 3 + k));
            }
            expected.push_back(acc);
          }
      check_equal(out[0], expected);
    }
}

TEST_CASE("CONV2D_BLOCK_SCALED sums tap by tap and block by block") {
  Random random(6);
  for (const auto type : {DType::kFP4E2M1, DType::kFP6E2M3, DType::kFP6E3M2, DType::kFP8E4M3, DType::kFP8E5M2})
    for (const bool all_weights : {false, true}) {
      INFO(to_string(type) << " " << all_weights);
      const std::int64_t n = 2, ih = 5, iw = 6, ic = 64, oc = 3, kh = 3, kw = 2, oh = 3, ow = 4;
      const auto in = random_values(random, type, {n, ih, iw, ic}),
                 weight = random_values(random, type, {oc, kh, kw, ic}, all_weights);
      const auto in_scale = random_scales(random, {n, ih, iw, 2}),
                 weight_scale = random_scales(random, {oc, kh, kw, 2}, 117, all_weights ? 255 : 137);
      const auto bias = random_floats(random, {oc});
      const auto out = valid(apply(Op::kCONV2D_BLOCK_SCALED,
                                   {in, in_scale, weight, weight_scale, bias, shape_tensor({1, 1, 1, 0}),
                                    shape_tensor({2, 1}), shape_tensor({1, 3})},
                                   {{DType::kFP32, {n, oh, ow, oc}}}, block(32)));
      std::vector<float> expected;
      for (std::int64_t b = 0; b < n; ++b)
        for (std::int64_t oy = 0; oy < oh; ++oy)
          for (std::int64_t ox = 0; ox < ow; ++ox)
            for (std::int64_t o = 0; o < oc; ++o) {
              float acc = 0;
              for (std::int64_t ky = 0; ky < kh; ++ky)
                for (std::int64_t kx = 0; kx < kw; ++kx) {
                  const auto y = oy * 2 - 1 + ky, x = ox - 1 + kx * 3;
                  const bool inside = y >= 0 && y < ih && x >= 0 && x < iw;
                  const auto from = static_cast<std::size_t>(inside ? (b * ih + y) * iw + x : 0),
                             tap = static_cast<std::size_t>((o * kh + ky) * kw + kx);
                  for (std::size_t k = 0; k < 2; ++k) {
                    float sum = 0;
                    const auto scale_in = inside ? static_cast<float>(element(in_scale, from * 2 + k)) : 1.f;
                    for (std::size_t j = 0; inside && j < 32; ++j)
                      sum += static_cast<float>(element(in, from * 64 + k * 32 + j)) *
                             static_cast<float>(element(weight, tap * 64 + k * 32 + j));
                    acc += sum * (scale_in * static_cast<float>(element(weight_scale, tap * 2 + k)));
                  }
                }
              expected.push_back(acc + static_cast<float>(element(bias, static_cast<std::size_t>(o))));
            }
      check_equal(out[0], expected);
    }
}

TEST_CASE("RESHAPE_BLOCK_SCALED moves values and scales") {
  Random random(7);
  const auto values = random_values(random, DType::kFP6E3M2, {2, 3, 64}, true);
  const auto scales = random_scales(random, {2, 3, 2}, 0, 255);
  const auto out = valid(apply(Op::kRESHAPE_BLOCK_SCALED, {values, scales, shape_tensor({4, 96})},
                               {{DType::kFP6E3M2, {4, 96}}, {DType::kFP8UE8M0, {4, 3}}}, block(32)));
  CHECK(std::ranges::equal(out[0].bytes(), values.bytes()));
  CHECK(std::ranges::equal(out[1].bytes(), scales.bytes()));
  const auto plain = tensor<std::int16_t>(DType::kINT16, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto turned =
      valid(apply(Op::kRESHAPE_BLOCK_SCALED, {plain, shape_tensor({3, 2})}, {{DType::kINT16, {3, 2}}}, block(1)));
  CHECK(turned[0] == tensor<std::int16_t>(DType::kINT16, {3, 2}, {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("ROW_GATHER_BLOCK_SCALED moves rows of values and scales") {
  Random random(8);
  const std::int64_t n = 2, k = 5, c = 64, w = 3, count = 2;
  const auto values = random_values(random, DType::kMXINT8, {n, k, c});
  const auto scales = random_scales(random, {n, k, 2});
  const auto indices = tensor<std::int64_t>(DType::kINT64, {n, w}, {3, 0, 1, 2, 2, 3});
  const auto out = valid(
      apply(Op::kROW_GATHER_BLOCK_SCALED, {values, scales, indices, tensor<std::int32_t>(DType::kINT32, {1}, {2})},
            {{DType::kMXINT8, {n, w * count, c}}, {DType::kFP8UE8M0, {n, w * count, 2}}}, block(32)));
  for (std::int64_t b = 0; b < n; ++b)
    for (std::int64_t i = 0; i < w; ++i)
      for (std::int64_t r = 0; r < count; ++r) {
        const auto from =
            static_cast<std::size_t>(b * k + indices.data<std::int64_t>()[static_cast<std::size_t>(b * w + i)] + r);
        const auto to = static_cast<std::size_t>((b * w + i) * count + r);
        CHECK(std::equal(values.bytes().begin() + static_cast<std::ptrdiff_t>(from * 64),
                         values.bytes().begin() + static_cast<std::ptrdiff_t>(from * 64 + 64),
                         out[0].bytes().begin() + static_cast<std::ptrdiff_t>(to * 64)));
        CHECK(std::equal(scales.bytes().begin() + static_cast<std::ptrdiff_t>(from * 2),
                         scales.bytes().begin() + static_cast<std::ptrdiff_t>(from * 2 + 2),
                         out[1].bytes().begin() + static_cast<std::ptrdiff_t>(to * 2)));
      }
  const auto outside = tensor<std::int64_t>(DType::kINT64, {n, w}, {3, 0, 1, 2, 2, 4});
  const auto result =
      apply(Op::kROW_GATHER_BLOCK_SCALED, {values, scales, outside, tensor<std::int32_t>(DType::kINT32, {1}, {2})},
            {{DType::kMXINT8, {n, w * count, c}}, {DType::kFP8UE8M0, {n, w * count, 2}}}, block(32));
  CHECK(result.verdict.status() == Status::kUnpredictable);
  CHECK(result.verdict.first()->argument == "indices");
  CHECK(result.verdict.first()->rule == "ROW_GATHER_BLOCK_SCALED.6");
}

TEST_CASE("Rules of the operators on blocks with scales") {
  const Tensor values(DType::kFP4E2M1, {2, 64}), scales(DType::kFP8UE8M0, {2, 2}), floats(DType::kFP32, {2, 64});
  const auto from = [&](const Tensor& v, const Tensor& s, std::int64_t size) {
    return broken(apply(Op::kCAST_FROM_BLOCK_SCALED, {v, s}, {{DType::kFP32, v.shape()}}, block(size)));
  };
  CHECK(from(Tensor(DType::kFP4E2M1, {2, 48}), scales, 32) == "CAST_FROM_BLOCK_SCALED.1");
  CHECK(from(values, scales, 0) == "CAST_FROM_BLOCK_SCALED.1");
  CHECK(from(values, scales, 16) == "CAST_FROM_BLOCK_SCALED.1");
  CHECK(from(values, Tensor(DType::kFP8UE8M0, {2}), 32) == "CAST_FROM_BLOCK_SCALED.2");
  CHECK(from(values, Tensor(DType::kFP8UE8M0, {2, 64}), 1) == "CAST_FROM_BLOCK_SCALED.3");
  CHECK(from(values, Tensor(DType::kFP8UE8M0, {3, 2}), 32) == "CAST_FROM_BLOCK_SCALED.4");
  CHECK(from(values, Tensor(DType::kFP8UE8M0, {2, 3}), 32) == "CAST_FROM_BLOCK_SCALED.5");

  const auto to = [&](const Tensor& v, Shape s, std::int64_t size) {
    return broken(apply(Op::kCAST_TO_BLOCK_SCALED, {v},
                        {{DType::kFP4E2M1, v.shape()}, {DType::kFP8UE8M0, std::move(s)}}, block(size)));
  };
  CHECK(to(Tensor(DType::kFP32, {2, 40}), {2, 1}, 32) == "CAST_TO_BLOCK_SCALED.1");
  CHECK(to(floats, {2, 64}, 1) == "CAST_TO_BLOCK_SCALED.2");
  CHECK(to(floats, {2, 3}, 32) == "CAST_TO_BLOCK_SCALED.3");

  const auto matmul = [&](std::int64_t c, std::int64_t d, Shape a_scale, Shape b_scale, std::int64_t size) {
    return broken(apply(Op::kMATMUL_T_BLOCK_SCALED,
                        {Tensor(DType::kMXINT8, {3, 1, c}), Tensor(DType::kFP8UE8M0, std::move(a_scale)),
                         Tensor(DType::kMXINT8, {d, 1, c}), Tensor(DType::kFP8UE8M0, std::move(b_scale))},
                        {{DType::kFP32, {3, 1, 1}}}, block(size)));
  };
  CHECK(matmul(33, 1, {3, 1, 1}, {1, 1, 1}, 32) == "MATMUL_T_BLOCK_SCALED.1");
  CHECK(matmul(32, 1, {3, 1, 32}, {1, 1, 32}, 1) == "MATMUL_T_BLOCK_SCALED.2");
  CHECK(matmul(32, 2, {3, 1, 1}, {2, 1, 1}, 32) == "MATMUL_T_BLOCK_SCALED.3");
  CHECK(matmul(32, 1, {3, 1, 2}, {1, 1, 1}, 32) == "MATMUL_T_BLOCK_SCALED.4");
  CHECK(matmul(32, 1, {3, 1, 1}, {1, 1, 2}, 32) == "MATMUL_T_BLOCK_SCALED.5");

  struct Conv {
    std::int64_t channels = 32, bias = 1, size = 32, scale = 1, weight_scale = 1;
    std::vector<std::int64_t> pad{0, 0, 0, 0}, stride{1, 1}, dilation{1, 1}, out{4, 4};
  };
  const auto conv = [](const Conv& s) {
    return broken(
        apply(Op::kCONV2D_BLOCK_SCALED,
              {Tensor(DType::kFP6E2M3, {1, 4, 4, s.channels}), Tensor(DType::kFP8UE8M0, {1, 4, 4, s.scale}),
               Tensor(DType::kFP6E2M3, {3, 1, 1, s.channels}), Tensor(DType::kFP8UE8M0, {3, 1, 1, s.weight_scale}),
               Tensor(DType::kFP32, {s.bias}), shape_tensor(s.pad), shape_tensor(s.stride), shape_tensor(s.dilation)},
              {{DType::kFP32, {1, s.out[0], s.out[1], 3}}}, block(s.size)));
  };
  const auto id = [](int i) { return "CONV2D_BLOCK_SCALED." + std::to_string(i); };
  CHECK(conv({.dilation = {9000, 1}}) == id(1));
  CHECK(conv({.pad = {9000, 0, 0, 0}}) == id(2));
  CHECK(conv({.stride = {1, 9000}}) == id(3));
  CHECK(conv({.pad = {0, 0, -1, 0}}) == id(4));
  CHECK(conv({.stride = {0, 1}}) == id(5));
  CHECK(conv({.dilation = {1, 0}}) == id(6));
  CHECK(conv({.out = {3, 4}}) == id(7));
  CHECK(conv({.out = {4, 5}}) == id(8));
  CHECK(conv({.bias = 2}) == id(9));
  CHECK(conv({.channels = 40}) == id(10));
  CHECK(conv({.size = 1, .scale = 32, .weight_scale = 32}) == id(11));
  CHECK(conv({.scale = 2}) == id(12));
  CHECK(conv({.weight_scale = 2}) == id(13));

  const auto reshape = [](const std::vector<Tensor>& in, std::vector<std::int64_t> shape, const std::vector<Out>& outs,
                          std::int64_t size) {
    auto operands = in;
    operands.push_back(shape_tensor(shape));
    return broken(apply(Op::kRESHAPE_BLOCK_SCALED, operands, outs, block(size)));
  };
  const Out v{DType::kFP4E2M1, {4, 32}}, s{DType::kFP8UE8M0, {4, 1}};
  CHECK(reshape({values, scales, scales}, {4, 32}, {v, s, s}, 32) == "RESHAPE_BLOCK_SCALED.1");
  CHECK(reshape({floats}, {4, 32}, {{DType::kFP32, {4, 32}}, {DType::kFP32, {4, 32}}}, 1) ==
        "RESHAPE_BLOCK_SCALED.types");
  CHECK(reshape({floats}, {4, 32}, {}, 1) == "RESHAPE_BLOCK_SCALED.2");
  CHECK(reshape({floats}, {4, 32}, {{DType::kFP32, {4, 32}}}, 32) == "RESHAPE_BLOCK_SCALED.3");
  CHECK(reshape({values, scales}, {4, 32}, {v, s}, 1) == "RESHAPE_BLOCK_SCALED.4");
  CHECK(reshape({values, scales}, {5, 32}, {v, s}, 32) == "RESHAPE_BLOCK_SCALED.5");
  CHECK(reshape({Tensor(DType::kFP4E2M1, {}), Tensor(DType::kFP8UE8M0, {})}, {1},
                {{DType::kFP4E2M1, {1}}, {DType::kFP8UE8M0, {1}}}, 32) == "RESHAPE_BLOCK_SCALED.6");
  CHECK(reshape({values, Tensor(DType::kFP8UE8M0, {4})}, {4, 32}, {v, s}, 32) == "RESHAPE_BLOCK_SCALED.7");
  CHECK(reshape({Tensor(DType::kFP4E2M1, {2, 48}), Tensor(DType::kFP8UE8M0, {2, 1})}, {3, 32},
                {{DType::kFP4E2M1, {3, 32}}, {DType::kFP8UE8M0, {3, 1}}}, 32) == "RESHAPE_BLOCK_SCALED.8");
  CHECK(reshape({values, scales}, {8, 16}, {{DType::kFP4E2M1, {8, 16}}, s}, 32) == "RESHAPE_BLOCK_SCALED.9");
  CHECK(reshape({values, Tensor(DType::kFP8UE8M0, {2, 3})}, {4, 32}, {v, s}, 32) == "RESHAPE_BLOCK_SCALED.10");
  CHECK(reshape({values, Tensor(DType::kFP8UE8M0, {3, 2})}, {4, 32}, {v, s}, 32) == "RESHAPE_BLOCK_SCALED.11");
  CHECK(reshape({values, scales}, {4, 32}, {v, {DType::kFP8UE8M0, {2, 2}}}, 32) == "RESHAPE_BLOCK_SCALED.12");

  const auto gather = [](const std::vector<Tensor>& in, std::int32_t count, const std::vector<Out>& outs,
                         std::int64_t size, std::int64_t batches = 1) {
    auto operands = in;
    operands.push_back(Tensor(DType::kINT32, {batches, 2}));
    operands.push_back(tensor<std::int32_t>(DType::kINT32, {1}, {count}));
    return broken(apply(Op::kROW_GATHER_BLOCK_SCALED, operands, outs, block(size)));
  };
  const Tensor rows(DType::kFP6E2M3, {1, 4, 32}), row_scales(DType::kFP8UE8M0, {1, 4, 1});
  const Out gv{DType::kFP6E2M3, {1, 2, 32}}, gs{DType::kFP8UE8M0, {1, 2, 1}};
  CHECK(gather({Tensor(DType::kFP6E2M3, {1, 4, 33}), row_scales}, 1, {{DType::kFP6E2M3, {1, 2, 33}}, gs}, 32) ==
        "ROW_GATHER_BLOCK_SCALED.1");
  CHECK(gather({rows, row_scales, row_scales}, 1, {gv, gs, gs}, 32) == "ROW_GATHER_BLOCK_SCALED.2");
  CHECK(gather({Tensor(DType::kFP32, {1, 4, 32})}, 1, {{DType::kFP32, {1, 2, 32}}}, 32) == "ROW_GATHER_BLOCK_SCALED.3");
  CHECK(gather({rows, row_scales}, 1, {gv, gs}, 1) == "ROW_GATHER_BLOCK_SCALED.4");
  CHECK(gather({rows, row_scales}, 0, {gv, gs}, 32) == "ROW_GATHER_BLOCK_SCALED.5");
  CHECK(gather({Tensor(DType::kFP32, {1, 4, 32})}, 1, {}, 1) == "ROW_GATHER_BLOCK_SCALED.7");
  CHECK(gather({rows, Tensor(DType::kFP8UE8M0, {1, 4, 2})}, 1, {gv, gs}, 32) == "ROW_GATHER_BLOCK_SCALED.8");
  CHECK(gather({rows, row_scales}, 1, {gv, gs}, 32, 2) == "ROW_GATHER_BLOCK_SCALED.9");
  CHECK(gather({rows, row_scales}, 2, {gv, gs}, 32) == "ROW_GATHER_BLOCK_SCALED.10");
  // Values without the scales that their type must have.
  CHECK(gather({rows}, 1, {gv}, 1) == "ROW_GATHER_BLOCK_SCALED.types");
}
