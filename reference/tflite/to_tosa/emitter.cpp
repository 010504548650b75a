#include "reference/tflite/to_tosa/emitter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace macaw::tflite {

std::vector<std::byte> element_bytes(DType dtype, std::int64_t value) {
  std::vector<std::byte> bytes(size_of(dtype));
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes;
}

Emitter::Emitter() {
  graph_.version = tosa::kVersion1_0;
  graph_.blocks.emplace_back().name = "main";
}

ValueId Emitter::value(std::string_view name, DType dtype, Shape shape) {
  const auto id = static_cast<ValueId>(block().values.size());
  std::string unique(name);
  for (std::size_t i = id; unique.empty() || !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
  block().values.push_back({.name = std::move(unique),
                            .dtype = dtype,
                            .shape = std::move(shape),
                            .data = {},
                            .variable = false,
                            .variable_name = {}});
  may_be_output_.push_back(false);
  is_read_.push_back(false);
  is_named_.push_back(false);
  return id;
}

void Emitter::name(ValueId id, std::string_view name) {
  if (!may_be_output_[id] || is_named_[id] || name.empty() || !names_.insert(std::string(name)).second) return;
  names_.erase(block().values[id].name);
  block().values[id].name = name;
  is_named_[id] = true;
}

void Emitter::rewind(Mark mark) {
  for (std::size_t id = mark.values; id < block().values.size(); ++id) names_.erase(block().values[id].name);
  block().operators.resize(mark.operators);
  block().values.resize(mark.values);
  may_be_output_.resize(mark.values);
  is_read_.resize(mark.values);
  is_named_.resize(mark.values);
}

ValueId Emitter::input(std::string_view name, DType dtype, Shape shape) {
  block().inputs.push_back(value(name, dtype, std::move(shape)));
  return block().inputs.back();
}

void Emitter::output(ValueId id, std::string_view name) {
  if (!may_be_output_[id]) id = add_like(Op::kIDENTITY, {id});
  may_be_output_[id] = false;
  if (!name.empty() && names_.insert(std::string(name)).second) block().values[id].name = name;
  block().outputs.push_back(id);
}

ValueId Emitter::constant(Tensor tensor) {
  const auto id = add(Op::kCONST, {}, tensor.dtype(), tensor.shape());
  block().values[id].data = std::make_shared<const Tensor>(std::move(tensor));
  return id;
}

ValueId Emitter::scalar(DType dtype, std::int64_t value, std::size_t rank) {
  Tensor tensor(dtype, Shape(rank, 1));
  std::ranges::copy(element_bytes(dtype, value), tensor.bytes().begin());
  return constant(std::move(tensor));
}

ValueId Emitter::number(float value, std::size_t rank) {
  return scalar(DType::kFP32, std::bit_cast<std::int32_t>(value), rank);
}

ValueId Emitter::shape_constant(const Shape& extents) {
  Tensor tensor(DType::kSHAPE, {static_cast<std::int64_t>(extents.size())});
  std::ranges::copy(extents, tensor.data<std::int64_t>().begin());
  const auto id = add(Op::kCONST_SHAPE, {}, DType::kSHAPE, tensor.shape());
  block().values[id].data = std::make_shared<const Tensor>(std::move(tensor));
  return id;
}

ValueId Emitter::add(Op op, std::vector<ValueId> inputs, DType dtype, Shape shape, Attributes attributes) {
  const auto id = value(tosa::to_string(op), dtype, std::move(shape));
  for (const auto input : inputs) is_read_[input] = true;
  block().operators.push_back({.op = op,
                               .inputs = std::move(inputs),
                               .outputs = {id},
                               .attributes = std::move(attributes),
                               .location = location_});
  may_be_output_[id] = op != Op::kCONST && op != Op::kCONST_SHAPE;
  return id;
}

ValueId Emitter::add_like(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  const auto like = inputs.front();
  return add(op, std::move(inputs), dtype(like), Shape(shape(like)), std::move(attributes));
}

ValueId Emitter::binary(Op op, ValueId a, ValueId b, std::optional<DType> result) {
  const auto rank = std::max(shape(a).size(), shape(b).size());
  const auto widened = [&](ValueId id) {
    Shape extents = shape(id);
    extents.insert(extents.begin(), rank - extents.size(), 1);
    return reshape(id, std::move(extents));
  };
  a = widened(a);
  b = widened(b);
  Shape extents = shape(a);
  for (std::size_t i = 0; i < rank; ++i)
    if (extents[i] == 1) extents[i] = shape(b)[i];
  return add(op, {a, b}, result.value_or(dtype(a)), std::move(extents));
}

ValueId Emitter::mul(ValueId a, ValueId b, std::int8_t shift) {
  const auto by = scalar(DType::kINT8, shift);
  const auto id = binary(Op::kMUL, a, b, dtype(a) == DType::kFP32 ? DType::kFP32 : DType::kINT32);
  block().operators.back().inputs.push_back(by);
  return id;
}

ValueId Emitter::reshape(ValueId id, Shape extents) {
  auto& value = block().values[id];
  if (extents == *value.shape) return id;
  if (value.data && !is_read_[id]) {
    Tensor reshaped = *value.data;
    reshaped.reshape(extents);
    value.data = std::make_shared<const Tensor>(std::move(reshaped));
    value.shape = std::move(extents);
    return id;
  }
  const auto to = shape_constant(extents);
  return add(Op::kRESHAPE, {id, to}, dtype(id), std::move(extents));
}

ValueId Emitter::transpose(ValueId id, const std::vector<std::int64_t>& perms) {
  if (std::ranges::is_sorted(perms)) return id;
  Shape extents;
  for (const auto axis : perms) extents.push_back(shape(id)[static_cast<std::size_t>(axis)]);
  return add(Op::kTRANSPOSE, {id}, dtype(id), std::move(extents), {{Attr::k_perms, perms}});
}

ValueId Emitter::slice(ValueId id, const Shape& start, Shape size) {
  if (size == shape(id)) return id;
  const auto from = shape_constant(start), extents = shape_constant(size);
  return add(Op::kSLICE, {id, from, extents}, dtype(id), std::move(size));
}

ValueId Emitter::cast(ValueId id, DType to) {
  return to == dtype(id) ? id : add(Op::kCAST, {id}, to, Shape(shape(id)));
}

ValueId Emitter::tile(ValueId id, const Shape& times) {
  Shape extents = shape(id);
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i] *= times[i];
  if (extents == shape(id)) return id;
  const auto multiples = shape_constant(times);
  return add(Op::kTILE, {id, multiples}, dtype(id), std::move(extents));
}

