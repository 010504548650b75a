#pragma once
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/kernels.hpp>
#include <macaw/tosa/profile.hpp>
#include <macaw/tosa/verdict.hpp>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Declaration of an operator of the specification: one file with one `extern constexpr Definition kDefinition` in a
// namespace with the name of the operator in <macaw/tosa/ops.def>; a missing one is a link error. The definition is
// data; validation, dispatch, listings and graph generation read the same tables.

namespace macaw::tosa {

/// One operand as a check sees it. Before the run a shape or a value may not be known yet (null).
struct Operand {
  DType dtype{};
  const Shape* shape = nullptr;  ///< null, or extents all known
  const Tensor* value = nullptr;

  /// Elements as integers, whatever their integer type (SHAPE included). Floats: see is_zero().
  [[nodiscard]] std::vector<std::int64_t> ints() const;
  /// The first element as an integer, 0 if there is none.
  [[nodiscard]] std::int64_t integer() const;
  /// Whether every element is zero (either sign), integer or float.
  [[nodiscard]] bool is_zero() const;
};

/// An operator and the known properties of its operands, in the order of the arguments, with every member of a tensor
/// list counted. Rules access them by name: ViewOf (reference/tosa/op/declare.hpp).
struct View {
  const Operator& op;
  std::span<const Operand> inputs, outputs;
  const Level& level;
  ProfileMask profiles = kAllProfiles;  ///< profiles and extensions that are there

  [[nodiscard]] std::int64_t attr(Attr attribute, std::int64_t otherwise = 0) const {
    return op.get_int(attribute, otherwise);
  }
  [[nodiscard]] const std::vector<std::int64_t>& attrs(Attr attribute) const { return op.get_ints(attribute); }
};

enum class Rule : std::uint8_t {
  kErrorIf,  ///< broken: the graph is in ERROR
  kRequire,  ///< broken: the result is unpredictable
  kLevel,    ///< broken: the graph exceeds the level
};

/// One rule of an operator. Its id is the operator's name and its place in the table, counted from 1 ("CONV2D.3").
/// `broken` is called only when the number of operands, their types and ranks and the attributes' presence and lengths
/// have been found right, all shapes are known, and so are the values of the inputs of `needs`; extents are not
/// negative and a tensor's elements count below 2^63. Everything else (attribute values, contents) can be anything:
/// compute so that nothing overflows (checked_* of reference/tosa/arith, or __int128).
struct Check {
  Rule rule;
  std::string_view argument;    ///< the argument to name in a message
  std::string_view text;        ///< what must hold, in words: "stride must be at least 1"
  bool (*broken)(const View&);  ///< null: found by the kernel, which calls Call::require
  std::uint32_t needs = 0;      ///< bit i: the value of input i is read
};
/// A REQUIRE on values that only the run shows.
constexpr Check found_by_kernel(std::string_view argument, std::string_view text) {
  return {Rule::kRequire, argument, text, nullptr};
}
/// Bit of input `i` for Check::needs, which RuleText::reads() sets by name.
constexpr std::uint32_t value_of(unsigned i) { return 1u << i; }

enum class Category : std::uint8_t { kInput, kAttribute, kOutput };

/// An argument as the specification declares it (tosa.xml).
struct Argument {
  Category category;
  std::string_view name;
  /// A type variable of the definition ("in_t"), a fixed type ("i32_t", "bool_t", "shape_t"), or for attributes also
  /// "acc_type_t", "resize_mode_t", "rounding_mode_t", "nan_propagation_mode_t", "block_size_t", "String",
  /// "tosa_graph_t".
  std::string_view type;
  /// Symbols of the shape: "[N,IH,IW,IC]", "[1]", "[rank(shape1)]", a name for the whole shape ("shape1"), or empty.
  /// Equal symbols must be equal numbers; a dimension that is an expression ("C*M") is left to the checks and the shape
  /// function.
  std::string_view shape = "";
  int min_rank = 0;
  int max_rank = kMaxRank;  ///< kMaxRank: the level's MAX_RANK
  bool list = false;        ///< a tensor list: takes all operands that the other arguments leave
  bool ctc = false;         ///< must be a compile-time constant unless EXT-DYNAMIC is there
  /// For a list whose first member holds values and the others their scales: the type variable of the scales. A row
  /// that has kNoType for it allows one member only, any other needs two.
  std::string_view scale_type = "";
  bool always_ctc = false;  ///< must be a compile-time constant; no extension lifts that
  bool optional = false;    ///< an attribute that need not be there

