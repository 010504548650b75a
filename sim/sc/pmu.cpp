#include "sim/sc/pmu.hpp"

#include "sim/isa/command_table.hpp"

#include <optional>
#include <string_view>

namespace macaw::npu::sc {
namespace {

using E = CoreEvent;

/// Event names of all families and the accumulator behind each.
struct CoreName {
  std::string_view name;
  CoreEvent event;
  bool is_count = false;  ///< a number, not a span of time
};
constexpr CoreName kCoreNames[] = {
    {"CYCLE", E::kNpuActive},
    {"NPU_ACTIVE", E::kNpuActive},
    {"CC_STALLED_ON_BLOCKDEP", E::kStalledOnBlockdep},
    {"MAC_ACTIVE", E::kMacActive},
    {"MAC_ACTIVE_8BIT", E::kMacActive8},
    {"MAC_ACTIVE_16BIT", E::kMacActive16},
    {"MAC_ACTIVE_32BIT", E::kMacActive32},
    {"MAC_STALLED_BY_WD", E::kMacStalledByWeights},
    {"MAC_STALLED_BY_W", E::kMacStalledByWeights},
    {"MAC_STALLED_BY_ACC", E::kMacStalledByAcc},
    {"MAC_STALLED_BY_WD_ACC", E::kMacStalledByWeightsOrAcc},
    {"MAC_STALLED_BY_W_OR_ACC", E::kMacStalledByWeightsOrAcc},
    {"MAC_STALLED_BY_IB", E::kMacStalledByIfm},
    {"AO_ACTIVE", E::kAoActive},
    {"AO_ACTIVE_8BIT", E::kAoActive8},
    {"AO_ACTIVE_16BIT", E::kAoActive16},
    {"AO_STALLED_BY_ACC_IB", E::kAoStalledByAccOrIfm},
    {"AO_STALLED_BY_ACC", E::kAoStalledByAcc},
    {"AO_STALLED_BY_AB", E::kAoStalledByAcc},
    {"AO_STALLED_BY_IB", E::kAoStalledByIfm},
    {"AO_STALLED_BY_OB", E::kAoStalledByOutput},
    {"WD_ACTIVE", E::kWdActive},
    {"WD_STALLED", E::kWdStalled},
    {"WD_STALLED_BY_WS", E::kWdStalledByStream},
    {"WD_STALLED_BY_WD_BUF", E::kWdStalledByBuffer},
    {"WD_TRANS_WB", E::kWdWeightBlocks, true},
    {"WD_TRANS_WBLK", E::kWdWeightBlocks, true},
};

struct PortName {
  std::string_view name;
  std::uint64_t PortCounters::*member;
  bool is_count = false;
};
constexpr PortName kPortNames[] = {
    {"RD_TRANS_ACCEPTED", &PortCounters::rd_accepted, true},
    {"RD_TRANS_COMPLETED", &PortCounters::rd_completed, true},
    {"RD_DATA_BEAT_RECEIVED", &PortCounters::rd_beats, true},
    {"RD_TRAN_REQ_STALLED", &PortCounters::rd_request_stalled},
    {"WR_TRANS_ACCEPTED", &PortCounters::wr_accepted, true},
    {"WR_TRANS_COMPLETED_M", &PortCounters::wr_completed_m, true},
    {"WR_TRANS_COMPLETED_S", &PortCounters::wr_completed_s, true},
    {"WR_DATA_BEAT_WRITTEN", &PortCounters::wr_beats, true},
    {"WR_TRAN_REQ_STALLED", &PortCounters::wr_request_stalled},
    {"RD_STALL_LIMIT", &PortCounters::rd_stall_limit},
    {"WR_STALL_LIMIT", &PortCounters::wr_stall_limit},
};

struct EventRow {
  FamilySet families;
  std::string_view name;
};
constexpr EventRow kEvents[] = {
#define MACAW_PMU_EVENT(set, number, name) {families::set, #name},
#include "sim/isa/pmu_events.def"
#undef MACAW_PMU_EVENT
};

std::uint64_t amount(std::uint64_t value, bool is_count) { return is_count ? value : whole_cycles(value); }

}  // namespace

PortCounters& PortCounters::operator+=(const PortCounters& other) {
  for (const PortName& row : kPortNames) this->*row.member += other.*row.member;
  return *this;
}

Pmu::Pmu(const sc_core::sc_module_name& name, const Accelerator& accelerator)
    : sc_core::sc_module(name), accelerator_(accelerator) {
  ports_[0].resize(static_cast<std::size_t>(accelerator.ports0));
  ports_[1].resize(static_cast<std::size_t>(accelerator.ports1));
}

PmuCounters Pmu::counters() const {
  const bool u85 = accelerator_.family == Family::kU85;
  // "AXI0_" and "SRAM_" sum over the ports of side 0; "SRAM1_" is one port of it.
  auto port_value = [&](std::string_view name) -> std::optional<std::uint64_t> {
    for (int side = 0; side < 2; ++side) {
      const std::string group = u85 ? (side ? "EXT" : "SRAM") : (side ? "AXI1" : "AXI0");
      const auto& ports = ports_[static_cast<std::size_t>(side)];
      if (!name.starts_with(group)) continue;
      std::string_view rest = name.substr(group.size());
      PortCounters sum;
      if (rest.starts_with('_')) {
        for (const PortCounters& port : ports) sum += port;
      } else if (u85 && rest.size() > 1 && rest[1] == '_') {
        const auto index = static_cast<std::size_t>(rest[0] - '0');
        if (index < ports.size()) sum = ports[index];
        rest.remove_prefix(1);
      } else {
        continue;
      }
      rest.remove_prefix(1);
      for (const PortName& row : kPortNames)
        if (row.name == rest) return amount(sum.*row.member, row.is_count);
    }
    return std::nullopt;
  };
  PmuCounters result;
  for (const EventRow& event : kEvents) {
    if (!(event.families & family_set(accelerator_.family))) continue;
    const std::string name = "ETHOSU_PMU_" + std::string(event.name);
    std::optional<std::uint64_t> count = port_value(event.name);
    for (const CoreName& row : kCoreNames)
      if (row.name == event.name) count = amount(value(row.event), row.is_count);
    if (event.name == "NO_EVENT") count = 0;
    if (count) result.counts[name] = *count;
    else result.unmodelled.push_back(name);
  }
  return result;
}

}  // namespace macaw::npu::sc
