#include <macaw/npu/report.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include <unistd.h>

using namespace macaw;
using namespace macaw::npu;

namespace {

using Span = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // operation, start, end
using Spans = std::map<std::string, std::vector<Span>>;                // by unit

/// When the units of a waveform are busy, and with which operation.
class BusySignals {
 public:
  explicit BusySignals(const std::filesystem::path& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) read(line);
  }
  [[nodiscard]] const Spans& spans() const { return spans_; }

 private:
  struct Unit {
    std::uint64_t busy = 0, operation = 0;
  };

  void read(const std::string& line) {
    std::istringstream words(line);
    std::string first, second, third, id, name;
    words >> first >> second >> third >> id >> name;
    if (first == "$scope") scope_ = third;
    if (first == "$var") signals_[id] = {scope_, name};
    if (line.empty() || std::string_view("#01b").find(line[0]) == std::string_view::npos) return;
    if (first[0] == '#') {
      const auto now = std::stoull(first.substr(1));
      for (const auto& [unit, values] : units_)
        if (values.busy != 0) extend(spans_[unit], {values.operation, time_, now});
      time_ = now;
      return;
    }
    const bool vector = first[0] == 'b';
    const auto& [unit, signal] = signals_.at(vector ? second : first.substr(1));
    const auto value = vector ? std::stoull(first.substr(1), nullptr, 2) : std::uint64_t(first[0] - '0');
    if (signal == "busy") units_[unit].busy = value;
    if (signal == "operation") units_[unit].operation = value;
  }

  static void extend(std::vector<Span>& spans, const Span& span) {
    const auto [operation, start, end] = span;
    if (end == start) return;
    if (!spans.empty() && std::get<0>(spans.back()) == operation && std::get<2>(spans.back()) == start)
      std::get<2>(spans.back()) = end;
    else spans.push_back(span);
  }

  std::string scope_;
  std::map<std::string, std::pair<std::string, std::string>> signals_;  // by identifier: unit, signal
  std::map<std::string, Unit> units_;
  std::uint64_t time_ = 0;
  Spans spans_;
};

TimedResult timed(const std::string& accelerator, const TimedOptions& options) {
  const auto artifact = load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz");
  REQUIRE(artifact);
  auto result = run_timed(*artifact, *find_accelerator(accelerator), {}, options);
  REQUIRE(result);
  return std::move(*result);
}

}  // namespace

TEST_CASE("the activity of a run is what its waveform shows, interval by interval") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-256");
  CAPTURE(name);
  const auto folder = std::filesystem::temp_directory_path() / ("macaw_activity_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  TimedOptions options;
  options.values = false;
  options.vcd = folder / "run.vcd";
  options.activity_spans = 1'000'000;
  const auto result = timed(name, options);
  const BusySignals waveform(options.vcd);
  std::filesystem::remove_all(folder);

  Spans recorded;
  for (const UnitActivity& unit : result.activity) {
    CHECK(unit.resolution == 0);
    for (const ActivitySpan& span : unit.spans) {
      CHECK(span.busy == span.end - span.start);
      recorded[unit.unit].emplace_back(span.command_index, span.start, span.end);
    }
  }
  REQUIRE(recorded.contains("mac_array"));
  CHECK(recorded == waveform.spans());
}

TEST_CASE("where spans are joined, the time at work stays, and no span is of two operations") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u85-256");
  TimedOptions options;
  options.values = false;
  options.activity_spans = 1'000'000;
  const auto whole = timed(name, options);
  constexpr std::size_t kMost = 20;
  options.activity_spans = kMost;
  const auto joined = timed(name, options);
  CHECK(joined.cycles == whole.cycles);
  REQUIRE(joined.activity.size() == whole.activity.size());
  const auto busy = [](const UnitActivity& unit) {
    std::map<std::uint32_t, std::uint64_t> ticks;
    for (const ActivitySpan& span : unit.spans) ticks[span.command_index] += span.busy;
    return ticks;
  };
  bool any = false;
  for (std::size_t i = 0; i < whole.activity.size(); ++i) {
    const UnitActivity &all = whole.activity[i], &few = joined.activity[i];
    CAPTURE(all.unit);
    CHECK(busy(few) == busy(all));
    CHECK(few.spans.size() <= std::max(all.spans.size(), 2 * kMost));
    CHECK((few.resolution > 0) == (few.spans.size() < all.spans.size()));
    any |= few.resolution > 0;
    for (std::size_t k = 1; k < few.spans.size(); ++k) CHECK(few.spans[k].start >= few.spans[k - 1].end);
    for (const ActivitySpan& span : few.spans) CHECK(span.busy <= span.end - span.start);
  }
  CHECK(any);
}
