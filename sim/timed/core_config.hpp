#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/units.hpp>

#include "sim/blocks/transfer.hpp"
#include "sim/config/params.hpp"
#include "sim/config/system_config.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace macaw::npu::timed {

/// Limits that an AXI_LIMIT register (U85: AXI_SRAM, AXI_EXT) sets for its transactions.
struct AxiLimit {
  int reads = 1, writes = 1;        ///< outstanding, per port
  std::uint32_t burst_bytes = 256;  ///< longest transaction, and the alignment at which transactions are cut
};

class Generation;
[[nodiscard]] const Generation& generation(Family family);

/// Configuration shared by every unit of the model.
struct CoreConfig {
  const Accelerator& accelerator;
  Params params;
  MemoryMode mode;
  bool waveform = false;  ///< ports count outstanding transactions

  /// A constant that is a count; whatever a user sets, it is at least 1 and at most 4096.
  [[nodiscard]] static int count(double value) { return value > 1 ? static_cast<int>(std::min(value, 4096.0)) : 1; }

  /// Data-bus words that transfers move.
  [[nodiscard]] Beats beats(const Transfer& transfer) const {
    return Beats(transfer.beats(static_cast<unsigned>(accelerator.beat_bytes)));
  }
  [[nodiscard]] Beats beats(const TransferList& transfers) const {
    return Beats(transfers.beats(static_cast<unsigned>(accelerator.beat_bytes)));
  }

  /// By REGIONCFG and QCONFIG value (U85: by twice the side). By default they are the accelerator's own.
  std::optional<std::array<AxiLimit, 4>> limits{};
  std::array<bool, 2> separate_pixels{};  ///< by side: writes of the OFM do not merge contiguous pixels
  /// Index of a region's limit in `limits`.
  [[nodiscard]] std::size_t limit_of(int region) const {
    const int value = region < 0 ? mode.qconfig : mode.regioncfg.at(static_cast<std::size_t>(region));
    return static_cast<std::size_t>(value) % 4;
  }

  /// 0: AXI0 (U85: SRAM), 1: AXI1 (U85: EXT).
  [[nodiscard]] int side(const Transfer& transfer) const { return mode.side(transfer.region); }
  /// Bus addresses of the command stream and of regions 0 to 7. By default they are far apart and aligned to a burst,
  /// so that offsets alone determine alignment.
  std::array<std::uint64_t, 9> bases = {1ull << 40, 2ull << 40, 3ull << 40, 4ull << 40, 5ull << 40,
                                        6ull << 40, 7ull << 40, 8ull << 40, 9ull << 40};
  [[nodiscard]] std::uint64_t base(const Transfer& transfer) const {
    return bases.at(static_cast<std::size_t>(transfer.region + 1));
  }

  const Generation& generation = timed::generation(accelerator.family);
};

}  // namespace macaw::npu::timed
