#include "workflow/run/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "workflow/run/exclusive_cycles.hpp"
#include "workflow/run/record_fields.hpp"

namespace macaw::run {
namespace {

using Json = nlohmann::json;

constexpr int kSchemaVersion = 1;
constexpr std::uint64_t kMostCount = (std::uint64_t{1} << 53) - 1;  // every reader of JSON represents it exactly

constexpr const char* on_off_text(bool on) { return on ? "on" : "off"; }

/// Writes the members of a record into an object.
class Writer {
 public:
  explicit Writer(Json& object) : object_(object) {}

  template <class T>
  void operator()(const char* name, const T& member, std::uint64_t = 0) {
    object_.emplace(name, json(member));
  }
  template <class T>
  void may(const char* name, const T& member) {
    (*this)(name, member);
  }
  template <class T>
  void when(bool written, const char* name, const T& member) {
    if (written) (*this)(name, member);
  }
  template <class T>
  void some(const char* name, const T& member, std::uint64_t = 0) {
    if constexpr (requires { member.empty(); }) when(!member.empty(), name, member);
    else when(static_cast<bool>(member), name, member);
  }
  template <class T>
  void written(const char* name, const T& member) {
    (*this)(name, member);
  }
  void on_off(const char* name, bool on) { (*this)(name, on_off_text(on)); }
  void cycles(const char* name, std::uint64_t ticks) { object_.emplace(name, cycles_json(ticks)); }
  template <class T, class Member>
  void column(const char* name, const std::vector<T>& rows, Member T::*member) {
    add_column(name, rows, [&](const T& row) { return Json(row.*member); });
  }
  template <class T, class Member>
  void cycle_column(const char* name, const std::vector<T>& rows, Member T::*member) {
    add_column(name, rows, [&](const T& row) { return cycles_json(row.*member); });
  }
  void made(std::initializer_list<std::string_view>) {}
  void check(bool, const char*, const char*, std::size_t = 0) {}

 private:
  friend Json macaw::run::record_json(const npu::RunRecord& record);
  friend Json macaw::run::json_of(const npu::CyclesInterval& interval);
  friend Json macaw::run::json_of(const npu::Inference& inference);
  friend Json macaw::run::json_of(const npu::Sequence& sequence);
  friend Json macaw::run::json_of(const npu::SequenceScore& score);
  friend Json macaw::run::json_of(const npu::RunOrigin& origin);

  template <class T, class F>
  void add_column(const char* name, const std::vector<T>& rows, const F& f) {
    Json::array_t list;
    list.reserve(rows.size());
    for (const T& row : rows) list.push_back(f(row));
    object_.emplace(name, std::move(list));
  }

  /// Whole numbers of cycles as integers, the others with up to three digits after the point.
  static Json cycles_json(std::uint64_t ticks) {
    if (ticks % npu::kTicksPerCycle == 0) return ticks / npu::kTicksPerCycle;
    return static_cast<double>(ticks) / static_cast<double>(npu::kTicksPerCycle);
  }

  static Json json(const npu::Accelerator* accelerator) { return accelerator->name; }
  static Json json(npu::RunMode mode) { return npu::to_string(mode); }
  static Json json(const npu::UnitCycles& units) {
    Json object = Json::object();
    for (const auto& [unit, cycles] : units) object.emplace(unit, cycles);
    return object;
  }
  template <class T>
  static Json json(const std::optional<T>& member) {
    return member ? json(*member) : Json();
  }
  template <class T>
  static Json json(const std::vector<T>& members) {
    Json::array_t list;
    list.reserve(members.size());
    for (const auto& member : members) list.push_back(json(member));
    return list;
  }
  template <class T>
  static Json json(const T& member) {
    if constexpr (requires(Writer& writer) { describe(writer, member); }) {
      Json object = Json::object();
      Writer writer(object);
      describe(writer, member);
      return object;
    } else {
      return member;
    }
  }

  Json& object_;
};

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  throw Json::other_error::create(501, fmt::format("{} {}", path, what), nullptr);
}

/// Reads the members of a record from an object, whose path in the file errors name.
class Reader {
 public:
  Reader(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) refuse(path_.empty() ? "the file" : path_, "must be an object");
  }

