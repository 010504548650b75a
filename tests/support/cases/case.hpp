#pragma once
#include <macaw/tosa/graph.hpp>

#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/tosa/op/def.hpp"

namespace macaw::test {

using Random = std::mt19937_64;

/// One use of an operator that keeps every ERROR_IF: attributes, operands and the types and shapes of its results.
struct Case {
  tosa::Operator op;
  std::vector<Tensor> inputs;
  std::vector<std::pair<DType, Shape>> outputs;
  int given = -1;  ///< the input that is the tensor the case was asked to start from; -1: none is
  Tensor data;     ///< contents of the output of CONST and CONST_SHAPE
};

/// Puts a Case together. Values are mostly small enough to keep the REQUIREs, and now and then are not.
class Maker {
 public:
  Maker(Random& random, const tosa::Definition& definition, const tosa::TypeRow& row, const Tensor* given);

  [[nodiscard]] std::int64_t pick(std::int64_t low, std::int64_t high);
  [[nodiscard]] bool one_in(std::int64_t n) { return pick(1, n) == 1; }
  /// Type of a type variable in the row.
  [[nodiscard]] DType type(std::string_view variable) const;
  [[nodiscard]] Shape shape(int min_rank, int max_rank);
  /// Elements of a tensor of the type: whole blocks if it is block-scaled.
  [[nodiscard]] Shape shape(DType dtype, int min_rank, int max_rank);
  [[nodiscard]] std::vector<std::int64_t> extents(std::int64_t length, std::int64_t low, std::int64_t high);

  /// Appends an operand: the given tensor if it has the type and a rank in range and is small, else one of random
  /// shape.
  const Tensor& take(DType dtype, int min_rank, int max_rank);
  /// The same for a shape of up to 6 extents within bounds.
  const Tensor& take_shape(std::int64_t low, std::int64_t high);
  /// Appends an operand of random values, of values within bounds (integers), or as it is.
  const Tensor& add(DType dtype, Shape shape);
  const Tensor& add(DType dtype, Shape shape, std::int64_t low, std::int64_t high);
  const Tensor& add(Tensor tensor);
  const Tensor& add_shape(const std::vector<std::int64_t>& values);

  [[nodiscard]] Tensor values(DType dtype, Shape shape);
  [[nodiscard]] Tensor values(DType dtype, Shape shape, std::int64_t low, std::int64_t high);

  void set(tosa::Attr attribute, tosa::AttributeValue value) { case_.op.set(attribute, std::move(value)); }
  void set_bool(tosa::Attr attribute) { set(attribute, pick(0, 1)); }
  void out(DType dtype, Shape shape) { case_.outputs.emplace_back(dtype, std::move(shape)); }
  [[nodiscard]] Case& made() { return case_; }

 private:
  const Tensor& take_given();
  void fill_floats(Tensor& tensor);
  void fill_blocks(Tensor& tensor);

  Random& random_;
  const tosa::Definition& definition_;
  const tosa::TypeRow& row_;
  const Tensor* given_;
  Case case_;
};

/// A tensor whose elements are all `value`.
[[nodiscard]] Tensor filled(DType dtype, Shape shape, std::int64_t value);

/// Fills a Maker for one operator.
using Make = void (*)(Maker&);
struct OperatorCases {
  tosa::Op op;
  Make make;
};
// One table per chapter.
[[nodiscard]] std::span<const OperatorCases> tensor_cases();
[[nodiscard]] std::span<const OperatorCases> convolution_cases();
[[nodiscard]] std::span<const OperatorCases> elementwise_cases();
[[nodiscard]] std::span<const OperatorCases> data_layout_cases();
[[nodiscard]] std::span<const OperatorCases> block_scaled_cases();
[[nodiscard]] std::span<const OperatorCases> shape_cases();
[[nodiscard]] std::span<const OperatorCases> other_cases();

/// Null for operators that have no cases.
[[nodiscard]] Make find_cases(tosa::Op op);

/// A case of the operator in the types of a row.
[[nodiscard]] Case make_case(Random& random, const tosa::Definition& definition, const tosa::TypeRow& row,
                             const Tensor* given = nullptr);

}  // namespace macaw::test
