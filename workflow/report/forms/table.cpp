#include <fmt/format.h>

#include <algorithm>

#include "workflow/report/forms/forms.hpp"
#include "workflow/report/render.hpp"

namespace macaw::report {
namespace {

using npu::OperationTiming;
using npu::RunRecord;

double cycles_of(const RunRecord& run) { return static_cast<double>(std::max<std::uint64_t>(run.cycles, 1)); }

std::uint64_t bytes_of(const OperationTiming& operation) {
  std::uint64_t bytes = 0;
  for (const auto& m : operation.memory) bytes += m.bytes;
  return bytes;
}

std::uint64_t inclusive(const RunRecord& run) {
  std::uint64_t sum = 0;
  for (const auto& o : run.operations) sum += o.cycles();
  return sum;
}

std::uint64_t exclusive(const RunRecord& run) {
  std::uint64_t sum = 0;
  for (const auto& o : run.operations) sum += o.exclusive.cycles();
  return sum;
}

/// A column of the table of operations: its heading, how a cell is laid out, what stands in it.
struct Column {
  const char* heading;
  const char* layout;
  std::string (*text)(const RunRecord& run, const OperationTiming& operation);
};
constexpr Column kColumns[] = {
    {"stream", "{:>6}", [](const RunRecord&, const OperationTiming& o) { return fmt::format("{}", o.step); }},
    {"command", " {:>8}", [](const RunRecord&, const OperationTiming& o) { return fmt::format("{}", o.command); }},
    {"operation", "  {:<20}", [](const RunRecord&, const OperationTiming& o) { return o.name; }},
    {"cycles", " {:>10}", [](const RunRecord&, const OperationTiming& o) { return fmt::format("{}", o.cycles()); }},
    {"exclusive", " {:>10}", [](const RunRecord&, const OperationTiming& o) { return fmt::format("{}", o.exclusive.cycles()); }},
    {"share", " {:>7}",
     [](const RunRecord& run, const OperationTiming& o) {
       return fmt::format("{:.1f} %", 100 * static_cast<double>(o.exclusive.cycles()) / cycles_of(run));
     }},
    {"MACs", " {:>12}", [](const RunRecord&, const OperationTiming& o) { return fmt::format("{}", o.macs); }},
    {"bytes", " {:>10}", [](const RunRecord&, const OperationTiming& o) { return fmt::format("{}", bytes_of(o)); }},
    {"bound by", "  {:<18}", [](const RunRecord&, const OperationTiming& o) { return o.bound; }},
    {"source", " {}", [](const RunRecord&, const OperationTiming& o) { return o.source; }},
};

template <class F>
std::string line_of(F&& cell) {
  std::string line;
  for (const auto& column : kColumns) line += fmt::format(fmt::runtime(column.layout), cell(column));
  line += '\n';
  return line;
}

}  // namespace

std::string render_table(const RunRecord& run, const Summary& summary, std::optional<std::uint64_t> sram_size) {
  auto text = fmt::format("{} on {}, system {}, {}\n", run.network, run.accelerator->name, run.system, run.memory_mode);
  text += fmt::format("cycles {}, {:.3f} ms at {:.0f} MHz, {:.1f} inferences/s\n", run.cycles, 1e3 * run.seconds(),
                      run.clock_hz / 1e6, run.cycles == 0 ? 0 : 1 / run.seconds());
  text += fmt::format("({})\n", run.accuracy());
  text += fmt::format("MACs {}, {:.1f} % of the array's peak\n", run.macs(),
                      100 * static_cast<double>(run.macs()) / cycles_of(run) / run.accelerator->macs);
  for (const int side : {0, 1})
    text += fmt::format("{}: {} bytes read, {} written by operations\n", run.side_name(side), run.bytes(side, false),
                        run.bytes(side, true));
  text += bounds_text(run, summary) + memory_text(run, summary, sram_size) + '\n' +
          layer_table(run, summary, summary.layers.size()) + '\n';
  text += fmt::format(
      "operations; overlapping ones are in progress together: their cycles add up to {}, their exclusive "
      "ones to {}\n",
      inclusive(run), exclusive(run));
  text += line_of([](const Column& column) { return std::string(column.heading); });
  for (const auto& operation : run.operations)
    text += line_of([&](const Column& column) { return column.text(run, operation); });
  return text;
}

}  // namespace macaw::report
