#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "workflow/trace/trace.hpp"

namespace macaw::trace {
namespace {

using Json = nlohmann::json;
constexpr int kProcess = 1, kOperations = 1;

Json name_event(const char* kind, int thread, const std::string& name) {
  return {{"ph", "M"}, {"pid", kProcess}, {"tid", thread}, {"name", kind}, {"args", {{"name", name}}}};
}

}  // namespace

std::string perfetto(const SavedRun& run) {
  const double microseconds = 1e6 / run.clock_hz;
  Json events = Json::array();
  events.push_back(
      name_event("process_name", 0, fmt::format("{} on {}, {}", run.network, run.accelerator->name, run.system)));
  events.push_back(name_event("thread_name", kOperations, "operations"));

  std::map<std::string, int> threads;
  for (const auto& o : run.operations)
    for (const auto& [unit, cycles] : o.busy) threads.try_emplace(unit, 0);
  int next = kOperations + 1;
  for (auto& [unit, thread] : threads) {
    thread = next++;
    events.push_back(name_event("thread_name", thread, unit));
  }

  const auto complete = [&](const std::string& name, int thread, std::uint64_t start, std::uint64_t cycles, Json args) {
    events.push_back({{"ph", "X"},
                      {"pid", kProcess},
                      {"tid", thread},
                      {"name", name},
                      {"ts", static_cast<double>(start) * microseconds},
                      {"dur", static_cast<double>(cycles) * microseconds},
                      {"args", std::move(args)}});
  };
  // Slices of one track must not overlap: operations do, at their ends, so each is cut where the next one starts.
  std::map<int, std::uint64_t> taken;
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& o = run.operations[i];
    auto end = o.end;
    if (i + 1 < run.operations.size()) end = std::clamp(run.operations[i + 1].start, o.start, o.end);
    complete(
        o.source.empty() ? o.name : o.source, kOperations, o.start, end - o.start,
        {{"operation", o.name}, {"command", o.command}, {"bound", o.bound}, {"cycles", o.cycles()}, {"macs", o.macs}});
    for (const auto& [unit, cycles] : o.busy) {
      if (cycles == 0) continue;
      const int thread = threads.at(unit);
      const auto start = std::max(o.start, taken[thread]);
      complete(o.name, thread, start, cycles, {{"command", o.command}});
      taken[thread] = start + cycles;
    }
  }
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump(-1, ' ', false,
                                                                                  Json::error_handler_t::replace) +
         "\n";
}

}  // namespace macaw::trace
