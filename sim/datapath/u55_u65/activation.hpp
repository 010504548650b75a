#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/fast/output_lanes.hpp"
#include "sim/datapath/memory.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {

/// The U55/U65 built-in functions: input in units of 1/(3*4096), not limited to 16 bits; result in Q0.15
/// (u55_u65 5.7; equal to TFLite's int16 reference).
[[nodiscard]] std::int64_t builtin_tanh(std::int64_t value);
[[nodiscard]] std::int64_t builtin_sigmoid(std::int64_t value);

/// Everything after the scaling on U55/U65: OFM zero point, activation function, clamp, table, saturation to the OFM
/// type (u55_u65 5.5, 5.6, 5.7).
class ActivationStage {
 public:
  /// Reads the table, if one is used, from the shared RAM of `memory`.
  [[nodiscard]] static Result<ActivationStage> create(const BlockOperation& operation, const Accelerator& accelerator,
                                                      const MemoryMap& memory);
  void apply(std::span<std::int64_t> values) const;
  /// The same for vector lanes; nullopt if the stage does more than lanes can.
  [[nodiscard]] std::optional<LaneActivation> lanes(const FeatureMap& ofm) const;

 private:
  enum class Table : std::uint8_t { kNone, kByte, kWord, kInterpolated };

  [[nodiscard]] std::int64_t look_up(std::int64_t value) const;

  ActivationFunction function_ = ActivationFunction::kNone;
  std::int64_t zero_point_ = 0;
  std::int64_t clamp_min_ = 0, clamp_max_ = 0;  ///< before the table
  std::int64_t store_min_ = 0, store_max_ = 0;  ///< of the OFM type
  Table table_ = Table::kNone;
  bool ofm_signed_ = true;
  std::vector<std::uint8_t> entries_;  ///< of the table, as stored in memory
};

}  // namespace macaw::npu
