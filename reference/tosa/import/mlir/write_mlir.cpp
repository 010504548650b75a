#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include <macaw/tosa/mlir_text.hpp>

#include "reference/tosa/import/mlir/attribute_values.hpp"
#include "reference/tosa/import/mlir/type.hpp"

// Writes a graph in MLIR's generic form, which every tool reads whatever its version prints. Names of values are kept
// as locations.

namespace macaw::tosa {
namespace {

using mlir::Type;

Type type_of(const Value& value) { return {value.dtype, true, value.shape}; }

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7f) out += fmt::format("\\{:02X}", byte);
    else out += c;
  }
  return out + "\"";
}

std::int64_t integer_at(const Tensor& tensor, std::size_t index) {
  const auto size = size_of(tensor.dtype());
  const auto* element = tensor.bytes().data() + index * size;
  const bool is_unsigned =
      tensor.dtype() == DType::kUINT8 || tensor.dtype() == DType::kUINT16 || tensor.dtype() == DType::kBOOL;
  std::int64_t value = !is_unsigned && (std::to_integer<int>(element[size - 1]) & 0x80) ? -1 : 0;
  std::memcpy(&value, element, size);
  return value;
}

/// One element: floating point as its bits, and a type that is not MLIR's own as a text.
std::string element(const Tensor& tensor, std::size_t index) {
  if (tensor.dtype() == DType::kMXINT8) return fmt::format("\"0x{:02X}\"", integer_at(tensor, index) & 0xff);
  if (tensor.dtype() == DType::kBOOL) return integer_at(tensor, index) ? "true" : "false";
  if (!is_float(tensor.dtype())) return std::to_string(integer_at(tensor, index));
  const auto size = size_of(tensor.dtype());
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes().data() + index * size, size);
  return fmt::format("0x{:0{}X}", bits, size * 2);
}

/// `suffix` is behind each element.
void append_list(const Tensor& tensor, std::size_t axis, std::size_t& index, std::string_view suffix,
                 std::string& out) {
  if (axis == tensor.rank()) {
    out += element(tensor, index++);
    out += suffix;
    return;
  }
  out += '[';
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    if (i > 0) out += ", ";
    append_list(tensor, axis + 1, index, suffix, out);
  }
  out += ']';
}

/// Whether a constant's bytes in the file are what MLIR's hexadecimal form has of its type.
bool has_plain_bytes(DType dtype) {
  return dtype != DType::kBOOL && dtype != DType::kINT4 && dtype != DType::kINT48 && info(dtype).bits >= 8;
}

/// A scale of a block, as a number with a point: 2^-127 to 2^127, or the bits of NaN.
std::string scale_text(std::byte scale) {
  const int exponent = std::to_integer<int>(scale);
  if (exponent == 0xff) return "0xFF";
  auto text = fmt::format("{}", std::ldexp(1.0, exponent - 127));
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

/// The type is in front there, and has the scales.
Result<std::string> block_scaled_dense(const Tensor& tensor) {
  Type type{tensor.dtype(), true, tensor.shape()};
  const Tensor scales = tensor.scales(), all = tensor.values();
  for (const auto scale : scales.bytes()) type.scales.push_back(scale_text(scale));
  MACAW_ASSIGN(const auto spelled, to_text(type));
  std::string values;
  std::size_t index = 0;
  const auto suffix = fmt::format(" : {}", *mlir::element_name(block_scale(tensor.dtype())->value));
  if (tensor.size() > 0) append_list(all, 0, index, suffix, values);
  return fmt::format("dense<{} : {}>", spelled, values);
}

Result<std::string> dense(const Tensor& tensor) {
  if (is_block_scale(tensor.dtype())) return block_scaled_dense(tensor);
  // Shapes are indices there.
  const bool shape = tensor.dtype() == DType::kSHAPE;
  auto type = shape ? Result<std::string>(fmt::format("tensor<{}xindex>", tensor.size()))
                    : to_text(Type{tensor.dtype(), true, tensor.shape()});
  MACAW_CHECK(type);
  std::string out = "dense<";
  constexpr std::int64_t kMostListed = 16;
  if (tensor.size() > kMostListed && has_plain_bytes(tensor.dtype())) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    out += "\"0x";
    for (const auto byte : tensor.bytes()) {
      out += kDigits[std::to_integer<unsigned>(byte) >> 4];
      out += kDigits[std::to_integer<unsigned>(byte) & 0xf];
    }
    out += '"';
  } else if (tensor.size() > 0) {
    std::size_t index = 0;
    append_list(tensor, 0, index, "", out);
  }
  return out + "> : " + *type;
}

