#pragma once
#include <macaw/tosa/graph.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::models {

/// Kernel window of a convolution or pooling: [y, x] pairs, padding [top, bottom, left, right] as TOSA orders it.
struct Window {
  std::array<std::int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<std::int64_t, 4> pad{0, 0, 0, 0};
};

/// Padding that makes the output ceil(extent / stride) and leaves no remainder, the odd row or column at the end
/// (TFLite's SAME); the kernel must be at least as large as the stride.
[[nodiscard]] Window same_window(const Shape& nhwc, std::int64_t kernel, std::int64_t stride,
                                 std::int64_t dilation = 1);

/// Arguments of RESCALE with scale32: one entry per channel or one for all. multiplier in [0, 2^31), shift in [2, 62].
struct Rescale {
  std::vector<std::int32_t> multiplier;
  std::vector<std::int8_t> shift;
  std::int32_t input_zp = 0, output_zp = 0;
  tosa::RoundingMode rounding = tosa::RoundingMode::kSingleRound;
};
/// multiplier / 2^shift nearest to `real`, which must lie in (0, 2^28); multiplier in [2^30, 2^31) unless real is tiny.
/// For an INT48 input, whose multipliers have 16 bits, `real` must lie below 2^12.
void append_scale(Rescale& rescale, double real);

/// Adds operators to the main block of a TOSA 1.0 graph. Shapes follow the specification; arguments come from our own
/// code, so the builder asserts instead of returning errors. Names are "<operator>_<n>".
class GraphBuilder {
 public:
  GraphBuilder();

  tosa::ValueId input(std::string name, DType dtype, Shape shape);
  /// Makes a value an output of the graph, under this name.
  void output(tosa::ValueId value, std::string name);
  tosa::ValueId constant(Tensor tensor);

