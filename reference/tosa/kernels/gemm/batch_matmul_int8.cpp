#include "reference/tosa/kernels/gemm/batch_matmul.hpp"

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/gemm/byte_product.hpp"

namespace macaw::tosa {

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
  const auto raise = best_version<raise_bytes>(call.kernels);
  product.load = [&](std::size_t first, std::size_t count, std::uint8_t* to, std::size_t stride) {
    for (const auto* from = a + first * product.k; count > 0; --count, from += product.k, to += stride)
      raise(from, product.k, to);
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