Result<std::string> attribute_text(Attr attribute, const AttributeValue& value, DType input) {
  if (const auto name = mlir::enumeration(attribute); !name.empty()) {
    for (const auto& row : mlir::kEnumerations)
      if (row.attribute == attribute && row.value == std::get<std::int64_t>(value))
        return fmt::format("#tosa.{}<{}>", name, row.spelling);
    return fail(ErrorCode::kUnsupported, fmt::format("MLIR has no such {}", to_string(attribute)));
  }
  if (attribute == Attr::k_acc_type) return to_text(Type{static_cast<DType>(std::get<std::int64_t>(value)), false, {}});
  switch (kind(attribute)) {
    case AttributeKind::kInt: {
      const auto number = std::get<std::int64_t>(value);
      return mlir::is_flag(attribute) ? std::string(number ? "true" : "false") : fmt::format("{} : i32", number);
    }
    case AttributeKind::kInts:
      return fmt::format("array<{}{} {}>", attribute == Attr::k_perms ? "i32" : "i64",
                         std::get<std::vector<std::int64_t>>(value).empty() ? "" : ":",
                         fmt::join(std::get<std::vector<std::int64_t>>(value), ", "));
    case AttributeKind::kString: return string_literal(std::get<std::string>(value));
    case AttributeKind::kBytes: {
      const auto& bytes = std::get<std::vector<std::byte>>(value);
      if (attribute == Attr::k_implementation_attrs)
        return string_literal({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      if (bytes.size() != size_of(input))
        return fail(ErrorCode::kInvalidGraph, "a bound of another type than the input");
      Tensor one(input, {});
      std::ranges::copy(bytes, one.bytes().begin());
      if (input == DType::kBOOL) return element(one, 0);
      MACAW_ASSIGN(const auto type, to_text(Type{input, false, {}}));
      return element(one, 0) + " : " + type;
    }
  }
  return std::string();
}

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {}

  Result<std::string> write() {
    const auto& main = graph_.main();
    MACAW_ASSIGN(const auto inputs, types(main, main.inputs));
    MACAW_ASSIGN(const auto outputs, types(main, main.outputs));
    out_ = fmt::format("module {{\n  \"func.func\"() <{{function_type = ({}) -> ({}), sym_name = \"main\"}}> ({{\n",
                       inputs, outputs);
    MACAW_CHECK(write_block(main, "", "func.return", 2));
    out_ += "  }) : () -> ()\n}\n";
    return std::move(out_);
  }

 private:
  Result<std::string> types(const Block& block, const std::vector<ValueId>& ids) const {
    std::string list;
    for (const auto id : ids) {
      MACAW_ASSIGN(const auto text, to_text(type_of(block.values[id])));
      list += (list.empty() ? "" : ", ") + text;
    }
    return list;
  }

  static std::string names(const std::vector<ValueId>& ids, const std::string& scope) {
    std::string list;
    for (const auto id : ids) list += fmt::format("{}%{}{}", list.empty() ? "" : ", ", scope, id);
    return list;
  }

  Result<void> write_block(const Block& block, const std::string& scope, std::string_view terminator, int depth) {
    constexpr int kMostNested = 32;
    if (depth > 2 * kMostNested) return fail(ErrorCode::kUnsupported, "graphs nested deeper than 32");
    const std::string indent(static_cast<std::size_t>(depth), ' ');
    out_ += indent + "^bb0";
    for (std::size_t i = 0; i < block.inputs.size(); ++i) {
      const auto& value = block.values[block.inputs[i]];
      MACAW_ASSIGN(const auto type, to_text(type_of(value)));
      out_ += fmt::format("{}%{}{}: {} loc({})", i == 0 ? "(" : ", ", scope, block.inputs[i], type,
                          string_literal(value.name));
    }
    out_ += block.inputs.empty() ? ":\n" : "):\n";
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      auto done = write_operator(block, block.operators[i], scope, depth + 2);
      if (!done) {
        if (done.error().place.op.empty()) done.error().place.op = describe(block, i);
        return done;
      }
    }
    MACAW_ASSIGN(const auto outputs, types(block, block.outputs));
    out_ += fmt::format("{}  \"{}\"({}) : ({}) -> ()\n", indent, terminator, names(block.outputs, scope), outputs);
    return {};
  }

  Result<std::string> attributes(const Block& block, const Operator& op) const {
    std::string list;
    const auto add = [&](std::string_view name, std::string_view text) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, text);
    };
    const auto input = op.inputs.empty() ? DType::kINT8 : block.values[op.inputs[0]].dtype;
    for (const auto& [attribute, value] : op.attributes) {
      if (attribute == Attr::k_then_graph || attribute == Attr::k_else_graph || attribute == Attr::k_cond_graph ||
          attribute == Attr::k_body_graph)
        continue;
      MACAW_ASSIGN(const auto text, attribute_text(attribute, value, input));
      add(to_string(attribute), text);
    }
    if (op.op == Op::kCONST || op.op == Op::kCONST_SHAPE) {
      const auto& value = block.values[op.outputs[0]];
      if (!value.data) return fail(ErrorCode::kInvalidGraph, fmt::format("\"{}\" has no values", value.name));
      MACAW_ASSIGN(const auto text, dense(*value.data));
      add("values", text);
    }
    if (op.op == Op::kVARIABLE) {
      const auto& value = block.values[op.outputs[0]];
      MACAW_ASSIGN(const auto type, to_text(type_of(value)));
      add("type", type);
      if (value.data) {
        MACAW_ASSIGN(const auto text, dense(*value.data));
        add("initial_value", text);
      }
    }
    return list.empty() ? list : " <{" + list + "}>";
  }

  Result<void> write_operator(const Block& block, const Operator& op, const std::string& scope, int depth) {
    const std::string indent(static_cast<std::size_t>(depth), ' ');
    // A variable is not a value there: its name stands for it.
    const auto results = op.op == Op::kVARIABLE ? std::vector<ValueId>() : op.outputs;
    std::string name(to_string(op.op)), label;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    MACAW_ASSIGN(const auto list, attributes(block, op));
    MACAW_ASSIGN(const auto inputs, types(block, op.inputs));
    MACAW_ASSIGN(const auto outputs, types(block, results));
    if (results.size() == 1) label = fmt::format(" loc({})", string_literal(block.values[results[0]].name));
    for (const auto id : results.size() > 1 ? results : std::vector<ValueId>())
      label += fmt::format("{}{}", label.empty() ? " loc(fused[" : ", ", string_literal(block.values[id].name));
    if (results.size() > 1) label += "])";
    out_ += indent + (results.empty() ? "" : names(results, scope) + " = ") +
            fmt::format("\"tosa.{}\"({}){}", name, names(op.inputs, scope), list);
    std::string separator = " (";
    for (const auto attribute : {Attr::k_then_graph, Attr::k_else_graph, Attr::k_cond_graph, Attr::k_body_graph}) {
      if (!op.find(attribute)) continue;
      const auto* body = graph_.find_block(op.get_string(attribute));
      if (!body) return fail(ErrorCode::kInvalidGraph, fmt::format("no block \"{}\"", op.get_string(attribute)));
      out_ += separator + "{\n";
      MACAW_CHECK(write_block(*body, fmt::format("r{}_", ++regions_), "tosa.yield", depth));
      out_ += indent + "}";
      separator = ", ";
    }
    if (separator == ", ") out_ += ")";
    out_ += fmt::format(" : ({}) -> ({}){}\n", inputs, outputs, label);
    return {};
  }

  const Graph& graph_;
  std::string out_;
  int regions_ = 0;
};

}  // namespace

Result<std::vector<std::byte>> write_mlir(const Graph& graph) {
  if (graph.blocks.empty()) return fail(ErrorCode::kInvalidGraph, "the graph has no block");
  MACAW_ASSIGN(const auto text, Writer(graph).write());
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(begin, begin + text.size());
}

}  // namespace macaw::tosa
