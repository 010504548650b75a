#include "workflow/trace/saved_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace macaw::trace {
namespace {

using Json = nlohmann::json;
constexpr int kSchemaVersion = 1;
constexpr std::uint64_t kMaxChainBuffer = 7;                       // the field is that of a region
constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 53) - 1;  // what every reader of JSON holds exactly

[[noreturn]] void wrong(const std::string& path, std::string_view what) {
  throw Json::other_error::create(501, fmt::format("{} {}", path, what), nullptr);
}

/// An object and its path in the file, which errors name.
struct Members {
  const Json& json;
  std::string path;

  Members(const Json& object, std::string where) : json(object), path(std::move(where)) {
    if (!json.is_object()) wrong(path.empty() ? "the file" : path, "must be an object");
  }

  [[nodiscard]] std::string path_of(std::string_view key) const {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }
  [[nodiscard]] const Json& at(const char* key) const {
    if (!json.contains(key)) wrong(path_of(key), "is missing");
    return json.at(key);
  }
  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : json.items())
      if (std::ranges::find(known, key) == known.end()) wrong(path_of(key), "is not known");
  }
  [[nodiscard]] std::uint64_t count(const char* key, std::uint64_t most = kMaxCount) const {
    return count_of(at(key), path_of(key), most);
  }
  [[nodiscard]] std::uint64_t count_or_0(const char* key) const { return json.contains(key) ? count(key) : 0; }
  [[nodiscard]] double number(const char* key) const { return number_of(at(key), path_of(key)); }
  [[nodiscard]] std::string text(const char* key) const {
    if (!at(key).is_string()) wrong(path_of(key), "must be a text");
    return at(key).get<std::string>();
  }
  [[nodiscard]] bool boolean(const char* key) const {
    if (!at(key).is_boolean()) wrong(path_of(key), "must be true or false");
    return at(key).get<bool>();
  }
  [[nodiscard]] const Json& list(const char* key) const {
    if (!at(key).is_array()) wrong(path_of(key), "must be a list");
    return at(key);
  }
  [[nodiscard]] Members object(const char* key) const { return {at(key), path_of(key)}; }

  static std::uint64_t count_of(const Json& value, const std::string& path, std::uint64_t most = kMaxCount) {
    // JSON in memory may hold a positive integer as a signed one.
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0) ||
        value.get<std::uint64_t>() > most)
      wrong(path, fmt::format("must be an integer from 0 to {}", most));
    return value.get<std::uint64_t>();
  }
  static double number_of(const Json& value, const std::string& path) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) wrong(path, "must be a number");
    return value.get<double>();
  }
};

Movement movement(const Members& in) {
  in.only({"purpose", "region", "bytes", "first", "last", "write"});
  return {in.text("purpose"), static_cast<int>(in.count("region", 7)),
          in.count("bytes"),  in.count("first"),
          in.count("last"),   in.boolean("write")};
}

/// A number of cycles as thousandths.
std::uint64_t thousandths(const Json& value, const std::string& path) {
  const double cycles = Members::number_of(value, path);
  if (cycles < 0 || cycles * 1000 > static_cast<double>(kMaxCount)) wrong(path, "must be a number of cycles");
  return static_cast<std::uint64_t>(std::llround(cycles * 1000));
}

Activity activity(const Members& in) {
  in.only({"step", "unit", "resolution", "command", "start", "end", "busy"});
  Activity row{in.count("step"), in.text("unit"), thousandths(in.at("resolution"), in.path_of("resolution")), {}};
  const auto &commands = in.list("command"), &starts = in.list("start"), &ends = in.list("end"),
             &busy = in.list("busy");
  if (starts.size() != commands.size() || ends.size() != commands.size() || busy.size() != commands.size())
    wrong(in.path, "must have lists of the same length");
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto at = [&](const char* key) { return fmt::format("{}[{}]", in.path_of(key), i); };
    row.spans.push_back({Members::count_of(commands[i], at("command")), thousandths(starts[i], at("start")),
                         thousandths(ends[i], at("end")), thousandths(busy[i], at("busy"))});
    const auto& span = row.spans.back();
    if (span.end < span.start || span.busy > span.end - span.start) wrong(at("end"), "is before its start");
    if (i != 0 && span.start < row.spans[i - 1].end) wrong(at("start"), "is before the end of the span before it");
  }
  return row;
}

