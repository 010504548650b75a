#include "models/graph_builder.hpp"

#include <algorithm>
#include <cassert>

namespace macaw::models {

tosa::ValueId GraphBuilder::gather(tosa::ValueId values, tosa::ValueId indices) {
  const auto rows = shape(values), picks = shape(indices);
  assert(rows.size() == 3 && picks.size() == 2 && rows[0] == picks[0]);
  const auto out = value("gather", block().values[values].dtype, {rows[0], picks[1], rows[2]});
  add_operator(tosa::Op::kGATHER, {values, indices}, out);
  return out;
}

tosa::ValueId GraphBuilder::scatter(tosa::ValueId values, tosa::ValueId indices, tosa::ValueId rows) {
  assert(shape(values).size() == 3 && shape(indices).size() == 2 && shape(rows)[1] == shape(indices)[1]);
  const auto out = value("scatter", block().values[values].dtype, Shape(shape(values)));
  add_operator(tosa::Op::kSCATTER, {values, indices, rows}, out);
  return out;
}

tosa::ValueId GraphBuilder::argmax(tosa::ValueId input, std::int64_t axis) {
  auto extents = shape(input);
  extents.erase(extents.begin() + axis);
  const auto out = value("argmax", DType::kINT32, std::move(extents));
  auto& op = add_operator(tosa::Op::kARGMAX, {input}, out);
  op.set(tosa::Attr::k_axis, axis);
  op.set(tosa::Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  return out;
}

tosa::ValueId GraphBuilder::tile(tosa::ValueId input, const Shape& multiples) {
  auto extents = shape(input);
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i] *= multiples[i];
  const auto times = const_shape(multiples);
  const auto out = value("tile", block().values[input].dtype, std::move(extents));
  add_operator(tosa::Op::kTILE, {input, times}, out);
  return out;
}

tosa::ValueId GraphBuilder::read_variable(const std::string& name, Shape new_shape, std::int8_t initial) {
  const auto declared = value("variable", DType::kINT8, new_shape);
  auto& variable = block().values[declared];
  variable.variable = true;
  variable.variable_name = name;
  Tensor contents(DType::kINT8, new_shape);
  std::ranges::fill(contents.data<std::int8_t>(), initial);
  variable.data = std::make_shared<const Tensor>(std::move(contents));
  add_operator(tosa::Op::kVARIABLE, {}, declared).set(tosa::Attr::k_name, name);
  const auto out = value("variable_read", DType::kINT8, std::move(new_shape));
  add_operator(tosa::Op::kVARIABLE_READ, {}, out).set(tosa::Attr::k_name, name);
  return out;
}

void GraphBuilder::write_variable(const std::string& name, tosa::ValueId contents) {
  auto& op = add_operator(tosa::Op::kVARIABLE_WRITE, {contents}, 0);
  op.outputs.clear();
  op.set(tosa::Attr::k_name, name);
}

}  // namespace macaw::models
