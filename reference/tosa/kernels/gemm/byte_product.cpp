#include "reference/tosa/kernels/gemm/byte_product.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>

#include "reference/tosa/arith/checked.hpp"
#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {
namespace {

// Packed columns, and rows of one thread, that stay in the second-level cache together.
constexpr std::size_t kPackedBytes = std::size_t{1} << 20;
constexpr std::size_t kRowsBytes = std::size_t{1} << 17;
// Number of sums that are passed on together; they fit in a part of that cache.
constexpr std::size_t kHandedOverSums = std::size_t{1} << 14;
// Least number of multiply-accumulates for a thread.
constexpr std::size_t kLeastProducts = std::size_t{1} << 20;
// Columns that are packed together, and rows whose product with them takes as long as packing them.
constexpr std::size_t kGroupColumns = 2 * kByteColumns;
constexpr std::size_t kRowsOfPacking = 64;
// The greatest difference of an int8 number and a zero point.
constexpr std::int64_t kMagnitude = 255;
constexpr std::int64_t kInt32Limit = std::numeric_limits<std::int32_t>::max();

/// Columns with sums that may leave 32 bits.
std::vector<std::size_t> risky_columns(const ByteMatrix& b, std::int32_t zero_point) {
  std::vector<std::size_t> risky;
  if (Wide{kMagnitude} * kMagnitude * static_cast<std::int64_t>(b.k()) <= kInt32Limit) return risky;
  const auto magnitudes = b.magnitudes(zero_point);
  for (std::size_t n = 0; n < b.n(); ++n)
    if (magnitudes[n] > kInt32Limit / kMagnitude) risky.push_back(n);
  return risky;
}

bool sums_fit(const std::uint8_t* row, const ByteMatrix& b, std::size_t column, const ByteProduct& product) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < b.k(); ++k) {
    sum += std::int64_t{row[k] - 128 - product.a_zero_point} * (b.at(k, column) - product.b_zero_point);
    if (sum > kInt32Limit || sum < -kInt32Limit - 1) return false;
  }
  return true;
}

/// Whether the addition of a bias that gave `result`, modulo 2^32, did not overflow.
bool bias_fits(std::int32_t result, std::int32_t bias) {
  const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(result) - static_cast<std::uint32_t>(bias));
  return ((sum ^ result) & (bias ^ result)) >= 0;
}

std::uint32_t add_up_bytes(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += bytes[i];
  return sum;
}

