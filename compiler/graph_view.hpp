#pragma once
#include <macaw/tosa/graph.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace macaw::npu {

/// A block of a TOSA graph with its uses, and checked access to constant operands. Errors name the operator.
class GraphView {
 public:
  explicit GraphView(const tosa::Block& block);

  [[nodiscard]] const tosa::Block& block() const { return *block_; }
  [[nodiscard]] const tosa::Operator& op(std::size_t index) const { return block_->operators[index]; }
  [[nodiscard]] const tosa::Value& value(tosa::ValueId id) const { return block_->values[id]; }
  /// Operators that read a value, one entry per operand.
  [[nodiscard]] const std::vector<std::size_t>& consumers(tosa::ValueId id) const { return consumers_[id]; }
  [[nodiscard]] std::optional<std::size_t> producer(tosa::ValueId id) const { return producers_[id]; }
  [[nodiscard]] bool is_output(tosa::ValueId id) const { return outputs_[id]; }
  /// Returns the only operator that reads a value; nullopt if there is not exactly one, or the value is a graph output.
  [[nodiscard]] std::optional<std::size_t> only_consumer(tosa::ValueId id) const;

  [[nodiscard]] std::string place(std::size_t op) const { return tosa::describe(*block_, op); }
  [[nodiscard]] tl::unexpected<Error> unsupported(std::size_t op, std::string reason) const;

  /// Contents of a constant operand.
  [[nodiscard]] Result<const Tensor*> constant(std::size_t op, std::size_t input) const;
  /// Elements of a constant operand of integers or extents.
  [[nodiscard]] Result<std::vector<std::int64_t>> integers(std::size_t op, std::size_t input) const;
  /// First element of a constant integer operand.
  [[nodiscard]] Result<std::int64_t> integer(std::size_t op, std::size_t input) const;
  /// Bounds of a CLAMP of INT8 or INT16.
  [[nodiscard]] Result<std::array<std::int64_t, 2>> clamp_bounds(std::size_t op) const;
  /// A list attribute of `count` numbers, each in [low, 2^16).
  [[nodiscard]] Result<std::vector<int>> list(std::size_t op, tosa::Attr attribute, std::size_t count, int low) const;

 private:
  const tosa::Block* block_;
  std::vector<std::vector<std::size_t>> consumers_;
  std::vector<std::optional<std::size_t>> producers_;
  std::vector<bool> outputs_;
};

}  // namespace macaw::npu
