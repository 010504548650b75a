#include <cmath>

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Op;

template <auto F>
void float_binary(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const auto a = float_at(n.in[0], broadcast_offset(n.in[0].shape(), at));
    const auto b = float_at(n.in[1], broadcast_offset(n.in[1].shape(), at));
    if constexpr (std::is_same_v<decltype(F(a, b, n)), bool>) put_int(n.out[0], o, F(a, b, n));
    else put_double(n.out[0], o, F(a, b, n));
  }
}

template <auto F>
void float_unary(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) put_double(n.out[0], o, F(float_at(n.in[0], o)));
}

/// The float nearest to a value that is known to some 2^-42 of it (reference/tosa/arith/elementary.hpp).
float decided(long double value) {
  constexpr long double kError = 0x1p-41L;
  const auto rounded = static_cast<float>(value);
  const bool is_open =
      static_cast<float>(value * (1 - kError)) != rounded || static_cast<float>(value * (1 + kError)) != rounded;
  if (is_open && value == value) throw Undecided{};
  return rounded;
}

/// A function of the C library.
template <auto F>
void library(Node& n) {
  float_unary<[](float a) { return decided(F(static_cast<long double>(a))); }>(n);
}

float power(float a, float b, const Node&) {
  require(a >= 0 && (a > 0 || b > 0) && std::isfinite(a) && std::isfinite(b));
  return decided(std::pow(static_cast<long double>(a), static_cast<long double>(b)));
}

constexpr Entry kFloatEntries[] = {
    {Op::kADD, float_binary<[](float a, float b, const Node&) { return a + b; }>},
    {Op::kSUB, float_binary<[](float a, float b, const Node&) { return a - b; }>},
    {Op::kMUL, float_binary<[](float a, float b, const Node&) { return a * b; }>},
    {Op::kPOW, float_binary<power>},
    {Op::kMAXIMUM, float_binary<[](float a, float b, const Node& n) { return max_of(a, b, n.ignores_nan()); }>},
    {Op::kMINIMUM, float_binary<[](float a, float b, const Node& n) { return min_of(a, b, n.ignores_nan()); }>},
    {Op::kEQUAL, float_binary<[](float a, float b, const Node&) { return a == b; }>},
    {Op::kGREATER, float_binary<[](float a, float b, const Node&) { return (a > b); }>},
    {Op::kGREATER_EQUAL, float_binary<[](float a, float b, const Node&) { return (a >= b); }>},
    {Op::kABS, float_unary<[](float a) { return std::fabs(a); }>},
    {Op::kNEGATE, float_unary<[](float a) { return -a; }>},
    {Op::kCEIL, float_unary<[](float a) { return std::ceil(a); }>},
    {Op::kFLOOR, float_unary<[](float a) { return std::floor(a); }>},
    {Op::kRECIPROCAL, float_unary<[](float a) { return 1.0F / a; }>},
    {Op::kRSQRT, library<[](long double a) { return 1 / std::sqrt(a); }>},
    {Op::kCOS, library<[](long double a) { return std::cos(a); }>},
    {Op::kSIN, library<[](long double a) { return std::sin(a); }>},
    {Op::kEXP, library<[](long double a) { return std::exp(a); }>},
    {Op::kLOG, library<[](long double a) { return std::log(a); }>},
    {Op::kERF, library<[](long double a) { return std::erf(a); }>},
    {Op::kTANH, library<[](long double a) { return std::tanh(a); }>},
    {Op::kSIGMOID, library<[](long double a) { return 1 / (1 + std::exp(-a)); }>},
};

}  // namespace

std::span<const Entry> floats() { return kFloatEntries; }

}  // namespace macaw::test::naive
