#include <hwy/highway.h>

#include <cstdlib>

#include "reference/arith/elementary.hpp"

#include "reference/arith/float_tensor.hpp"
#include "reference/arith/reciprocal_root.hpp"
#include "tests/unit/op/alike.hpp"

// The elementary functions against those of the C library in long double, and the operators that use them for every
// SIMD target. MACAW_FUNCTION_STEP: only every so many encodings of a float are tried.

namespace macaw::tosa {
namespace {

namespace elementary = HWY_NAMESPACE::elementary;

std::uint64_t step() {
  const auto* given = std::getenv("MACAW_FUNCTION_STEP");
  return given ? std::max<std::uint64_t>(std::strtoull(given, nullptr, 10), 1) : 9973;
}

/// Floats in steps over all encodings, and special ones.
std::vector<float> arguments() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += step())
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float at : {0.f, 0x1p-149f, 0x1p-126f, 1.f, 4.f, 20.f, 0x1p20f, 88.722839f, 103.972077f, 110.f, 3.4e38f,
                         kInfinity, 1.5707964f, 3.1415927f, 0x1.921fb6p20f, 0x1.f3a2ecp+95f})
    for (const float value : {at, std::nextafter(at, 0.f), std::nextafter(at, kInfinity)})
      values.insert(values.end(), {value, -value});
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  return values;
}

bool same_float(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (a != a && b != b);
}

/// Counts the results, and those that round to another float.
struct Accuracy {
  std::uint64_t results = 0, other = 0;

  /// `got` is the result, or else `wide`, which it was rounded from, is within 2^-42 of it but for the sign.
  void add(float got, double wide, long double want, const char* name, float x, float y = 0) {
    ++results;
    if (same_float(got, static_cast<float>(want))) return;
    ++other;
    const auto error = std::fabs((std::fabs(wide) - std::fabs(want)) / want);
    if (!(error < 0x1p-42L))
      FAIL_CHECK(name << " of " << x << ", " << y << " is off by " << static_cast<double>(error));
  }
  template <class F>
  void add(long double want, const char* name, float x) {
    const auto wide = F::value(static_cast<double>(x));
    add(F::finish(x, static_cast<float>(wide)), wide, want, name, x);
  }
  void add_power(float x, float y) {
    const auto wide = elementary::Pow::value(static_cast<double>(x), static_cast<double>(y));
    add(elementary::Pow::finish(x, y, static_cast<float>(wide)), wide, std::pow<long double>(x, y), "pow", x, y);
  }
  void check() const { CHECK(other <= results >> 16); }
};

}  // namespace

TEST_CASE("elementary functions round as those of long double but for rare cases") {
  Accuracy accuracy;
  for (const float x : arguments()) {
    const long double exact = x;
    accuracy.add<elementary::Exp>(std::exp(exact), "exp", x);
    accuracy.add<elementary::Log>(std::log(exact), "log", x);
    accuracy.add<elementary::Tanh>(std::tanh(exact), "tanh", x);
    accuracy.add<elementary::Sigmoid>(1 / (1 + std::exp(-exact)), "sigmoid", x);
    accuracy.add<elementary::Erf>(std::erf(exact), "erf", x);
    if (std::fabs(x) < kLeastLargeAngle) {
      accuracy.add<elementary::Sine<0>>(std::sin(exact), "sin", x);
      accuracy.add<elementary::Sine<1>>(std::cos(exact), "cos", x);
    } else {
      accuracy.add<elementary::LargeSine<0>>(std::sin(exact), "sin", x);
      accuracy.add<elementary::LargeSine<1>>(std::cos(exact), "cos", x);
    }
    const auto root = reciprocal_root(x);
    accuracy.add(static_cast<float>(root), root, 1 / std::sqrt(exact), "1 / sqrt", x);
  }
  accuracy.check();
}

TEST_CASE("pow rounds as that of long double but for rare cases") {
  Accuracy accuracy;
  Random random(1);
  const auto any = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  for (int i = 0; i < 200000; ++i) {
    const float x = std::exp2(any(-140, 127)), y = any(-3, 3) * std::exp2(any(-20, 5));
    const float near_one = 1 + any(-1, 1) * std::exp2(any(-23, -1)), large = any(-1, 1) * std::exp2(any(0, 30));
    for (const auto& [base, exponent] : {std::pair{x, y}, {near_one, large}, {x, std::round(y)}})
      accuracy.add_power(base, exponent);
  }
  for (const float x : {0.f, 0x1p-149f, 1.f, 3.4e38f})
    for (const float y : {-3.4e38f, -1.f, -0x1p-149f, 0.f, 0x1p-149f, 1.f, 3.4e38f})
      if (x > 0 || y > 0) accuracy.add_power(x, y);
  accuracy.check();
}

