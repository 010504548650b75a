#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include "workflow/trace/forms/trace.hpp"

namespace macaw::trace {
namespace {

using Json = nlohmann::json;
constexpr int kProcess = 1;

/// A name of Chrome's palette for a kind of operation. Perfetto takes its colours from the slices' names.
std::string_view colour(std::string_view operation) {
  constexpr std::pair<std::string_view, std::string_view> kColours[] = {{"NPU_OP_CONV", "thread_state_running"},
                                                                        {"NPU_OP_DEPTHWISE", "rail_animation"},
                                                                        {"NPU_OP_POOL", "rail_response"},
                                                                        {"NPU_OP_ELEMENTWISE", "rail_load"},
                                                                        {"NPU_OP_DMA_START", "grey"}};
  const auto* found = std::ranges::find(kColours, operation, [](const auto& row) { return row.first; });
  return found == std::end(kColours) ? "generic_work" : found->second;
}

/// A track for each name, and as many more of that name as it takes for no two slices of a track to overlap.
class Tracks {
 public:
  explicit Tracks(const npu::RunRecord& run) : microseconds_(1e3 / run.clock_hz) {
    metadata("process_name", 0, fmt::format("{} on {}, {}", run.network, run.accelerator->name, run.system));
  }

  /// Times in thousandths of a cycle, in the order of their starts within a name.
  void slice(const std::string& track, const std::string& name, std::uint64_t start, std::uint64_t end, Json more) {
    auto& lanes = lanes_[track];
    auto lane = std::ranges::find_if(lanes, [&](const Lane& l) { return l.end <= start; });
    if (lane == lanes.end()) {
      const int thread = ++threads_;
      metadata("thread_name", thread, lanes.empty() ? track : fmt::format("{} ({})", track, lanes.size() + 1));
      events_.push_back({{"ph", "M"},
                         {"pid", kProcess},
                         {"tid", thread},
                         {"name", "thread_sort_index"},
                         {"args", {{"sort_index", thread}}}});
      lane = lanes.insert(lanes.end(), {thread, 0});
    }
    lane->end = end;
    more.update({{"ph", "X"},
                 {"pid", kProcess},
                 {"tid", lane->thread},
                 {"name", name},
                 {"ts", static_cast<double>(start) * microseconds_},
                 {"dur", static_cast<double>(end - start) * microseconds_}});
    events_.push_back(std::move(more));
  }

  [[nodiscard]] Json events() && { return std::move(events_); }

 private:
  struct Lane {
    int thread;
    std::uint64_t end;
  };

  void metadata(const char* kind, int thread, const std::string& name) {
    events_.push_back({{"ph", "M"}, {"pid", kProcess}, {"tid", thread}, {"name", kind}, {"args", {{"name", name}}}});
  }

  double microseconds_;  ///< of a thousandth of a cycle
  std::map<std::string, std::vector<Lane>> lanes_;
  int threads_ = 0;
  Json events_ = Json::array();
};

void add_operations(Tracks& tracks, const npu::RunRecord& run) {
  std::vector<const npu::OperationTiming*> operations;
  for (const auto& o : run.operations) operations.push_back(&o);
  std::ranges::stable_sort(operations, {}, &npu::OperationTiming::start);
  for (const auto* o : operations)
    tracks.slice(o->is_dma() ? "DMA jobs" : "operations", o->source.empty() ? o->name : o->source, 1000 * o->start,
                 1000 * o->end,
                 {{"cat", o->name},
                  {"cname", colour(o->name)},
                  {"args",
                   {{"operation", o->name},
                    {"command", o->command},
                    {"bound", o->bound},
                    {"cycles", o->cycles()},
                    {"exclusive cycles", o->exclusive.cycles()},
                    {"macs", o->macs}}}});
}

void add_units(Tracks& tracks, const npu::RunRecord& run) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, const npu::OperationTiming*> operations;
  for (const auto& o : run.operations) operations[{o.step, o.command}] = &o;
  for (const auto& unit : run.activity) {
    for (const auto& span : unit.spans) {
      const auto found = operations.find({unit.step, span.command});
      const std::string name = found == operations.end() ? "command stream" : found->second->name;
      Json args{{"command", span.command}, {"busy cycles", static_cast<double>(span.busy) / 1000}};
      if (unit.resolution != 0) args["pauses joined up to (cycles)"] = static_cast<double>(unit.resolution) / 1000;
      tracks.slice(unit.unit, name, span.start, span.end, {{"cname", colour(name)}, {"args", std::move(args)}});
    }
  }
}

}  // namespace

std::string perfetto(const npu::RunRecord& run) {
  Tracks tracks(run);
  add_operations(tracks, run);
  add_units(tracks, run);
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(tracks).events()}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace macaw::trace
