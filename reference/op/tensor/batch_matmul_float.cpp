#include <algorithm>

#include "reference/op/gemm/float_gemm.hpp"
#include "reference/op/tensor/batch_matmul.hpp"
#include "reference/op/tensor/blocks.hpp"
#include "reference/op/tensor/dot_product.hpp"
#include "reference/op/workers.hpp"

namespace macaw::tosa {

template <class T>
void float_matmul(Call& call, bool transposed) {
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(1).shape();
  const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
             k = static_cast<std::size_t>(a_shape[2]), n = static_cast<std::size_t>(b_shape[transposed ? 1 : 2]);
  const auto a = dot_product_operand<T>(call, 0), b = dot_product_operand<T>(call, 1);
  FloatOutput<T> out(call.out(0), Contents::kAny);
  FloatPanels<T> panels(k, n);
  const auto least = kLeastWork / std::max<std::size_t>(k * n, 1) + 1;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    if (batch == 0 || b_shape[0] != 1) {
      const auto* right = b.data() + batch * k * n;
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < n; ++j) panels.at(i, j) = right[transposed ? j * k + i : i * n + j];
    }
    split(call, rows, least, [&](std::size_t first, std::size_t end) {
      // Sums of a block of rows stay in the second-level cache.
      const auto block =
          std::max<std::size_t>((std::size_t{1} << 17) / sizeof(T) / std::max<std::size_t>(panels.columns(), 1), 12);
      Scratch<T> sums(std::min(block, end - first) * panels.columns());
      for (; first < end; first += block) {
        const FloatRows<T> left{a.data() + (batch * rows + first) * k, std::min(block, end - first), k};
        if (call.kernels == Kernels::kScalar) float_gemm_scalar(left, panels, sums.data());
        else float_gemm(left, panels, sums.data());
        for (std::size_t i = 0; i < left.rows; ++i)
          std::copy_n(sums.data() + i * panels.columns(), n, out.data() + (batch * rows + first + i) * n);
      }
    });
  }
}

template void float_matmul<float>(Call&, bool);
template void float_matmul<double>(Call&, bool);

}  // namespace macaw::tosa
