#include "workflow/run/exclusive_cycles.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace macaw::run {
namespace {

struct Event {
  std::uint64_t time;
  bool starts;
  std::size_t operation;
};

}  // namespace

std::vector<npu::ExclusiveCycles> exclusive_cycles(std::span<const Interval> operations, std::uint64_t total) {
  std::vector<npu::ExclusiveCycles> shares(operations.size());
  if (operations.empty()) return shares;
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
    if (!in_progress.empty()) shares[in_progress.begin()->second].working += elapsed;
    else shares[event.operation].waiting += elapsed;
    now = event.time;
    const std::pair key(operations[event.operation].is_dma, event.operation);
    if (event.starts) in_progress.insert(key);
    else in_progress.erase(key);
    last = event.operation;
  }
  shares[last].waiting += total - std::min(now, total);
  return shares;
}

void complete(npu::RunRecord& record) {
  std::vector<Interval> intervals;
  for (const auto& o : record.operations) intervals.push_back({o.start, o.end, o.is_dma()});
  const auto shares = exclusive_cycles(intervals, record.cycles);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    record.operations[i].exclusive = shares[i];
    std::ranges::sort(record.operations[i].busy);
  }
}

}  // namespace macaw::run
