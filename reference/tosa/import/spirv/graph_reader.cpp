#include "reference/tosa/import/spirv/graph_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace macaw::tosa::spirv {
namespace {

/// Elements of a tensor of integers.
std::vector<std::int64_t> integers(const Tensor& tensor) {
  const auto size = size_of(tensor.dtype());
  std::vector<std::int64_t> all;
  for (std::size_t at = 0; at + size <= tensor.bytes().size(); at += size) {
    std::int64_t value = std::to_integer<int>(tensor.bytes()[at + size - 1]) & 0x80 ? -1 : 0;
    std::memcpy(&value, tensor.bytes().data() + at, size);
    all.push_back(value);
  }
  return all;
}

bool holds_integers(DType dtype) {
  return dtype == DType::kINT8 || dtype == DType::kINT16 || dtype == DType::kINT32 || dtype == DType::kINT48;
}

template <class T, std::size_t N>
std::optional<std::int64_t> numbered(const T (&list)[N], std::int64_t number) {
  if (number < 1 || number > static_cast<std::int64_t>(N)) return std::nullopt;
  return static_cast<std::int64_t>(list[number - 1]);
}

/// The graph's value of an enumeration's number; the number itself where the attribute is none.
std::optional<std::int64_t> meaning(Attr attribute, std::int64_t number) {
  switch (attribute) {
    case Attr::k_acc_type: return numbered(kAccTypes, number);
    case Attr::k_nan_mode: return numbered(kNanModes, number);
    case Attr::k_mode: return numbered(kResizeModes, number);
    case Attr::k_rounding_mode: return numbered(kRoundingModes, number);
    default: return number;
  }
}

}  // namespace

Result<std::vector<ValueId>> GraphReader::read(const EntryPoint& entry) {
  MACAW_ASSIGN(input_types_, module_.inputs(entry.graph));
  MACAW_ASSIGN(output_types_, module_.outputs(entry.graph));
  if (entry.variables.size() != input_types_.size() + output_types_.size())
    return module_.error(ErrorCode::kInvalidFile,
                         fmt::format("\"{}\" has {} variables for {} inputs and {} outputs", entry.name,
                                     entry.variables.size(), input_types_.size(), output_types_.size()));
  for (std::size_t i = 0; i < input_types_.size(); ++i) {
    const auto& [type, count] = input_types_[i];
    auto& values = inputs_.emplace_back();
    for (std::size_t k = 0; k < count.value_or(1); ++k) {
      MACAW_ASSIGN(values.emplace_back(), around_.input({i, count ? std::optional(k) : std::nullopt}, type));
    }
  }
  for (const auto& type : output_types_) outputs_.emplace_back(type.count.value_or(1));
  for (const auto& instruction : module_.body(entry.graph)) MACAW_CHECK(read_instruction(instruction));
  std::vector<ValueId> outputs;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    for (const auto& value : outputs_[i]) {
      if (!value)
        return module_.error(ErrorCode::kInvalidFile, fmt::format("\"{}\" does not set output {}", entry.name, i));
      outputs.push_back(*value);
    }
  return outputs;
}

Result<void> GraphReader::read_instruction(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::kGraphInput: return read_input(in);
    case Opcode::kExtInst: return read_operator(in);
    case Opcode::kCompositeExtract: return read_extract(in);
    case Opcode::kGraphSetOutput: return set_output(in);
    default:
      return module_.error(ErrorCode::kUnsupported,
                           fmt::format("instruction {} in a graph", static_cast<unsigned>(in.opcode)));
  }
}

