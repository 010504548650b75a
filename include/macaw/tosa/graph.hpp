#pragma once
#include <macaw/dtype.hpp>
#include <macaw/error.hpp>
#include <macaw/tensor.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace macaw::tosa {

using macaw::to_string;  // of DType and Shape, beside the overloads below

/// Version of the TOSA specification that a graph is stamped with.
struct Version {
  int major = 1, minor = 0, patch = 0;
  bool draft = false;
  friend auto operator<=>(const Version&, const Version&) = default;
};
inline constexpr Version kVersion0_80{0, 80, 1, false};
inline constexpr Version kVersion1_0{1, 0, 0, false};
inline constexpr Version kVersion1_1{1, 1, 0, true};

/// Operators of the specification (1.1 draft); rows in ops.def.
enum class Op : std::uint8_t {
#define MACAW_TOSA_OP(name, chapter, since_minor) k##name,
#include <macaw/tosa/ops.def>
#undef MACAW_TOSA_OP
};
[[nodiscard]] std::string_view to_string(Op op);
[[nodiscard]] std::optional<Op> op_from_name(std::string_view name);
[[nodiscard]] std::span<const Op> all_ops();
[[nodiscard]] std::string_view chapter(Op op);
[[nodiscard]] int since_minor(Op op);  ///< first 1.x version that has it

/// Attributes of operators; rows and the meaning of the values in attributes.def.
enum class Attr : std::uint8_t {
#define MACAW_TOSA_ATTRIBUTE(name, kind) k_##name,
#include <macaw/tosa/attributes.def>
#undef MACAW_TOSA_ATTRIBUTE
};
[[nodiscard]] std::string_view to_string(Attr attribute);
[[nodiscard]] std::optional<Attr> attr_from_name(std::string_view name);

enum class ResizeMode : std::uint8_t { kNearestNeighbor, kBilinear };
enum class NanMode : std::uint8_t { kPropagate, kIgnore };
enum class RoundingMode : std::uint8_t { kSingleRound, kInexactRound, kDoubleRound };

/// Integer, boolean or enumeration; list of integers; text; raw bytes.
using AttributeValue = std::variant<std::int64_t, std::vector<std::int64_t>, std::string, std::vector<std::byte>>;
enum class AttributeKind : std::uint8_t { kInt, kInts, kString, kBytes };  ///< order of the variant's members
[[nodiscard]] AttributeKind kind(Attr attribute);

/// Index of a value in Block::values.
using ValueId = std::uint32_t;

/// A tensor or shape of a graph: static single assignment, named uniquely in its block.
struct Value {
  std::string name;
  DType dtype = DType::kINT8;
  /// No value: unranked. An extent of -1 is not known before the run. For a shape value: [its length].
  std::optional<Shape> shape;
  /// Contents of CONST and CONST_SHAPE outputs and the initial contents of variables, else null.
  std::shared_ptr<const Tensor> data;
  bool variable = false;
  std::string variable_name;

  [[nodiscard]] bool is_static() const;  ///< ranked, without unknown extents
};

struct Operator {
  Op op{};
  std::vector<ValueId> inputs, outputs;  ///< in the specification's order of arguments
  std::vector<std::pair<Attr, AttributeValue>> attributes;
  std::string location;  ///< where the producer of the file says it comes from; may be empty

  [[nodiscard]] const AttributeValue* find(Attr attribute) const;
  [[nodiscard]] std::int64_t get_int(Attr attribute, std::int64_t otherwise = 0) const;
  [[nodiscard]] const std::vector<std::int64_t>& get_ints(Attr attribute) const;  ///< empty if absent
  [[nodiscard]] const std::string& get_string(Attr attribute) const;              ///< empty if absent
  [[nodiscard]] std::span<const std::byte> get_bytes(Attr attribute) const;       ///< empty if absent
  void set(Attr attribute, AttributeValue value);
};

/// One dataflow graph: the main one or a body of COND_IF or WHILE_LOOP. Operators are in an order in which every value
/// is produced before it is used.
struct Block {
  std::string name;
  std::vector<Value> values;
  std::vector<Operator> operators;
  std::vector<ValueId> inputs, outputs;

  [[nodiscard]] std::optional<ValueId> find_value(std::string_view name) const;
};

/// A TOSA graph, independent of the version of the file it came from: 0.80's quantisation attributes are the inputs
/// that 1.x has. blocks[0] is the main graph.
struct Graph {
  Version version;
  std::vector<Block> blocks;

  [[nodiscard]] const Block* find_block(std::string_view name) const;
  [[nodiscard]] const Block& main() const { return blocks.front(); }
};

[[nodiscard]] std::string to_string(const Version& version);  ///< "1.1.0 draft"
/// "operator 3 (CONV2D)"
[[nodiscard]] std::string describe(const Block& block, std::size_t operator_index);

/// Reads a .tosa flatbuffer of version 0.80 or 1.x. Everything a malformed or hostile file can break is an error
/// (kInvalidFile, or kInvalidGraph where the file is sound and the graph is not).
[[nodiscard]] Result<Graph> load_graph(const std::filesystem::path& file);
/// load_graph() of a .tosa of 1.x, for programs that are not to link what reads the other formats.
[[nodiscard]] Result<Graph> load_graph_v1(const std::filesystem::path& file);
/// `name` is used in messages.
[[nodiscard]] Result<Graph> parse_graph(std::span<const std::byte> bytes, const std::string& name);
/// The flatbuffer of a graph in the schema of `version`: 0.80 or 1.x. kUnsupported if that version cannot express it.
[[nodiscard]] Result<std::vector<std::byte>> write_graph(const Graph& graph, const Version& version);

}  // namespace macaw::tosa
