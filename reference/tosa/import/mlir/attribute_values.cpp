#include "reference/tosa/import/mlir/attribute_values.hpp"

#include <cstring>

#include "reference/tosa/import/mlir/graph_reader.hpp"

namespace macaw::tosa::mlir {
namespace {

std::optional<std::int64_t> integer(std::string_view spelled) {
  std::byte bytes[8] = {};
  if (!element_bytes(spelled, DType::kINT64, bytes)) return std::nullopt;
  std::int64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::optional<AttributeValue> whole(Attr attribute, const Attribute& value) {
  if (const auto* flag = std::get_if<bool>(&value.value)) return std::int64_t{*flag};
  if (const auto* number = value.number()) {
    const auto read = integer(number->text);
    return read ? std::optional<AttributeValue>(*read) : std::nullopt;
  }
  if (const auto* other = std::get_if<Other>(&value.value); other && other->type && !other->type->is_tensor)
    return std::int64_t(other->type->dtype);
  if (const auto* word = value.word())
    for (const auto& row : kEnumerations)
      if (row.attribute == attribute && row.spelling == *word) return row.value;
  return std::nullopt;
}

std::optional<AttributeValue> list(const Attribute& value) {
  if (const auto* numbers = value.list()) return *numbers;
  const auto tensor = value.tensor();
  if (!tensor || is_float(tensor->dtype()) || tensor->rank() != 1) return std::nullopt;
  const auto size = size_of(tensor->dtype());
  std::vector<std::int64_t> all(static_cast<std::size_t>(tensor->size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* element = tensor->bytes().data() + i * size;
    all[i] = std::to_integer<int>(element[size - 1]) & 0x80 ? -1 : 0;
    std::memcpy(&all[i], element, size);
  }
  return all;
}

std::optional<AttributeValue> bytes(const Attribute& value, DType element) {
  if (const auto* word = value.word()) {
    const auto* begin = reinterpret_cast<const std::byte*>(word->data());
    return std::vector<std::byte>(begin, begin + word->size());
  }
  std::vector<std::byte> read(size_of(element));
  if (const auto* flag = std::get_if<bool>(&value.value); flag && element == DType::kBOOL) {
    read[0] = std::byte{*flag};
    return read;
  }
  const auto* number = value.number();
  if (!number || !element_bytes(number->text, element, read.data())) return std::nullopt;
  return read;
}

}  // namespace

std::optional<AttributeValue> meaning(Attr attribute, const Attribute& value, DType element) {
  switch (kind(attribute)) {
    case AttributeKind::kInt: return whole(attribute, value);
    case AttributeKind::kInts: return list(value);
    case AttributeKind::kString: return value.word() ? std::optional<AttributeValue>(*value.word()) : std::nullopt;
    case AttributeKind::kBytes: return bytes(value, element);
  }
  return std::nullopt;
}

}  // namespace macaw::tosa::mlir