TEST_CASE("functions of large tensors of 16-bit types, which are looked up, are alike") {
  for (const auto dtype : {DType::kFP16, DType::kBF16}) {
    Tensor all(dtype, {(1 << 19) + 77});
    for (std::size_t i = 0; i < static_cast<std::size_t>(all.size()); ++i)
      all.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
    for (const auto op : {Op::kEXP, Op::kLOG, Op::kTANH, Op::kSIGMOID, Op::kERF, Op::kSIN, Op::kCOS, Op::kRSQRT})
      check_alike({op, {all}, {dtype, all.shape()}});
  }
}

TEST_CASE("powers of 16-bit types are alike, also those near half a unit of the last place") {
  for (const auto dtype : {DType::kFP16, DType::kBF16}) {
    const std::uint16_t one = dtype == DType::kFP16 ? 0x3C00 : 0x3F80,
                        infinite = dtype == DType::kFP16 ? 0x7C00 : 0x7F80;
    std::vector<std::uint16_t> bases, exponents;
    // Every base by exponents whose powers are often exact, or half way between two numbers.
    for (std::uint16_t base = 0; base < infinite; ++base)
      for (const float exponent : {2.f, 3.f, 0.5f, 1.f, 1.5f, 4.f, 0.25f}) {
        bases.push_back(base);
        std::uint16_t bits;
        encode_floats<float>(std::span(&exponent, 1), dtype, reinterpret_cast<std::byte*>(&bits));
        exponents.push_back(bits);
      }
    // Any two, more of them where powers are finite.
    Random random(1);
    for (int i = 0; i < 1 << 18; ++i) {
      bases.push_back(static_cast<std::uint16_t>(random() % (infinite - 1) + 1));
      exponents.push_back(static_cast<std::uint16_t>((random() % infinite) | (random() % 2) << 15));
      bases.push_back(static_cast<std::uint16_t>(one + random() % 512 - 256));
      exponents.push_back(static_cast<std::uint16_t>((one + random() % 2048 - 1024) | (random() % 2) << 15));
    }
    const Shape shape{std::ssize(bases)};
    Tensor base(dtype, shape), exponent(dtype, shape);
    std::ranges::copy(bases, base.data<std::uint16_t>().begin());
    std::ranges::copy(exponents, exponent.data<std::uint16_t>().begin());
    check_alike({Op::kPOW, {base, exponent}, {dtype, shape}});
  }
}

TEST_CASE("the error function of every size is alike") {
  // By far fewer steps than arguments(): from the least normal number to where it is 1.
  std::vector<float> values;
  for (std::uint32_t bits = 0x00800000; bits < 0x40A00000; bits += 1021) values.push_back(std::bit_cast<float>(bits));
  Tensor tensor(DType::kFP32, {std::ssize(values)});
  std::ranges::copy(values, tensor.data<float>().begin());
  check_alike({Op::kERF, {tensor}, {DType::kFP32, tensor.shape()}});
}

TEST_CASE("kernels of floating-point operators are alike") {
  auto values = arguments();
  values.resize(std::min<std::size_t>(values.size(), 200000));
  const auto count = std::ssize(values);
  auto positive = values;
  for (auto& value : positive) value = std::isfinite(value) && value != 0 ? std::fabs(value) : 1;
  const auto of = [&](DType dtype, const std::vector<float>& from) {
    Tensor tensor(dtype, {count});
    store_floats<float>(from, tensor);
    return tensor;
  };
  for (const auto dtype : {DType::kFP32, DType::kFP16, DType::kBF16}) {
    const auto any = of(dtype, values), above = of(dtype, positive);
    const Out out{dtype, {count}};
    for (const auto op : {Op::kEXP, Op::kLOG, Op::kTANH, Op::kSIGMOID, Op::kERF, Op::kSIN, Op::kCOS, Op::kRSQRT,
                          Op::kRECIPROCAL, Op::kABS, Op::kCEIL, Op::kFLOOR})
      check_alike({op, {any}, out});
    for (const auto op : {Op::kADD, Op::kSUB}) check_alike({op, {any, above}, out});
    check_alike({Op::kPOW, {above, any}, out});
    check_alike({Op::kMUL, {any, above, Tensor(DType::kINT8, {1})}, out});
    check_alike({Op::kNEGATE, {any, Tensor(dtype, {1}), Tensor(dtype, {1})}, out});
    for (const auto op : {Op::kEQUAL, Op::kGREATER, Op::kGREATER_EQUAL})
      check_alike({op, {any, above}, {DType::kBOOL, {count}}});
    for (const auto op : {Op::kMAXIMUM, Op::kMINIMUM})
      for (const std::int64_t mode : {0, 1}) check_alike({op, {any, above}, out, {{Attr::k_nan_mode, mode}}});
    for (const auto to : {DType::kINT8, DType::kINT16, DType::kINT32}) check_alike({Op::kCAST, {any}, {to, {count}}});
    for (const std::int64_t mode : {0, 1})
      for (const auto op : {Op::kREDUCE_MAX, Op::kREDUCE_MIN})
        check_alike({op, {any}, {dtype, {1}}, {{Attr::k_axis, std::int64_t{0}}, {Attr::k_nan_mode, mode}}});
  }
}

}  // namespace macaw::tosa
