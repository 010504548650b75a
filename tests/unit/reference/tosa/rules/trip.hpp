#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/cases/graph.hpp"

namespace macaw::test {

/// A use of an operator that breaks one rule and keeps the others.
struct Trip {
  tosa::Op op;
  /// The violated rule of the specification: "CONV2D:3" is the third ERROR_IF or REQUIRE of
  /// pseudocode/operators/CONV2D.tosac, "scale_helpers:2" of pseudocode/library. Empty: a level, or what the tables of
  /// arguments and types say.
  std::vector<std::string> statements;
  std::string rule;      ///< its id: "CONV2D.6", "CONV2D.shape"
  std::string argument;  ///< that the verdict must name
  tosa::Status status;
  std::vector<DType> types;  ///< of the row, from its first type variable on; empty: the first row with a kernel
  std::function<void(Case&)> edit;
  std::function<void(CaseGraph&)> edit_graph;
  std::function<CaseGraph()> make;  ///< the graph to break; null: that of a random case
};

using Edit = std::function<void(Case&)>;
using Types = std::vector<DType>;

inline const Types kAny, kInt16{DType::kINT16};
inline constexpr auto kFp8Blocks = DType::kBS32_FP8UE8M0_FP8E4M3;
inline constexpr std::int64_t kBeyondLevel = 8193;

/// Collects the trips of one operator. `statements` are ordinals in the operator's own file; others are given by name.
class Trips {
 public:
  Trips(std::vector<Trip>& all, tosa::Op op, std::function<CaseGraph()> make = {})
      : all_(all), op_(op), make_(std::move(make)) {}

  /// Breaks rule number `rule` of the definition's table, whose argument and kind the verdict must have.
  Trips& add(std::initializer_list<int> statements, int rule, const Types& types, Edit edit);
  Trips& add(const char* statement, int rule, const Types& types, Edit edit);
  /// Breaks what the tables of arguments and types say.
  Trips& table(std::initializer_list<int> statements, const char* rule, const char* argument, const Types& types,
               Edit edit);
  Trips& graph(const char* rule, const char* argument, const Types& types, std::function<void(CaseGraph&)> edit);
  Trips& graph(std::initializer_list<int> statements, const char* id, const char* argument,
               std::function<void(CaseGraph&)> edit);

 private:
  Trip& append(std::vector<std::string> statements, const Types& types, Edit edit);

  std::vector<Trip>& all_;
  tosa::Op op_;
  std::function<CaseGraph()> make_;
};

// One function per chapter.
void add_window_trips(std::vector<Trip>& all);
void add_tensor_trips(std::vector<Trip>& all);
void add_elementwise_trips(std::vector<Trip>& all);
void add_data_layout_trips(std::vector<Trip>& all);
void add_conversion_trips(std::vector<Trip>& all);
void add_block_scaled_trips(std::vector<Trip>& all);
void add_shape_trips(std::vector<Trip>& all);
void add_control_flow_trips(std::vector<Trip>& all);
[[nodiscard]] const std::vector<Trip>& all_trips();

// Edits.
[[nodiscard]] std::vector<std::int64_t>& ints(Case& c, tosa::Attr attribute);
/// One element of a list attribute.
[[nodiscard]] Edit set_item(tosa::Attr attribute, std::size_t i, std::int64_t value);
[[nodiscard]] Edit set_attribute(tosa::Attr attribute, std::int64_t value);
/// All elements of an input.
[[nodiscard]] Edit fill_input(std::size_t i, std::int64_t value);
/// An input of this shape, zero.
[[nodiscard]] Edit shape_input(std::size_t i, Shape shape);
/// One element more along the last axis of the first two inputs.
[[nodiscard]] Edit lengthen_operands();
[[nodiscard]] Edit grow_output(std::size_t axis, std::size_t output = 0);

}  // namespace macaw::test
