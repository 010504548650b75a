#include "reference/tosa/import/block_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <queue>

namespace macaw::tosa {

tl::unexpected<Error> BlockBuilder::error(ErrorCode code, std::string message, std::string place) const {
  Place where;
  where.file = file_;
  where.op = std::move(place);
  return fail(code, std::move(message), std::move(where));
}

Result<ValueId> BlockBuilder::add_value(Value value) {
  if (value.name.empty())
    return error(ErrorCode::kInvalidFile, fmt::format("block {} has a tensor without a name", block_.name));
  const auto id = static_cast<ValueId>(block_.values.size());
  if (!ids_.emplace(value.name, id).second)
    return error(ErrorCode::kInvalidFile,
                 fmt::format("block {} has two tensors named \"{}\"", block_.name, value.name));
  block_.values.push_back(std::move(value));
  return id;
}

std::string BlockBuilder::unique(std::string name) {
  if (!ids_.contains(name)) return name;
  for (auto& suffix = last_suffix_[name];;) {
    auto candidate = fmt::format("{}.{}", name, ++suffix);
    if (!ids_.contains(candidate)) return candidate;
  }
}

ValueId BlockBuilder::add_temporary(std::string name, DType dtype, std::optional<Shape> shape) {
  Value value;
  value.name = unique(std::move(name));
  value.dtype = dtype;
  value.shape = std::move(shape);
  const auto id = static_cast<ValueId>(block_.values.size());
  ids_.emplace(value.name, id);
  block_.values.push_back(std::move(value));
  return id;
}

ValueId BlockBuilder::read_variable(ValueId variable) {
  Operator read;
  read.op = Op::kVARIABLE_READ;
  read.set(Attr::k_name, value(variable).variable_name);
  const auto id = add_temporary(value(variable).name + ".read", value(variable).dtype, value(variable).shape);
  read.outputs = {id};
  append(std::move(read));
  return id;
}

void BlockBuilder::add_operator(Operator op) {
  // Files name a variable like a tensor: VARIABLE_READ has it as input, VARIABLE_WRITE as output, and Arm's writers put
  // an IDENTITY for either.
  const auto is_variable = [&](ValueId id) { return value(id).variable; };
  if (op.op == Op::kVARIABLE && op.outputs.size() == 1) op.set(Attr::k_name, value(op.outputs[0]).variable_name);
  if (op.op == Op::kVARIABLE) return append(std::move(op));
  const bool copies = op.op == Op::kIDENTITY && op.inputs.size() == 1 && op.outputs.size() == 1;
  if ((copies || op.op == Op::kVARIABLE_READ) && op.inputs.size() == 1 && is_variable(op.inputs[0])) {
    op.op = Op::kVARIABLE_READ;
    op.set(Attr::k_name, value(op.inputs[0]).variable_name);
    op.inputs.clear();
  }
  for (auto& id : op.inputs)
    if (is_variable(id)) id = read_variable(id);
  std::vector<Operator> writes;
  for (auto& id : op.outputs) {
    if (!is_variable(id)) continue;
    Operator write;
    write.op = Op::kVARIABLE_WRITE;
    write.set(Attr::k_name, value(id).variable_name);
    if (op.op == Op::kVARIABLE_WRITE || (op.op == Op::kIDENTITY && copies)) {
      write.inputs = op.inputs;
      return append(std::move(write));
    }
    id = add_temporary(value(id).name + ".written", value(id).dtype, value(id).shape);
    write.inputs = {id};
    writes.push_back(std::move(write));
  }
  append(std::move(op));
  for (auto& write : writes) append(std::move(write));
}

void BlockBuilder::declare_variables() {
  std::vector<bool> declared(block_.values.size());
  for (const auto& op : block_.operators)
    if (op.op == Op::kVARIABLE)
      for (const auto id : op.outputs) declared[id] = true;
  std::vector<Operator> all;
  for (ValueId id = 0; id < block_.values.size(); ++id) {
    if (!value(id).variable || declared[id]) continue;
    Operator declaration;
    declaration.op = Op::kVARIABLE;
    declaration.outputs = {id};
    declaration.set(Attr::k_name, value(id).variable_name);
    all.push_back(std::move(declaration));
  }
  std::ranges::move(block_.operators, std::back_inserter(all));
  block_.operators = std::move(all);
}

void BlockBuilder::append(Operator op) {
  held_bytes_ += (op.inputs.size() + op.outputs.size()) * sizeof(ValueId) + op.location.size();
  for (const auto& [attribute, value] : op.attributes) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
      held_bytes_ += list->size() * sizeof(std::int64_t);
    else if (const auto* text = std::get_if<std::string>(&value)) held_bytes_ += text->size();
    else if (const auto* bytes = std::get_if<std::vector<std::byte>>(&value)) held_bytes_ += bytes->size();
  }
  block_.operators.push_back(std::move(op));
}

