#pragma once
#include <macaw/tflite/to_tosa.hpp>

#include <array>

#include "reference/tflite/quantization.hpp"
#include "reference/tflite/to_tosa/emitter.hpp"

namespace macaw::tflite {

/// Integers from min to max.
struct Interval {
  std::int64_t min = 0, max = 0;
};

/// Bounds of the values after scale().
[[nodiscard]] Interval scaled(Interval values, FixedMultiplier by);

/// RESCALE of integers: (x - in_zero) by one multiplier, or one for each element of the last axis, +
/// out_zero.
struct Rescaling {
  std::vector<FixedMultiplier> by;
  DType to = DType::kINT32;
  std::int32_t in_zero = 0, out_zero = 0;
  Interval values;  ///< of x - in_zero
};

/// An operator that is lowered to TOSA; its kernel has checked the operands. Tensors of uint8 are INT8 there, each
/// element and zero point 128 less; affine() and range() return the matching parameters.
class Lowering {
 public:
  struct Operands {
    std::vector<std::optional<ValueId>>
        inputs;  ///< empty for absent operands, and for constants that have no value yet
    std::vector<bool> is_constant;
    std::vector<std::optional<ValueId>> outputs;
  };
  Lowering(Emitter& emitter, const Definition& definition, Call& call, Operands& operands, Floats floats)
      : tosa(emitter), call(call), definition_(definition), operands_(operands), floats_(floats) {}

  Emitter& tosa;
  /// The operands: constants with their contents, others filled with zero.
  Call& call;

  /// Input `index` as a value of the graph. It is there: the kernel has taken it.
  [[nodiscard]] Result<ValueId> input(std::size_t index = 0);
  /// Whether output 0 is FP32 and may differ by rounding.
  [[nodiscard]] bool is_rounded() const {
    return floats_ == Floats::kRounded && call.outputs[0].value->dtype() == DType::kFP32;
  }
  [[nodiscard]] bool is_constant(std::size_t index) const { return operands_.is_constant[index]; }
  /// kUnsupported unless input `index` is a constant.
  [[nodiscard]] Result<void> expect_constant(std::size_t index) const;
  /// Gives output `index` its value, in the shape that the file states.
  [[nodiscard]] Result<void> output(ValueId id, std::size_t index = 0);

  [[nodiscard]] Result<Affine> affine(const Operand& operand) const;
  [[nodiscard]] Result<Range> range(schema::ActivationFunctionType activation) const;
  /// The values of a quantised input without its zero point.
  [[nodiscard]] static Interval offset_values(const Operand& operand, Affine affine);

  /// With double rounding, as scale() computes it. kUnsupported where TOSA leaves the result open.
  [[nodiscard]] Result<ValueId> rescale(ValueId x, const Rescaling& how);
  /// An INT48 value of at most `most` by multipliers of 15 bits, as scale_wide() computes it.
  [[nodiscard]] Result<ValueId> rescale_wide(ValueId x, std::vector<FixedMultiplier> by, std::int64_t most);
  /// An INT48 value whose elements fit as INT32.
  [[nodiscard]] ValueId narrow(ValueId x);
  /// INT32 x, which is three times a number of `values`, divided by 3 * n, halves away from zero, plus out_zero.
  [[nodiscard]] Result<ValueId> divide_tripled(ValueId x, std::int64_t n, Interval values, DType to,
                                               std::int32_t out_zero);
  /// x - in_zero as INT32.
  [[nodiscard]] Result<ValueId> widen(ValueId x, std::int32_t in_zero);
  /// Rescales INT32 to the type of output 0, clamps and gives it.
  [[nodiscard]] Result<void> finish(ValueId x, FixedMultiplier by, Interval values, Affine to, Range range);

  /// The kernel's outputs on other operands than the call's, for tables: output 0 has the shape of input `index`.
  [[nodiscard]] Result<Tensor> evaluate(std::size_t index, const Tensor& values) const;

 private:
  ValueId rescale_48(ValueId x, Tensor multipliers, Tensor shifts, DType to);

  const Definition& definition_;
  Operands& operands_;
  Floats floats_;
};

// Operators of FP32 where they may differ by rounding.
/// A fused activation, and output 0.
[[nodiscard]] Result<void> finish_floats(Lowering& lowering, ValueId id, schema::ActivationFunctionType activation);
/// The function of input 0 that the operator's name states.
[[nodiscard]] Result<void> lower_float_function(Lowering& lowering);
[[nodiscard]] Result<void> lower_float_softmax(Lowering& lowering, float beta);

/// The type in TOSA of a tensor's elements; kUnsupported if there is none.
[[nodiscard]] Result<DType> type_in_tosa(DType dtype);
/// A constant of the network as a value of the graph.
[[nodiscard]] Result<ValueId> add_constant(Emitter& tosa, const Tensor& tensor);

}  // namespace macaw::tflite