  template <class T>
  void operator()(const char* name, T& member, std::uint64_t most = kMostCount) {
    read(at(name), path_of(name), member, most);
  }
  template <class T>
  void some(const char* name, T& member, std::uint64_t most = kMostCount) {
    known_.push_back(name);
    if (object_.contains(name)) read(object_.at(name), path_of(name), member, most);
  }
  template <class T>
  void may(const char* name, T& member) {
    some(name, member);
  }
  template <class T>
  void when(bool, const char* name, T& member) {
    some(name, member);
  }
  template <class T>
  void written(const char* name, const T&) {
    known_.push_back(name);
  }
  void on_off(const char* name, bool& on) {
    std::string text = on_off_text(on);
    some(name, text);
    if (text != on_off_text(true) && text != on_off_text(false)) refuse(path_of(name), "must be on or off");
    on = text == on_off_text(true);
  }
  void cycles(const char* name, std::uint64_t& ticks) { ticks = ticks_of(at(name), path_of(name)); }
  template <class T, class Member>
  void column(const char* name, std::vector<T>& rows, Member T::*member) {
    read_column(name, rows, [&](T& row, const Json& value, const std::string& path) {
      read(value, path, row.*member, kMostCount);
    });
  }
  template <class T, class Member>
  void cycle_column(const char* name, std::vector<T>& rows, Member T::*member) {
    read_column(name, rows,
                [&](T& row, const Json& value, const std::string& path) { row.*member = ticks_of(value, path); });
  }
  void made(std::initializer_list<std::string_view> names) { known_.insert(known_.end(), names); }
  void check(bool holds, const char* name, const char* what) const {
    if (!holds) refuse(path_of(name), what);
  }
  void check(bool holds, const char* name, const char* what, std::size_t i) const {
    if (!holds) refuse(fmt::format("{}[{}]", path_of(name), i), what);
  }

  /// After all members.
  void end() const {
    for (const auto& [key, value] : object_.items())
      if (std::ranges::find(known_, key) == known_.end()) refuse(path_of(key), "is not known");
  }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }
  [[nodiscard]] const Json& at(const char* name) {
    known_.push_back(name);
    if (!object_.contains(name)) refuse(path_of(name), "is missing");
    return object_.at(name);
  }
  static const Json& list(const Json& json, const std::string& path) {
    if (!json.is_array()) refuse(path, "must be a list");
    return json;
  }

  template <class T, class F>
  void read_column(const char* name, std::vector<T>& rows, const F& f) {
    const auto path = path_of(name);
    const auto& values = list(at(name), path);
    if (!std::exchange(has_rows_, true)) rows.resize(values.size());
    if (values.size() != rows.size()) refuse(path_, "must have lists of the same length");
    for (std::size_t i = 0; i < rows.size(); ++i) f(rows[i], values[i], fmt::format("{}[{}]", path, i));
  }

  static double number(const Json& json, const std::string& path, const char* what) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) refuse(path, what);
    return json.get<double>();
  }
  static std::uint64_t ticks_of(const Json& json, const std::string& path) {
    constexpr auto kTicks = static_cast<double>(npu::kTicksPerCycle);
    constexpr const char* kWanted = "must be a number of cycles";
    const double cycles = number(json, path, kWanted);
    if (cycles < 0 || cycles * kTicks > static_cast<double>(kMostCount)) refuse(path, kWanted);
    return static_cast<std::uint64_t>(std::llround(cycles * kTicks));
  }

  static void read(const Json& json, const std::string& path, std::string& text, std::uint64_t) {
    if (!json.is_string()) refuse(path, "must be a text");
    text = json.get<std::string>();
  }
  static void read(const Json& json, const std::string& path, bool& flag, std::uint64_t) {
    if (!json.is_boolean()) refuse(path, "must be true or false");
    flag = json.get<bool>();
  }
  static void read(const Json& json, const std::string& path, double& value, std::uint64_t) {
    value = number(json, path, "must be a number");
  }
  static void read(const Json& json, const std::string& path, std::integral auto& count, std::uint64_t most) {
    most = std::min(most, static_cast<std::uint64_t>(std::numeric_limits<std::decay_t<decltype(count)>>::max()));
    // JSON in memory may hold a positive integer as a signed one.
    if (!json.is_number_integer() || (!json.is_number_unsigned() && json.get<std::int64_t>() < 0) ||
        json.get<std::uint64_t>() > most)
      refuse(path, fmt::format("must be an integer from 0 to {}", most));
    count = json.get<std::decay_t<decltype(count)>>();
  }
  static void read(const Json& json, const std::string& path, const npu::Accelerator*& accelerator, std::uint64_t) {
    std::string name;
    read(json, path, name, 0);
    accelerator = npu::find_accelerator(name);
    if (accelerator == nullptr) refuse(path, fmt::format("'{}' is not known", name));
  }
  static void read(const Json& json, const std::string& path, npu::RunMode& mode, std::uint64_t) {
    std::string name;
    read(json, path, name, 0);
    const auto found = npu::find_run_mode(name);
    if (!found) refuse(path, "must be functional, timed or timing");
    mode = *found;
  }
  /// A member for each name.
  template <class Add>
  static void read_counts(const Json& json, const std::string& path, std::uint64_t most, const Add& add) {
    if (!json.is_object()) refuse(path, "must be an object");
    for (const auto& [name, value] : json.items()) {
      std::uint64_t count = 0;
      read(value, fmt::format("{}.{}", path, name), count, most);
      add(name, count);
    }
  }
  static void read(const Json& json, const std::string& path, npu::UnitCycles& units, std::uint64_t most) {
    read_counts(json, path, most, [&](const std::string& unit, std::uint64_t c) { units.emplace_back(unit, c); });
  }
  static void read(const Json& json, const std::string& path, std::map<std::string, std::uint64_t>& counts,
                   std::uint64_t most) {
    read_counts(json, path, most, [&](const std::string& name, std::uint64_t count) { counts.emplace(name, count); });
  }
  template <class T>
  static void read(const Json& json, const std::string& path, std::optional<T>& member, std::uint64_t most) {
    if (!json.is_null()) read(json, path, member.emplace(), most);
  }
  template <class T>
  static void read(const Json& json, const std::string& path, std::vector<T>& members, std::uint64_t most) {
    for (const auto& value : list(json, path)) {
      auto& member = members.emplace_back();
      read(value, fmt::format("{}[{}]", path, members.size() - 1), member, most);
    }
  }
  template <class T, std::size_t N>
  static void read(const Json& json, const std::string& path, std::array<T, N>& members, std::uint64_t most) {
    if (list(json, path).size() != N)
      refuse(path, fmt::format("must list {} {}", N, std::integral<T> ? "integers" : "numbers"));
    for (std::size_t i = 0; i < N; ++i) read(json[i], fmt::format("{}[{}]", path, i), members[i], most);
  }
  template <class Record>
  static void read(const Json& json, const std::string& path, Record& record, std::uint64_t) {
    Reader reader(json, path);
    describe(reader, record);
    reader.end();
  }

  const Json& object_;
  std::string path_;
  std::vector<std::string_view> known_;
  bool has_rows_ = false;  ///< a column has given their number
};

