#include <algorithm>

#include "reference/tosa/kernels/gemm/batch_matmul.hpp"
#include "reference/tosa/kernels/gemm/float_gemm.hpp"
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/window/dot_product.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {
namespace {

/// Columns [first, first + count) of the matrix at `from` in B, [K,N] or if `transposed` [N,K].
template <class T>
FloatPanels<T> pack(const DotProductOperand<T>& b, std::int64_t from, std::size_t k, std::size_t n, bool transposed,
                    std::size_t first, std::size_t count) {
  FloatPanels<T> panels(k, count);
  if (!transposed) {
    Scratch<T> memory(b.data() ? 0 : count);
    for (std::size_t i = 0; i < k; ++i)
      panels.set_row(
          i, b.part(from + static_cast<std::int64_t>(i * n + first), static_cast<std::int64_t>(count), memory.data()));
  } else if (b.data()) {
    panels.pack_transposed(b.data() + from + first * k, k);
  } else {
    Scratch<T> column(k);
    for (std::size_t j = 0; j < count; ++j) {
      b(from + static_cast<std::int64_t>((first + j) * k), static_cast<std::int64_t>(k), column.data());
      for (std::size_t i = 0; i < k; ++i) panels.at(i, j) = column[i];
    }
  }
  return panels;
}

}  // namespace

template <class T>
void float_matmul(Call& call, bool transposed) {
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(1).shape();
  const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
             k = static_cast<std::size_t>(a_shape[2]), n = static_cast<std::size_t>(b_shape[transposed ? 1 : 2]);
  const auto magnitudes = magnitudes_of_operand(call);
  const DotProductOperand<T> a(call.in(0), magnitudes), b(call.in(1), magnitudes);
  const StoreSums<T> store(call);
  const auto step = columns_in_block(k * sizeof(T));
  for (std::size_t batch = 0; batch < batches; ++batch)
    for (std::size_t column = 0; column < n; column += step) {
      const auto from = b_shape[0] == 1 ? 0 : static_cast<std::int64_t>(batch * k * n);
      const auto panels = pack(b, from, k, n, transposed, column, std::min(step, n - column));
      split(call, rows, kLeastWork / std::max<std::size_t>(k * panels.n(), 1) + 1,
            [&](std::size_t first, std::size_t end) {
              const auto block = std::min(end - first, rows_in_block((k + panels.columns()) * sizeof(T)));
              Scratch<T> memory(a.data() ? 0 : block * k), sums(block * panels.columns());
              for (; first < end; first += block) {
                const auto count = std::min(block, end - first), row = batch * rows + first;
                const auto* values =
                    a.part(static_cast<std::int64_t>(row * k), static_cast<std::int64_t>(count * k), memory.data());
                const FloatRows<T> left{values, count, k};
                if (call.kernels == Kernels::kScalar) float_gemm_scalar(left, panels, sums.data());
                else float_gemm(left, panels, sums.data());
                for (std::size_t i = 0; i < count; ++i)
                  store({sums.data() + i * panels.columns(), panels.n()},
                        static_cast<std::int64_t>((row + i) * n + column));
              }
            });
    }
}

template void float_matmul<float>(Call&, bool);
template void float_matmul<double>(Call&, bool);

}  // namespace macaw::tosa