Result<Port> GraphReader::port(const Instruction& in, std::size_t from, const std::vector<PortType>& ports) {
  if (in.operands.size() != from + 1 && in.operands.size() != from + 2)
    return module_.error(ErrorCode::kInvalidFile, fmt::format("{} operands of an input or output", in.operands.size()));
  MACAW_ASSIGN(const auto index, module_.scalar(in.operands[from]));
  if (index < 0 || index >= std::ssize(ports))
    return module_.error(ErrorCode::kInvalidFile, fmt::format("input or output {} of {}", index, ports.size()));
  Port port{static_cast<std::size_t>(index)};
  if (in.operands.size() == from + 1) return port;
  MACAW_ASSIGN(const auto element, module_.scalar(in.operands[from + 1]));
  const auto count = ports[port.index].count;
  if (!count || element < 0 || static_cast<std::size_t>(element) >= *count)
    return module_.error(ErrorCode::kInvalidFile,
                         fmt::format("element {} of input or output {}, which has {}", element, index,
                                     count ? fmt::format("{}", *count) : std::string("none")));
  port.element = static_cast<std::size_t>(element);
  return port;
}

Result<void> GraphReader::read_input(const Instruction& in) {
  MACAW_ASSIGN(const auto port, this->port(in, 0, input_types_));
  const auto& values = inputs_[port.index];
  if (input_types_[port.index].count && !port.element) structures_[in.result] = values;
  else values_[in.result] = values[port.element.value_or(0)];
  return {};
}

Result<ValueId> GraphReader::add_result(Id type, std::string name) {
  MACAW_ASSIGN(const auto read, module_.tensor_type(type));
  return builder_.add_temporary(std::move(name), read.dtype, read.shape);
}

Result<void> GraphReader::read_operator(const Instruction& in) {
  if (in.operands.size() < 2) return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} is too short", in.result));
  const auto* set = module_.find(in.operands[0]);
  const auto name = set && set->opcode == Opcode::kExtInstImport ? literal_string(set->operands) : std::nullopt;
  if (!name || name->text != kInstructionSet)
    return module_.error(ErrorCode::kUnsupported,
                         fmt::format("instruction set \"{}\"; {} is read", name ? name->text : "", kInstructionSet));
  const auto row = instruction(in.operands[1]);
  if (!row)
    return module_.error(ErrorCode::kUnsupported,
                         fmt::format("{} has no instruction {}", kInstructionSet, in.operands[1]));
  const auto operands = in.operands.subspan(2);
  if (operands.size() < row->attributes.size())
    return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} ({}) is too short", in.result, to_string(row->op)));
  Operator op;
  op.op = row->op;
  op.location = module_.name(in.result);
  const auto inputs = operands.subspan(row->attributes.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    MACAW_ASSIGN(const auto value, operand(inputs[i], i < 32 && (row->shapes >> i & 1)));
    op.inputs.push_back(value);
  }
  for (std::size_t i = 0; i < row->attributes.size(); ++i)
    MACAW_CHECK(set_attribute(op, row->attributes[i], operands[i]));
  const auto members = module_.members(in.type);
  for (const auto member : members) {
    MACAW_ASSIGN(const auto value, add_result(member, fmt::format("%{}", in.result)));
    op.outputs.push_back(value);
  }
  if (members != std::vector{in.type}) structures_[in.result] = op.outputs;
  else values_[in.result] = op.outputs[0];
  builder_.add_operator(std::move(op));
  return {};
}

Result<void> GraphReader::set_attribute(Operator& op, Attr attribute, Id operand) {
  switch (kind(attribute)) {
    case AttributeKind::kInts: {
      MACAW_ASSIGN(const auto tensor, constant(operand));
      if (!holds_integers(tensor->dtype()))
        return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} holds no integers", operand));
      op.set(attribute, integers(*tensor));
      return {};
    }
    case AttributeKind::kBytes: {
      MACAW_ASSIGN(auto bytes, module_.scalar_bytes(operand));
      op.set(attribute, std::move(bytes));
      return {};
    }
    default: {
      MACAW_ASSIGN(const auto number, module_.scalar(operand));
      const auto value = meaning(attribute, number);
      if (!value)
        return module_.error(ErrorCode::kInvalidGraph,
                             fmt::format("{} {} of {}", to_string(attribute), number, to_string(op.op)));
      op.set(attribute, *value);
      return {};
    }
  }
}