Result<npu::RunRecord> read_record(const Json& json, const std::string& file) {
  const auto invalid = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidFile, "not a report of macaw sim: " + why, {.file = file});
  };
  if (!json.is_object()) return invalid("expected a JSON object");
  try {
    if (json.value("schema_version", Json()) != kSchemaVersion)
      return invalid(fmt::format("expected schema_version {}", kSchemaVersion));
    if (json.at("mode") == npu::to_string(npu::RunMode::kFunctional))
      return fail(ErrorCode::kUsage, "a functional run has no cycles to report; run macaw sim with --mode timed",
                  {.file = file});
    npu::RunRecord record;
    record.no_interval = "the report does not say";
    Reader reader(json, "");
    describe(reader, record);
    reader.end();
    complete(record);
    return record;
  } catch (const Json::exception& e) {
    return invalid(io::json_message(e));
  }
}

}  // namespace

Json record_json(const npu::RunRecord& record) {
  Json json = Writer::json(record);
  json["schema_version"] = kSchemaVersion;
  return json;
}

Json json_of(const npu::CyclesInterval& interval) { return Writer::json(interval); }

Json json_of(const npu::Inference& inference) { return Writer::json(inference); }

Json json_of(const npu::Sequence& sequence) { return Writer::json(sequence); }

Json json_of(const npu::SequenceScore& score) { return Writer::json(score); }

Json json_of(const npu::RunOrigin& origin) { return Writer::json(origin); }

Result<npu::RunRecord> parse_record(std::string_view text, const std::string& file) {
  MACAW_ASSIGN(const auto json, io::parse_json(std::as_bytes(std::span(text)), file));
  return read_record(json, file);
}

}  // namespace macaw::run
