#include <cmath>
#include <limits>

#include "reference/tosa/verify/float_format.hpp"
#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

/// Value of an encoding of 4 or 6 bits (OCP Microscaling Formats 1.0): sign, exponent and mantissa, all finite.
double small_float(unsigned bits, int exponent_bits, int mantissa_bits) {
  const unsigned mantissa = bits & ((1U << mantissa_bits) - 1);
  const unsigned exponent = bits >> mantissa_bits & ((1U << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double whole = exponent == 0 ? mantissa : mantissa + (1U << mantissa_bits);
  const double magnitude = std::ldexp(whole, static_cast<int>(exponent == 0 ? 1 : exponent) - bias - mantissa_bits);
  return bits >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

double decoded(DType dtype, unsigned bits) {
  switch (dtype) {
    case DType::kFP4E2M1: return small_float(bits, 2, 1);
    case DType::kFP6E2M3: return small_float(bits, 2, 3);
    case DType::kFP6E3M2: return small_float(bits, 3, 2);
    case DType::kMXINT8: return static_cast<std::int8_t>(bits) / 64.0;
    case DType::kFP8UE8M0:
      return bits == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - 127);
    default: return tosa::verify::decode(*tosa::verify::find_format(dtype), bits);
  }
}

double value_at(const Tensor& tensor, std::int64_t i) {
  const auto byte = std::to_integer<unsigned>(tensor.bytes()[static_cast<std::size_t>(i)]);
  return size_of(tensor.dtype()) == 1 ? decoded(tensor.dtype(), byte) : double_at(tensor, i);
}

/// The encoding nearest to a number, of all that there are; of two equally near the one with an even last bit.
unsigned nearest(DType dtype, double value) {
  unsigned best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (unsigned bits = 0; bits < 1U << info(dtype).bits; ++bits) {
    const double candidate = decoded(dtype, bits);
    if (!std::isfinite(candidate)) continue;
    // Zeros have signs but in the integer type.
    if (dtype != DType::kMXINT8 && std::signbit(candidate) != std::signbit(value)) continue;
    const double off = std::fabs(candidate - value);
    if (off < distance || (off == distance && bits % 2 == 0)) {
      best = bits;
      distance = off;
    }
  }
  return best;
}

/// calc_block_scale, with comparisons in place of its logarithm.
int scale_exponent(double max_abs, DType values) {
  double greatest = 0, below = 0;
  for (unsigned bits = 0; bits < 1U << info(values).bits; ++bits) {
    const double value = decoded(values, bits);
    if (!std::isfinite(value) || value <= greatest) continue;
    below = greatest;
    greatest = value;
  }
  // Encodings of positive numbers ascend, so that `below` is the one before the greatest.
  const double limit = greatest + (greatest - below) / 2;
  int exponent = -127;
  while (values == DType::kFP8E4M3 ? max_abs > std::ldexp(limit, exponent) : max_abs >= std::ldexp(limit, exponent))
    ++exponent;
  return std::min(exponent, 127);
}

/// In a format without NaN it gives 0, which the specification leaves open.
unsigned nan_bits(DType dtype) { return dtype == DType::kFP8E4M3 ? 0x7FU : dtype == DType::kFP8E5M2 ? 0x7EU : 0U; }

void cast_from(Node& n) {
  const auto block = n.attr(Attr::k_block_size);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o)
    put_double(n.out[0], o,
               static_cast<float>(value_at(n.in[0], o)) * static_cast<float>(value_at(n.in[1], o / block)));
}

void cast_to(Node& n) {
  const auto block = n.attr(Attr::k_block_size);
  const auto dtype = n.out[0].dtype();
  for (std::int64_t first = 0; first < n.in[0].size(); first += block) {
    double max_abs = 0;
    for (std::int64_t i = first; i < first + block; ++i) max_abs = std::max(max_abs, std::fabs(double_at(n.in[0], i)));
    const int exponent = max_abs == 0 ? -127 : scale_exponent(max_abs, dtype);
    n.out[1].bytes()[static_cast<std::size_t>(first / block)] = static_cast<std::byte>(exponent + 127);
    for (std::int64_t i = first; i < first + block; ++i)
      n.out[0].bytes()[static_cast<std::size_t>(i)] =
          static_cast<std::byte>(nearest(dtype, std::ldexp(double_at(n.in[0], i), -exponent)));
  }
}

/// Adds the products of one block, times its two scales: one sum of products, one product of scales, one addition.
void add_block(const Node& n, float& acc, std::size_t a, std::int64_t a_first, std::size_t b, std::int64_t b_first) {
  const auto block = n.attr(Attr::k_block_size);
  float sum = 0;
  for (std::int64_t i = 0; i < block; ++i)
    sum += static_cast<float>(value_at(n.in[a], a_first + i)) * static_cast<float>(value_at(n.in[b], b_first + i));
  const auto scale = static_cast<float>(value_at(n.in[a + 1], a_first / block)) *
                     static_cast<float>(value_at(n.in[b + 1], b_first / block));
  acc += sum * scale;
}

void matmul_t(Node& n) {
  const auto &a = n.in[0].shape(), &b = n.in[2].shape();
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    float acc = 0;
    for (std::int64_t c = 0; c < a[2]; c += n.attr(Attr::k_block_size))
      add_block(n, acc, 0, offset(a, {at[0], at[1], c}), 2, offset(b, {b[0] == 1 ? 0 : at[0], at[2], c}));
    put_double(n.out[0], o, acc);
  }
}

