#include <macaw/tosa/graph_contents.hpp>

#include "reference/tosa/import/constant_data.hpp"
#include "reference/tosa/import/mlir/attribute_values.hpp"
#include "reference/tosa/import/tables.hpp"

namespace macaw::tosa {
namespace {

AttributeContents integer_contents(Attr attribute, std::int64_t number) {
  if (mlir::is_flag(attribute)) return number != 0;
  if (attribute == Attr::k_acc_type) return std::string(to_string(static_cast<DType>(number)));
  if (attribute != Attr::k_block_size)
    for (const auto& row : mlir::kEnumerations)
      if (row.attribute == attribute && row.value == number) return std::string(row.spelling);
  return number;
}

AttributeContents bound_contents(DType type, const std::vector<std::byte>& bytes) {
  if (bytes.size() != size_of(type)) return bytes;
  if (type == DType::kFP32 || type == DType::kFP16 || type == DType::kBF16)
    return double{float_from_bytes(type, bytes)};
  if (is_float(type)) return bytes;
  return integer_from_bytes(type, bytes);
}

constexpr std::uint32_t kMostNumbers = 256;

}  // namespace

AttributeContents attribute_contents(const Block& block, const Operator& op, Attr attribute,
                                     const AttributeValue& value) {
  switch (kind(attribute)) {
    case AttributeKind::kInt: return integer_contents(attribute, std::get<std::int64_t>(value));
    case AttributeKind::kInts: return std::get<std::vector<std::int64_t>>(value);
    case AttributeKind::kString: return std::get<std::string>(value);
    case AttributeKind::kBytes: break;
  }
  const auto& bytes = std::get<std::vector<std::byte>>(value);
  if (attribute == Attr::k_implementation_attrs || op.inputs.empty()) return bytes;
  return bound_contents(block.values[op.inputs[0]].dtype, bytes);
}

std::vector<std::uint8_t> constant_contents(const Tensor& constant) {
  auto packed = pack_constant(constant);
  packed.resize(packed_size(constant.dtype(), constant.shape()));
  return packed;
}

std::map<std::string_view, std::uint32_t> operator_numbers() {
  std::map<std::string_view, std::uint32_t> numbers = {{"UNKNOWN", 0}};
  for (std::uint32_t number = 1; number < kMostNumbers; ++number)
    if (const auto op = v1_op(number)) numbers[to_string(*op)] = number;
  return numbers;
}

std::map<std::string_view, std::uint32_t> data_type_numbers() {
  std::map<std::string_view, std::uint32_t> numbers = {{"UNKNOWN", 0}};
  for (std::uint32_t number = 1; number < kMostNumbers; ++number)
    if (const auto dtype = v1_dtype(number)) numbers[to_string(*dtype)] = number;
  return numbers;
}

}  // namespace macaw::tosa
