#pragma once
#include "sim/datapath/bits.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/output_rows.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/weight_order.hpp"

#include <optional>
#include <span>
#include <vector>

namespace macaw::npu::datapath {

/// One side of a DMA job: its first byte, and the distance between rows and between planes.
struct DmaSide {
  std::uint64_t base = 0;
  Int128 row = 0, plane = 0;
  bool indexed = false;  ///< the row comes from the index array
};
struct DmaSides {
  DmaSide source, target;
};

/// The computations that differ between generations of NPUs (families that share a command set). Implemented in
/// u55_u65/ and u85/. Every function is called once per operation or stream, not per element.
class Generation {
 public:
  /// Rejects features that this generation does not have; execute() makes the checks that hold for all generations.
  [[nodiscard]] virtual Result<void> check(const BlockOperation& op) const = 0;
  /// Maximum IFM bits of a convolution.
  [[nodiscard]] virtual int convolution_bits() const = 0;

  /// Returns all stages after the scaling; a table is read from `memory`.
  [[nodiscard]] virtual Result<OutputStage> output_stage(const BlockOperation& op, const Accelerator& accelerator,
                                                         const MemoryMap& memory) const = 0;
  /// See activation_table.hpp.
  [[nodiscard]] virtual std::optional<ByteRange> activation_table(const BlockOperation& op,
                                                                  const Accelerator& accelerator) const = 0;
  /// Computes one elementwise operation over the whole OFM. `ifm` is null if it is a scalar; `ifm2` is null if it is a
  /// scalar or the operation is unary. `scalar`: use only the plain loop.
  [[nodiscard]] virtual Result<void> elementwise(const BlockOperation& op, const FeatureMapView* ifm,
                                                 const FeatureMapView* ifm2, bool scalar, OutputRows& out) const = 0;
  /// Swaps IFM and IFM2 of an elementwise operation without changing the result.
  virtual void exchange_operands(BlockOperation& op) const = 0;
  [[nodiscard]] virtual DmaSides dma_sides(const DmaOperation& op) const = 0;

  /// Returns the format of the entries of an operation's scale streams.
  [[nodiscard]] virtual ScaleFormat scale_format(const BlockOperation& op) const = 0;

  /// Fills in the members that depend on the accelerator alone; weight_order.hpp describes this function and the
  /// others.
  [[nodiscard]] virtual Result<void> complete(WeightGeometry& geometry, const BlockOperation& op,
                                              const Accelerator& accelerator) const = 0;
  [[nodiscard]] virtual Int128 weight_symbols(const WeightGeometry& geometry, int stream) const = 0;
  virtual void place_weights(const WeightGeometry& geometry, int stream, std::span<const std::int16_t> symbols,
                             std::span<std::int16_t> ohwi) const = 0;
  /// Appends the symbols of the stream to `symbols`.
  virtual void order_weights(const WeightGeometry& geometry, int stream, std::span<const std::int16_t> ohwi,
                             std::vector<std::int16_t>& symbols) const = 0;

 protected:
  ~Generation() = default;
};
[[nodiscard]] const Generation& generation(Family family);

namespace u55_u65 {
[[nodiscard]] const Generation& generation();
}
namespace u85 {
[[nodiscard]] const Generation& generation();
}

}  // namespace macaw::npu::datapath