  /// INT8 feature map, INT8 or INT4 weight [OC,KH,KW,IC], INT32 bias [OC]; gives INT32. Or INT16 feature map, INT8
  /// weight, INT48 bias, input_zp 0; gives INT48.
  tosa::ValueId conv2d(tosa::ValueId input, Tensor weight, Tensor bias, const Window& window, std::int8_t input_zp,
                       std::int8_t weight_zp = 0);
  /// The same with constants that several operators share.
  tosa::ValueId conv2d(tosa::ValueId input, tosa::ValueId weight, tosa::ValueId bias, const Window& window,
                       std::int8_t input_zp, std::int8_t weight_zp = 0);
  /// INT8 weight [KH,KW,C,M], INT32 bias [C*M]; gives INT32.
  tosa::ValueId depthwise_conv2d(tosa::ValueId input, Tensor weight, Tensor bias, const Window& window,
                                 std::int8_t input_zp, std::int8_t weight_zp = 0);
  /// Multipliers are rounded to 16 bits for an INT48 input.
  tosa::ValueId rescale(tosa::ValueId input, DType output, const Rescale& rescale);
  tosa::ValueId clamp(tosa::ValueId input, std::int8_t min, std::int8_t max);
  /// [N,H,C] by [N,C,W], both INT8, giving INT32, or both INT16 with zero points 0, giving INT48.
  tosa::ValueId matmul(tosa::ValueId a, tosa::ValueId b, std::int8_t a_zp, std::int8_t b_zp);
  // Two values of one rank and type; extents of 1 are broadcast.
  tosa::ValueId add(tosa::ValueId a, tosa::ValueId b) { return binary(tosa::Op::kADD, "add", a, b); }
  tosa::ValueId sub(tosa::ValueId a, tosa::ValueId b) { return binary(tosa::Op::kSUB, "sub", a, b); }
  /// INT32 divided by 2^shift and rounded; or INT16, giving INT32, without shift.
  tosa::ValueId mul(tosa::ValueId a, tosa::ValueId b, std::int8_t shift = 0);
  tosa::ValueId bitwise_and(tosa::ValueId a, tosa::ValueId b) {
    return binary(tosa::Op::kBITWISE_AND, "bitwise_and", a, b);
  }
  tosa::ValueId bitwise_or(tosa::ValueId a, tosa::ValueId b) {
    return binary(tosa::Op::kBITWISE_OR, "bitwise_or", a, b);
  }
  tosa::ValueId left_shift(tosa::ValueId a, tosa::ValueId b) {
    return binary(tosa::Op::kLOGICAL_LEFT_SHIFT, "left_shift", a, b);
  }
  tosa::ValueId right_shift(tosa::ValueId a, tosa::ValueId b, bool round);  ///< arithmetic
  tosa::ValueId clz(tosa::ValueId input);                                   ///< INT32: number of leading zero bits
  /// INT8 by a table of 256 INT8 entries, that of -128 first.
  tosa::ValueId table(tosa::ValueId input, const std::vector<std::int8_t>& entries);
  /// INT16 by a table of 513 INT16 entries, those of -32768, -32640, ..., 32768, between which it interpolates with 7
  /// more bits; gives INT32. Neighbouring entries must differ by less than 2^15.
  tosa::ValueId table(tosa::ValueId input, const std::vector<std::int16_t>& entries);
  // The axis stays, with extent 1.
  tosa::ValueId reduce_max(tosa::ValueId input, std::int64_t axis);
  tosa::ValueId reduce_sum(tosa::ValueId input, std::int64_t axis);
  tosa::ValueId avg_pool2d(tosa::ValueId input, const Window& window, std::int8_t input_zp, std::int8_t output_zp);
  tosa::ValueId max_pool2d(tosa::ValueId input, const Window& window);
  tosa::ValueId reshape(tosa::ValueId input, Shape shape);
  tosa::ValueId transpose(tosa::ValueId input, std::vector<std::int64_t> perms);
  tosa::ValueId concat(const std::vector<tosa::ValueId>& inputs, std::int64_t axis);
  tosa::ValueId slice(tosa::ValueId input, Shape start, Shape size);
  tosa::ValueId gather(tosa::ValueId values, tosa::ValueId indices);  ///< [N,K,C] by INT32 [N,W]
  /// `values` with the rows [N,W,C] in the places of INT32 `indices`.
  tosa::ValueId scatter(tosa::ValueId values, tosa::ValueId indices, tosa::ValueId rows);
  tosa::ValueId argmax(tosa::ValueId input, std::int64_t axis);  ///< INT32, without the axis
  tosa::ValueId tile(tosa::ValueId input, const Shape& multiples);
  /// Declares an INT8 variable whose elements start at `initial`, and reads it.
  tosa::ValueId read_variable(const std::string& name, Shape shape, std::int8_t initial = 0);
  void write_variable(const std::string& name, tosa::ValueId contents);

  [[nodiscard]] const Shape& shape(tosa::ValueId value) const { return *block().values[value].shape; }
  [[nodiscard]] DType dtype(tosa::ValueId value) const { return block().values[value].dtype; }
  [[nodiscard]] const tosa::Graph& graph() const { return graph_; }

 private:
  [[nodiscard]] tosa::Block& block() { return graph_.blocks.front(); }
  [[nodiscard]] const tosa::Block& block() const { return graph_.blocks.front(); }
  tosa::ValueId value(std::string_view prefix, DType dtype, Shape shape);
  tosa::ValueId binary(tosa::Op op, std::string_view name, tosa::ValueId a, tosa::ValueId b);
  tosa::ValueId reduce(tosa::Op op, std::string_view name, tosa::ValueId input, std::int64_t axis);
  tosa::ValueId const_shape(const Shape& extents);
  /// A constant of one element of the given type.
  tosa::ValueId zero_point(DType dtype, std::int64_t v);
  tosa::Operator& add_operator(tosa::Op op, std::vector<tosa::ValueId> inputs, tosa::ValueId output);

  tosa::Graph graph_;
};

[[nodiscard]] Tensor int8_tensor(Shape shape, const std::vector<std::int8_t>& values);
[[nodiscard]] Tensor int16_tensor(Shape shape, const std::vector<std::int16_t>& values);
[[nodiscard]] Tensor int32_tensor(Shape shape, const std::vector<std::int32_t>& values);

}  // namespace macaw::models