Block block(const Members& in) {
  in.only({"start", "end", "busy", "bound"});
  Block b{in.count("start"), in.count("end"), in.text("bound")};
  if (b.end < b.start) wrong(in.path_of("end"), "is before its start");
  return b;
}

/// What a debug database or a graph says of the operator that an operation belongs to.
void read_source(Operation& o, const Members& in) {
  if (in.json.contains("source")) o.source = in.text("source");
  if (in.json.contains("kind")) o.kind = in.text("kind");
  if (in.json.contains("shape")) {
    const auto& shape = in.list("shape");
    if (shape.size() != 3) wrong(in.path_of("shape"), "must list three integers");
    constexpr std::uint64_t kMostExtent = 1 << 24;
    o.shape.emplace();
    for (std::size_t i = 0; i < 3; ++i)
      (*o.shape)[i] = static_cast<int>(Members::count_of(shape[i], in.path_of("shape"), kMostExtent));
  }
  if (in.json.contains("scheduled")) {
    const auto scheduled = in.object("scheduled");
    scheduled.only({"id", "kind", "name"});
    o.scheduled = Operation::Scheduled{scheduled.count("id"), scheduled.text("kind"), scheduled.text("name")};
  }
}

Operation operation(const Members& in) {
  in.only({"step",      "command",  "offset", "name",        "source",      "kind",   "shape",
           "scheduled", "issued",   "start",  "end",         "exclusive",   "busy",   "bound",
           "macs",      "mac_bits", "memory", "chain_reads", "chain_write", "blocks", "cycles_interval"});
  Operation o;
  o.step = in.count("step");
  o.command = in.count("command");
  o.offset = in.count_or_0("offset");
  o.name = in.text("name");
  read_source(o, in);
  o.bound = in.text("bound");
  o.issued = in.count("issued");
  o.start = in.count("start");
  o.end = in.count("end");
  if (o.end < o.start) wrong(in.path_of("end"), "is before its start");
  o.macs = in.count_or_0("macs");
  o.mac_bits = in.count_or_0("mac_bits");
  const auto busy = in.object("busy");
  for (const auto& [unit, cycles] : busy.json.items())
    o.busy.emplace_back(unit, Members::count_of(cycles, busy.path_of(unit)));
  if (in.json.contains("memory"))
    for (const auto& m : in.list("memory"))
      o.memory.push_back(movement({m, fmt::format("{}[{}]", in.path_of("memory"), o.memory.size())}));
  if (in.json.contains("chain_reads"))
    for (const auto& buffer : in.list("chain_reads"))
      o.chain_reads.push_back(Members::count_of(buffer, in.path_of("chain_reads"), kMaxChainBuffer));
  if (in.json.contains("chain_write")) o.chain_write = in.count("chain_write", kMaxChainBuffer);
  if (in.json.contains("blocks"))
    for (const auto& b : in.list("blocks"))
      o.blocks.push_back(block({b, fmt::format("{}[{}]", in.path_of("blocks"), o.blocks.size())}));
  return o;
}

/// What the run was of.
void read_setup(SavedRun& run, const Members& in) {
  run.network = in.text("network");
  run.system = in.text("system");
  run.memory_mode = in.text("memory_mode");
  const auto name = in.text("accelerator");
  run.accelerator = npu::find_accelerator(name);
  if (run.accelerator == nullptr) wrong("accelerator", fmt::format("'{}' is not known", name));
  run.clock_hz = in.number("clock_hz");
  if (!(run.clock_hz > 0)) wrong("clock_hz", "must be positive");
  const auto& widths = in.list("bytes_per_cycle");
  const auto& sides = in.list("region_side");
  if (widths.size() != run.bytes_per_cycle.size()) wrong("bytes_per_cycle", "must list two numbers");
  if (sides.size() != run.region_side.size()) wrong("region_side", "must list eight integers");
  for (std::size_t i = 0; i < widths.size(); ++i)
    run.bytes_per_cycle[i] = Members::number_of(widths[i], fmt::format("bytes_per_cycle[{}]", i));
  for (std::size_t i = 0; i < sides.size(); ++i)
    run.region_side[i] = static_cast<int>(Members::count_of(sides[i], fmt::format("region_side[{}]", i), 1));
}

