#include "models/graph_builder.hpp"

#include <algorithm>
#include <cassert>

namespace macaw::models {

tosa::ValueId GraphBuilder::binary(tosa::Op op, std::string_view name, tosa::ValueId a, tosa::ValueId b) {
  Shape extents = shape(a);
  const auto& other = shape(b);
  assert(extents.size() == other.size());
  for (std::size_t i = 0; i < other.size(); ++i) extents[i] = std::max(extents[i], other[i]);
  const auto out = value(name, block().values[a].dtype, std::move(extents));
  add_operator(op, {a, b}, out);
  return out;
}

tosa::ValueId GraphBuilder::mul(tosa::ValueId a, tosa::ValueId b, std::int8_t shift) {
  const auto shift_id = zero_point(DType::kINT8, shift);
  const auto out = binary(tosa::Op::kMUL, "mul", a, b);
  block().operators.back().inputs.push_back(shift_id);
  block().values[out].dtype = DType::kINT32;
  return out;
}

tosa::ValueId GraphBuilder::right_shift(tosa::ValueId a, tosa::ValueId b, bool round) {
  const auto out = binary(tosa::Op::kARITHMETIC_RIGHT_SHIFT, "right_shift", a, b);
  block().operators.back().set(tosa::Attr::k_round, std::int64_t{round});
  return out;
}

tosa::ValueId GraphBuilder::clz(tosa::ValueId input) {
  const auto out = value("clz", DType::kINT32, Shape(shape(input)));
  add_operator(tosa::Op::kCLZ, {input}, out);
  return out;
}

tosa::ValueId GraphBuilder::matmul(tosa::ValueId a, tosa::ValueId b, std::int8_t a_zp, std::int8_t b_zp) {
  const auto left = shape(a), right = shape(b);
  assert(left.size() == 3 && right.size() == 3 && left[0] == right[0] && left[2] == right[1]);
  const auto type = dtype(a);
  const auto azp = zero_point(type, a_zp), bzp = zero_point(type, b_zp);
  const auto out = value("matmul", type == DType::kINT16 ? DType::kINT48 : DType::kINT32, {left[0], left[1], right[2]});
  add_operator(tosa::Op::kMATMUL, {a, b, azp, bzp}, out);
  return out;
}

tosa::ValueId GraphBuilder::table(tosa::ValueId input, const std::vector<std::int8_t>& entries) {
  const auto entries_id = constant(int8_tensor({256}, entries));
  const auto out = value("table", DType::kINT8, Shape(shape(input)));
  add_operator(tosa::Op::kTABLE, {input, entries_id}, out);
  return out;
}

tosa::ValueId GraphBuilder::table(tosa::ValueId input, const std::vector<std::int16_t>& entries) {
  const auto entries_id = constant(int16_tensor({513}, entries));
  const auto out = value("table", DType::kINT32, Shape(shape(input)));
  add_operator(tosa::Op::kTABLE, {input, entries_id}, out);
  return out;
}

tosa::ValueId GraphBuilder::reduce(tosa::Op op, std::string_view name, tosa::ValueId input, std::int64_t axis) {
  auto extents = shape(input);
  extents[static_cast<std::size_t>(axis)] = 1;
  const auto out = value(name, block().values[input].dtype, std::move(extents));
  add_operator(op, {input}, out).set(tosa::Attr::k_axis, axis);
  return out;
}

tosa::ValueId GraphBuilder::reduce_max(tosa::ValueId input, std::int64_t axis) {
  const auto out = reduce(tosa::Op::kREDUCE_MAX, "reduce_max", input, axis);
  block().operators.back().set(tosa::Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  return out;
}

tosa::ValueId GraphBuilder::reduce_sum(tosa::ValueId input, std::int64_t axis) {
  return reduce(tosa::Op::kREDUCE_SUM, "reduce_sum", input, axis);
}

}  // namespace macaw::models
