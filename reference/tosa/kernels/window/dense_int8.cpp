#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/gemm/byte_product.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/dense.hpp"
#include "reference/tosa/kernels/window/gather.hpp"

namespace macaw::tosa {
namespace {

struct LoadBytes {
  const std::int8_t* from;

  void operator()(std::int64_t first, std::int64_t count, std::uint8_t* out) const {
    raise_bytes(from + first, static_cast<std::size_t>(count), out);
  }
};

using GatherBytes = Gather<std::uint8_t, LoadBytes>;
void gather_rows(const GatherBytes* gather, std::size_t first, std::size_t count, std::uint8_t* to,
                 std::size_t stride) {
  gather->rows(static_cast<std::int64_t>(first), count, to, stride);
}

bool run_phase(Call& call, const DenseConvolution& convolution) {
  const auto* weights = call.in_data<std::int8_t>(1).data();
  ByteProduct product;
  product.rows = output_positions(convolution);
  product.k = rows_of_weights(convolution);
  product.n = static_cast<std::size_t>(convolution.out_channels);
  product.a_zero_point = call.in_data<std::int8_t>(3)[0];
  product.b_zero_point = call.in_data<std::int8_t>(4)[0];
  const GatherBytes gather(convolution, {call.in_data<std::int8_t>(0).data()},
                           static_cast<std::uint8_t>(product.a_zero_point + 128));
  const auto rows = best_version<gather_rows>(call.kernels);
  product.load = [&](std::size_t first, std::size_t count, std::uint8_t* to, std::size_t stride) {
    rows(&gather, first, count, to, stride);
  };
  const bool all = takes_all_weights(convolution);
  product.pack = [&](std::size_t first, ByteMatrix& to) {
    if (all) return to.pack_transposed(weights + first * product.k, product.k);
    for_each_weight(convolution, static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + to.n()),
                    [&](std::size_t k, std::size_t oc, std::size_t at) { to.at(k, oc - first) = weights[at]; });
  };
  product.bias = call.in_data<std::int32_t>(2);
  if (call.after && fills_output(convolution)) {
    product.after = call.after;
    product.after->start();
  } else {
    product.out = call.fill_data<std::int32_t>(0).data();
  }
  if (!fills_output(convolution))
    product.place = [&](std::size_t row) { return output_offset(convolution, static_cast<std::int64_t>(row)); };
  return multiply(call, product);
}

}  // namespace

template <>
void dense_convolution<std::int8_t>(Call& call, std::span<const DenseConvolution> phases) {
  bool holds = true;
  for (const auto& phase : phases) holds &= run_phase(call, phase);
  call.require(holds, kSumFits);
}

}  // namespace macaw::tosa
