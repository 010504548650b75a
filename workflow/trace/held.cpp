#include "workflow/trace/held.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace macaw::trace {
namespace {

struct Event {
  std::uint64_t time;
  bool starts;
  std::size_t operation;
};

}  // namespace

std::vector<Held> held_cycles(std::span<const Interval> operations, std::uint64_t total) {
  std::vector<Held> held(operations.size());
  if (operations.empty()) return held;
  std::vector<Event> events;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    events.push_back({operations[i].start, true, i});
    events.push_back({operations[i].end, false, i});
  }
  // An operation without length starts before it ends.
  std::ranges::sort(events, {}, [](const Event& e) { return std::tuple(e.time, !e.starts, e.operation); });
  std::set<std::pair<bool, std::size_t>> in_progress;  // DMA jobs after block operations
  std::uint64_t now = 0;
  std::size_t last = 0;
  for (const Event& event : events) {
    const auto elapsed = std::min(event.time, total) - std::min(now, total);
    if (!in_progress.empty()) held[in_progress.begin()->second].working += elapsed;
    else held[event.operation].waiting += elapsed;
    now = event.time;
    const std::pair key(operations[event.operation].is_dma, event.operation);
    if (event.starts) in_progress.insert(key);
    else in_progress.erase(key);
    last = event.operation;
  }
  held[last].waiting += total - std::min(now, total);
  return held;
}

}  // namespace macaw::trace
