#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/fast/output_lanes.hpp"
#include "sim/datapath/memory.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {

/// Everything after the scaling on U85: OFM zero point, clamp, table of the LUT RAM, saturation to the OFM type
/// (u85 5.5, 5.6, 5.7). TANH and SIGMOID are interpolated tables that are clamped after the look-up; the
/// other tables are clamped before it.
class ActivationStageU85 {
 public:
  /// Reads the table, if one is used, from the LUT RAM of `memory`.
  [[nodiscard]] static Result<ActivationStageU85> create(const BlockOperation& operation,
                                                         const Accelerator& accelerator, const MemoryMap& memory);
  void apply(std::span<std::int64_t> values) const;
  /// The same for vector lanes; nullopt if the stage does more than lanes can.
  [[nodiscard]] std::optional<LaneActivation> lanes(const FeatureMap& ofm) const;

 private:
  [[nodiscard]] std::int64_t look_up(std::int64_t value) const;
  [[nodiscard]] std::int64_t interpolate(std::int64_t value) const;

  TableForm form_ = TableForm::kFromOfm;  ///< kFromOfm: no table
  bool clips_ = true;                     ///< false: the low bits are stored
  std::int64_t zero_point_ = 0;
  std::int64_t clamp_min_ = 0, clamp_max_ = 0;  ///< ACTIVATION_MIN and MAX
  std::int64_t store_min_ = 0, store_max_ = 0;  ///< of the OFM type
  std::vector<std::uint8_t> entries_;
};

}  // namespace macaw::npu
