#include "workflow/energy/energy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macaw::energy {
Result<Energy> energy_of(const npu::RunRecord& run, const Table& table) {
  for (const auto& operation : run.operations)
    if (operation.macs != 0 && operation.mac_bits == 0)
      return fail(ErrorCode::kInvalidFile,
                  "the report does not say how wide its multiply-accumulates are: run it anew");
  Energy energy;
  energy.table = &table;
  for (const auto& cost : table.costs) {
    const double count = cost.event->count(run);
    constexpr double kPico = 1e-12;
    const Range joules{kPico * count * cost.picojoules.low, kPico * count * cost.picojoules.high};
    energy.parts.push_back({&cost, count, joules});
    energy.joules.low += joules.low;
    energy.joules.high += joules.high;
  }
  double seconds = run.seconds();
  for (const auto& part : energy.parts)
    if (part.cost->event == find_event("cpu_ns")) {
      seconds += 1e-9 * part.count;
      energy.has_cpu = true;
    }
  if (run.cycles != 0) energy.milliwatts = {1e3 * energy.joules.low / seconds, 1e3 * energy.joules.high / seconds};
  for (const auto& event : events()) {
    const bool is_there = std::ranges::any_of(table.costs, [&](const Cost& cost) { return cost.event == &event; });
    if (!is_there && event.count(run) != 0) energy.left_out.push_back(&event);
  }
  return energy;
}

std::string to_text(const Energy& energy) {
  std::string text = fmt::format("\nEnergy by table {}: {}\n{:<10} {:>14} {:>12} {:>12}  source\n", energy.table->name,
                                 energy.table->description, "event", "count", "J min", "J max");
  for (const auto& [cost, count, joules] : energy.parts)
    text += fmt::format("{:<10} {:>14.0f} {:>12.3g} {:>12.3g}  {} to {}: {}\n", cost->event->name, count, joules.low,
                        joules.high, cost->picojoules.low, cost->picojoules.high, cost->source);
  // Never with an exponent: "1.3e+03".
  const auto milliwatts = [](double value) {
    return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
  };
  text += fmt::format("{:.3g} to {:.3g} J, {} to {} mW {}\n", energy.joules.low, energy.joules.high,
                      milliwatts(energy.milliwatts.low), milliwatts(energy.milliwatts.high),
                      energy.has_cpu ? "over NPU and CPU" : "while the NPU is active");
  for (const auto* event : energy.left_out) text += fmt::format("not covered by the table: {}\n", event->text);
  return text;
}

}  // namespace macaw::energy
