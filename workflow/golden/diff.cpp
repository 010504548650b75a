#include "workflow/golden/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json_text.hpp"
#include "workflow/golden/kept.hpp"
#include "workflow/report/forms/align.hpp"

namespace macaw::golden {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

constexpr std::size_t kOperationsShown = 20;

std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// nlohmann's get() would take numbers with a sign or a fraction.
std::int64_t count(const Json& object, const std::string& key) {
  constexpr std::uint64_t kMax = (std::uint64_t{1} << 53) - 1;
  const auto& value = object.at(key);
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0) ||
      value.get<std::uint64_t>() > kMax)
    throw Json::other_error::create(501, fmt::format("{} must be an integer from 0 to {}", key, kMax), nullptr);
  return value.get<std::int64_t>();
}

double tolerance(const Manifest& manifest, std::string_view field) {
  const auto found = manifest.tolerances.find(field);
  return found == manifest.tolerances.end() ? 0 : found->second;
}

/// "26722 -> 26800 (+78, +0.29 %)", or nothing within the tolerance.
std::string moved(std::int64_t then, std::int64_t now, double share) {
  const double change = static_cast<double>(now) - static_cast<double>(then);
  if (std::abs(change) <= share * std::abs(static_cast<double>(then))) return {};
  auto text = fmt::format("{} -> {} ({:+}", then, now, now - then);
  if (then != 0) text += fmt::format(", {:+.2f} %", 100 * change / static_cast<double>(then));
  return text + ")";
}

/// Changes of a run: results that no version of the timing model may change, and cycles with time counters.
struct Moved {
  Lines values, times;
  std::string first_wrong;  ///< operation that wrote other bytes
};

/// Whether a counter is exact, so that another version of the timing model counts the same.
bool is_exact(std::string_view event) {
  return event.find("_DATA_BEAT_") != std::string_view::npos || event.find("_MAC_ACTIVE") != std::string_view::npos;
}

void diff_pmu(Moved& changes, const Json& then, const Json& now, const Manifest& manifest) {
  std::set<std::string> events;
  for (const auto* side : {&then, &now})
    for (const auto& [event, count] : side->items()) events.insert(event);
  for (const auto& event : events) {
    if (!then.contains(event) || !now.contains(event)) {
      changes.values.push_back(
          fmt::format("{}: {}", event, then.contains(event) ? "no longer counted" : "newly counted"));
      continue;
    }
    const auto share = manifest.tolerances.contains(event) ? tolerance(manifest, event) : tolerance(manifest, "pmu");
    if (const auto text = moved(count(then, event), count(now, event), share); !text.empty())
      (is_exact(event) ? changes.values : changes.times).push_back(fmt::format("{}: {}", event, text));
  }
}

/// Fields that older goldens lack are not compared.
void diff_sides(Lines& lines, const Json& then, const Json& now, const char* member, std::string_view words) {
  if (!then.contains(member) || !now.contains(member)) return;
  for (const auto& [side, bytes] : now.at(member).items())
    if (then.at(member).contains(side))
      if (const auto text = moved(count(then.at(member), side), count(now.at(member), side), 0); !text.empty())
        lines.push_back(fmt::format("{} {}: {}", words, side, text));
}

/// The time of the whole inference has the tolerance of cycles; another CPU is a change by itself.
void diff_inference(Moved& changes, const Json& then, const Json& now, const Manifest& manifest) {
  if (!then.contains("inference")) return;  // an older golden, or a system that did not describe its CPU
  if (!now.contains("inference")) {
    changes.values.emplace_back("whole inference: no longer predicted");
    return;
  }
  const auto &was = then.at("inference"), &is = now.at("inference");
  for (const char* field : {"cpu", "lower_bound"})
    if (was.at(field) != is.at(field))
      changes.values.push_back(
          fmt::format("whole inference, {}: {} -> {}", field, text_of(was.at(field)), text_of(is.at(field))));
  if (const auto text = moved(count(was, "nanoseconds"), count(is, "nanoseconds"), tolerance(manifest, "cycles"));
      !text.empty())
    changes.times.push_back(fmt::format("whole inference, nanoseconds: {}", text));
}

DType dtype_of(const Json& output) {
  return dtype_from_name(output.at("dtype").get_ref<const std::string&>()).value_or(DType::kUINT8);
}

/// The values that differ, where both sides kept them under `key`.
std::string values_of(const Json& then, const Json& now, const char* key, DType dtype) {
  if (!then.contains(key) || !now.contains(key)) return {};
  const auto difference =
      kept_difference(then.at(key).get_ref<const std::string&>(), now.at(key).get_ref<const std::string&>(), dtype);
  if (!difference) return "; " + difference.error().message;
  return *difference ? "; " + **difference : std::string();
}

void diff_outputs(Lines& lines, const Json& then, const Json& now) {
  if (then.size() != now.size()) lines.push_back(fmt::format("outputs: {} -> {}", then.size(), now.size()));
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    for (const char* field : {"name", "dtype", "shape", "crc32"})
      if (then[i].at(field) != now[i].at(field))
        lines.push_back(fmt::format(
            "output {}: {} {} -> {}{}", i, field, text_of(then[i].at(field)), text_of(now[i].at(field)),
            field == std::string_view("crc32") ? values_of(then[i], now[i], "zlib", dtype_of(now[i])) : ""));
}

