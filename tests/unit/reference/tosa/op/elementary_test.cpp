#include <hwy/highway.h>

#include <cstdlib>

#include "reference/tosa/arith/elementary.hpp"

#include "reference/tosa/arith/float_tensor.hpp"
#include "reference/tosa/arith/reciprocal_root.hpp"
#include "reference/tosa/kernels/elementwise/function_block.hpp"
#include "tests/unit/reference/tosa/op/alike.hpp"

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

TEST_CASE("erf in float, which leaves what is uncertain, is that in double") {
  const auto values = arguments();
  std::vector<float> expected(values.size()), got(values.size());
  function_block(Function::kErf, Kernels::kScalar)(values.data(), expected.data(), values.size());
  for_each_target([&] {
    function_block(Function::kErf, Kernels::kBest)(values.data(), got.data(), values.size());
    CHECK(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0);
  });
}

TEST_CASE("powers of 16-bit types in float, which leave what is uncertain, are those in double") {
  // Pairs of encodings in steps over all of them.
  std::vector<std::uint16_t> bases, exponents;
  for (std::uint64_t pair = 0; pair < std::uint64_t{1} << 32; pair += step()) {
    bases.push_back(static_cast<std::uint16_t>(pair >> 16));
    exponents.push_back(static_cast<std::uint16_t>(pair));
  }
  const auto count = bases.size();
  std::vector<std::uint16_t> expected(count), got(count);
  std::vector<float> base(count), exponent(count), power(count);
  for (const auto dtype : {DType::kFP16, DType::kBF16}) {
    decode_floats<float>(dtype, reinterpret_cast<const std::byte*>(bases.data()), base);
    decode_floats<float>(dtype, reinterpret_cast<const std::byte*>(exponents.data()), exponent);
    power_block(Kernels::kBest)(base.data(), exponent.data(), power.data(), count);
    encode_floats<float>(power, dtype, reinterpret_cast<std::byte*>(expected.data()));
    const bool has_nan = std::ranges::any_of(power, [](float x) { return x != x; });
    for_each_target([&] {
      const auto narrow = narrow_power_block(dtype, Kernels::kBest);
      if (!narrow) return;
      CHECK(narrow(bases.data(), exponents.data(), got.data(), count) == has_nan);
      CHECK(got == expected);
    });
  }
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
