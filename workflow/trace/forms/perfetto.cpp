#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include "workflow/report/layers.hpp"
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

  /// Times in thousandths of a cycle, in the order of their starts within a name. Returns the number of the track.
  int slice(const std::string& track, const std::string& name, std::uint64_t start, std::uint64_t end, Json more) {
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
    return lane->thread;
  }

  /// A value from a time on, in thousandths of a cycle.
  void counter(const std::string& name, const char* unit, std::uint64_t at, double value) {
    events_.push_back({{"ph", "C"},
                       {"pid", kProcess},
                       {"name", name},
                       {"ts", static_cast<double>(at) * microseconds_},
                       {"args", {{unit, value}}}});
  }

  /// An arrow from the slice at a time of a track to one of another.
  void flow(int from, std::uint64_t start, int to, std::uint64_t end) {
    const int number = ++flows_;
    const auto add = [&](const char* phase, int thread, std::uint64_t at) {
      events_.push_back({{"ph", phase},
                         {"pid", kProcess},
                         {"tid", thread},
                         {"cat", "data"},
                         {"name", "data"},
                         {"id", number},
                         {"bp", "e"},
                         {"ts", static_cast<double>(at) * microseconds_}});
    };
    add("s", from, start);
    add("f", to, end);
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
  int threads_ = 0, flows_ = 0;
  Json events_ = Json::array();
};

/// Name of a unit as people read it: "mac_array" is "MAC array".
std::string unit_name(std::string unit) {
  std::ranges::replace(unit, '_', ' ');
  for (const std::string_view word : {"mac", "ifm", "ofm", "dma"})
    if (unit.starts_with(word))
      for (std::size_t i = 0; i < word.size(); ++i) unit[i] = static_cast<char>(unit[i] - 'a' + 'A');
  if (!unit.empty() && unit[0] >= 'a' && unit[0] <= 'z') unit[0] = static_cast<char>(unit[0] - 'a' + 'A');
  return unit;
}

/// Sums of values that hold for spans of time, as a counter.
class Curve {
 public:
  void add(std::uint64_t start, std::uint64_t end, double value) {
    if (start == end || value == 0) return;
    changes_[start] += value;
    changes_[end] -= value;
  }
  void write(Tracks& tracks, const std::string& name, const char* unit) const {
    double sum = 0;
    for (const auto& [at, change] : changes_) tracks.counter(name, unit, 1000 * at, std::max(0.0, sum += change));
  }

 private:
  std::map<std::uint64_t, double> changes_;
};

/// Averages over each operation: the bytes that it moves by port, the multipliers that it uses.
void add_rates(Tracks& tracks, const npu::RunRecord& run) {
  std::array<Curve, 2> bytes;
  Curve macs;
  for (const auto& o : run.operations) {
    const auto cycles = static_cast<double>(std::max<std::uint64_t>(o.cycles(), 1));
    std::array<std::uint64_t, 2> moved{};
    for (const auto& m : o.memory)
      moved[static_cast<std::size_t>(run.region_side[static_cast<std::size_t>(m.region)])] += m.bytes;
    for (const std::size_t side : {0, 1}) bytes[side].add(o.start, o.end, static_cast<double>(moved[side]) / cycles);
    macs.add(o.start, o.end, 100 * static_cast<double>(o.macs) / cycles / run.accelerator->macs);
  }
  for (const int side : {0, 1})
    bytes[static_cast<std::size_t>(side)].write(tracks, fmt::format("{} bytes per cycle", run.side_name(side)),
                                                "bytes per cycle");
  macs.write(tracks, "MAC use (% of peak)", "%");
}

void add_memory(Tracks& tracks, const npu::RunRecord& run, const report::Summary& summary) {
  for (const int side : {0, 1})
    for (const auto& [cycle, alive] : summary.memory[static_cast<std::size_t>(side)].curve)
      tracks.counter(fmt::format("{} live bytes", run.side_name(side)), "bytes", 1000 * cycle,
                     static_cast<double>(alive));
}

/// Adds the operations and the data that layers hand to each other.
void add_operations(Tracks& tracks, const npu::RunRecord& run, const report::Summary& summary) {
  std::map<const npu::OperationTiming*, int> track_of;
  std::vector<const npu::OperationTiming*> operations;
  for (const auto& o : run.operations) operations.push_back(&o);
  std::ranges::stable_sort(operations, {}, &npu::OperationTiming::start);
  for (const auto* o : operations)
    track_of[o] =
        tracks.slice(o->is_dma() ? "DMA jobs" : "Operations",
                     o->source.empty() ? report::operation_label(*o) : o->source, 1000 * o->start, 1000 * o->end,
                     {{"cat", o->name},
                      {"cname", colour(o->name)},
                      {"args",
                       {{"operation", o->name},
                        {"command", o->command},
                        {"bound", o->bound},
                        {"cycles", o->cycles()},
                        {"exclusive cycles", o->exclusive.cycles()},
                        {"macs", o->macs}}}});
  const auto last = [&](std::size_t layer) { return &run.operations[summary.layers[layer].operations.back()]; };
  const auto main = [&](std::size_t layer) { return &run.operations[summary.layers[layer].main_operation]; };
  for (const auto& edge : summary.edges.all) {
    const auto *from = last(edge.from), *to = main(edge.to);
    if (from != to)
      tracks.flow(track_of[from], 1000 * from->start, track_of[to], 1000 * std::max(to->start, from->start));
  }
}

void add_units(Tracks& tracks, const npu::RunRecord& run) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, const npu::OperationTiming*> operations;
  for (const auto& o : run.operations) operations[{o.step, o.command}] = &o;
  for (const auto& unit : run.activity) {
    for (const auto& span : unit.spans) {
      const auto found = operations.find({unit.step, span.command});
      const std::string name = found == operations.end()       ? "command stream"
                               : found->second->source.empty() ? report::operation_label(*found->second)
                                                               : found->second->source;
      Json args{{"command", span.command}, {"busy cycles", static_cast<double>(span.busy) / 1000}};
      if (unit.resolution != 0) args["pauses joined up to (cycles)"] = static_cast<double>(unit.resolution) / 1000;
      tracks.slice(
          unit_name(unit.unit), name, span.start, span.end,
          {{"cname", colour(found == operations.end() ? name : found->second->name)}, {"args", std::move(args)}});
    }
  }
}

}  // namespace

std::string perfetto(const npu::RunRecord& run) {
  Tracks tracks(run);
  const auto summary = report::summarise(run);
  add_operations(tracks, run, summary);
  add_units(tracks, run);
  add_rates(tracks, run);
  add_memory(tracks, run, summary);
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(tracks).events()}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace macaw::trace
