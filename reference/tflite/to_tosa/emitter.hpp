#pragma once
#include <macaw/tosa/graph.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::tflite {

using tosa::Attr;
using tosa::Op;
using tosa::ValueId;

using Attributes = std::vector<std::pair<Attr, tosa::AttributeValue>>;

/// Adds operators to the main block of a TOSA 1.0 graph. The caller has checked the operands.
class Emitter {
 public:
  Emitter();

  /// A value without a producer. The name is made unique.
  ValueId value(std::string_view name, DType dtype, Shape shape);
  ValueId input(std::string_view name, DType dtype, Shape shape);
  /// Makes `id` an output of the graph, by an IDENTITY if it is one already, an input or a constant.
  void output(ValueId id, std::string_view name);

  /// Gives a value that an operator computes the name, if neither has got another one.
  void name(ValueId id, std::string_view name);

  /// A state of the graph to which it can be restored.
  struct Mark {
    std::size_t values = 0, operators = 0;
  };
  [[nodiscard]] Mark mark() const { return {block().values.size(), block().operators.size()}; }
  void rewind(Mark mark);

  /// Where the operators that follow come from.
  void locate(std::string place) { location_ = std::move(place); }

  ValueId constant(Tensor tensor);
  /// An INT32, INT16 or INT8 constant of one element, of extents 1.
  ValueId scalar(DType dtype, std::int64_t value, std::size_t rank = 1);
  /// The same of FP32.
  ValueId number(float value, std::size_t rank = 1);
  ValueId shape_constant(const Shape& extents);

  /// An operator of one output.
  ValueId add(Op op, std::vector<ValueId> inputs, DType dtype, Shape shape, Attributes attributes = {});
  /// One whose output is like its first input.
  ValueId add_like(Op op, std::vector<ValueId> inputs, Attributes attributes = {});
  /// A broadcast of two values, whose ranks are made equal.
  ValueId binary(Op op, ValueId a, ValueId b, std::optional<DType> dtype = {});
  ValueId mul(ValueId a, ValueId b, std::int8_t shift = 0);

  // Without an operator where nothing changes, and of a constant that nothing reads yet.
  ValueId reshape(ValueId id, Shape shape);
  // Without an operator where nothing changes.
  ValueId transpose(ValueId id, const std::vector<std::int64_t>& perms);
  ValueId slice(ValueId id, const Shape& start, Shape size);
  ValueId cast(ValueId id, DType dtype);
  ValueId tile(ValueId id, const Shape& times);
  /// `low` and `high` are elements of the value's type.
  ValueId clamp(ValueId id, std::int64_t low, std::int64_t high);
  /// The same for FP32; without an operator if all finite values are in the range.
  ValueId clamp_floats(ValueId id, float low, float high);

  ValueId concat(const std::vector<ValueId>& parts, std::int64_t axis);
  /// `amounts` before and after each axis; `value` has one element.
  ValueId pad(ValueId id, const Shape& amounts, ValueId value);
  ValueId reverse(ValueId id, std::int64_t axis);
  /// Keeps the axis, with extent 1.
  ValueId reduce(Op op, ValueId id, std::size_t axis);
  /// Elements of `values` [N,K,C] at INT32 `indices` [N,W].
  ValueId gather(ValueId values, ValueId indices);

  [[nodiscard]] const Shape& shape(ValueId id) const { return *block().values[id].shape; }
  [[nodiscard]] DType dtype(ValueId id) const { return block().values[id].dtype; }
  [[nodiscard]] const std::vector<ValueId>& inputs() const { return block().inputs; }
  [[nodiscard]] tosa::Graph take() { return std::move(graph_); }

 private:
  [[nodiscard]] tosa::Block& block() { return graph_.blocks.front(); }
  [[nodiscard]] const tosa::Block& block() const { return graph_.blocks.front(); }

  tosa::Graph graph_;
  std::vector<bool> may_be_output_;  // of each value: computed, and no output yet
  std::vector<bool> is_read_;
  std::vector<bool> is_named_;  // by name()
  std::string location_;
  std::set<std::string, std::less<>> names_;
};

/// The bytes of an element, little endian.
[[nodiscard]] std::vector<std::byte> element_bytes(DType dtype, std::int64_t value);

}  // namespace macaw::tflite
