#include "tests/support/formats/spirv_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace macaw::tosa::test {
namespace {

constexpr std::uint32_t kCapabilities[] = {1, 5345, 9, 11, 22, 39, 4174, 4191, 4212, 5112, 5116, 6024};
constexpr const char* kExtensions[] = {"SPV_ARM_tensors",  "SPV_ARM_graph",  "SPV_EXT_replicated_composites",
                                       "SPV_KHR_bfloat16", "SPV_EXT_float8", "SPV_INTEL_int4"};
enum : std::uint32_t { kCapability = 17, kExtension = 10, kMemoryModel = 14, kUniformConstant = 0 };

tl::unexpected<Error> cannot(std::string what) {
  return fail(ErrorCode::kUnsupported, "TOSA.001000.1 cannot say " + std::move(what));
}

/// Lists of extents and positions are tensors of integers there.
Tensor as_integers(const std::vector<std::int64_t>& list) {
  Tensor tensor(DType::kINT32, {static_cast<std::int64_t>(list.size())});
  std::ranges::transform(list, tensor.data<std::int32_t>().begin(),
                         [](auto v) { return static_cast<std::int32_t>(v); });
  return tensor;
}

template <class T, std::size_t N>
std::uint32_t number_of(const T (&list)[N], std::int64_t value) {
  return static_cast<std::uint32_t>(std::ranges::find(list, static_cast<T>(value)) - std::begin(list)) + 1;
}

bool all_bytes_zero(const Tensor& tensor) {
  return std::ranges::all_of(tensor.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

bool all_equal(const Tensor& tensor) {
  const auto size = size_of(tensor.dtype());
  for (std::size_t at = size; at < tensor.bytes().size(); at += size)
    if (std::memcmp(tensor.bytes().data(), tensor.bytes().data() + at, size) != 0) return false;
  return true;
}

}  // namespace

Words SpirvWriter::text(std::string_view text) {
  Words words(text.size() / 4 + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

void SpirvWriter::emit(Words& section, Opcode opcode, const Words& operands) {
  section.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(opcode));
  section.insert(section.end(), operands.begin(), operands.end());
}

Id SpirvWriter::once(Opcode opcode, const Words& operands, bool typed) {
  auto key = operands;
  key.insert(key.begin(), static_cast<std::uint32_t>(opcode));
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  const auto id = next_++;
  auto all = operands;
  all.insert(all.begin() + (typed ? 1 : 0), id);
  emit(types_, opcode, all);
  return made_[key] = id;
}

Id SpirvWriter::integer(std::uint32_t value) {
  return once(Opcode::kConstant, {element_type(DType::kINT32), value}, true);
}

Id SpirvWriter::element_type(DType dtype) {
  switch (dtype) {
    case DType::kBOOL: return once(Opcode::kTypeBool, {}, false);
    case DType::kFP32: return once(Opcode::kTypeFloat, {32}, false);
    case DType::kFP16: return once(Opcode::kTypeFloat, {16}, false);
    case DType::kBF16: return once(Opcode::kTypeFloat, {16, 0}, false);
    case DType::kFP8E4M3: return once(Opcode::kTypeFloat, {8, 4214}, false);
    case DType::kFP8E5M2: return once(Opcode::kTypeFloat, {8, 4215}, false);
    case DType::kINT48: return once(Opcode::kTypeInt, {64, 0}, false);
    default: return once(Opcode::kTypeInt, {info(dtype).bits, 0}, false);
  }
}

Id SpirvWriter::scalar(DType dtype, const std::byte* bytes) {
  const auto type = element_type(dtype);
  if (dtype == DType::kBOOL)
    return once(bytes[0] == std::byte{0} ? Opcode::kConstantFalse : Opcode::kConstantTrue, {type}, true);
  Words operands((size_of(dtype) + 3) / 4 + 1);
  operands[0] = type;
  std::memcpy(operands.data() + 1, bytes, size_of(dtype));
  if (dtype == DType::kINT4) operands[1] &= 15;  // bits above a type without a sign are 0
  return once(Opcode::kConstant, operands, true);
}

Result<Id> SpirvWriter::tensor_type(DType dtype, const Shape& shape) {
  if (shape.empty()) return cannot("a tensor of rank 0");
  if (dtype == DType::kSHAPE) return cannot("a shape that is an input or output");
  const auto type = element_type(dtype), rank = integer(static_cast<std::uint32_t>(shape.size()));
  if (std::ranges::any_of(shape, [](auto extent) { return extent < 0; }))
    return once(Opcode::kTypeTensor, {type, rank}, false);
  Words extents = {once(Opcode::kTypeArray, {element_type(DType::kINT32), rank}, false)};
  for (const auto extent : shape) extents.push_back(integer(static_cast<std::uint32_t>(extent)));
  return once(Opcode::kTypeTensor, {type, rank, once(Opcode::kConstantComposite, extents, true)}, false);
}

Id SpirvWriter::composite(const Tensor& tensor, std::size_t axis, std::size_t& at) {
  Words operands = {*tensor_type(
      tensor.dtype(), Shape(tensor.shape().begin() + static_cast<std::ptrdiff_t>(axis), tensor.shape().end()))};
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    if (axis + 1 < tensor.rank()) {
      operands.push_back(composite(tensor, axis + 1, at));
      continue;
    }
    operands.push_back(scalar(tensor.dtype(), tensor.bytes().data() + at));
    at += size_of(tensor.dtype());
  }
  return once(Opcode::kConstantComposite, operands, true);
}

Result<Id> SpirvWriter::constant(const Tensor& tensor) {
  MACAW_ASSIGN(const auto type, tensor_type(tensor.dtype(), tensor.shape()));
  if (all_bytes_zero(tensor)) return once(Opcode::kConstantNull, {type}, true);
  if (all_equal(tensor))
    return once(Opcode::kConstantCompositeReplicate, {type, scalar(tensor.dtype(), tensor.bytes().data())}, true);
  std::size_t at = 0;
  if (tensor.size() <= most_inside_) return composite(tensor, 0, at);
  constants_.push_back(tensor);
  return once(Opcode::kGraphConstant, {type, static_cast<std::uint32_t>(constants_.size() - 1)}, true);
}

Result<Id> SpirvWriter::attribute(const Operator& op, Attr attribute) {
  if (kind(attribute) == AttributeKind::kInts) return constant(as_integers(op.get_ints(attribute)));
  if (kind(attribute) == AttributeKind::kBytes)
    return scalar(block_.values[op.inputs[0]].dtype, op.get_bytes(attribute).data());
  const auto value = op.get_int(attribute);
  switch (attribute) {
    case Attr::k_acc_type: return integer(number_of(spirv::kAccTypes, value));
    case Attr::k_nan_mode: return integer(number_of(spirv::kNanModes, value));
    case Attr::k_mode: return integer(number_of(spirv::kResizeModes, value));
    case Attr::k_rounding_mode: return integer(number_of(spirv::kRoundingModes, value));
    case Attr::k_axis: return integer(static_cast<std::uint32_t>(value));
    default: return once(value ? Opcode::kConstantTrue : Opcode::kConstantFalse, {element_type(DType::kBOOL)}, true);
  }
}

Result<Id> SpirvWriter::input(ValueId id, bool shape) {
  const auto& value = block_.values[id];
  if (const auto known = values_.find(id); known != values_.end()) return known->second;
  if (!value.data) return cannot(fmt::format("\"{}\"", value.name));
  if (!shape) return constant(*value.data);
  const auto extents = value.data->data<std::int64_t>();
  if (extents.empty()) return cannot("a shape of rank 0");
  return constant(as_integers({extents.begin(), extents.end()}));
}

Result<void> SpirvWriter::write_operator(const Operator& op) {
  if (op.op == Op::kCONST || op.op == Op::kCONST_SHAPE) return {};
  if (op.op == Op::kIDENTITY) {
    MACAW_ASSIGN(values_[op.outputs[0]], input(op.inputs[0], false));
    return {};
  }
  std::uint32_t number = 0;
  while (spirv::instruction(number) && spirv::instruction(number)->op != op.op) ++number;
  const auto row = spirv::instruction(number);
  if (!row) return cannot(std::string(to_string(op.op)));
  Words operands = {0, next_++, set_, number};
  for (const auto name : row->attributes) {
    MACAW_ASSIGN(const auto id, attribute(op, name));
    operands.push_back(id);
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    MACAW_ASSIGN(const auto id, input(op.inputs[i], i < 32 && (row->shapes >> i & 1)));
    operands.push_back(id);
  }
  Words types;
  for (const auto id : op.outputs) {
    MACAW_ASSIGN(const auto type, tensor_type(block_.values[id].dtype, block_.values[id].shape.value_or(Shape{})));
    types.push_back(type);
  }
  const auto result = operands[1];
  operands[0] = types.size() == 1 ? types[0] : once(Opcode::kTypeStruct, types, false);
  emit(body_, Opcode::kExtInst, operands);
  if (types.size() == 1) values_[op.outputs[0]] = result;
  else
    for (std::uint32_t k = 0; k < types.size(); ++k) {
      values_[op.outputs[k]] = next_++;
      emit(body_, Opcode::kCompositeExtract, {types[k], values_[op.outputs[k]], result, k});
    }
  return {};
}

Result<Words> SpirvWriter::port_types(const std::vector<ValueId>& values) {
  Words types;
  for (const auto id : values) {
    MACAW_ASSIGN(types.emplace_back(), tensor_type(block_.values[id].dtype, block_.values[id].shape.value_or(Shape{})));
  }
  if (ports_ == Ports::kTensors) return types;
  return Words{once(Opcode::kTypeArray, {types.at(0), integer(static_cast<std::uint32_t>(types.size()))}, false)};
}

Result<void> SpirvWriter::join_graph() {
  const auto graph = next_++;
  MACAW_ASSIGN(const auto inputs, port_types(block_.inputs));
  MACAW_ASSIGN(const auto outputs, port_types(block_.outputs));
  Words type = {static_cast<std::uint32_t>(inputs.size())}, variables = {graph};
  const auto name = text("main");
  variables.insert(variables.end(), name.begin(), name.end());
  type.insert(type.end(), inputs.begin(), inputs.end());
  type.insert(type.end(), outputs.begin(), outputs.end());
  for (std::uint32_t binding = 0; binding + 1 < type.size(); ++binding) {
    const auto pointer = once(Opcode::kTypePointer, {kUniformConstant, type[1 + binding]}, false);
    const auto variable = next_++;
    emit(types_, Opcode::kVariable, {pointer, variable, kUniformConstant});
    emit(names_, Opcode::kDecorate, {variable, 33, binding});
    emit(names_, Opcode::kDecorate, {variable, 34, 0});
    variables.push_back(variable);
  }
  emit(entry_, Opcode::kGraphEntryPoint, variables);
  emit(entry_, Opcode::kGraph, {once(Opcode::kTypeGraph, type, false), graph});
  return take_inputs(inputs.empty() ? 0 : inputs[0]);
}

Result<void> SpirvWriter::take_inputs(Id array) {
  const auto whole = ports_ == Ports::kArray ? next_++ : 0;
  if (whole != 0) emit(entry_, Opcode::kGraphInput, {array, whole, integer(0)});
  for (std::uint32_t i = 0; i < block_.inputs.size(); ++i) {
    const auto& value = block_.values[block_.inputs[i]];
    MACAW_ASSIGN(const auto type, tensor_type(value.dtype, value.shape.value_or(Shape{})));
    const auto id = values_[block_.inputs[i]] = next_++;
    if (whole != 0) emit(entry_, Opcode::kCompositeExtract, {type, id, whole, i});
    else if (ports_ == Ports::kElements) emit(entry_, Opcode::kGraphInput, {type, id, integer(0), integer(i)});
    else emit(entry_, Opcode::kGraphInput, {type, id, integer(i)});
  }
  return {};
}

Result<void> SpirvWriter::set_outputs() {
  for (std::uint32_t i = 0; i < block_.outputs.size(); ++i) {
    MACAW_ASSIGN(const auto value, input(block_.outputs[i], false));
    if (ports_ == Ports::kTensors) emit(body_, Opcode::kGraphSetOutput, {value, integer(i)});
    else emit(body_, Opcode::kGraphSetOutput, {value, integer(0), integer(i)});
  }
  return {};
}

Result<Words> SpirvWriter::write() {
  Words head = {0x07230203, 0x00010600, 0, 0, 0};
  for (const auto capability : kCapabilities) emit(head, static_cast<Opcode>(kCapability), {capability});
  for (const auto* extension : kExtensions) emit(head, static_cast<Opcode>(kExtension), text(extension));
  set_ = next_++;
  auto import = text(spirv::kInstructionSet);
  import.insert(import.begin(), set_);
  emit(head, Opcode::kExtInstImport, import);
  emit(head, static_cast<Opcode>(kMemoryModel), {0, 3});
  MACAW_CHECK(join_graph());
  for (const auto& op : block_.operators) MACAW_CHECK(write_operator(op));
  MACAW_CHECK(set_outputs());
  emit(body_, Opcode::kGraphEnd, {});
  head[3] = next_;
  for (const auto* section : {&names_, &types_, &entry_, &body_})
    head.insert(head.end(), section->begin(), section->end());
  return head;
}

}  // namespace macaw::tosa::test
