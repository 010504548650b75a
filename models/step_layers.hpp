#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/graph_builder.hpp"
#include "models/random.hpp"

namespace macaw::models {

/// An int8 or int16 tensor, real = scale * q.
struct Fixed {
  tosa::ValueId value = 0;
  double scale = 1;
};

/// Layers of a network whose scales its author chooses, so that a network over one step and one over all steps
/// have the same integers. Activations are int8 or int16, weights of convolutions int8. Zero points are 0; weights come
/// from a seed.
class StepLayers {
 public:
  /// `variables`: state is kept in VARIABLE; otherwise it is an input and an output.
  StepLayers(std::uint64_t seed, bool variables, DType activations = DType::kINT8)
      : random_(seed), variables_(variables), type_(activations) {}

  [[nodiscard]] GraphBuilder& builder() { return builder_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] bool is_int16() const { return type_ == DType::kINT16; }
  /// The largest activation: 127 or 32767.
  [[nodiscard]] int top() const { return is_int16() ? 32767 : 127; }
  [[nodiscard]] const Shape& shape(const Fixed& x) const { return builder_.shape(x.value); }

  [[nodiscard]] Fixed input(std::string name, Shape shape, double scale);
  /// Values rounded to the scale.
  [[nodiscard]] Fixed constant(Shape shape, const std::vector<double>& values, double scale);
  /// Rows [1,count,width] of such values.
  [[nodiscard]] Fixed rows(std::int64_t width, std::span<const float> values, double scale);
  /// Rows [1,count,width] of nearly normal values of a deviation.
  [[nodiscard]] Fixed random_rows(std::int64_t count, std::int64_t width, double deviation, double scale);

  /// Over the last axis of [1,1,N,C]; the result has about `gain` times the deviation of x where x is random.
  [[nodiscard]] Fixed linear(const Fixed& x, std::int64_t channels, double gain, double scale);
  /// The same with weights [channels][C], rounded to a scale for each channel.
  [[nodiscard]] Fixed linear(const Fixed& x, std::span<const float> weights, double scale);
  /// [1,H,W,C]; likewise.
  [[nodiscard]] Fixed convolution(const Fixed& x, std::int64_t channels, const Window& window, double gain,
                                  double scale);
  [[nodiscard]] Fixed matmul(const Fixed& a, const Fixed& b, double scale);
  [[nodiscard]] Fixed add(const Fixed& a, const Fixed& b, double scale);
  [[nodiscard]] Fixed sub(const Fixed& a, const Fixed& b, double scale);
  [[nodiscard]] Fixed mul(const Fixed& a, const Fixed& b, double scale);
  /// An INT32 tensor times `ratio`, rounded to an activation.
  [[nodiscard]] Fixed narrowed(tosa::ValueId wide, double ratio, double scale) {
    return {narrow(wide, {ratio}), scale};
  }
  /// An activation as INT32.
  [[nodiscard]] tosa::ValueId widened(const Fixed& x) { return widen(x.value, 1); }
  /// An INT32 constant that is broadcast to the shape of `like`.
  [[nodiscard]] tosa::ValueId integer(std::int32_t value, tosa::ValueId like);
  [[nodiscard]] Fixed rescaled(const Fixed& x, double scale);
  [[nodiscard]] Fixed table(const Fixed& x, const std::function<double(double)>& function, double scale);
  /// Sum of the axis, which stays with extent 1, times `factor`.
  [[nodiscard]] Fixed sum(const Fixed& x, std::int64_t axis, double factor, double scale);
  /// Mean of the squares along the last axis, of int8.
  [[nodiscard]] Fixed mean_square(const Fixed& x, double scale);
  [[nodiscard]] Fixed max(const Fixed& x, std::int64_t axis);
  [[nodiscard]] Fixed reshape(const Fixed& x, Shape shape);
  [[nodiscard]] Fixed transpose(const Fixed& x, std::vector<std::int64_t> perms);
  [[nodiscard]] Fixed slice(const Fixed& x, Shape start, Shape size);
  [[nodiscard]] Fixed concat(const std::vector<Fixed>& parts, std::int64_t axis);
  [[nodiscard]] Fixed gather(const Fixed& rows, tosa::ValueId indices);

