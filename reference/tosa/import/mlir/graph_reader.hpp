#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reference/tosa/import/block_builder.hpp"
#include "reference/tosa/import/mlir/operation.hpp"

namespace macaw::tosa::mlir {

/// Values around an operation that its regions use, in the order of their first use: further inputs of the operation.
struct Captured {
  std::vector<std::string> names;
  std::set<std::string> known;
};

/// The values that a region's operations see: its own and those of the regions around it.
struct Scope {
  BlockBuilder& builder;
  Scope* outer = nullptr;
  std::map<std::string, ValueId> values = {};  ///< those that are defined here and those that are used here
  std::set<std::string> defined = {};
  Captured* captured = nullptr;
};

/// A function as a graph: COND_IF's and WHILE_LOOP's regions become blocks of their own.
class GraphReader {
 public:
  explicit GraphReader(Cursor at) : at_(std::move(at)) {}

  /// `variables` are those that are declared beside the function.
  Result<Graph> read(const Operation& function, const std::vector<const Operation*>& variables);

 private:
  /// The region of the operation at `at`.
  Result<void> read_region(const Region& region, Scope& scope, std::string_view terminator, std::size_t at);
  Result<void> read_operation(const Operation& in, Scope& scope);
  Result<void> read_constant(const Operation& in, Op op, Scope& scope);
  /// tensor.cast between types of the same elements: another name of its operand.
  Result<void> read_cast(const Operation& in, Scope& scope);
  Result<void> read_variable(const Operation& in, Op op, Scope& scope);
  Result<void> read_control_flow(const Operation& in, Op op, Scope& scope);
  Result<void> set_attributes(const Operation& in, Operator& op, const Scope& scope);
  Result<ValueId> find(const std::string& name, Scope& scope, const Operation& user);
  /// Makes a value; an error if its name is defined already where the operation at `at` stands.
  Result<ValueId> define(const Definition& definition, Scope& scope, std::size_t at);
  Result<std::vector<ValueId>> define_results(const Operation& in, Scope& scope);
  Result<void> expect_new(const std::string& name, const Scope& scope, std::size_t at);

  /// An error at an operation's place in the text.
  tl::unexpected<Error> error(const Operation& op, ErrorCode code, std::string message);

  Cursor at_;
  std::vector<Block> bodies_;
  std::size_t bodies_made_ = 0;
};

/// One attribute as the graph has it; none if the text's value does not mean one. `element` is the type of the
/// operator's first operand.
[[nodiscard]] std::optional<AttributeValue> meaning(Attr attribute, const Attribute& value, DType element);

}  // namespace macaw::tosa::mlir
