#include "models/graph_builder.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace macaw::models {

tosa::ValueId GraphBuilder::const_shape(const Shape& extents) {
  const auto rank = static_cast<std::int64_t>(extents.size());
  const auto id = value("const_shape", DType::kSHAPE, {rank});
  Tensor tensor(DType::kSHAPE, {rank});
  std::ranges::copy(extents, tensor.data<std::int64_t>().begin());
  block().values[id].data = std::make_shared<const Tensor>(std::move(tensor));
  add_operator(tosa::Op::kCONST_SHAPE, {}, id);
  return id;
}

tosa::ValueId GraphBuilder::reshape(tosa::ValueId input, Shape new_shape) {
  const auto extents = const_shape(new_shape);
  const auto out = value("reshape", block().values[input].dtype, std::move(new_shape));
  add_operator(tosa::Op::kRESHAPE, {input, extents}, out);
  return out;
}

tosa::ValueId GraphBuilder::transpose(tosa::ValueId input, std::vector<std::int64_t> perms) {
  const auto in = shape(input);
  assert(perms.size() == in.size());
  Shape extents;
  for (const auto p : perms) extents.push_back(in[static_cast<std::size_t>(p)]);
  const auto out = value("transpose", block().values[input].dtype, std::move(extents));
  add_operator(tosa::Op::kTRANSPOSE, {input}, out).set(tosa::Attr::k_perms, std::move(perms));
  return out;
}

tosa::ValueId GraphBuilder::concat(const std::vector<tosa::ValueId>& inputs, std::int64_t axis) {
  auto extents = shape(inputs.front());
  extents[static_cast<std::size_t>(axis)] = std::accumulate(
      inputs.begin(), inputs.end(), std::int64_t{0},
      [&](std::int64_t sum, tosa::ValueId id) { return sum + shape(id)[static_cast<std::size_t>(axis)]; });
  const auto out = value("concat", block().values[inputs.front()].dtype, std::move(extents));
  add_operator(tosa::Op::kCONCAT, inputs, out).set(tosa::Attr::k_axis, axis);
  return out;
}

tosa::ValueId GraphBuilder::slice(tosa::ValueId input, Shape start, Shape size) {
  const auto s = const_shape(start), n = const_shape(size);
  const auto out = value("slice", block().values[input].dtype, std::move(size));
  add_operator(tosa::Op::kSLICE, {input, s, n}, out);
  return out;
}

}  // namespace macaw::models
