#pragma once
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "reference/tosa/import/mlir/type.hpp"

namespace macaw::tosa::mlir {

/// A number as it is spelled.
struct Number {
  std::string text;
};
/// A word: a symbol, an enumeration's value, a text.
struct Word {
  std::string text;
};
/// A type, or what else stands in an attribute and means nothing for a graph.
struct Other {
  std::optional<Type> type;
};

struct Attribute {
  std::variant<Other, bool, Number, Word, std::vector<std::int64_t>, std::shared_ptr<const Tensor>> value;

  [[nodiscard]] const std::string* word() const;
  [[nodiscard]] const Number* number() const { return std::get_if<Number>(&value); }
  [[nodiscard]] const std::vector<std::int64_t>* list() const { return std::get_if<std::vector<std::int64_t>>(&value); }
  [[nodiscard]] std::shared_ptr<const Tensor> tensor() const;
};
using Attributes = std::map<std::string, Attribute>;

/// Resources stored beside the operations of a file.
struct Resources {
  std::map<std::string, std::string_view> blobs;  ///< dialect_resources: hexadecimal digits by name
  std::map<std::string, Attribute> aliases;       ///< "#name": what stands for it
  std::size_t budget =
      std::size_t{1} << 28;  ///< bytes that constants may take beyond the elements that are spelled out
};

/// Reads "{-# dialect_resources: ... #-}", wherever it stands in the file.
[[nodiscard]] Result<void> read_resources(Cursor in, Resources& resources);

[[nodiscard]] Result<Attribute> read_attribute(Cursor& in, Resources& resources);
/// Parses the attributes between "{" or "<{" and `close`.
[[nodiscard]] Result<void> read_attributes(Cursor& in, std::string_view close, Resources& resources, Attributes& out);

/// The bytes of one element: decimal, hexadecimal bits or true and false. False if the spelling is not a value of the
/// type.
[[nodiscard]] bool element_bytes(std::string_view spelled, DType dtype, std::byte* out);

}  // namespace macaw::tosa::mlir
