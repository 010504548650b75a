#include <algorithm>
#include <atomic>

#include "reference/tosa/kernels/gemm/batch_matmul.hpp"
#include "reference/tosa/kernels/gemm/gemm.hpp"
#include "reference/tosa/kernels/gemm/overflow.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {
namespace {

constexpr auto kInt48Limit = kMaximum<DType::kINT48>;

/// Columns [first, first + count) of B, [K,N] or if `transposed` [N,K]. A product of 16-bit numbers overflows the
/// kernels' 32-bit sums, so that B is split: 256 * high + low byte.
struct Columns {
  PackedMatrix high, low;

  Columns(std::span<const std::int16_t> b, std::size_t k, std::size_t n, bool transposed, std::size_t first,
          std::size_t count)
      : high(k, count), low(k, count) {
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        const auto value = b[transposed ? (first + j) * k + i : i * n + first + j];
        high.at(i, j) = static_cast<std::int16_t>(value >> 8);
        low.at(i, j) = static_cast<std::int16_t>(value & 0xFF);
      }
  }

  /// Whether each sum of the products of a row and a column, in order, fits.
  [[nodiscard]] bool sums_fit(const std::int16_t* row, std::size_t column) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < high.k(); ++i) {
      sum += std::int64_t{row[i]} * (256 * high.at(i, column) + low.at(i, column));
      if (sum > kInt48Limit || sum < -kInt48Limit - 1) return false;
    }
    return true;
  }
};

/// The left side: rows of k elements, whose zero point is 0 (the checks ensure it).
struct Left {
  std::span<const std::int16_t> values;
  std::size_t k;
  bool safe;  ///< no sum can leave the output
};

/// Rows [first, end) by the columns, whose sums are written `pitch` apart. Returns whether they all fit.
bool multiply_rows(const Call& call, const Left& a, const Columns& b, std::size_t first, std::size_t end,
                   std::int64_t* out, std::size_t pitch) {
  // With an odd k a row needs one element more.
  const bool as_it_lies = a.k % 2 == 0;
  const auto stride = 2 * b.high.pairs(), columns = b.high.n();
  const auto block =
      std::min(end - first, rows_in_block(stride * sizeof(std::int16_t) + columns * sizeof(std::int64_t)));
  Scratch<std::int16_t> padded(as_it_lies ? 0 : block * stride);
  std::ranges::fill(padded.span(), std::int16_t{0});
  Scratch<std::int64_t> sums(block * columns);
  const auto product = call.kernels == Kernels::kScalar ? gemm_scalar : gemm;
  bool holds = true;
  for (; first < end; first += block) {
    const auto rows = std::min(block, end - first);
    const auto* from = a.values.data() + first * a.k;
    for (std::size_t i = 0; !as_it_lies && i < rows; ++i) std::copy_n(from + i * a.k, a.k, padded.data() + i * stride);
    const Rows left{as_it_lies ? from : padded.data(), rows, stride};
    auto* to = out + first * pitch;
    product(left, b.high, sums.data(), columns);
    product(left, b.low, to, pitch);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        to[i * pitch + j] += 256 * sums[i * columns + j];
        if (!a.safe) holds &= b.sums_fit(left.data + i * stride, j);
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
  const auto magnitude = Wide{largest(a)} * largest(b);
  const auto step = columns_in_block(2 * k * sizeof(std::int16_t));
  auto* out = call.fill_data<std::int64_t>(0).data();
  std::atomic<bool> holds = true;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const Left left{a.subspan(batch * rows * k, rows * k), k, magnitude * static_cast<std::int64_t>(k) <= kInt48Limit};
    const auto right = b.subspan(b_shape[0] == 1 ? 0 : batch * k * n, k * n);
    for (std::size_t column = 0; column < n; column += step) {
      const Columns columns(right, k, n, transposed, column, std::min(step, n - column));
      split(call, rows, kLeastWork / std::max<std::size_t>(2 * k * columns.high.n(), 1) + 1,
            [&](std::size_t first, std::size_t end) {
              if (!multiply_rows(call, left, columns, first, end, out + batch * rows * n + column, n)) holds = false;
            });
    }
  }
  call.require(holds, kProductFits);
}

}  // namespace macaw::tosa
