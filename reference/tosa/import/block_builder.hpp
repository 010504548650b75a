#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference/tosa/import/constant_data.hpp"

namespace macaw::tosa {

/// Bytes of constant data that a file may still claim. A flatbuffer can point at the same bytes many times; the
/// unpacked data must not exceed the size of the file.
struct DataBudget {
  std::size_t left = 0;
  std::span<const std::byte> file;
  Unpacking how;
};

/// The values of all blocks of a graph by name, which bodies of COND_IF and WHILE_LOOP may use without having them as
/// inputs.
using OuterValues = std::unordered_map<std::string, Value>;

/// Puts a block together and checks its structure: names, single assignment, dangling references, cycles.
class BlockBuilder {
 public:
  BlockBuilder(std::string file, std::string name) : file_(std::move(file)) { block_.name = std::move(name); }

  /// From now on find() looks up in `outer` the names that the block lacks, which must outlive the builder.
  void look_outside(const OuterValues& outer) { outer_ = &outer; }

  /// Adds a value; its name must be new and not empty.
  Result<ValueId> add_value(Value value);
  /// Adds the value and the CONST or CONST_SHAPE that produces it; `name` is made unique.
  ValueId add_constant(std::string name, Tensor data);
  ValueId add_constant(std::string name, std::shared_ptr<const Tensor> data);
  /// Adds a value of that type and shape under a new name close to `name`.
  ValueId add_temporary(std::string name, DType dtype, std::optional<Shape> shape);
  /// Variables that the operator reads or writes as if they were tensors are read and written by operators of their
  /// own.
  void add_operator(Operator op);
  /// Declares the variables among the block's values that no VARIABLE declares, before everything else.
  void declare_variables();

  /// The value of that name, which may be one from outside.
  [[nodiscard]] Result<ValueId> find(std::string_view name, const std::string& place);
  [[nodiscard]] const Value& value(ValueId id) const { return block_.values[id]; }
  [[nodiscard]] const Block& block() const { return block_; }
  [[nodiscard]] Block& block() { return block_; }

  /// Values that find() has taken from outside and nothing has bound yet. Variables need no binding.
  [[nodiscard]] const std::set<ValueId>& outside() const { return outside_; }
  void bind_constant(ValueId id, std::shared_ptr<const Tensor> data);
  /// Makes the value from outside that `value` is, or a new one like it, the block's last input.
  ValueId bind_input(const Value& value);

  /// Checks and orders the operators so that every value is produced before it is used. Operators that are in such an
  /// order already keep it.
  Result<Block> finish();

  /// Bytes that operators and constants made from attributes hold. A flatbuffer can point at one list many times, so
  /// that an importer compares this with the size of the file.
  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }

  [[nodiscard]] tl::unexpected<Error> error(ErrorCode code, std::string message, std::string place = {}) const;

 private:
  std::string unique(std::string name);
  void append(Operator op);
  /// The value that a VARIABLE_READ, which is appended, gives.
  ValueId read_variable(ValueId variable);
  std::size_t held_bytes_ = 0;
  std::unordered_map<std::string, std::size_t> last_suffix_;  ///< that made a name unique

  std::string file_;
  const OuterValues* outer_ = nullptr;
  std::set<ValueId> outside_;
  Block block_;
  std::unordered_map<std::string, ValueId> ids_;
};

/// A shape of a file: extents of at least 0, or -1 for unknown; the product of the known ones bounded.
[[nodiscard]] Result<Shape> checked_shape(std::span<const std::int32_t> extents);

}  // namespace macaw::tosa
