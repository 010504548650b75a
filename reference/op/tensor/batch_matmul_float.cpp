#include "reference/op/gemm/float_gemm.hpp"
#include "reference/op/tensor/batch_matmul.hpp"
#include "reference/op/tensor/dot_product.hpp"

namespace macaw::tosa {

template <class T>
void float_matmul(Call& call, bool transposed) {
  const auto &a_shape = call.in(0).shape(), &b_shape = call.in(1).shape();
  const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
             k = static_cast<std::size_t>(a_shape[2]), n = static_cast<std::size_t>(b_shape[transposed ? 1 : 2]);
  const auto a = dot_product_operand<T>(call, 0), b = dot_product_operand<T>(call, 1);
  FloatOutput<T> out(call.out(0));
  FloatPanels<T> panels(k, n);
  std::vector<T> sums(rows * panels.columns());
  for (std::size_t batch = 0; batch < batches; ++batch) {
    if (batch == 0 || b_shape[0] != 1) {
      const auto* right = b.data() + batch * k * n;
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < n; ++j) panels.at(i, j) = right[transposed ? j * k + i : i * n + j];
    }
    float_gemm(FloatRows<T>{a.data() + batch * rows * k, rows, k}, panels, sums.data());
    for (std::size_t row = 0; row < rows; ++row)
      std::copy_n(sums.data() + row * panels.columns(), n, out.data() + (batch * rows + row) * n);
  }
}

template void float_matmul<float>(Call&, bool);
template void float_matmul<double>(Call&, bool);

}  // namespace macaw::tosa
