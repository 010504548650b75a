#pragma once
#include <macaw/npu/accelerator.hpp>

#include "sim/timing/params.hpp"
#include "sim/timing/system_config.hpp"
#include "sim/walk/transfer.hpp"

#include <algorithm>

namespace macaw::npu::sc {

/// What every unit of the model is built for.
struct CoreConfig {
  const Accelerator& accelerator;
  Params params;
  MemoryMode mode;

  /// A constant that counts things; whatever a user sets, there is at least one and no absurd number of them.
  [[nodiscard]] static int count(double value) { return value > 1 ? static_cast<int>(std::min(value, 4096.0)) : 1; }

  /// 0: AXI0 (U85: SRAM), 1: AXI1 (U85: EXT).
  [[nodiscard]] int side(const Transfer& transfer) const { return mode.side(transfer.region); }
  /// Bus address of a region. Regions lie far apart and aligned to a burst; only their offsets decide alignment.
  [[nodiscard]] static std::uint64_t base(const Transfer& transfer) {
    return static_cast<std::uint64_t>(transfer.region + 1) << 40;
  }
};

}  // namespace macaw::npu::sc