/// Where the tap is outside the input the block's sum is zero, and its scale that of the weights alone.
void add_block_outside(const Node& n, float& acc, std::int64_t weight_first) {
  acc += 0.0F * static_cast<float>(value_at(n.in[3], weight_first / n.attr(Attr::k_block_size)));
}

void conv2d(Node& n) {
  const auto &s = n.in[0].shape(), &w = n.in[2].shape();
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    float acc = 0;
    for (std::int64_t ky = 0; ky < w[1]; ++ky)
      for (std::int64_t kx = 0; kx < w[2]; ++kx)
        for (std::int64_t c = 0; c < w[3]; c += n.attr(Attr::k_block_size)) {
          const auto y = at[1] * int_at(n.in[6], 0) - int_at(n.in[5], 0) + ky * int_at(n.in[7], 0);
          const auto x = at[2] * int_at(n.in[6], 1) - int_at(n.in[5], 2) + kx * int_at(n.in[7], 1);
          const auto from = offset(w, {at[3], ky, kx, c});
          if (y < 0 || y >= s[1] || x < 0 || x >= s[2]) add_block_outside(n, acc, from);
          else add_block(n, acc, 0, offset(s, {at[0], y, x, c}), 2, from);
        }
    acc += float_at(n.in[4], n.in[4].size() == 1 ? 0 : at[3]);
    put_double(n.out[0], o, acc);
  }
}

void reshape(Node& n) {
  for (std::size_t member = 0; member < n.out.size(); ++member)
    for (std::int64_t o = 0; o < n.out[member].size(); ++o) copy_element(n.out[member], o, n.in[member], o);
}

/// ROW_GATHER and ROW_GATHER_BLOCK_SCALED: one or two members, then indices and the row count.
void row_gather(Node& n) {
  const auto members = n.out.size();
  const auto& indices = n.in[members];
  const auto count = int_at(n.in[members + 1], 0);
  for (std::size_t member = 0; member < members; ++member) {
    const auto& shape = n.in[member].shape();
    for (std::int64_t o = 0; o < n.out[member].size(); ++o) {
      const auto at = index_of(n.out[member].shape(), o);
      const auto k = int_at(indices, offset(indices.shape(), {at[0], at[1] / count}));
      require(k >= 0 && k + count <= shape[1]);
      copy_element(n.out[member], o, n.in[member], offset(shape, {at[0], k + at[1] % count, at[2]}));
    }
  }
}

constexpr Entry kBlockScaledEntries[] = {
    {Op::kCAST_FROM_BLOCK_SCALED, cast_from},
    {Op::kCAST_TO_BLOCK_SCALED, cast_to},
    {Op::kMATMUL_T_BLOCK_SCALED, matmul_t},
    {Op::kCONV2D_BLOCK_SCALED, conv2d},
    {Op::kRESHAPE_BLOCK_SCALED, reshape},
    {Op::kROW_GATHER_BLOCK_SCALED, row_gather},
    {Op::kROW_GATHER, row_gather},
};

}  // namespace

double scaled_at(const Tensor& tensor, std::int64_t i) {
  const auto& type = *block_scale(tensor.dtype());
  const auto byte = [&](std::int64_t at) {
    return std::to_integer<unsigned>(tensor.bytes()[static_cast<std::size_t>(at)]);
  };
  return decoded(type.value, byte(i)) * decoded(type.scale, byte(tensor.size() + i / 32));
}

void cast_to_blocks(Node& n) {
  const auto type = block_scale(n.out[0].dtype())->value;
  const auto put = [&](std::int64_t at, unsigned bits) {
    n.out[0].bytes()[static_cast<std::size_t>(at)] = static_cast<std::byte>(bits);
  };
  for (std::int64_t first = 0; first < n.in[0].size(); first += 32) {
    double max_abs = 0;
    for (std::int64_t i = first; i < first + 32; ++i)
      max_abs = max_of(max_abs, std::fabs(double_at(n.in[0], i)), false);
    const bool is_number = std::isfinite(max_abs);
    const int exponent = !is_number ? 128 : max_abs == 0 ? -127 : scale_exponent(max_abs, type);
    put(n.in[0].size() + first / 32, static_cast<unsigned>(exponent + 127));
    for (std::int64_t i = first; i < first + 32; ++i)
      put(i, is_number ? nearest(type, std::ldexp(double_at(n.in[0], i), -exponent)) : nan_bits(type));
  }
}

std::span<const Entry> block_scaled() { return kBlockScaledEntries; }

}  // namespace macaw::test::naive
