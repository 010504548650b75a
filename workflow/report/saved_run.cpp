#include "workflow/report/saved_run.hpp"

#include <algorithm>

namespace macaw::report {
namespace {

trace::Operation operation(const npu::OperationTiming& timed) {
  trace::Operation o;
  o.step = timed.step;
  o.command = timed.command_index;
  o.offset = timed.byte_offset;
  o.name = timed.name;
  o.source = timed.source;
  o.bound = timed.bound;
  o.kind = timed.source_kind;
  if (!o.kind.empty()) o.shape = timed.source_ofm;
  if (const auto& scheduled = timed.scheduled)
    o.scheduled = {static_cast<std::uint64_t>(scheduled->id), scheduled->kind, scheduled->name};
  o.issued = timed.issued;
  o.start = timed.start;
  o.end = timed.end;
  o.macs = timed.macs;
  o.mac_bits = static_cast<std::uint64_t>(timed.mac_bits);
  o.busy = timed.busy;
  std::ranges::sort(o.busy);  // as members of a JSON object are
  for (const auto& m : timed.movements) o.memory.push_back({m.purpose, m.region, m.bytes, m.first, m.last, m.write});
  o.chain_reads.assign(timed.chain_reads.begin(), timed.chain_reads.end());
  if (timed.chain_write) o.chain_write = static_cast<std::uint64_t>(*timed.chain_write);
  for (const auto& block : timed.blocks) o.blocks.push_back({block.start, block.end, block.bound});
  return o;
}

trace::Activity activity(const npu::UnitActivity& unit) {
  static_assert(npu::kTicksPerCycle == 1000);
  trace::Activity row{unit.step, unit.unit, unit.resolution, {}};
  for (const auto& span : unit.spans) row.spans.push_back({span.command_index, span.start, span.end, span.busy});
  return row;
}

}  // namespace

trace::SavedRun saved_run(const npu::RunRecord& timed) {
  trace::SavedRun run;
  run.network = timed.network;
  run.system = timed.system;
  run.memory_mode = timed.memory_mode;
  run.accelerator = timed.accelerator;
  run.clock_hz = timed.clock_hz;
  run.bytes_per_cycle = timed.bytes_per_cycle;
  run.region_side = timed.region_side;
  run.cycles = timed.cycles;
  run.interval = timed.interval;
  if (!run.interval) run.no_interval = timed.no_interval;
  run.pmu.insert(timed.pmu.counts.begin(), timed.pmu.counts.end());
  for (const auto& o : timed.operations) run.operations.push_back(operation(o));
  trace::share_cycles(run);
  for (const auto& unit : timed.activity) run.activity.push_back(activity(unit));
  if (timed.advice) run.advice = *timed.advice;
  for (const auto& host : timed.host_operators) run.host_operators.push_back(host.name);
  return run;
}

}  // namespace macaw::report
