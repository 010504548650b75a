#pragma once
#include "reference/tflite/to_tosa/lowering.hpp"
#include "reference/tflite/window.hpp"

namespace macaw::tflite {

/// A window over the rows and columns of a feature map. TOSA allows no remainder: rows and columns that no window
/// reaches are sliced off first.
struct Window {
  WindowAxis y, x;

  [[nodiscard]] std::vector<std::int64_t> pad() const;
  /// Pad, stride and dilation.
  [[nodiscard]] Attributes convolution_attributes() const;
  /// A feature map without what no window reaches.
  [[nodiscard]] ValueId used(Emitter& tosa, ValueId id) const;
};

}  // namespace macaw::tflite
