#include "workflow/sweep/database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/sweep/run_study.hpp"
#include "workflow/sweep/sqlite.hpp"

namespace macaw::sweep {
namespace {

using nlohmann::json;

/// A column and the member of a result that it holds.
struct Column {
  const char* name;
  const char* type;
};
constexpr Column kRunColumns[] = {
    {"id", "TEXT PRIMARY KEY"},
    {"network", "TEXT"},
    {"accelerator", "TEXT"},
    {"system", "TEXT"},
    {"memory_mode", "TEXT"},
    {"params", "TEXT"},
    {"inputs", "TEXT"},
    {"cycles", "INTEGER"},
    {"milliseconds", "REAL"},
    {"macs", "INTEGER"},
    {"macs_per_cycle", "INTEGER"},
    {"memory0_reach", "INTEGER"},
    {"memory0_peak", "INTEGER"},
    {"memory0_bytes", "INTEGER"},
    {"memory1_reach", "INTEGER"},
    {"memory1_peak", "INTEGER"},
    {"memory1_bytes", "INTEGER"},
    {"outputs", "TEXT"},
    {"error", "TEXT"},
    {"inference_ms", "REAL"},
    {"inference_low_ms", "REAL"},
    {"inference_high_ms", "REAL"},
};
constexpr Column kCounterColumns[] = {{"run", "TEXT"}, {"event", "TEXT"}, {"count", "INTEGER"}};
constexpr Column kLayerColumns[] = {
    {"run", "TEXT"},
    {"number", "INTEGER"},
    {"name", "TEXT"},
    {"kind", "TEXT"},
    {"bound", "TEXT"},
    {"inclusive", "INTEGER"},
    {"exclusive", "INTEGER"},
    {"macs", "INTEGER"},
    {"memory0_bytes", "INTEGER"},
    {"memory1_bytes", "INTEGER"},
};

template <std::size_t N>
std::string create_table(const std::string& name, const Column (&columns)[N]) {
  std::vector<std::string> parts;
  for (const auto& column : columns) parts.push_back(fmt::format("{} {}", column.name, column.type));
  return fmt::format("CREATE TABLE {} ({});", name, fmt::join(parts, ", "));
}

void set_value(sqlite3_stmt* statement, int at, const json& value) {
  if (value.is_number_float()) sqlite3_bind_double(statement, at, value.get<double>());
  else if (value.is_number()) sqlite3_bind_int64(statement, at, value.get<std::int64_t>());
  else if (value.is_string())
    sqlite3_bind_text(statement, at, value.get_ref<const std::string&>().c_str(), -1, SQLITE_TRANSIENT);
  else if (value.is_object()) sqlite3_bind_text(statement, at, io::json_text(value).c_str(), -1, SQLITE_TRANSIENT);
  // Else NULL, as a parameter that nothing is bound to.
}

template <std::size_t N>
Result<void> fill(Sqlite& database, const std::string& name, const Column (&columns)[N],
                  const std::vector<json>& rows) {
  auto next = rows.begin();
  const std::vector<std::string> places(N, "?");
  return database.insert(fmt::format("INSERT INTO {} VALUES ({})", name, fmt::join(places, ", ")),
                         [&](sqlite3_stmt* statement) {
                           if (next == rows.end()) return false;
                           for (std::size_t i = 0; i < N; ++i)
                             set_value(statement, static_cast<int>(i + 1), next->value(columns[i].name, json()));
                           ++next;
                           return true;
                         });
}

struct Rows {
  std::vector<json> runs, counters, layers;
};

Result<Rows> rows_of(const Plan& plan, const std::filesystem::path& folder) {
  Rows rows;
  for (const auto& run : plan.runs) {
    MACAW_ASSIGN(const auto result, read_result(folder, run));
    rows.runs.push_back(result);
    const auto counters = result.value("pmu", json::object());
    for (const auto& [event, count] : counters.items())
      rows.counters.push_back({{"run", run.id}, {"event", event}, {"count", count}});
    const auto layers = result.value("layers", json::array());
    int number = 0;
    for (auto layer : layers) {
      layer.update({{"run", run.id}, {"number", number++}});
      rows.layers.push_back(std::move(layer));
    }
  }
  return rows;
}

std::string text(sqlite3_stmt* row, int column) {
  const auto* value = sqlite3_column_text(row, column);
  return value == nullptr ? "" : reinterpret_cast<const char*>(value);
}

std::optional<std::int64_t> number(sqlite3_stmt* row, int column) {
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(row, column);
}

}  // namespace

Result<std::size_t> write_database(const Plan& plan, const std::filesystem::path& folder) {
  MACAW_ASSIGN(const auto rows, rows_of(plan, folder));
  MACAW_ASSIGN(auto file, io::TemporaryFile::create(folder / "study.sqlite"));
  {
    MACAW_ASSIGN(auto database, Sqlite::create(file.path()));
    // The file has another name until it is whole: no journal beside it.
    MACAW_CHECK(database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;" +
                                 create_table("runs", kRunColumns) + create_table("counters", kCounterColumns) +
                                 create_table("layers", kLayerColumns)));
    MACAW_CHECK(fill(database, "runs", kRunColumns, rows.runs));
    MACAW_CHECK(fill(database, "counters", kCounterColumns, rows.counters));
    MACAW_CHECK(fill(database, "layers", kLayerColumns, rows.layers));
    MACAW_CHECK(database.execute("COMMIT;"));
  }
  MACAW_CHECK(file.publish());
  return static_cast<std::size_t>(
      std::ranges::count_if(rows.runs, [](const json& run) { return run.contains("error"); }));
}

Result<Database> read_database(const std::filesystem::path& file) {
  MACAW_ASSIGN(auto database, Sqlite::open(file));
  Database all;
  MACAW_CHECK(database.query(
      "SELECT id, network, accelerator, system, memory_mode, params, inputs, outputs, error, cycles, macs, "
      "macs_per_cycle, memory0_reach, memory0_peak, memory0_bytes, memory1_reach, memory1_peak, memory1_bytes, "
      "milliseconds FROM runs ORDER BY rowid",
      [&](sqlite3_stmt* r) {
        Row row;
        int at = 0;
        for (auto* part : {&row.id, &row.network, &row.accelerator, &row.system, &row.memory_mode, &row.params,
                           &row.inputs, &row.outputs, &row.error})
          *part = text(r, at++);
        for (auto* part : {&row.cycles, &row.macs, &row.macs_per_cycle, &row.memory0_reach, &row.memory0_peak,
                           &row.memory0_bytes, &row.memory1_reach, &row.memory1_peak, &row.memory1_bytes})
          *part = number(r, at++);
        if (sqlite3_column_type(r, at) != SQLITE_NULL) row.milliseconds = sqlite3_column_double(r, at);
        all.runs.push_back(std::move(row));
      }));
  MACAW_CHECK(database.query(
      "SELECT run, name, kind, bound, number, inclusive, exclusive, macs, memory0_bytes, memory1_bytes FROM layers "
      "ORDER "
      "BY rowid",
      [&](sqlite3_stmt* r) {
        all.layers.push_back({text(r, 0), text(r, 1), text(r, 2), text(r, 3), sqlite3_column_int64(r, 4),
                              sqlite3_column_int64(r, 5), sqlite3_column_int64(r, 6), sqlite3_column_int64(r, 7),
                              sqlite3_column_int64(r, 8), sqlite3_column_int64(r, 9)});
      }));
  return all;
}

}  // namespace macaw::sweep
