#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Access to the contents of a graph, for programs that show them.

namespace macaw::tosa {

/// A flag, a number, a bound of floating point, a list, a text or the name of a data type or mode, bytes.
using AttributeContents =
    std::variant<bool, std::int64_t, double, std::vector<std::int64_t>, std::string, std::vector<std::byte>>;
/// The meaning of the value of an operator's attribute (attributes.def). min_val and max_val are bytes if they are not
/// one element of an integer type or of FP32, FP16 or BF16.
[[nodiscard]] AttributeContents attribute_contents(const Block& block, const Operator& op, Attr attribute,
                                                   const AttributeValue& value);

/// The bytes that a file of TOSA 1.x has of a constant, without padding.
[[nodiscard]] std::vector<std::uint8_t> constant_contents(const Tensor& constant);

/// Numbers in files of TOSA 1.x, with UNKNOWN.
[[nodiscard]] std::map<std::string_view, std::uint32_t> operator_numbers();
[[nodiscard]] std::map<std::string_view, std::uint32_t> data_type_numbers();

}  // namespace macaw::tosa
