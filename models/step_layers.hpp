#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/graph_builder.hpp"
#include "models/random.hpp"

namespace macaw::models {

/// An int8 tensor, real = scale * q.
struct Fixed {
  tosa::ValueId value = 0;
  double scale = 1;
};

/// Layers of an int8 network whose scales its author chooses, so that a network over one step and one over all steps
/// have the same integers. Zero points are 0; weights come from a seed.
class StepLayers {
 public:
  /// `variables`: state is kept in VARIABLE; otherwise it is an input and an output.
  StepLayers(std::uint64_t seed, bool variables) : random_(seed), variables_(variables) {}

  [[nodiscard]] GraphBuilder& builder() { return builder_; }
  [[nodiscard]] Random& random() { return random_; }
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
  [[nodiscard]] Fixed rescaled(const Fixed& x, double scale);
  [[nodiscard]] Fixed table(const Fixed& x, const std::function<double(double)>& function, double scale);
  /// Sum of the axis, which stays with extent 1, times `factor`.
  [[nodiscard]] Fixed sum(const Fixed& x, std::int64_t axis, double factor, double scale);
  /// Mean of the squares along the last axis.
  [[nodiscard]] Fixed mean_square(const Fixed& x, double scale);
  [[nodiscard]] Fixed max(const Fixed& x, std::int64_t axis);
  [[nodiscard]] Fixed reshape(const Fixed& x, Shape shape);
  [[nodiscard]] Fixed transpose(const Fixed& x, std::vector<std::int64_t> perms);
  [[nodiscard]] Fixed slice(const Fixed& x, Shape start, Shape size);
  [[nodiscard]] Fixed concat(const std::vector<Fixed>& parts, std::int64_t axis);
  [[nodiscard]] Fixed gather(const Fixed& rows, tosa::ValueId indices);
  [[nodiscard]] Fixed scatter(const Fixed& values, tosa::ValueId indices, const Fixed& rows);

  /// State that starts at zero, before the step.
  [[nodiscard]] Fixed state(const std::string& name, Shape shape, double scale);
  /// The state after the step. Outputs are in the order of these calls, behind those of output().
  void set_state(const std::string& name, const Fixed& x);
  void output(const Fixed& x, std::string name) { builder_.output(x.value, std::move(name)); }
  /// The graph, with the outputs for its state.
  [[nodiscard]] tosa::Graph finish();

 private:
  /// An int32 tensor times `ratio`, as int8.
  tosa::ValueId narrow(tosa::ValueId wide, double ratio);
  tosa::ValueId widen(tosa::ValueId x, double ratio);
  Fixed sum_of(const Fixed& a, const Fixed& b, double scale, bool subtract);

  GraphBuilder builder_;
  Random random_;
  bool variables_;
  std::vector<std::pair<std::string, tosa::ValueId>> states_;
};

/// x / sqrt(mean of squares), times a drawn weight near 1 for each channel; scale 1/32.
[[nodiscard]] Fixed rms_norm(StepLayers& net, const Fixed& x);
/// The same with given weights and scales: of the mean of squares, of 1 / sqrt(mean), of x / sqrt(mean), of the result.
struct NormScales {
  double mean, inverse, normal, normed;
};
[[nodiscard]] Fixed rms_norm(StepLayers& net, const Fixed& x, std::span<const float> weights, const NormScales& scales);
/// Scales inside a softmax: of a score's distance from the largest, and of the sum of exponentials.
struct SoftmaxScales {
  double below, total;
};
/// softmax(scores) v for scores [N,R,T] and v [N,T,D]. Where `mask`, broadcast to the scores, is 0, the weight of v is
/// exactly 0; `bias` is far below every score there and 0 elsewhere. Without a mask all positions count. Without scales
/// of its inside they follow from those of the scores and the number of positions.
[[nodiscard]] Fixed attend(StepLayers& net, const Fixed& scores, const Fixed& v, const Fixed* bias, const Fixed* mask,
                           double scale, std::optional<SoftmaxScales> inside = {});

}  // namespace macaw::models
