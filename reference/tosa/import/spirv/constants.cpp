#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reference/tosa/import/spirv/module.hpp"

// Types and constants of a module.

namespace macaw::tosa::spirv {
namespace {

/// FPEncoding of OpTypeFloat (spirv.core.grammar.json); without one, the format of IEEE 754.
constexpr std::int64_t kIeee = -1;
struct FloatType {
  std::uint32_t width;
  std::int64_t encoding;
  DType dtype;
};
constexpr FloatType kFloatTypes[] = {
    {32, kIeee, DType::kFP32},  {16, kIeee, DType::kFP16},  {16, 0, DType::kBF16},
    {8, 4214, DType::kFP8E4M3}, {8, 4215, DType::kFP8E5M2}, {6, 4223, DType::kFP6E2M3},
    {6, 4224, DType::kFP6E3M2}, {4, 4225, DType::kFP4E2M1}, {8, 4226, DType::kFP8UE8M0},
};

bool is_null(Opcode opcode) { return opcode == Opcode::kConstantNull; }
bool is_true(Opcode opcode) { return opcode == Opcode::kConstantTrue || opcode == Opcode::kSpecConstantTrue; }
bool is_false(Opcode opcode) { return opcode == Opcode::kConstantFalse || opcode == Opcode::kSpecConstantFalse; }
bool is_number(Opcode opcode) { return opcode == Opcode::kConstant || opcode == Opcode::kSpecConstant; }
bool is_composite(Opcode opcode) {
  return opcode == Opcode::kConstantComposite || opcode == Opcode::kSpecConstantComposite;
}
bool is_replicate(Opcode opcode) {
  return opcode == Opcode::kConstantCompositeReplicate || opcode == Opcode::kSpecConstantCompositeReplicate;
}

}  // namespace

Result<DType> Module::element_type(Id type) const {
  const auto* definition = find(type);
  if (definition && definition->opcode == Opcode::kTypeBool) return DType::kBOOL;
  if (definition && definition->opcode == Opcode::kTypeInt && !definition->operands.empty()) {
    // TOSA's 48 bits travel in 64 (arm/ai-ml-emulation-layer-for-vulkan, tests/shader/conv2_acc_int64.spvasm).
    switch (definition->operands[0]) {
      case 4: return DType::kINT4;
      case 8: return DType::kINT8;
      case 16: return DType::kINT16;
      case 32: return DType::kINT32;
      case 64: return DType::kINT48;
      default: break;
    }
  }
  if (definition && definition->opcode == Opcode::kTypeFloat && !definition->operands.empty()) {
    const auto encoding = definition->operands.size() > 1 ? std::int64_t{definition->operands[1]} : kIeee;
    for (const auto& row : kFloatTypes)
      if (row.width == definition->operands[0] && row.encoding == encoding) return row.dtype;
  }
  return error(ErrorCode::kUnsupported, fmt::format("%{} is not an element type of TOSA", type));
}

Result<TensorType> Module::tensor_type(Id type) const {
  const auto* definition = find(type);
  if (!definition || definition->opcode != Opcode::kTypeTensor || definition->operands.empty())
    return error(ErrorCode::kInvalidFile, fmt::format("%{} is not a tensor type", type));
  TensorType read;
  MACAW_ASSIGN(read.dtype, element_type(definition->operands[0]));
  if (definition->operands.size() < 2) return read;
  MACAW_ASSIGN(const auto rank, scalar(definition->operands[1]));
  constexpr std::int64_t kMostExtents = 64;
  if (rank < 0 || rank > kMostExtents) return error(ErrorCode::kInvalidFile, fmt::format("a tensor of rank {}", rank));
  read.shape = Shape(static_cast<std::size_t>(rank), -1);
  if (definition->operands.size() < 3) return read;
  const auto* extents = find(definition->operands[2]);
  if (!extents || !is_composite(extents->opcode) || extents->operands.size() != read.shape->size())
    return error(ErrorCode::kInvalidFile, fmt::format("the shape of %{} has not {} constants", type, rank));
  for (std::size_t i = 0; i < extents->operands.size(); ++i) {
    MACAW_ASSIGN((*read.shape)[i], scalar(extents->operands[i]));
    if ((*read.shape)[i] < 0) return error(ErrorCode::kInvalidFile, fmt::format("an extent of %{} is negative", type));
  }
  MACAW_CHECK(element_count(*read.shape, 16));
  return read;
}

Result<TensorType> Module::constant_type(Id type) const {
  const auto* definition = find(type);
  if (!definition || definition->opcode != Opcode::kTypeArray || definition->operands.size() != 2)
    return tensor_type(type);
  TensorType read;
  MACAW_ASSIGN(read.dtype, element_type(definition->operands[0]));
  MACAW_ASSIGN(const auto count, scalar(definition->operands[1]));
  if (count < 0) return error(ErrorCode::kInvalidFile, fmt::format("%{} has {} elements", type, count));
  read.shape = Shape{count};
  return read;
}

Result<PortType> Module::port_type(Id type) const {
  const auto* definition = find(type);
  PortType read;
  if (definition && definition->opcode == Opcode::kTypeRuntimeArray)
    return error(ErrorCode::kUnsupported, fmt::format("%{} is an array of tensors whose number nothing gives", type));
  if (definition && definition->opcode == Opcode::kTypeArray && definition->operands.size() == 2) {
    constexpr std::int64_t kMostTensors = 4096;
    MACAW_ASSIGN(const auto count, scalar(definition->operands[1]));
    if (count < 1 || count > kMostTensors)
      return error(ErrorCode::kUnsupported,
                   fmt::format("%{} is an array of {} tensors; 1 to {} are read", type, count, kMostTensors));
    read.count = static_cast<std::size_t>(count);
    type = definition->operands[0];
  }
  MACAW_ASSIGN(read.tensor, tensor_type(type));
  return read;
}

std::vector<Id> Module::members(Id type) const {
  const auto* definition = find(type);
  if (!definition || definition->opcode != Opcode::kTypeStruct) return {type};
  return {definition->operands.begin(), definition->operands.end()};
}

Result<std::int64_t> Module::scalar(Id constant) const {
  MACAW_ASSIGN(const auto bytes, scalar_bytes(constant));
  std::int64_t value = 0;
  // Storage of integers is sign-extended.
  if (std::to_integer<int>(bytes.back()) & 0x80) value = -1;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

Result<std::vector<std::byte>> Module::scalar_bytes(Id constant) const {
  const auto* definition = find(constant);
  if (!definition) return error(ErrorCode::kInvalidFile, fmt::format("%{} is not defined", constant));
  MACAW_ASSIGN(const auto dtype, element_type(definition->type));
  std::vector<std::byte> bytes(size_of(dtype));
  if (is_null(definition->opcode) || is_false(definition->opcode)) return bytes;
  if (is_true(definition->opcode)) {
    bytes[0] = std::byte{1};
    return bytes;
  }
  const auto words = (bytes.size() + 3) / 4;
  if (!is_number(definition->opcode) || definition->operands.size() != words)
    return error(ErrorCode::kInvalidFile, fmt::format("%{} is not a constant of {}", constant, to_string(dtype)));
  std::memcpy(bytes.data(), definition->operands.data(), bytes.size());
  // Above a type without a sign the bits of the word are 0; storage is sign-extended.
  if (dtype == DType::kINT4) bytes[0] = static_cast<std::byte>(((std::to_integer<int>(bytes[0]) & 15) ^ 8) - 8);
  return bytes;
}

Result<Tensor> Module::tensor(Id constant, std::size_t& budget) const {
  const auto* definition = find(constant);
  if (!definition) return error(ErrorCode::kInvalidFile, fmt::format("%{} is not defined", constant));
  MACAW_ASSIGN(const auto type, constant_type(definition->type));
  if (!type.shape || std::ranges::any_of(*type.shape, [](auto extent) { return extent < 0; }))
    return error(ErrorCode::kInvalidFile, fmt::format("the constant %{} has no known shape", constant));
  MACAW_ASSIGN(const auto size, byte_count(type.dtype, *type.shape));
  if (static_cast<std::size_t>(size) > budget)
    return error(ErrorCode::kUnsupported,
                 fmt::format("the constant %{} of {} bytes is too large to be spelled out by the "
                             "module itself",
                             constant, size));
  budget -= static_cast<std::size_t>(size);
  MACAW_ASSIGN(auto tensor, Tensor::create(type.dtype, *type.shape));
  MACAW_CHECK(fill(constant, type.dtype, *type.shape, tensor.bytes()));
  return tensor;
}

Result<void> Module::fill(Id constant, DType dtype, std::span<const std::int64_t> shape,
                          std::span<std::byte> out) const {
  const auto* definition = find(constant);
  if (!definition) return error(ErrorCode::kInvalidFile, fmt::format("%{} is not defined", constant));
  const auto& parts = definition->operands;
  if (out.empty() || is_null(definition->opcode)) return {};
  const bool composite = is_composite(definition->opcode), replicate = is_replicate(definition->opcode);
  if (!composite && !replicate) {
    MACAW_ASSIGN(const auto bytes, scalar_bytes(constant));
    MACAW_ASSIGN(const auto own, element_type(definition->type));
    if (own != dtype || out.size() % bytes.size() != 0)
      return error(ErrorCode::kInvalidFile, fmt::format("%{} is no {}", constant, to_string(dtype)));
    for (std::size_t at = 0; at < out.size(); at += bytes.size())
      std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }
  // A tensor of rank 0 is a composite of one.
  const auto count = shape.empty() ? 1 : static_cast<std::size_t>(shape[0]);
  const auto rest = shape.empty() ? shape : shape.subspan(1);
  const auto step = out.size() / count;
  if (parts.size() != (replicate ? 1 : count))
    return error(ErrorCode::kInvalidFile, fmt::format("%{} has {} constituents", constant, parts.size()));
  // Only elements are spelled out where no dimension is left, so that constants that hold themselves end here.
  const auto* first = find(parts[0]);
  const bool of_elements = first && !is_composite(first->opcode) && !is_replicate(first->opcode);
  if (rest.empty() && !of_elements)
    return error(ErrorCode::kInvalidFile, fmt::format("%{} is nested deeper than its shape", constant));
  if (replicate && of_elements) return fill(parts[0], dtype, {}, out);
  for (std::size_t i = 0; i < count; ++i) {
    if (replicate && i > 0) {
      std::ranges::copy(out.first(step), out.begin() + static_cast<std::ptrdiff_t>(i * step));
      continue;
    }
    const auto* part = find(parts[i]);
    const bool element = part && !is_composite(part->opcode) && !is_replicate(part->opcode);
    if ((rest.empty() && !element) || (!rest.empty() && element && !is_null(part->opcode)))
      return error(ErrorCode::kInvalidFile, fmt::format("%{} does not fit its shape", constant));
    MACAW_CHECK(fill(parts[i], dtype, rest, out.subspan(i * step, step)));
  }
  return {};
}

}  // namespace macaw::tosa::spirv