/// Long: it names every member of the file.
SavedRun saved_run(const Members& in) {
  in.only({"schema_version",
           "network",
           "accelerator",
           "mode",
           "system",
           "memory_mode",
           "timing_adapter",
           "cycles",
           "cycles_error",
           "cycles_interval",
           "cycles_interval_reason",
           "host_operators",
           "pmu",
           "pmu_unmodelled",
           "pmu_counters",
           "findings",
           "operations",
           "clock_hz",
           "bytes_per_cycle",
           "region_side",
           "outputs",
           "activity",
           "milliseconds",
           "layers",
           "edges",
           "edges_cut",
           "bounds",
           "bottlenecks",
           "padded_channels",
           "memory",
           "advice"});
  SavedRun run;
  read_setup(run, in);
  run.cycles = in.count("cycles");
  if (in.json.contains("cycles_interval") && !in.at("cycles_interval").is_null()) {
    const auto interval = in.object("cycles_interval");
    run.interval = {interval.count("low"), interval.count("high"), interval.number("coverage"), interval.text("basis")};
  }
  if (in.json.contains("cycles_interval_reason")) run.no_interval = in.text("cycles_interval_reason");
  const auto pmu = in.object("pmu");
  for (const auto& [event, count] : pmu.json.items())
    run.pmu.emplace(event, Members::count_of(count, pmu.path_of(event)));
  for (const auto& o : in.list("operations"))
    run.operations.push_back(operation({o, fmt::format("operations[{}]", run.operations.size())}));
  share_cycles(run);
  if (in.json.contains("activity"))
    for (const auto& a : in.list("activity"))
      run.activity.push_back(activity({a, fmt::format("activity[{}]", run.activity.size())}));
  if (in.json.contains("advice"))
    for (const auto& a : in.list("advice")) {
      const Members row{a, fmt::format("advice[{}]", run.advice.size())};
      row.only({"change", "command", "cycles", "gain"});
      run.advice.push_back({row.text("change"), row.text("command"), row.count("cycles")});
    }
  if (in.json.contains("host_operators"))
    for (const auto& host : in.list("host_operators"))
      run.host_operators.push_back(
          Members{host, fmt::format("host_operators[{}]", run.host_operators.size())}.text("name"));
  return run;
}

}  // namespace

std::string SavedRun::accuracy() const {
  if (interval)
    return fmt::format("measured from {} to {} in {:.0f} of 100 runs like this: {}", interval->low, interval->high,
                       100 * interval->coverage, interval->basis);
  return fmt::format("error not known: {}", no_interval);
}

std::uint64_t SavedRun::macs() const {
  std::uint64_t sum = 0;
  for (const auto& o : operations) sum += o.macs;
  return sum;
}

std::string_view SavedRun::side_name(int side) const {
  return npu::traits(accelerator->family).ports[static_cast<std::size_t>(side)];
}

std::uint64_t SavedRun::bytes(int side, bool write) const {
  std::uint64_t sum = 0;
  for (const auto& o : operations)
    for (const auto& m : o.memory)
      if (m.write == write && region_side[static_cast<std::size_t>(m.region)] == side) sum += m.bytes;
  return sum;
}

void share_cycles(SavedRun& run) {
  std::vector<Interval> intervals;
  for (const auto& o : run.operations) intervals.push_back({o.start, o.end, o.is_dma()});
  const auto held = held_cycles(intervals, run.cycles);
  for (std::size_t i = 0; i < held.size(); ++i) run.operations[i].held = held[i];
}

Result<SavedRun> parse_saved_run(std::string_view text, const std::string& file) {
  MACAW_ASSIGN(const auto json, io::parse_json(std::as_bytes(std::span(text)), file));
  return read_saved_run(json, file);
}

Result<SavedRun> read_saved_run(const Json& json, const std::string& file) {
  const auto invalid = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidFile, "not a report of macaw sim: " + why, {.file = file});
  };
  if (!json.is_object()) return invalid("expected a JSON object");
  try {
    if (json.value("schema_version", Json()) != kSchemaVersion)
      return invalid(fmt::format("expected schema_version {}", kSchemaVersion));
    if (json.at("mode") == "functional")
      return fail(ErrorCode::kUsage, "a functional run has no cycles to report; run macaw sim with --mode timed",
                  {.file = file});
    return saved_run({json, ""});
  } catch (const Json::exception& e) {
    return invalid(e.what());
  }
}

}  // namespace macaw::trace
