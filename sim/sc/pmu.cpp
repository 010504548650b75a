#include "sim/sc/pmu.hpp"

#include <algorithm>
#include <string_view>

namespace macaw::npu::sc {
namespace {

using E = CoreEvent;

/// Event names of all families and the accumulator behind each.
struct CoreName {
  std::string_view name;
  CoreEvent event;
  std::string_view text;
  bool is_count = false;  ///< a number, not a span of time
};
constexpr CoreName kCoreNames[] = {
    {"CYCLE", E::kNpuActive, "every cycle of the run"},
    {"NPU_ACTIVE", E::kNpuActive, "from the start of the command stream to its STOP"},
    {"CC_STALLED_ON_BLOCKDEP", E::kStalledOnBlockdep, "the next block waits for blocks of the operation before it"},
    {"MAC_ACTIVE", E::kMacActive, "the MAC array works on a block"},
    {"MAC_ACTIVE_8BIT", E::kMacActive8, "MAC_ACTIVE with an 8-bit IFM"},
    {"MAC_ACTIVE_16BIT", E::kMacActive16, "MAC_ACTIVE with a 16-bit IFM"},
    {"MAC_ACTIVE_32BIT", E::kMacActive32, "MAC_ACTIVE with a 32-bit IFM"},
    {"MAC_STALLED_BY_WD", E::kMacStalledByWeights, "the MAC array has a block and its IFM, but no decoded weights"},
    {"MAC_STALLED_BY_W", E::kMacStalledByWeights, "the MAC array has a block and its IFM, but no decoded weights"},
    {"MAC_STALLED_BY_ACC", E::kMacStalledByAcc, "the MAC array has a block, but no free accumulators"},
    {"MAC_STALLED_BY_WD_ACC", E::kMacStalledByWeightsOrAcc, "MAC_STALLED_BY_WD and MAC_STALLED_BY_ACC together"},
    {"MAC_STALLED_BY_W_OR_ACC", E::kMacStalledByWeightsOrAcc, "MAC_STALLED_BY_W and MAC_STALLED_BY_ACC together"},
    {"MAC_STALLED_BY_IB", E::kMacStalledByIfm, "the MAC array has a block, but its IFM is not there yet"},
    {"AO_ACTIVE", E::kAoActive, "the output unit works on elements"},
    {"AO_ACTIVE_8BIT", E::kAoActive8, "AO_ACTIVE with an 8-bit OFM"},
    {"AO_ACTIVE_16BIT", E::kAoActive16, "AO_ACTIVE with a wider OFM"},
    {"AO_STALLED_BY_ACC_IB", E::kAoStalledByAccOrIfm, "AO_STALLED_BY_ACC and AO_STALLED_BY_IB together"},
    {"AO_STALLED_BY_ACC", E::kAoStalledByAcc, "the output unit has a block that is not accumulated yet"},
    {"AO_STALLED_BY_AB", E::kAoStalledByAcc, "the output unit has a block that is not accumulated yet"},
    {"AO_STALLED_BY_IB", E::kAoStalledByIfm, "the output unit has a block whose operands are not there yet"},
    {"AO_STALLED_BY_OB", E::kAoStalledByOutput, "the output buffer is full"},
    {"WD_ACTIVE", E::kWdActive, "the weight decoders work"},
    {"WD_STALLED", E::kWdStalled, "WD_STALLED_BY_WS and WD_STALLED_BY_WD_BUF together"},
    {"WD_STALLED_BY_WS", E::kWdStalledByStream, "the weight decoders wait for stream data"},
    {"WD_STALLED_BY_WD_BUF", E::kWdStalledByBuffer, "the buffer of decoded weights is full"},
    {"WD_TRANS_WB", E::kWdWeightBlocks, "decoded weight blocks", true},
    {"WD_TRANS_WBLK", E::kWdWeightBlocks, "decoded weight blocks", true},
};

struct PortName {
  std::string_view name;
  std::uint64_t PortCounters::*member;
  std::string_view text;
  bool is_count = false;
};
constexpr PortName kPortNames[] = {
    {"RD_TRANS_ACCEPTED", &PortCounters::rd_accepted, "read addresses taken", true},
    {"RD_TRANS_COMPLETED", &PortCounters::rd_completed, "reads whose last beat has come", true},
    {"RD_DATA_BEAT_RECEIVED", &PortCounters::rd_beats, "beats read", true},
    {"RD_TRAN_REQ_STALLED", &PortCounters::rd_request_stalled, "a read address is on the bus and not taken"},
    {"WR_TRANS_ACCEPTED", &PortCounters::wr_accepted, "write addresses taken", true},
    {"WR_TRANS_COMPLETED_M", &PortCounters::wr_completed_m, "writes whose last beat has gone", true},
    {"WR_TRANS_COMPLETED_S", &PortCounters::wr_completed_s, "writes with a response", true},
    {"WR_DATA_BEAT_WRITTEN", &PortCounters::wr_beats, "beats written", true},
    {"WR_TRAN_REQ_STALLED", &PortCounters::wr_request_stalled, "a write address is on the bus and not taken"},
    {"RD_STALL_LIMIT", &PortCounters::rd_stall_limit, "a read is held back by the limit of outstanding ones"},
    {"WR_STALL_LIMIT", &PortCounters::wr_stall_limit, "a write is held back by the limit of outstanding ones"},
};

const CoreName* find_core(std::string_view event) {
  const auto* row = std::ranges::find(kCoreNames, event, &CoreName::name);
  return row == std::end(kCoreNames) ? nullptr : row;
}

/// An event of one port or of all ports of a side: "AXI0_" and "SRAM_" sum over side 0, "SRAM1_" is one port of it.
struct PortEvent {
  std::size_t side = 0;
  std::optional<std::size_t> port;
  const PortName* row = nullptr;
};
std::optional<PortEvent> find_port(const Accelerator& accelerator, std::string_view event) {
  const bool u85 = accelerator.family == Family::kU85;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string_view group = u85 ? (side ? "EXT" : "SRAM") : (side ? "AXI1" : "AXI0");
    if (!event.starts_with(group)) continue;
    std::string_view rest = event.substr(group.size());
    PortEvent found{side, {}, nullptr};
    if (u85 && rest.size() > 1 && rest[1] == '_') {
      found.port = static_cast<std::size_t>(rest[0] - '0');
      rest.remove_prefix(1);
    }
    if (!rest.starts_with('_')) continue;
    rest.remove_prefix(1);
    found.row = std::ranges::find(kPortNames, rest, &PortName::name);
    if (found.row != std::end(kPortNames)) return found;
  }
  return std::nullopt;
}

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

std::optional<std::uint64_t> Pmu::count(const PmuEventRow& event) const {
  if (event.number == 0) return 0;
  if (const auto* row = find_core(event.name)) return amount(value(row->event), row->is_count);
  const auto port = find_port(accelerator_, event.name);
  if (!port) return std::nullopt;
  const auto& ports = ports_[port->side];
  PortCounters sum;
  if (!port->port)
    for (const PortCounters& one : ports) sum += one;
  else if (*port->port < ports.size()) sum = ports[*port->port];
  return amount(sum.*port->row->member, port->row->is_count);
}

PmuCounters Pmu::counters() const {
  PmuCounters result;
  for (const PmuEventRow& event : pmu_events()) {
    if (!(event.families & family_set(accelerator_.family))) continue;
    const std::string name = "ETHOSU_PMU_" + std::string(event.name);
    if (const auto counted = count(event)) result.counts[name] = *counted;
    else result.unmodelled.push_back(name);
  }
  return result;
}

std::optional<std::string> event_meaning(const Accelerator& accelerator, const PmuEventRow& event) {
  if (event.number == 0) return "counts nothing";
  if (const auto* row = find_core(event.name)) return std::string(row->text);
  const auto port = find_port(accelerator, event.name);
  if (!port) return std::nullopt;
  return std::string(port->row->text) + (port->port ? ", one port" : ", all ports of the side");
}

}  // namespace macaw::npu::sc
