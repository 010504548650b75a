#pragma once
#include <macaw/npu/operation.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu {

/// Parameters that determine the order in which the MAC engine consumes the weights of an operation.
struct WeightGeometry {
  Family family = Family::kU55;
  bool depthwise = false;
  bool part_kernel_first = false;  ///< ignored when depthwise
  int ifm_bits = 8;
  int ofm_depth = 1, ifm_depth = 1;  ///< ifm_depth is 1 for depthwise
  int taps_y = 1, taps_x = 1;        ///< kernel elements, without dilation gaps
  int dilation_y = 1, dilation_x = 1;
  int decomposition = 8;  ///< sub-kernel extent
  int block_depth = 8;    ///< OFM_BLK_DEPTH
  int ofm_ublock_depth = 8, ifm_ublock_depth = 8;
  int streams = 1;  ///< cores (U55/U65) or weight decoders (U85)
  // U85 only:
  int macs = 0;  ///< of the accelerator
  int stride_y = 1, stride_x = 1;
  bool sparse = false;  ///< 2:4

  [[nodiscard]] std::int64_t weights() const { return std::int64_t{ofm_depth} * taps_y * taps_x * ifm_depth; }
  [[nodiscard]] int ifm_block_depth() const;  ///< channels; depthwise operations have no such blocks
};

/// The geometry of a CONV or DEPTHWISE on an accelerator.
[[nodiscard]] Result<WeightGeometry> weight_geometry(const BlockOperation& operation, const Accelerator& accelerator);

/// Number of symbols in stream `stream` (core), including padding; an error if it exceeds 2^40 (a hostile geometry).
[[nodiscard]] Result<std::int64_t> weight_stream_symbols(const WeightGeometry& geometry, int stream);

/// Places the symbols of a decoded stream into OHWI weights [ofm_depth][taps_y][taps_x][ifm_depth]; padding symbols are
/// dropped. `symbols` must have weight_stream_symbols() elements and `ohwi` weights() elements.
void place_weights(const WeightGeometry& geometry, int stream, std::span<const std::int16_t> symbols,
                   std::span<std::int16_t> ohwi);

/// The inverse: returns the symbols of one stream, with padding as zeros. OHWI weights in the layout of
/// place_weights().
[[nodiscard]] Result<std::vector<std::int16_t>> order_weights(const WeightGeometry& geometry, int stream,
                                                              std::span<const std::int16_t> ohwi);

}  // namespace macaw::npu
