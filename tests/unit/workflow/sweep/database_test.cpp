#include "workflow/sweep/database.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workflow/sweep/run_study.hpp"
#include "workflow/sweep/show.hpp"
#include "workflow/sweep/sqlite.hpp"

// Results that are written out here, through the database into what is shown.
using namespace macaw;
using macaw::test::checked;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json result_of(const std::string& id) {
  return {{"id", id},
          {"network", "net, \"a\""},
          {"accelerator", "ethos-u55-128"},
          {"system", "sys"},
          {"memory_mode", "mode"},
          {"params", {{"x", 2}}},
          {"inputs", "set, 0"},
          {"outputs", "89abcdef"},
          {"cycles", 11},
          {"milliseconds", 0.125},
          {"macs", 12},
          {"macs_per_cycle", 128},
          {"memory0_reach", 13},
          {"memory0_peak", 14},
          {"memory0_bytes", 15},
          {"memory1_reach", 16},
          {"memory1_peak", 17},
          {"memory1_bytes", std::int64_t{1} << 53},
          {"pmu", {{"E", 3}}},
          {"layers",
           {{{"name", "l0"},
             {"kind", "k0"},
             {"bound", "b0"},
             {"inclusive", 21},
             {"exclusive", 22},
             {"macs", 23},
             {"memory0_bytes", 24},
             {"memory1_bytes", 25}},
            {{"name", "l1"},
             {"kind", "k1"},
             {"bound", "b1"},
             {"inclusive", 31},
             {"exclusive", 32},
             {"macs", 33},
             {"memory0_bytes", 34},
             {"memory1_bytes", 35}}}}};
}

/// A database of one run that has a result, one that failed, and one that was not run.
sweep::Database through_a_file() {
  const macaw::test::TemporaryFolder temporary;
  const auto& folder = temporary.path();
  sweep::Plan plan;
  for (const char* id : {"id0", "id1", "id2"}) {
    plan.runs.emplace_back().id = id;
    plan.runs.back().network = "named";
  }
  REQUIRE(io::make_directory(folder / "results"));
  REQUIRE(io::write_file(folder / "results/id0.json", result_of("id0").dump()));
  REQUIRE(io::write_file(folder / "results/id1.json", sweep::failed(plan.runs[1], "broke, badly", false).dump()));
  REQUIRE(sweep::write_database(plan, folder));
  auto database = checked(sweep::read_database(folder / "study.sqlite"));
  // A result of another run, and one without cycles, are none.
  REQUIRE(io::write_file(folder / "results/id1.json", result_of("id0").dump()));
  CHECK(sweep::read_result(folder, plan.runs[1]).error().code == ErrorCode::kInvalidFile);
  auto without = result_of("id1");
  without["cycles"] = -1;
  REQUIRE(io::write_file(folder / "results/id1.json", without.dump()));
  CHECK_FALSE(sweep::read_result(folder, plan.runs[1]));
  return database;
}

sweep::Row row(const char* network, std::optional<std::int64_t> macs, std::optional<double> milliseconds) {
  sweep::Row row;
  row.network = network;
  row.macs_per_cycle = macs;
  row.milliseconds = milliseconds;
  return row;
}

}  // namespace