  /// State that starts at zero, before the step.
  [[nodiscard]] Fixed state(const std::string& name, Shape shape, double scale);
  /// State [N,K,C] that starts at zero, with the rows [N,W,C] in the places of INT32 `indices`, after the step. As TOSA
  /// has no variables of INT16, each of their bytes is one of INT8: NAME_high and NAME_low, the latter less 128.
  [[nodiscard]] Fixed update_rows(const std::string& name, Shape shape, tosa::ValueId indices, const Fixed& rows);
  /// The state after the step. Outputs are in the order of these calls, behind those of output().
  void set_state(const std::string& name, const Fixed& x);
  void output(const Fixed& x, const std::string& name);
  /// The graph, with the outputs for its state. `scales`, if given, receives the scales of the outputs by name.
  [[nodiscard]] tosa::Graph finish(std::map<std::string, double>* scales);

 private:
  /// Times one ratio, or one for each channel, rounded to an activation; in two steps if one exceeds `most`.
  tosa::ValueId narrow(tosa::ValueId wide, const std::vector<double>& ratios, double most = 1 << 27);
  tosa::ValueId widen(tosa::ValueId x, double ratio);
  Fixed update_bytes(const std::string& name, const Shape& shape, tosa::ValueId indices, const Fixed& rows);
  Fixed sum_of(const Fixed& a, const Fixed& b, double scale, bool subtract);
  /// Biases of a convolution.
  [[nodiscard]] Tensor zeros(std::int64_t count) const;
  [[nodiscard]] Tensor rounded(Shape shape, const std::vector<double>& values, double scale) const;

  GraphBuilder builder_;
  Random random_;
  bool variables_;
  DType type_;
  std::vector<std::pair<std::string, Fixed>> states_;
  std::map<std::string, double> scales_;  // of outputs
};

/// x / sqrt(mean of squares), times a drawn weight near 1 for each channel; of int8; scale 1/32.
[[nodiscard]] Fixed rms_norm(StepLayers& net, const Fixed& x);
/// The same with given weights and scales: of the mean of squares, of 1 / sqrt(mean), of x / sqrt(mean), of the result.
struct NormScales {
  double mean, inverse, normal, normed;
};
[[nodiscard]] Fixed rms_norm(StepLayers& net, const Fixed& x, std::span<const float> weights, const NormScales& scales);
/// x / sqrt(mean of squares + epsilon) times weights, of int16. The sum of squares is shifted to its first bit before
/// its root is looked up, so that it needs no scale.
[[nodiscard]] Fixed rms_norm_int16(StepLayers& net, const Fixed& x, std::span<const double> weights, double epsilon,
                                   double normal_scale, double scale);
/// Weights near 1 for channels, drawn.
[[nodiscard]] std::vector<double> drawn_norm_weights(StepLayers& net, std::int64_t channels);
/// Scales inside a softmax of int8: of a score's distance from the largest, and of the sum of exponentials.
struct SoftmaxScales {
  double below, total;
};
/// softmax(scores) v for scores [N,R,T] and v [N,T,D]. Where `mask`, broadcast to the scores, is 0, the weight of v is
/// exactly 0; `bias` is far below every score there and 0 elsewhere. Without a mask all positions count. Without scales
/// of its inside they follow from those of the scores and the number of positions; int16 needs none.
[[nodiscard]] Fixed attend(StepLayers& net, const Fixed& scores, const Fixed& v, const Fixed* bias, const Fixed* mask,
                           double scale, std::optional<SoftmaxScales> inside = {});

}  // namespace macaw::models
