#include <string>

#include "tests/support/checked.hpp"
#include "workflow/calibrate/measurements.hpp"

// The measurement file of docs/FORMATS.md: what it means, and that a wrong one is an error that names the member.
using namespace macaw;
using namespace macaw::calibrate;

namespace {

/// A file with one measurement of these members besides the ones that every measurement needs.
std::string file_with(const std::string& members, const std::string& counters = R"("NPU_ACTIVE": {"value": 1000})") {
  return R"({"schema_version": 1, "measurements": [{"id": "a", "group": "g", "network": "n", "artifact": "n.npz",
    "accelerator": "ethos-u55-128", "set": "unseen", "counters": {)" +
         counters + "}" + members + "}]}";
}

Cell cell_of(const std::string& text) { return test::checked(parse_measurements(text, "dir/file.json")).cells.at(0); }

void check_refused(const std::string& text, const std::string& message) {
  const auto parsed = parse_measurements(text, "dir/file.json");
  INFO(text);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == ErrorCode::kInvalidFile);
  CHECK(parsed.error().place.file == "dir/file.json");
  CHECK_THAT(parsed.error().message, Catch::Contains(message));
}

}  // namespace

TEST_CASE("a measurement says what ran and what was around it") {
  const auto cell = cell_of(file_with(R"(, "system": "s", "memory_mode": "m", "timing_adapter": false,
    "overrides": {"axi1.read_latency": 250}, "inputs": ["in.npy"], "error_bar": true)"));
  CHECK(cell.artifact == "dir/n.npz");
  CHECK(cell.describe == "ethos-u55-128, n");
  CHECK(cell.options.system == "s");
  CHECK(cell.options.memory_mode == "m");
  CHECK_FALSE(cell.options.timing_adapter);
  CHECK(cell.options.params == std::vector<std::pair<std::string, double>>{{"axi1.read_latency", 250}});
  CHECK(cell.inputs == std::vector<std::filesystem::path>{"dir/in.npy"});
  CHECK(cell.error_bar);
  CHECK_FALSE(cell.fitted);
}

TEST_CASE("cycles and counters keep value, resolution and tolerance") {
  const auto cell = cell_of(file_with("", R"("NPU_TOTAL": {"value": 9086, "resolution": 1000},
    "MAC_ACTIVE": {"value": 40, "tolerance": 0.002})"));
  REQUIRE(cell.cycles);
  CHECK(cell.cycles->value == 9086);
  CHECK(cell.cycles->resolution == 1000);
  CHECK(cell.cycles->total);
  CHECK_FALSE(cell.cycles->tolerance);
  REQUIRE(cell.expected.size() == 1);
  CHECK(cell.expected[0].value == 40);
  CHECK(cell.expected[0].tolerance == 0.002);
}

TEST_CASE("a member that is not known is an error with its path and a near name") {
  check_refused(R"({"schema_version": 1, "measurments": []})",
                "measurments is not known; did you mean 'measurements'?");
  check_refused(file_with(R"(, "memory_mod": "x")"),
                "measurements[0].memory_mod is not known; did you mean 'memory_mode'?");
  check_refused(file_with("", R"("NPU_ACTIVE": {"value": 1, "toleranse": 0})"),
                "measurements[0].counters.NPU_ACTIVE.toleranse is not known; did you mean 'tolerance'?");
}

TEST_CASE("a member that is missing, of another type or out of range is an error with its path") {
  check_refused("{}", "schema_version must be 1");
  check_refused("[]", "the file must be an object");
  check_refused(R"({"schema_version": 1, "measurements": []})", "measurements must list at least one");
  check_refused(R"({"schema_version": 1, "measurements": {}})", "measurements must be a list");
  check_refused(R"({"schema_version": 1, "measurements": [3]})", "measurements[0] must be an object");
  check_refused(R"({"schema_version": 1, "measurements": [{}]})", "measurements[0].id must be a text");
  check_refused(file_with(R"(, "overrides": {"axi0.pulse_on": "x"})"), "overrides.axi0.pulse_on must be a number");
  check_refused(file_with(R"(, "inputs": [1])"), "inputs[0] must be a text");
  check_refused(file_with(R"(, "timing_adapter": "off")"), "timing_adapter must be true or false");
  check_refused(file_with("", ""), "counters must have at least one counter");
  check_refused(file_with("", R"("NPU_ACTIVE": {})"), "counters.NPU_ACTIVE.value is missing");
  check_refused(file_with("", R"("NPU_ACTIVE": {"value": -1})"), "counters.NPU_ACTIVE.value must be a number from 0");
  check_refused(file_with("", R"("NPU_ACTIVE": {"value": 5, "resolution": 6})"), "resolution must be a number");
  check_refused(file_with("", R"("MAC_ACTIVE": {"value": 1.5})"), "MAC_ACTIVE.value must be an integer");
  check_refused(file_with("", R"("NPU_ACTIVE": {"value": 0.5})"), "NPU_ACTIVE.value must be at least 1");
  CHECK(cell_of(file_with("", R"("NPU_ACTIVE": {"value": 1})")).cycles->value == 1);
  CHECK(cell_of(file_with("", R"("NPU_ACTIVE": {"value": 5, "resolution": 5})")).cycles->resolution == 5);
}

TEST_CASE("names that mean nothing are errors") {
  check_refused(file_with("", R"("MAC_ACTIV": {"value": 1})"), "counters.MAC_ACTIV is no PMU event of ethos-u55-128");
  check_refused(file_with("", R"("SRAM_RD_DATA_BEAT_RECEIVED": {"value": 1})"), "is no PMU event of ethos-u55-128");
  check_refused(file_with("", R"("NPU_ACTIVE": {"value": 1}, "NPU_TOTAL": {"value": 1})"),
                "stands beside other cycles");
}

TEST_CASE("a measurement that says two things is an error") {
  check_refused(file_with(R"(, "id": "b")"), "member 'id' is given twice");
  const std::string one =
      R"({"id": "a", "group": "g", "network": "n", "artifact": "n.npz", "accelerator": "ethos-u55-128",
    "set": "unseen", "counters": {"NPU_ACTIVE": {"value": 1}}})";
  check_refused(R"({"schema_version": 1, "measurements": [)" + one + "," + one + "]}",
                "measurements[1].id 'a' is given twice");
}