TEST_CASE("a result comes back from the database member by member") {
  const auto database = through_a_file();
  REQUIRE(database.runs.size() == 3);
  const auto& run = database.runs[0];
  CHECK(std::vector{run.id, run.network, run.accelerator, run.system, run.memory_mode, run.params, run.inputs,
                    run.outputs, run.error} == std::vector<std::string>{"id0", "net, \"a\"", "ethos-u55-128", "sys",
                                                                        "mode", "{\"x\":2}", "set, 0", "89abcdef", ""});
  CHECK(std::vector{run.cycles, run.macs, run.macs_per_cycle, run.memory0_reach, run.memory0_peak, run.memory0_bytes,
                    run.memory1_reach, run.memory1_peak, run.memory1_bytes} ==
        std::vector<std::optional<std::int64_t>>{11, 12, 128, 13, 14, 15, 16, 17, std::int64_t{1} << 53});
  CHECK(run.milliseconds == 0.125);
  CHECK(database.runs[1].error == "broke, badly");
  CHECK(database.runs[1].network == "named");
  CHECK_FALSE(database.runs[1].cycles);
  CHECK_FALSE(database.runs[1].milliseconds);
  CHECK(database.runs[2].error == "missing (not run)");
  REQUIRE(database.layers.size() == 2);
  for (const std::int64_t i : {0, 1}) {
    const auto& layer = database.layers[static_cast<std::size_t>(i)];
    const auto number = std::to_string(i);
    CHECK(std::vector{layer.run, layer.name, layer.kind, layer.bound} ==
          std::vector<std::string>{"id0", "l" + number, "k" + number, "b" + number});
    const auto tens = 20 + 10 * i;
    CHECK(std::vector{layer.number, layer.inclusive, layer.exclusive, layer.macs, layer.memory0_bytes,
                      layer.memory1_bytes} == std::vector{i, tens + 1, tens + 2, tens + 3, tens + 4, tens + 5});
  }
}

TEST_CASE("what a database computes for its rows ends with an error") {
  const macaw::test::TemporaryFolder temporary;
  const auto file = temporary.path() / "study.sqlite";
  const auto message = [&](const std::string& statements) {
    std::filesystem::remove(file);
    REQUIRE(sweep::write_database({}, temporary.path()));
    REQUIRE(checked(sweep::Sqlite::create(file)).execute(statements));
    const auto read = sweep::read_database(file);
    if (!read) CHECK(read.error().code == ErrorCode::kInvalidFile);
    return read ? "read" : read.error().message;
  };
  CHECK(message("SELECT 1") == "read");
  std::string columns;
  for (const char* name : {"id", "network", "accelerator", "system", "memory_mode", "params", "inputs", "cycles",
                           "milliseconds", "macs", "macs_per_cycle", "memory0_reach", "memory0_peak", "memory0_bytes",
                           "memory1_reach", "memory1_peak", "memory1_bytes", "outputs", "error"})
    columns += std::string(columns.empty() ? "" : ", ") + "x AS " + name;
  CHECK(message("DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
                "SELECT x AS rowid, " +
                columns + " FROM n") != "read");
  // A generated column is computed for each row that is read.
  std::string generated = columns;
  for (std::size_t at = 0; (at = generated.find("x AS ", at)) != std::string::npos;) generated.erase(at, 5);
  for (const char* expression : {"replace(hex(zeroblob(900000)), '0', 'abcdefgh')", "hex(zeroblob(100000000))"})
    CHECK(message("DROP TABLE runs; CREATE TABLE runs (" + generated +
                  ", y); ALTER TABLE runs DROP COLUMN error; "
                  "ALTER TABLE runs ADD COLUMN error AS (" +
                  expression + "); INSERT INTO runs(id) VALUES (1)") == "string or blob too big");
}

TEST_CASE("rows are shown as CSV and as a table, failures with their reason") {
  const auto database = through_a_file();
  CHECK(sweep::show_csv(database) ==
        "id,network,accelerator,system,memory_mode,params,inputs,cycles,milliseconds,macs,macs_per_cycle,memory0_reach,"
        "memory0_peak,memory0_bytes,memory1_reach,memory1_peak,memory1_bytes,outputs,error\n"
        "id0,\"net, \"\"a\"\"\",ethos-u55-128,sys,mode,\"{\"\"x\"\":2}\",\"set, 0\",11,0.125,12,128,13,14,15,16,17,"
        "9007199254740992,89abcdef,\n"
        "id1,named,,,,{},,,,,,,,,,,,,\"broke, badly\"\n"
        "id2,named,,,,{},,,,,,,,,,,,,missing (not run)\n");
  const auto text = sweep::show_text(database);
  CHECK_THAT(text, Catch::Contains("          11        0.125           13  {\"x\":2} set, 0 *\n"));
  CHECK_THAT(text, Catch::Contains(" ERROR: broke, badly\n"));
  CHECK_THAT(text, !Catch::Contains("{} "));
}