ValueId BlockBuilder::add_constant(std::string name, Tensor data) {
  held_bytes_ += data.bytes().size();
  return add_constant(std::move(name), std::make_shared<const Tensor>(std::move(data)));
}

ValueId BlockBuilder::add_constant(std::string name, std::shared_ptr<const Tensor> data) {
  const auto id = add_temporary(std::move(name), data->dtype(), data->shape());
  bind_constant(id, std::move(data));
  return id;
}

void BlockBuilder::bind_constant(ValueId id, std::shared_ptr<const Tensor> data) {
  outside_.erase(id);
  Operator constant;
  constant.op = data->dtype() == DType::kSHAPE ? Op::kCONST_SHAPE : Op::kCONST;
  constant.outputs = {id};
  block_.values[id].data = std::move(data);
  add_operator(std::move(constant));
}

ValueId BlockBuilder::bind_input(const Value& value) {
  const auto own = ids_.find(value.name);
  const bool is_outside = own != ids_.end() && outside_.erase(own->second) > 0;
  const auto id = is_outside ? own->second : add_temporary(value.name, value.dtype, value.shape);
  block_.inputs.push_back(id);
  return id;
}

Result<ValueId> BlockBuilder::find(std::string_view name, const std::string& place) {
  const std::string key(name);
  if (const auto it = ids_.find(key); it != ids_.end()) return it->second;
  if (outer_)
    if (const auto it = outer_->find(key); it != outer_->end()) {
      MACAW_ASSIGN(const auto id, add_value(it->second));
      if (!it->second.variable) outside_.insert(id);
      return id;
    }
  return error(ErrorCode::kInvalidGraph, fmt::format("block {} has no tensor named \"{}\"", block_.name, name), place);
}

Result<Block> BlockBuilder::finish() {
  for (auto& id : block_.outputs)
    if (value(id).variable) id = read_variable(id);
  constexpr std::size_t kNone = SIZE_MAX;
  const auto count = block_.operators.size();
  std::vector<std::size_t> producer(block_.values.size(), kNone);
  std::vector<bool> is_input(block_.values.size());
  for (const auto id : block_.inputs) {
    if (is_input[id])
      return error(ErrorCode::kInvalidGraph,
                   fmt::format("block {} lists its input \"{}\" twice", block_.name, value(id).name));
    is_input[id] = true;
  }
  for (std::size_t i = 0; i < count; ++i)
    for (const auto id : block_.operators[i].outputs) {
      if (producer[id] != kNone || is_input[id])
        return error(ErrorCode::kInvalidGraph, fmt::format("\"{}\" is assigned twice", value(id).name),
                     describe(block_, i));
      producer[id] = i;
    }

  std::vector<std::size_t> missing(count);
  std::vector<std::vector<std::size_t>> users(count);
  for (std::size_t i = 0; i < count; ++i)
    for (const auto id : block_.operators[i].inputs) {
      if (producer[id] == kNone) {
        if (is_input[id]) continue;
        return error(ErrorCode::kInvalidGraph, fmt::format("\"{}\" is used and never produced", value(id).name),
                     describe(block_, i));
      }
      ++missing[i];
      users[producer[id]].push_back(i);
    }
  for (const auto id : block_.outputs)
    if (producer[id] == kNone && !is_input[id])
      return error(ErrorCode::kInvalidGraph,
                   fmt::format("the output \"{}\" of block {} is never produced", value(id).name, block_.name));

  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i)
    if (missing[i] == 0) ready.push(i);
  std::vector<Operator> ordered;
  ordered.reserve(count);
  while (!ready.empty()) {
    const auto i = ready.top();
    ready.pop();
    ordered.push_back(std::move(block_.operators[i]));
    for (const auto user : users[i])
      if (--missing[user] == 0) ready.push(user);
  }
  if (ordered.size() != count) return error(ErrorCode::kInvalidGraph, fmt::format("block {} has a cycle", block_.name));
  block_.operators = std::move(ordered);
  return std::move(block_);
}

Result<Shape> checked_shape(std::span<const std::int32_t> extents) {
  // No level allows more than 32 dimensions.
  if (extents.size() > 64) return fail(ErrorCode::kInvalidGraph, fmt::format("a shape of {} extents", extents.size()));
  Shape shape(extents.begin(), extents.end());
  Shape known;
  for (const auto extent : shape) {
    if (extent < -1)
      return fail(ErrorCode::kInvalidGraph, fmt::format("shape {} has a negative extent", macaw::to_string(shape)));
    if (extent >= 0) known.push_back(extent);
  }
  MACAW_CHECK(element_count(known, 16));
  return shape;
}

}  // namespace macaw::tosa
