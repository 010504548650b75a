#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/pmu.hpp>

#include "sim/isa/pmu_events.hpp"
#include "sim/sc/ticks.hpp"

#include <array>
#include <optional>
#include <systemc>
#include <vector>

namespace macaw::npu::sc {

/// What the units of the core report. Names and ids of the events that each feeds: pmu.cpp.
enum class CoreEvent : std::uint8_t {
  kNpuActive,
  kStalledOnBlockdep,
  kMacActive,
  kMacActive8,
  kMacActive16,
  kMacActive32,
  kMacStalledByWeights,
  kMacStalledByAcc,
  kMacStalledByWeightsOrAcc,
  kMacStalledByIfm,
  kAoActive,
  kAoActive8,
  kAoActive16,
  kAoStalledByAccOrIfm,
  kAoStalledByAcc,
  kAoStalledByIfm,
  kAoStalledByOutput,
  kWdActive,
  kWdStalled,
  kWdStalledByStream,
  kWdStalledByBuffer,
  kWdWeightBlocks,
  kCount
};

/// What one AXI port counts where transactions pass its socket; spans in ticks, the rest in transactions and beats.
struct PortCounters {
  std::uint64_t rd_accepted = 0, rd_completed = 0, rd_beats = 0;
  std::uint64_t wr_accepted = 0, wr_completed_m = 0, wr_completed_s = 0, wr_beats = 0;
  Ticks rd_request_stalled = 0, wr_request_stalled = 0, rd_stall_limit = 0, wr_stall_limit = 0;
  PortCounters& operator+=(const PortCounters& other);
};

/// Accumulators of the performance monitor. All events count at once; which of them a driver could have programmed
/// into its few counters is the reader's choice.
class Pmu : public sc_core::sc_module {
 public:
  Pmu(const sc_core::sc_module_name& name, const Accelerator& accelerator);

  /// Adds a span of time, or for kWdWeightBlocks a number.
  void add(CoreEvent event, std::uint64_t amount) { core_[static_cast<std::size_t>(event)] += amount; }
  [[nodiscard]] std::uint64_t value(CoreEvent event) const { return core_[static_cast<std::size_t>(event)]; }
  /// Port `port` of side 0 (AXI0, SRAM) or 1 (AXI1, EXT).
  [[nodiscard]] PortCounters& port(int side, int port) { return ports_[side][static_cast<std::size_t>(port)]; }

  /// What an event stands at; nothing if the model does not move it.
  [[nodiscard]] std::optional<std::uint64_t> count(const PmuEventRow& event) const;
  /// Every event of the family by driver name.
  [[nodiscard]] PmuCounters counters() const;

 private:
  const Accelerator& accelerator_;
  std::array<std::uint64_t, static_cast<std::size_t>(CoreEvent::kCount)> core_{};
  std::array<std::vector<PortCounters>, 2> ports_;
};

/// What the model counts as an event, in a few words; nullopt: it does not model it.
[[nodiscard]] std::optional<std::string> event_meaning(const Accelerator& accelerator, const PmuEventRow& event);

}  // namespace macaw::npu::sc