TEST_CASE("the front has the runs that none beats, and of equal ones the first") {
  std::vector<sweep::Row> runs;
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  for (int round = 0; round < 100; ++round) {
    runs.clear();
    for (int i = 0; i < 12; ++i) {
      const auto network = next(3) == 0 ? "b" : "a";
      const auto macs = next(9) == 0 ? std::nullopt : std::optional<std::int64_t>(32 * (1 + next(4)));
      const auto milliseconds = next(9) == 0 ? std::nullopt : std::optional<double>(next(5));
      runs.push_back(row(network, macs, milliseconds));
    }
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto counts = [&](const sweep::Row& r) { return r.network == "a" && r.macs_per_cycle && r.milliseconds; };
      bool best = counts(runs[i]);
      for (std::size_t j = 0; best && j < runs.size(); ++j) {
        if (j == i || !counts(runs[j])) continue;
        const bool less =
            runs[j].macs_per_cycle < runs[i].macs_per_cycle || runs[j].milliseconds < runs[i].milliseconds;
        if (runs[j].macs_per_cycle <= runs[i].macs_per_cycle && runs[j].milliseconds <= runs[i].milliseconds &&
            (less || j < i))
          best = false;
      }
      if (best) expected.push_back(i);
    }
    auto front = sweep::pareto_front(runs, "a");
    for (std::size_t i = 1; i < front.size(); ++i)
      CHECK(runs[front[i - 1]].macs_per_cycle < runs[front[i]].macs_per_cycle);
    std::ranges::sort(front);
    CHECK(front == expected);
  }
}

TEST_CASE("a page has every run, and layers of a network in one order") {
  sweep::Database database;
  for (const char* id : {"r0", "r1"}) {
    database.runs.push_back(row("net", 64, 2));
    database.runs.back().id = id;
    database.runs.back().params = "{\"x\":2}";
  }
  database.layers = {{"r0", "a", "", "", 0, 0, 5, 0, 0, 0}, {"r0", "b", "", "", 1, 0, 6, 0, 0, 0},
                     {"r0", "a", "", "", 2, 0, 7, 0, 0, 0}, {"r1", "b", "", "", 0, 0, 8, 0, 0, 0},
                     {"r1", "c", "", "", 1, 0, 9, 0, 0, 0}, {"gone", "d", "", "", 0, 0, 1, 0, 0, 0}};
  const auto page = sweep::show_html(database);
  const std::string open = "id=\"run\">";
  REQUIRE(page.find(open) != std::string::npos);
  const auto first = page.find(open) + open.size();
  const auto data = json::parse(page.substr(first, page.find("</script>", first) - first));
  CHECK(data.at("layers") == json{{"net", {"a", "b", "c"}}});
  CHECK(data.at("runs").at(0).at("layers") == json{12, 6});
  CHECK(data.at("runs").at(1).at("layers") == json{nullptr, 8, 9});
  CHECK(data.at("runs").at(1).at("params") == json{{"x", 2}});
}

TEST_CASE("engines start as many shards as are asked for, and the merge after them") {
  const auto text = [](const char* engine) { return checked(sweep::engine_text(engine, "s.toml", "out", 4)); };
  CHECK_THAT(text("slurm"), Catch::Contains("--array=0-3 ") && Catch::Contains("sweep merge s.toml -o out"));
  CHECK_THAT(text("snakemake"), Catch::Contains("range(4)") && Catch::Contains("{wildcards.k}/4 "));
  CHECK_THAT(text("parallel"), Catch::StartsWith("seq 0 3 |") && Catch::Contains("{}/4 "));
  CHECK_THAT(text("mpi"), Catch::StartsWith("mpirun -n 4 "));
  CHECK(sweep::engine_text("make", "s.toml", "out", 4).error().code == ErrorCode::kUsage);
}
