#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reference/import/block_builder.hpp"
#include "reference/import/mlir/operation.hpp"

namespace macaw::tosa::mlir {

/// The values that a region's operations see: its own and those of the regions around it.
struct Scope {
  BlockBuilder& builder;
  Scope* outer = nullptr;
  std::map<std::string, ValueId> values = {};
  /// Values of `outer` that this region and the others of its operation use, in the order of their first use: further
  /// inputs of the operation.
  std::vector<std::string>* captured = nullptr;
};

/// A function as a graph: COND_IF's and WHILE_LOOP's regions become blocks of their own.
class GraphReader {
 public:
  explicit GraphReader(Cursor at) : at_(std::move(at)) {}

  /// `variables` are those that are declared beside the function.
  Result<Graph> read(const Operation& function, const std::vector<const Operation*>& variables);

 private:
  Result<void> read_region(const Region& region, Scope& scope, std::string_view terminator);
  Result<void> read_operation(const Operation& in, Scope& scope);
  Result<void> read_constant(const Operation& in, Op op, Scope& scope);
  Result<void> read_variable(const Operation& in, Op op, Scope& scope);
  Result<void> read_control_flow(const Operation& in, Op op, Scope& scope);
  Result<void> set_attributes(const Operation& in, Operator& op, const Scope& scope);
  Result<ValueId> find(const std::string& name, Scope& scope, const Operation& user);
  ValueId define(const Definition& definition, Scope& scope);

  /// An error at an operation's place in the text.
  tl::unexpected<Error> error(const Operation& op, ErrorCode code, std::string message);

  Cursor at_;
  std::vector<Block> bodies_;
  std::size_t bodies_made_ = 0;
  std::map<std::string, Type> variables_;
};

/// One attribute as the graph has it; none if the text's value does not mean one. `element` is the type of the
/// operator's first operand.
[[nodiscard]] std::optional<AttributeValue> meaning(Attr attribute, const Attribute& value, DType element);

}  // namespace macaw::tosa::mlir
