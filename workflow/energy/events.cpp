#include "workflow/energy/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace macaw::energy {
namespace {

using npu::RunRecord;

template <std::uint64_t bits>
double macs(const RunRecord& run) {
  std::uint64_t sum = 0;
  for (const auto& operation : run.operations)
    if (operation.mac_bits == bits) sum += operation.macs;
  return static_cast<double>(sum);
}

/// Beats that the counters saw on a side, as bytes: the command stream is among them.
template <int side, bool write>
double bytes(const RunRecord& run) {
  std::string name(run.side_name(side));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto event = fmt::format("ETHOSU_PMU_{}_{}", name, write ? "WR_DATA_BEAT_WRITTEN" : "RD_DATA_BEAT_RECEIVED");
  const auto found = run.pmu.counts.find(event);
  return found == run.pmu.counts.end() ? 0 : static_cast<double>(found->second) * run.accelerator->beat_bytes;
}

/// Events of the CPU in the parts of an inference, except for the application's own.
double cpu_nanoseconds(const RunRecord& run) {
  if (!run.inference) return 0;
  double ms = 0;
  for (const auto& row : run.inference->rows)
    if (row.kind != "npu" && row.kind != "before" && row.kind != "after") ms += row.ms.value_or(0);
  constexpr double kNanoseconds = 1e6;
  return kNanoseconds * ms;
}

constexpr Event kEvents[] = {
    {"mac_8bit", "multiply-accumulates of 8-bit elements", macs<8>},
    {"mac_16bit", "multiply-accumulates of 16-bit elements", macs<16>},
    {"mac_32bit", "multiply-accumulates of 32-bit elements", macs<32>},
    {"axi0_read", "bytes read over AXI0 (U85: SRAM)", bytes<0, false>},
    {"axi0_write", "bytes written over AXI0 (U85: SRAM)", bytes<0, true>},
    {"axi1_read", "bytes read over AXI1 (U85: EXT)", bytes<1, false>},
    {"axi1_write", "bytes written over AXI1 (U85: EXT)", bytes<1, true>},
    {"cycle", "cycles of the run", [](const RunRecord& run) { return static_cast<double>(run.cycles); }},
    {"mac_ns", "nanoseconds of the run times multipliers that the NPU has",
     [](const RunRecord& run) { return 1e9 * run.seconds() * run.accelerator->macs; }},
    {"cpu_ns", "nanoseconds of the CPU's part of the inference", cpu_nanoseconds},
};

}  // namespace

std::span<const Event> events() { return kEvents; }

const Event* find_event(std::string_view name) {
  const auto* found = std::ranges::find(kEvents, name, &Event::name);
  return found == std::end(kEvents) ? nullptr : found;
}

}  // namespace macaw::energy