TEST_CASE("a fit needs cycles") {
  auto text = file_with("", R"("MAC_ACTIVE": {"value": 1})");
  text.replace(text.find("unseen"), 6, "fit");
  check_refused(text, "there are no cycles to fit on");
  check_refused(file_with(R"(, "error_bar": true)", R"("MAC_ACTIVE": {"value": 1})"),
                "error_bar is true, but there are");
  CHECK_FALSE(cell_of(file_with("", R"("MAC_ACTIVE": {"value": 1})")).cycles);
}

TEST_CASE("hostile text is an error") {
  check_refused("", "not a JSON file");
  check_refused(R"({"schema_version": 1)", "not a JSON file");
  check_refused(std::string(1'000'000, '['), "more than 16 levels");
  check_refused("{\"schema_version\": 1, \"measurements\": \"\xff\"}", "not a JSON file");
}

TEST_CASE("whatever is cut from or put into a file, reading it ends in a value or a coded error") {
  const auto whole = file_with(R"(, "overrides": {"axi1.read_latency": 250}, "outputs": ["out.npy"])");
  unsigned refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const auto& text :
         {whole.substr(0, at), whole.substr(0, at) + whole.substr(at + 1), whole.substr(0, at) + "9" + whole.substr(at),
          whole.substr(0, at) + "null" + whole.substr(at)}) {
      const auto parsed = parse_measurements(text, "dir/file.json");
      if (parsed) continue;
      ++refused;
      REQUIRE(parsed.error().code == ErrorCode::kInvalidFile);
      REQUIRE_FALSE(parsed.error().message.empty());
    }
  CHECK(refused > whole.size());
}
