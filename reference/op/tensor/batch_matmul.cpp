#include "reference/op/tensor/batch_matmul.hpp"

#include <algorithm>

#include "reference/op/gemm/byte_product.hpp"
#include "reference/op/gemm/overflow.hpp"
#include "reference/op/tensor/accumulator.hpp"

namespace macaw::tosa {
namespace {

/// Writes f(k, n) of every element of B.
template <class F>
void for_each(std::size_t k, std::size_t n, bool transposed, F f) {
  const auto rows = transposed ? n : k, columns = transposed ? k : n;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      if (transposed) f(column, row, row * columns + column);
      else f(row, column, row * columns + column);
    }
}

// A product of 16-bit numbers overflows the kernels' 32-bit sums, so that B is split: 256 * high + low byte.
bool multiply_int16(const Rows& a, std::span<const std::int16_t> b, std::size_t k, std::size_t n, bool transposed,
                    std::int64_t magnitude, std::int64_t* out) {
  PackedMatrix high(k, n), low(k, n);
  for_each(k, n, transposed, [&](std::size_t row, std::size_t column, std::size_t at) {
    high.at(row, column) = static_cast<std::int16_t>(b[at] >> 8);
    low.at(row, column) = static_cast<std::int16_t>(b[at] & 0xFF);
  });
  std::vector<std::int64_t> sums(a.rows * n);
  gemm(a, high, sums.data(), n);
  gemm(a, low, out, n);
  for (std::size_t i = 0; i < sums.size(); ++i) out[i] += 256 * sums[i];
  constexpr auto kLimit = kMaximum<DType::kINT48>;
  bool holds = true;
  if (Wide{magnitude} * largest(b) * static_cast<std::int64_t>(k) > kLimit)
    for (std::size_t row = 0; row < a.rows; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
          const auto value = 256 * high.at(i, column) + low.at(i, column);
          sum += std::int64_t{a.data[row * a.stride + i]} * value;
          holds &= sum <= kLimit && sum >= -kLimit - 1;
        }
      }
  return holds;
}

}  // namespace

template <>
void batch_matmul<std::int16_t>(Call& call, bool transposed) {
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(1).shape();
  const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
             k = static_cast<std::size_t>(a_shape[2]), n = static_cast<std::size_t>(b_shape[transposed ? 1 : 2]);
  const auto a = call.in_data<std::int16_t>(0), b = call.in_data<std::int16_t>(1);
  // One more than there are: an odd count of products is rounded up, with a zero on the right.
  std::vector<std::int16_t> values(a.size() + 1);
  std::copy(a.begin(), a.end(), values.begin());
  const auto magnitude = largest(values);
  auto* out = call.out_data<std::int64_t>(0).data();
  bool holds = true;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const Rows left{values.data() + batch * rows * k, rows, k};
    const auto right = b.subspan(b_shape[0] == 1 ? 0 : batch * k * n, k * n);
    holds &= multiply_int16(left, right, k, n, transposed, magnitude, out + batch * rows * n);
  }
  call.require(holds, kProductFits);
}

template <>
void batch_matmul<std::int8_t>(Call& call, bool transposed) {
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(1).shape();
  const auto *a = call.in_data<std::int8_t>(0).data(), *b = call.in_data<std::int8_t>(1).data();
  ByteProduct product;
  product.rows = static_cast<std::size_t>(a_shape[1]);
  product.k = static_cast<std::size_t>(a_shape[2]);
  product.n = static_cast<std::size_t>(b_shape[transposed ? 1 : 2]);
  product.a_zero_point = call.in_data<std::int8_t>(2)[0];
  product.b_zero_point = call.in_data<std::int8_t>(3)[0];
  product.load = [&](std::size_t first, std::size_t count, std::uint8_t* to, std::size_t stride) {
    for (const auto* from = a + first * product.k; count > 0; --count, from += product.k, to += stride)
      for (std::size_t k = 0; k < product.k; ++k)
        to[k] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(from[k]) ^ 0x80);
  };
  product.pack = [&](std::size_t first, ByteMatrix& to) {
    if (transposed) to.pack_transposed(b + first * product.k, product.k);
    else to.pack(b + first, product.n);
  };
  product.out = call.fill_data<std::int32_t>(0).data();
  bool holds = true;
  for (std::int64_t batch = 0; batch < a_shape[0]; ++batch) {
    holds &= multiply(call, product);
    a += product.rows * product.k;
    if (b_shape[0] != 1) b += product.k * product.n;
    product.out += product.rows * product.n;
  }
  call.require(holds, kProductFits);
}

}  // namespace macaw::tosa
