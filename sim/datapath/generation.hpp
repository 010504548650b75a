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

/// The computations that differ between generations of NPUs, the families that share a command set. Implemented in
/// u55_u65/ and u85/. Every function is called once for an operation or a stream, none for an element.
class Generation {
 public:
  /// Refuses what this generation has not; checks that hold for all of them are execute()'s.
  [[nodiscard]] virtual Result<void> check(const BlockOperation& op) const = 0;
  /// Bits of the widest IFM that a convolution takes.
  [[nodiscard]] virtual int convolution_bits() const = 0;

  /// Everything after the scaling; a table is read from `memory`.
  [[nodiscard]] virtual Result<OutputStage> output_stage(const BlockOperation& op, const Accelerator& accelerator,
                                                         const MemoryMap& memory) const = 0;
  /// See activation_table.hpp.
  [[nodiscard]] virtual std::optional<ByteRange> activation_table(const BlockOperation& op,
                                                                  const Accelerator& accelerator) const = 0;
  /// One elementwise operation over the whole OFM. `ifm` is null if it is the scalar; so is `ifm2`, and for unary
  /// operations. `scalar`: by the plain loop alone.
  [[nodiscard]] virtual Result<void> elementwise(const BlockOperation& op, const FeatureMapView* ifm,
                                                 const FeatureMapView* ifm2, bool scalar, OutputRows& out) const = 0;
  /// Lets IFM and IFM2 of an elementwise operation change places; the result stays.
  virtual void exchange_operands(BlockOperation& op) const = 0;
  [[nodiscard]] virtual DmaSides dma_sides(const DmaOperation& op) const = 0;

  /// Entries of an operation's scale streams.
  [[nodiscard]] virtual ScaleFormat scale_format(const BlockOperation& op) const = 0;

  /// Fills in what follows from the accelerator alone; see weight_order.hpp for this and the others.
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