/// One group of columns.
class Group {
 public:
  Group(const ByteProduct& product, std::size_t first, std::size_t columns)
      : product_(product), first_(first), matrix_(product.k, columns), columns_(matrix_.panels() * kByteColumns) {
    product.pack(first, matrix_);
    risky_ = risky_columns(matrix_, product.b_zero_point);
    // With a' = a + 128 and za' = za + 128: sum of (a' - za') * (b - zb)
    //   = sum of a' * b - za' * sum of b - zb * sum of a' + k * za' * zb, all of it modulo 2^32.
    const auto offset = static_cast<std::uint32_t>(product.a_zero_point + 128);
    const auto constant =
        static_cast<std::uint32_t>(product.k) * offset * static_cast<std::uint32_t>(product.b_zero_point);
    const auto sums = matrix_.sums();
    for (std::size_t n = 0; n < sums.size(); ++n)
      columns_[n] = static_cast<std::int32_t>(constant - offset * static_cast<std::uint32_t>(sums[n]));
    if (product.bias.empty()) return;
    for (std::size_t n = 0; n < columns; ++n) {
      const auto bias = bias_of(n);
      columns_[n] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(columns_[n]) + static_cast<std::uint32_t>(bias));
      if (std::abs(std::int64_t{bias}) + Wide{kMagnitude} * kMagnitude * static_cast<std::int64_t>(product.k) >
          kInt32Limit)
        risky_biases_.push_back(n);
    }
  }

  /// Rows [first, end); returns whether all sums fit.
  bool run(std::size_t first, std::size_t end, Kernels kernels) const {
    const auto stride = 4 * matrix_.quads(), n = matrix_.n();
    // Whole tiles of every kernel.
    const auto step = product_.after ? kByteRows / 8 : kByteRows;
    const auto sums_that_fit = product_.after ? kHandedOverSums / std::max<std::size_t>(n, 1) : end - first;
    const auto fitting = std::min(kRowsBytes / std::max<std::size_t>(stride, 1), sums_that_fit);
    const auto block = std::clamp(fitting / step * step, step, 10 * kByteRows);
    Scratch<std::uint8_t> rows(std::min(block, end - first) * stride);
    const bool apart = product_.place || product_.after;
    Scratch<std::int32_t> sums(apart ? std::min(block, end - first) * n : 0);
    std::vector<std::int32_t> row_terms;
    bool holds = true;
    for (; first < end; first += block) {
      const ByteRows a{rows.data(), std::min(block, end - first), stride};
      product_.load(first, a.rows, rows.data(), stride);
      if (product_.b_zero_point != 0) add_up_rows(a, kernels, row_terms);
      auto* out = apart ? sums.data() : product_.out + first * product_.n + first_;
      const auto pitch = apart ? n : product_.n;
      const auto product = kernels == Kernels::kScalar ? byte_gemm_scalar : byte_gemm;
      product(a, matrix_, {columns_, row_terms}, out, pitch);
      for (std::size_t i = 0; i < a.rows; ++i) {
        for (const auto column : risky_biases_) holds &= bias_fits(out[i * pitch + column], bias_of(column));
        if (product_.place) std::copy_n(out + i * n, n, product_.out + product_.place(first + i) + first_);
        for (const auto column : risky_) holds &= sums_fit(a.data + i * stride, matrix_, column, product_);
      }
      if (product_.after) pass_tile(sums.data(), first, a.rows);
    }
    return holds;
  }

 private:
  void pass_tile(const std::int32_t* sums, std::size_t first, std::size_t rows) const {
    const auto n = matrix_.n();
    product_.after->pass_tile(
        Tile{first * product_.n + first_, rows, n, product_.n, reinterpret_cast<const std::byte*>(sums), n});
  }

  void add_up_rows(const ByteRows& a, Kernels kernels, std::vector<std::int32_t>& terms) const {
    const auto add_up = best_version<add_up_bytes>(kernels);
    terms.resize(a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
      terms[i] = static_cast<std::int32_t>(0u - add_up(a.data + i * a.stride, product_.k) *
                                                    static_cast<std::uint32_t>(product_.b_zero_point));
  }

  [[nodiscard]] std::int32_t bias_of(std::size_t column) const {
    return product_.bias[product_.bias.size() == 1 ? 0 : first_ + column];
  }

  const ByteProduct& product_;
  std::size_t first_;
  ByteMatrix matrix_;
  std::vector<std::int32_t> columns_;
  std::vector<std::size_t> risky_, risky_biases_;
};

}  // namespace

bool multiply(const Call& call, const ByteProduct& product) {
  const auto fitting = kPackedBytes / std::max<std::size_t>(product.k, 1) / kGroupColumns * kGroupColumns;
  const auto width = std::max(fitting, kGroupColumns);
  std::atomic<bool> holds = true;
  if (product.n > product.rows) {
    // Packing is the larger part of the loads: threads share the columns.
    const auto work = std::max<std::size_t>((product.rows + kRowsOfPacking) * product.k * kGroupColumns, 1);
    const auto ranges = (product.n + kGroupColumns - 1) / kGroupColumns;
    split(call, ranges, kLeastProducts / work + 1, [&](std::size_t begin, std::size_t end) {
      const auto behind = std::min(end * kGroupColumns, product.n);
      for (std::size_t first = begin * kGroupColumns; first < behind; first += width)
        if (!Group(product, first, std::min(width, behind - first)).run(0, product.rows, call.kernels)) holds = false;
    });
    return holds;
  }
  for (std::size_t first = 0; first < product.n; first += width) {
    const Group group(product, first, std::min(width, product.n - first));
    const auto row_work = std::max<std::size_t>(product.k * std::min(width, product.n - first), 1);
    split(call, product.rows, kLeastProducts / row_work + 1, [&](std::size_t begin, std::size_t end) {
      if (!group.run(begin, end, call.kernels)) holds = false;
    });
  }
  return holds;
}

}  // namespace macaw::tosa
