#include "reference/op/tensor/batch_matmul.hpp"

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

bool multiply_int8(const Rows& a, std::span<const std::int8_t> b, std::int8_t zero_point, std::size_t k, std::size_t n,
                   bool transposed, std::int64_t magnitude, std::int32_t* out) {
  PackedMatrix packed(k, n);
  for_each(k, n, transposed, [&](std::size_t row, std::size_t column, std::size_t at) {
    packed.at(row, column) = static_cast<std::int16_t>(b[at] - zero_point);
  });
  gemm(a, packed, out, n);
  constexpr auto kLimit = kMaximum<DType::kINT32>;
  bool holds = true;
  for (const auto column : risky_columns(packed, magnitude, kLimit))
    for (std::size_t row = 0; row < a.rows; ++row) holds &= sums_fit(a.data + row * a.stride, packed, column, kLimit);
  return holds;
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

template <class T>
void batch_matmul(Call& call, bool transposed) {
  using Sum = Accumulator<T>;
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(1).shape();
  const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
             k = static_cast<std::size_t>(a_shape[2]), n = static_cast<std::size_t>(b_shape[transposed ? 1 : 2]);
  const auto a = call.in_data<T>(0), b = call.in_data<T>(1);
  // One more than there are: an odd count of products is rounded up, with a zero on the right.
  std::vector<std::int16_t> values(a.size() + 1);
  subtract_zero_point(a, call.in_data<T>(2)[0], values.data());
  const auto magnitude = largest(values);
  auto* out = call.out_data<Sum>(0).data();
  bool holds = true;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const Rows left{values.data() + batch * rows * k, rows, k};
    const auto right = b.subspan(b_shape[0] == 1 ? 0 : batch * k * n, k * n);
    if constexpr (sizeof(T) == 1)
      holds &= multiply_int8(left, right, call.in_data<T>(3)[0], k, n, transposed, magnitude, out + batch * rows * n);
    else holds &= multiply_int16(left, right, k, n, transposed, magnitude, out + batch * rows * n);
  }
  call.require(holds, kProductFits);
}

template void batch_matmul<std::int8_t>(Call&, bool);
template void batch_matmul<std::int16_t>(Call&, bool);

}  // namespace macaw::tosa
