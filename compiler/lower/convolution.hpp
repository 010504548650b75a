#pragma once
#include "compiler/lower/window.hpp"

#include <memory>

// Functions shared by the convolutions.
namespace macaw::npu {

/// Weights [OC][KH][KW][IC] with the zero point subtracted.
struct Weights {
  std::int64_t oc = 1, kh = 1, kw = 1, ic = 1;
  std::vector<std::int16_t> values;

  [[nodiscard]] std::int16_t& at(std::int64_t o, std::int64_t y, std::int64_t x, std::int64_t i) {
    return values[static_cast<std::size_t>(((o * kh + y) * kw + x) * ic + i)];
  }
};
[[nodiscard]] Result<Weights> zero_weights(const Lowering& lowering, std::int64_t oc, std::int64_t kh, std::int64_t kw,
                                           std::int64_t ic);

/// A convolution with its output stage, the same for all of its parts.
class Convolution {
 public:
  /// Fuses the operators that follow the current one into its output stage. Operands 2, 3 and 4 are bias, input zero
  /// point and weight zero point.
  [[nodiscard]] static Result<Convolution> create(Lowering& lowering, std::int64_t out_channels);

  [[nodiscard]] const StorageView& ofm() const { return ofm_; }
  [[nodiscard]] const StorageView& ifm() const { return ifm_; }
  [[nodiscard]] std::int64_t weight_zero_point() const { return weight_zp_; }

  /// Returns the weights of one NPU operation; checks that the accumulator can hold every sum.
  [[nodiscard]] Result<std::shared_ptr<const LayerConstants>> constants(Weights weights) const;
  /// [h][w][c] maps, `dilation` at most 2.
  [[nodiscard]] Result<void> add(const std::shared_ptr<const LayerConstants>& constants, const Weights& shape,
                                 const std::array<std::int64_t, 2>& dilation, bool depthwise, const StorageView& ofm,
                                 const StorageView& ifm, const WindowPiece& y, const WindowPiece& x) const;

 private:
  explicit Convolution(Lowering& lowering) : lowering_(&lowering) {}
  Lowering* lowering_;
  StorageView ifm_, ofm_;
  Tail tail_;
  std::vector<std::int64_t> bias_;
  std::int64_t weight_zp_ = 0;
};

/// Inserts zeros between the taps of an axis whose dilation is above 2, and sets the dilation that is left.
void spell_out_dilation(Weights& weights, std::array<std::int64_t, 2>& dilation, bool depthwise);

}  // namespace macaw::npu