std::string operation_name(const Json& operation) {
  auto name = fmt::format("stream {} command {} {}", count(operation, "step"), count(operation, "command"),
                          operation.at("name").get<std::string>());
  if (operation.contains("source")) name += ", " + operation.at("source").get<std::string>();
  return name;
}

bool names_sources(const Json& operations) {
  return std::ranges::any_of(operations, [](const Json& o) { return o.contains("source"); });
}

/// Identity of an operation that does not depend on the operations before it.
std::vector<std::string> keys(const Json& operations, bool by_source) {
  std::vector<std::string> all;
  for (const auto& o : operations) {
    all.push_back(o.at("name").get<std::string>());
    if (by_source) all.back() += fmt::format("|{}", o.value("source", std::string()));
  }
  return all;
}

void add_first(Lines& lines, const Lines& changed) {
  const auto shown = std::min(changed.size(), kOperationsShown);
  lines.insert(lines.end(), changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < changed.size())
    lines.push_back(
        fmt::format("... and {} more operation{}", changed.size() - shown, changed.size() - shown == 1 ? "" : "s"));
}

void diff_operations(Moved& changes, const Json& then, const Json& now, const Manifest& manifest) {
  if (then.size() != now.size()) changes.values.push_back(fmt::format("operations: {} -> {}", then.size(), now.size()));
  Moved changed;
  const auto hash = [](const Json& operation) { return operation.value("written_crc32", "nothing"); };
  const bool by_source = names_sources(then) && names_sources(now);
  for (const auto& [old, fresh] : report::align(keys(then, by_source), keys(now, by_source))) {
    if (!old || !fresh) {
      const auto& only = old ? then[*old] : now[*fresh];
      changed.values.push_back(
          fmt::format("operation {} ({}): {}", old ? *old : *fresh, operation_name(only), old ? "is gone" : "is new"));
      continue;
    }
    const auto &was = then[*old], &is = now[*fresh];
    const auto what = fmt::format("operation {} ({})", *fresh, operation_name(is));
    if (hash(was) != hash(is) && changes.first_wrong.empty()) changes.first_wrong = operation_name(is);
    if (hash(was) != hash(is))
      changed.values.push_back(fmt::format("{}: output CRC changed {} -> {}{}", what, hash(was), hash(is),
                                           values_of(was, is, "written_zlib", DType::kUINT8)));
    const auto cycles = moved(count(was, "cycles"), count(is, "cycles"), tolerance(manifest, "operation_cycles"));
    if (!cycles.empty()) changed.times.push_back(fmt::format("{}: cycles {}", what, cycles));
  }
  add_first(changes.values, changed.values);
  add_first(changes.times, changed.times);
}

/// The versions of the timing model on both sides, where both are stated and differ.
std::string changed_model(const Json& then, const Json& now) {
  if (!then.contains("timing_model") || !now.contains("timing_model")) return {};
  const auto old = count(then, "timing_model"), fresh = count(now, "timing_model");
  return old == fresh ? std::string() : fmt::format("timing model {} -> {} (see CHANGELOG.md)", old, fresh);
}

RunDiff diff_run(const std::string& name, const Json& then, const Json& now, const Manifest& manifest) {
  Moved changes;
  diff_outputs(changes.values, then.at("outputs"), now.at("outputs"));
  if (const auto text = moved(count(then, "cycles"), count(now, "cycles"), tolerance(manifest, "cycles"));
      !text.empty())
    changes.times.push_back("cycles: " + text);
  diff_inference(changes, then, now, manifest);
  diff_sides(changes.values, then, now, "bytes", "bytes read and written on");
  diff_sides(changes.values, then, now, "memory", "memory needed on");
  diff_pmu(changes, then.at("pmu"), now.at("pmu"), manifest);
  diff_operations(changes, then.at("operations"), now.at("operations"), manifest);
  const auto model = changed_model(then, now);
  RunDiff result{name, changes.values, !model.empty() && changes.values.empty() && !changes.times.empty(),
                 changes.first_wrong};
  if (!model.empty() && !changes.times.empty()) result.lines.push_back(model);
  std::ranges::move(changes.times, std::back_inserter(result.lines));
  return result;
}

}  // namespace

Result<std::vector<RunDiff>> diff(const Json& golden, const Json& now, const Manifest& manifest) {
  std::set<std::string> names;
  for (const auto* side : {&golden, &now})
    for (const auto& [name, run] : side->items()) names.insert(name);
  std::vector<RunDiff> runs;
  for (const auto& name : names) {
    try {
      if (!golden.contains(name)) runs.push_back({name, {"new: not recorded yet"}});
      else if (!now.contains(name)) runs.push_back({name, {"missing: recorded, but no longer in golden.toml"}});
      else runs.push_back(diff_run(name, golden[name], now[name], manifest));
    } catch (const Json::exception& e) {
      return fail(ErrorCode::kInvalidFile, fmt::format("not a golden: run '{}': {}", name, io::json_message(e)));
    }
  }
  return runs;
}

}  // namespace macaw::golden
