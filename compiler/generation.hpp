#pragma once
#include "compiler/lowering.hpp"
#include "compiler/register_writer.hpp"

namespace macaw::npu::compiler {

/// Properties of the units of a generation.
struct Units {
  bool has_int48 = false;                         ///< feature maps of 48-bit values
  bool wide_tables = false;                       ///< a 16-bit table can produce 32-bit results
  bool pools_minimum = false;                     ///< has a MIN pool
  int pool_bits = 16;                             ///< maximum element width of a MAX or MIN pool
  int sum_bits = 8;                               ///< maximum width of operands that an ADD rescales
  bool exchanges_axes = false;                    ///< can transpose a result as it is written
  PoolMode sum = PoolMode::kAverage;              ///< the pool that scales the sum of an unpadded window by OFM_SCALE
  AccFormat wide_accumulators = AccFormat::kI40;  ///< for 16-bit elements
};

/// The behaviour of a generation of NPUs (families that share a command set) in the compiler. Implemented in u55_u65/
/// and u85/.
class Generation {
 public:
  const Units units;

  /// Returns the lowering function of an operator that each generation lowers differently (operators.def); null for
  /// others.
  [[nodiscard]] virtual LowerFunction lowering(tosa::Op op) const = 0;
  /// Lowering::convert() for elements of more than 16 bits.
  [[nodiscard]] virtual Result<void> convert_wide(Lowering& lowering, const StorageView& out, const StorageView& a,
                                                  const Output& how) const = 0;
  /// Returns how results without a table are clipped.
  [[nodiscard]] virtual ClipRange clip(const StorageView& out, const Output& how) const = 0;
  /// Whether an elementwise operation on INT32 can also do the RESCALE that follows it.
  [[nodiscard]] virtual bool fuses_rescale(ElementwiseMode mode) const = 0;
  /// Sets the scales of an ADD of rescaled operands whose result is rescaled; false if they cannot be exact.
  [[nodiscard]] virtual bool scale_sum(BlockOperation& op, const RescaleArguments& a, const RescaleArguments& b,
                                       const RescaleArguments& out) const = 0;
  /// Whether part-kernel-first order uses the multipliers better than depth-first order.
  [[nodiscard]] virtual bool prefers_part_kernel(std::int64_t depth, std::int64_t taps, int ifm_bits) const = 0;
  /// Whether the accumulators can hold every sum of a 16-bit convolution; weights are [bias.size()][taps].
  [[nodiscard]] virtual bool holds_sums(std::span<const std::int16_t> weights,
                                        std::span<const std::int64_t> bias) const = 0;

  /// Sets the block and the settings that depend on it; false if nothing fits. `table`: an activation table is in use.
  [[nodiscard]] virtual bool choose_block(const Accelerator& accelerator, BlockOperation& op, bool table) const = 0;
  /// Returns the number of entries in the scale stream for `channels` channels.
  [[nodiscard]] virtual std::size_t scale_entries(const BlockOperation& op, std::size_t channels) const = 0;
  /// Writes the registers of an operation.
  virtual void write(RegisterWriter& out, BlockOperation& op, const Accelerator& accelerator) const = 0;
  virtual void write(RegisterWriter& out, DmaOperation& op) const = 0;

 protected:
  constexpr explicit Generation(const Units& own) : units(own) {}
  ~Generation() = default;
};
[[nodiscard]] const Generation& generation(Family family);

#define MACAW_OWN_LOWERING(name, function) [[nodiscard]] Result<void> function(Lowering& lowering);
namespace u55_u65 {
[[nodiscard]] const Generation& generation();
#include "compiler/operators.def"
}  // namespace u55_u65
#define MACAW_OWN_LOWERING(name, function) [[nodiscard]] Result<void> function(Lowering& lowering);
namespace u85 {
[[nodiscard]] const Generation& generation();
#include "compiler/operators.def"
}  // namespace u85

}  // namespace macaw::npu::compiler