ValueId Emitter::clamp(ValueId id, std::int64_t low, std::int64_t high) {
  const auto limit = std::int64_t{1} << (8 * size_of(dtype(id)) - 1);
  if (low <= -limit && high >= limit - 1) return id;
  return add_like(Op::kCLAMP, {id},
                  {{Attr::k_min_val, element_bytes(dtype(id), low)},
                   {Attr::k_max_val, element_bytes(dtype(id), high)},
                   {Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate)}});
}

ValueId Emitter::clamp_floats(ValueId id, float low, float high) {
  constexpr float kMost = std::numeric_limits<float>::max();
  if (low <= -kMost && high >= kMost) return id;
  return add_like(Op::kCLAMP, {id},
                  {{Attr::k_min_val, element_bytes(DType::kFP32, std::bit_cast<std::int32_t>(low))},
                   {Attr::k_max_val, element_bytes(DType::kFP32, std::bit_cast<std::int32_t>(high))},
                   {Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate)}});
}

ValueId Emitter::concat(const std::vector<ValueId>& parts, std::int64_t axis) {
  if (parts.size() == 1) return parts.front();
  Shape extents = shape(parts.front());
  auto& extent = extents[static_cast<std::size_t>(axis)];
  extent = 0;
  for (const auto part : parts) extent += shape(part)[static_cast<std::size_t>(axis)];
  return add(Op::kCONCAT, parts, dtype(parts.front()), std::move(extents), {{Attr::k_axis, axis}});
}

ValueId Emitter::pad(ValueId id, const Shape& amounts, ValueId fill) {
  Shape extents = shape(id);
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i] += amounts[2 * i] + amounts[2 * i + 1];
  if (extents == shape(id)) return id;
  const auto padding = shape_constant(amounts);
  return add(Op::kPAD, {id, padding, fill}, dtype(id), std::move(extents));
}

ValueId Emitter::reverse(ValueId id, std::int64_t axis) { return add_like(Op::kREVERSE, {id}, {{Attr::k_axis, axis}}); }

ValueId Emitter::reduce(Op op, ValueId id, std::size_t axis) {
  Shape extents = shape(id);
  extents[axis] = 1;
  Attributes attributes = {{Attr::k_axis, static_cast<std::int64_t>(axis)}};
  if (op == Op::kREDUCE_MAX || op == Op::kREDUCE_MIN)
    attributes.emplace_back(Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  return add(op, {id}, dtype(id), std::move(extents), std::move(attributes));
}

ValueId Emitter::gather(ValueId values, ValueId indices) {
  return add(Op::kGATHER, {values, indices}, dtype(values), {shape(values)[0], shape(indices)[1], shape(values)[2]});
}

}  // namespace macaw::tflite