  static constexpr int kMaxRank = 255;
};

struct Call;
/// Computes the outputs, which are allocated, of the declared type and shape, and zero-filled but for
/// fill_data(). All checks have passed. An Error is for what Macaw cannot do; a broken REQUIRE is reported
/// with Call::require, and the kernel still leaves something defined in its outputs.
using Kernel = Result<void> (*)(Call&);

/// In a row, the type variable of a tensor that is not there.
inline constexpr DType kNoType{0xFF};

/// A row of the operator's table of supported types.
struct TypeRow {
  std::array<DType, 6> types;  ///< of Definition::type_variables, in their order
  Support support;             ///< profiles and extensions that have it
  int since_minor;             ///< first 1.x version that has it
  Kernel kernel;               ///< null: legal, but not implemented
  /// The kernel can produce its output in tiles (reference/tosa/kernels/fusion.hpp).
  bool produces_tiles = false;
  /// Bit i: the kernel can take input i in tiles, and computes every element of the output from the elements of these
  /// inputs at its place, as long as they all have the output's shape.
  std::uint32_t tiled_inputs = 0;
};

struct Definition {
  Op op;
  std::span<const Argument> arguments;
  std::span<const std::string_view> type_variables;
  /// "acc_t" is bound by the attribute acc_type if the operator has one; otherwise the first matching row decides.
  std::span<const TypeRow> rows;
  std::span<const Check> checks;  ///< in the specification's order, levels first
  /// Output shapes from the inputs (shapes known, and the values of inputs of `shapes_need`). Null: the shapes follow
  /// from the symbols of the arguments. Called after rank and attribute checks; must not overflow or index out of
  /// range.
  Result<std::vector<Shape>> (*shapes)(const View&) = nullptr;
  std::uint32_t shapes_need = 0;
  /// For operators whose only output is a shape: its contents, or none if not all that it depends on is known. Shapes
  /// are settled before the run, so that validation evaluates these operators too. Called after all checks.
  std::optional<std::vector<std::int64_t>> (*shape_value)(const View&) = nullptr;

  [[nodiscard]] std::size_t index_of(Category category, std::string_view name) const;
};

/// Runs a block (a body of COND_IF or WHILE_LOOP) on copies of the given tensors.
using RunBlock =
    std::function<Result<std::vector<Tensor>>(const std::string& block, std::span<const Tensor* const> inputs)>;

class Workers;
class Fusion;

/// Variables of a graph during a run (variable chapter of the specification), by name.
struct Variables {
  struct Declaration {
    DType dtype{};
    Shape shape;
  };
  std::map<std::string, Tensor> contents;   ///< of those that have been written; kept from run to run
  std::map<std::string, Declaration> seen;  ///< those declared in this run
};

/// One execution of an operator.
struct Call {
  const Operator& op;
  std::span<const Tensor* const> inputs;
  std::span<Tensor* const> outputs;
  bool precise = false;  ///< tensors are of their precise_type() (reference/tosa/arith/float_tensor.hpp)
  bool bounds = false;   ///< the results are error bounds; only in a precise run
  const RunBlock& run_block;
  Variables& variables;
  std::vector<BrokenRule>& findings;
  Kernels kernels = Kernels::kBest;
  Workers* workers = nullptr;  ///< threads to split the outputs over (reference/tosa/kernels/workers.hpp); null: none
  Fusion* before =
      nullptr;  ///< gives one of the inputs in tiles (reference/tosa/kernels/fusion.hpp); null: all are there
  Fusion* after = nullptr;  ///< takes the output in tiles; null: the kernel fills it

  [[nodiscard]] const Tensor& in(std::size_t i) const { return *inputs[i]; }
  [[nodiscard]] Tensor& out(std::size_t i) const { return *outputs[i]; }
  template <class T>
  [[nodiscard]] std::span<const T> in_data(std::size_t i) const {
    return inputs[i]->data<T>();
  }
  template <class T>
  [[nodiscard]] std::span<T> out_data(std::size_t i) const {
    return outputs[i]->data<T>();
  }
  /// For kernels that write every element of an output: its contents are any at first.
  template <class T>
  [[nodiscard]] std::span<T> fill_data(std::size_t i) const {
    return outputs[i]->uninitialized_data<T>();
  }
  [[nodiscard]] std::int64_t attr(Attr attribute, std::int64_t otherwise = 0) const {
    return op.get_int(attribute, otherwise);
  }
  [[nodiscard]] const std::vector<std::int64_t>& attrs(Attr attribute) const { return op.get_ints(attribute); }

  /// Records that a REQUIRE of the specification does not hold, once per rule; returns `holds`. Not thread-safe: a
  /// parallel kernel gathers flags and reports afterwards.
  bool require(bool holds, std::string_view argument, std::string_view text);
  /// Index of a rule in the operator's table of checks.
  bool require(bool holds, const Check& check) { return require(holds, check.argument, check.text); }
};

/// The same execution with other attributes and inputs.
[[nodiscard]] inline Call with_operator(const Call& call, const Operator& op, std::span<const Tensor* const> inputs) {
  return {op,           inputs,         call.outputs,   call.precise,
          call.bounds,  call.run_block, call.variables, call.findings,
          call.kernels, call.workers};
}

/// Hands the results of a graph to the outputs of the operator that ran it; an error if types or shapes differ.
[[nodiscard]] Result<void> set_outputs(Call& call, std::vector<Tensor> results);

/// The definition of an operator, or null if Macaw does not have it.
[[nodiscard]] const Definition* find_definition(Op op);
/// All that Macaw has, in the order of ops.def.
[[nodiscard]] std::span<const Definition* const> definitions();

}  // namespace macaw::tosa