Result<std::shared_ptr<const Tensor>> GraphReader::constant(Id id) {
  const auto* definition = module_.find(id);
  if (definition && definition->opcode == Opcode::kGraphConstant) {
    if (definition->operands.size() != 1)
      return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} has no number", id));
    MACAW_ASSIGN(const auto type, module_.tensor_type(definition->type));
    return around_.constant(definition->operands[0], type);
  }
  MACAW_ASSIGN(auto tensor, module_.tensor(id, budget_));
  return std::make_shared<const Tensor>(std::move(tensor));
}

Result<ValueId> GraphReader::operand(Id id, bool as_shape) {
  if (const auto computed = values_.find(id); computed != values_.end()) {
    if (as_shape)
      return module_.error(ErrorCode::kUnsupported, fmt::format("%{} are extents that no constant gives", id));
    return computed->second;
  }
  if (const auto known = constants_.find({id, as_shape}); known != constants_.end()) return known->second;
  MACAW_ASSIGN(auto contents, constant(id));
  if (as_shape) {
    if (!holds_integers(contents->dtype()) || contents->rank() > 1)
      return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} holds no extents", id));
    const auto extents = integers(*contents);
    Tensor shape(DType::kSHAPE, {static_cast<std::int64_t>(extents.size())});
    std::ranges::copy(extents, shape.data<std::int64_t>().begin());
    contents = std::make_shared<const Tensor>(std::move(shape));
  }
  const auto value = builder_.add_constant(fmt::format("%{}", id), std::move(contents));
  constants_[{id, as_shape}] = value;
  return value;
}

Result<const std::vector<ValueId>*> GraphReader::structure(Id id) {
  const auto found = structures_.find(id);
  if (found == structures_.end())
    return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} is not a structure or array of tensors", id));
  return &found->second;
}

Result<void> GraphReader::read_extract(const Instruction& in) {
  if (in.operands.size() != 2)
    return module_.error(ErrorCode::kInvalidFile, fmt::format("%{} has no index", in.result));
  MACAW_ASSIGN(const auto* members, structure(in.operands[0]));
  if (in.operands[1] >= members->size())
    return module_.error(ErrorCode::kInvalidFile,
                         fmt::format("%{} is tensor {} of {}", in.result, in.operands[1], members->size()));
  values_[in.result] = (*members)[in.operands[1]];
  return {};
}

Result<void> GraphReader::set_output(const Instruction& in) {
  MACAW_ASSIGN(auto port, this->port(in, 1, output_types_));
  if (const auto count = output_types_[port.index].count; count && !port.element) {
    MACAW_ASSIGN(const auto* members, structure(in.operands[0]));
    if (members->size() != *count)
      return module_.error(ErrorCode::kInvalidFile,
                           fmt::format("{} tensors for the {} of output {}", members->size(), *count, port.index));
    for (std::size_t k = 0; k < *count; ++k) MACAW_CHECK(set_output({port.index, k}, (*members)[k]));
    return {};
  }
  MACAW_ASSIGN(const auto value, operand(in.operands[0], false));
  return set_output(port, value);
}

Result<void> GraphReader::set_output(const Port& port, ValueId value) {
  auto& output = outputs_[port.index][port.element.value_or(0)];
  if (output) return module_.error(ErrorCode::kInvalidFile, fmt::format("output {} is set twice", port.index));
  // The name of an output does not identify its value: one value may be two outputs, or an input as well.
  const auto& found = builder_.value(value);
  const auto named = builder_.add_temporary(around_.output_name(port), found.dtype, found.shape);
  Operator copy;
  copy.op = Op::kIDENTITY;
  copy.inputs = {value};
  copy.outputs = {named};
  builder_.add_operator(std::move(copy));
  output = named;
  return {};
}

}  // namespace macaw::tosa::spirv
