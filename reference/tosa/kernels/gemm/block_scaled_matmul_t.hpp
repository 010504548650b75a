#pragma once
#include "reference/tosa/kernels/gemm/block_scaled_product.hpp"
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/window/dot_product.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {

/// Some rows of values with their scales, as T.
template <class T>
class ScaledPart {
 public:
  ScaledPart(const DotProductOperand<T>& values, const DotProductOperand<T>& scales, std::size_t first,
             std::size_t count, std::size_t k, std::size_t block)
      : values_(values.data() ? 0 : count * k), scales_(scales.data() ? 0 : count * (k / block)) {
    rows_ = {part(values, first, count, k, values_), part(scales, first, count, k / block, scales_), count, k, block};
  }

  [[nodiscard]] const ScaledRows<T>& rows() const { return rows_; }

 private:
  static const T* part(const DotProductOperand<T>& operand, std::size_t first, std::size_t count, std::size_t length,
                       Scratch<T>& memory) {
    return operand.part(static_cast<std::int64_t>(first * length), static_cast<std::int64_t>(count * length),
                        memory.data());
  }

  Scratch<T> values_, scales_;
  ScaledRows<T> rows_;
};

/// MATMUL_T_BLOCK_SCALED.
template <class T>
void block_scaled_matmul_t(const Call& call) {
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(2).shape();
  const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
             k = static_cast<std::size_t>(a_shape[2]), columns = static_cast<std::size_t>(b_shape[1]);
  const auto block = static_cast<std::size_t>(call.attr(Attr::k_block_size)), blocks = k / block;
  const auto magnitudes = magnitudes_of_operand(call);
  const DotProductOperand<T> a(call.in(0), magnitudes), a_scale(call.in(1), magnitudes), b(call.in(2), magnitudes),
      b_scale(call.in(3), magnitudes);
  const StoreSums<T> store(call);
  const auto width = columns_in_block(k * sizeof(T));
  for (std::size_t n = 0; n < batches; ++n) {
    const auto d = b_shape[0] == 1 ? 0 : n;
    for (std::size_t column = 0; column < columns; column += width) {
      const ScaledPart<T> right(b, b_scale, d * columns + column, std::min(width, columns - column), k, block);
      split(call, rows, kLeastWork / std::max<std::size_t>(k * right.rows().rows, 1) + 1,
            [&](std::size_t first, std::size_t end) {
              const auto step = std::min(end - first, rows_in_block((k + blocks + right.rows().rows) * sizeof(T)));
              Scratch<T> sums(step * right.rows().rows);
              for (; first < end; first += step) {
                const auto count = std::min(step, end - first);
                const ScaledPart<T> left(a, a_scale, n * rows + first, count, k, block);
                std::ranges::fill(sums.span(), T{0});
                add_block_scaled_product<T>(call.kernels, left.rows(), right.rows(), sums.data());
                for (std::size_t i = 0; i < count; ++i)
                  store({&sums[i * right.rows().rows], right.rows().rows},
                        static_cast<std::int64_t>((n * rows + first + i) * columns + column));
              }
            });
    }
  }
}

}  // namespace macaw::tosa
