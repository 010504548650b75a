#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {
namespace {

/// Indices as INT32, those of 64 bits only as constants.
Result<ValueId> indices_of(Lowering& lowering) {
  const Tensor& tensor = *lowering.call.inputs[1].value;
  if (tensor.dtype() != DType::kINT64) return lowering.input(1);
  MACAW_CHECK(lowering.expect_constant(1));
  Tensor narrow(DType::kINT32, tensor.shape());
  std::ranges::copy(tensor.data<std::int64_t>(), narrow.data<std::int32_t>().begin());
  return lowering.tosa.constant(std::move(narrow));
}

}  // namespace

Result<void> lower_gather(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::GatherOptionsT>();
  auto& tosa = lowering.tosa;
  const Shape &in = lowering.call.inputs[0].value->shape(), &i = lowering.call.inputs[1].value->shape();
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options.axis, in.size()));
  const auto batch_axes = static_cast<std::size_t>(
      options.batch_dims < 0 ? options.batch_dims + static_cast<int>(i.size()) : options.batch_dims);
  MACAW_ASSIGN(const auto x, lowering.input(0));
  MACAW_ASSIGN(auto indices, indices_of(lowering));
  const std::int64_t batches = product(in, 0, batch_axes), outer = product(in, batch_axes, axis),
                     count = product(i, batch_axes, i.size());
  indices = tosa.tile(tosa.reshape(indices, {batches, 1, count}), {1, outer, 1});
  indices = tosa.reshape(indices, {batches * outer, count});
  const auto values = tosa.reshape(x, {batches * outer, in[axis], product(in, axis + 1, in.size())});
  return lowering.output(tosa.gather(values, indices));
}

/// Indices of several axes become one of their product.
Result<void> lower_gather_nd(Lowering& lowering) {
  auto& tosa = lowering.tosa;
  const Shape &in = lowering.call.inputs[0].value->shape(), &i = lowering.call.inputs[1].value->shape();
  const auto depth = static_cast<std::size_t>(i.back());
  const std::int64_t count = product(i, 0, i.size() - 1);
  if (depth == 0) return unsupported("indices of no axes");
  MACAW_ASSIGN(const auto x, lowering.input(0));
  MACAW_ASSIGN(auto indices, indices_of(lowering));
  Tensor strides(DType::kINT32, {1, i.back()});
  for (std::size_t a = 0; a < depth; ++a)
    strides.data<std::int32_t>()[a] = static_cast<std::int32_t>(product(in, a + 1, depth));
  indices = tosa.mul(tosa.reshape(indices, {count, i.back()}), tosa.constant(std::move(strides)));
  indices = tosa.reshape(tosa.reduce(Op::kREDUCE_SUM, indices, 1), {1, count});
  const auto values = tosa.reshape(x, {1, product(in, 0, depth), product(in, depth, in.size())});
  return lowering.output(tosa.gather(values, indices));
}

}  // namespace macaw::tflite
