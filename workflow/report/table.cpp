#include <fmt/format.h>

#include <algorithm>

#include "workflow/report/render.hpp"

namespace macaw::report {

std::string render_table(const trace::SavedRun& run) {
  const double cycles = static_cast<double>(std::max<std::uint64_t>(run.cycles, 1));
  auto text = fmt::format("{} on {}, system {}, {}\n", run.network, run.accelerator->name, run.system, run.memory_mode);
  text += fmt::format("cycles {}, {:.3f} ms at {:.0f} MHz, {:.1f} inferences/s\n", run.cycles, 1e3 * run.seconds(),
                      run.clock_hz / 1e6, run.cycles == 0 ? 0 : 1 / run.seconds());
  text += fmt::format("({})\n", run.accuracy());
  text += fmt::format("MACs {}, {:.1f} % of the array's peak\n", run.macs(),
                      100 * static_cast<double>(run.macs()) / cycles / run.accelerator->macs);
  for (const int side : {0, 1})
    text += fmt::format("{}: {} bytes read, {} written by operations\n", run.side_name(side), run.bytes(side, false),
                        run.bytes(side, true));
  text += fmt::format("\n{:>6} {:>8}  {:<20} {:>10} {:>7} {:>12} {:>10}  {:<18} {}\n", "stream", "command", "operation",
                      "cycles", "share", "MACs", "bytes", "bound by", "source");
  for (const auto& o : run.operations) {
    std::uint64_t bytes = 0;
    for (const auto& m : o.memory) bytes += m.bytes;
    text += fmt::format("{:>6} {:>8}  {:<20} {:>10} {:>5.1f} % {:>12} {:>10}  {:<18} {}\n", o.step, o.command, o.name,
                        o.cycles(), 100 * static_cast<double>(o.cycles()) / cycles, o.macs, bytes, o.bound, o.source);
  }
  return text;
}

}  // namespace macaw::report
