#include "sim/config/system_config.hpp"
#include "sim/config/vela_config.hpp"
#include "tests/support/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace macaw::npu;

namespace {

const std::string kMinimal = "clock_hz = 1e9\ndefault_memory_mode = \"Sram_Only\"\n[axi0]\n[axi1]\n";

std::string error_of(const std::string& toml) {
  const auto result = parse_system_config(toml, "test");
  REQUIRE_FALSE(result);
  CHECK(result.error().code == macaw::ErrorCode::kInvalidFile);
  return result.error().message;
}

/// Parts of a source that ends in "OWNER/REPOSITORY@COMMIT path/of/file.ini".
std::filesystem::path vendor_file(const std::filesystem::path& folder, const std::string& source) {
  const auto name = std::filesystem::path(source).filename();
  const auto at = source.rfind('@');
  const auto slash = source.rfind('/', at) + 1;
  const auto own = folder / source.substr(slash, at - slash) / name;
  return std::filesystem::exists(own) ? own : folder / name;
}

}  // namespace

TEST_CASE("a system says how far it was off where it was measured, and which of its memories are engines") {
  const auto system = parse_system_config("measured_ratios = [0.9, 1.05, 1]\nfitted_values = 2\n" + kMinimal +
                                              "engine = \"open_rows\"\nengine_setup = \"15 45\"\n",
                                          "test");
  REQUIRE(system);
  CHECK(system->measured_ratios == std::vector{0.9, 1.05, 1.0});
  CHECK(system->fitted_values == 2);
  CHECK(system->memory[0].engine.empty());
  CHECK(system->memory[1].engine == "open_rows");
  CHECK(system->memory[1].engine_setup == "15 45");
  CHECK(error_of("measured_ratios = []\n" + kMinimal).find("measured_ratios") != std::string::npos);
  CHECK(error_of("measured_ratios = [0]\n" + kMinimal).find("from 0.01 to 100") != std::string::npos);
  CHECK(error_of("measured_ratios = [1, 1]\nfitted_values = 2\n" + kMinimal).find("from 0 to 1") != std::string::npos);
  CHECK(error_of("measured_ratios = [1]\nfitted_values = 1\n" + kMinimal).find("from 0 to 0") != std::string::npos);
  CHECK(error_of("fitted_values = 1\n" + kMinimal).find("needs measured_ratios") != std::string::npos);
  CHECK(error_of(kMinimal + "engine = \"a/b\"\n").find("'axi1.engine'") != std::string::npos);
  CHECK(error_of(kMinimal + "engine = 1\n").find("'axi1.engine' must be a text") != std::string::npos);
  for (const char* own : {"traffic = 0.5", "least_bytes = 32", "beats_per_cycle = 0.5"})
    CHECK(error_of(kMinimal + "engine = \"a\"\n" + own + "\n").find("engine's own") != std::string::npos);
  // All measurements were made behind the timing adapter.
  CHECK(without_timing_adapter(*system).measured_ratios.empty());
  CHECK(error_of(kMinimal + "engine_setup = \"a\"\n").find("needs an engine") != std::string::npos);
}

TEST_CASE("every system that is built in can be read") {
  const auto names = system_config_names();
  CHECK(names.size() >= 3);
  for (const auto& name : names) {
    CAPTURE(name);
    CHECK(load_system_config(name));
  }
}

TEST_CASE("Corstone-300 with U55: profile of the timing adapter") {
  const auto config = load_system_config("corstone-300-u55");
  REQUIRE(config);
  CHECK(config->memory[0] == MemoryTiming{8, 8, 0, 32, 32, 3999, 1, 4000});
  CHECK(config->memory[1] == MemoryTiming{2, 0, 0, 64, 0, 320, 80, 50});
  CHECK(without_timing_adapter(*config).memory[1] == MemoryTiming{});
  const auto ideal = load_system_config("ideal");
  REQUIRE(ideal);
  CHECK(ideal->memory[0] == MemoryTiming{});
}

// timing 1.4, table "Region to port".
TEST_CASE("memory modes send regions to sides") {
  const auto config = load_system_config("corstone-300-u65");
  REQUIRE(config);
  const auto sides = [&](const char* name) {
    const auto mode = config->find_mode(name);
    REQUIRE(mode);
    return std::array<int, 4>{mode->side(-1), mode->side(0), mode->side(1), mode->side(2)};
  };
  CHECK(sides("Shared_Sram") == std::array<int, 4>{1, 1, 0, 0});
  CHECK(sides("Dedicated_Sram") == std::array<int, 4>{1, 1, 1, 0});
  CHECK(sides("Dedicated_Sram_384KB") == std::array<int, 4>{1, 1, 1, 0});
  CHECK(sides("Sram_Only") == std::array<int, 4>{0, 0, 0, 0});
  for (const char* none : {"Dedicated_Sram_KB", "Dedicated", "Dedicated_Sram_384MB", "Dedicated_Sram_384",
                           "Dedicated_Sram384KB", "Dedicated_Sram_38xKB", "Dedicated_Sram_-1KB", "_384KB", ""}) {
    CAPTURE(none);
    CHECK_FALSE(config->find_mode(none));
  }
}

TEST_CASE("a mode leaves fast memory to a compiler where the arena lies in slower memory") {
  const auto config = parse_system_config(
      kMinimal +
          "[memory_modes.Free]\nqconfig = 3\nregioncfg = [3, 3, 1, 1, 1, 1, 1, 1]\n"
          "[memory_modes.Turned]\nqconfig = 3\nregioncfg = [3, 0, 3, 1, 1, 1, 1, 1]\narena_cache_size = 64\n"
          "[memory_modes.None]\nqconfig = 3\nregioncfg = [3, 3, 1, 1, 1, 1, 1, 1]\narena_cache_size = 0\n",
      "test");
  REQUIRE(config);
  const auto bytes = [&](const char* name) { return config->find_mode(name)->fast_memory(); };
  CHECK(bytes("Dedicated_Sram") == 384U * 1024);
  CHECK(bytes("Dedicated_Sram_512KB") == 512U * 1024);
  CHECK(bytes("Dedicated_Sram_0KB") == 0U);
  CHECK_FALSE(bytes("Shared_Sram"));
  CHECK_FALSE(bytes("Shared_Sram_512KB"));
  CHECK_FALSE(bytes("Sram_Only"));
  CHECK(bytes("Free") == UINT64_MAX);
  CHECK_FALSE(bytes("Turned"));
  CHECK(bytes("None") == 0U);
  for (const char* wrong : {"-1", "1.5", "\"384KB\""})
    CHECK(error_of(kMinimal + "[memory_modes.Own]\nqconfig = 1\nregioncfg = [0, 3, 0, 0, 0, 0, 0, 0]\n" +
                   "arena_cache_size = " + wrong + "\n")
              .find("arena_cache_size") != std::string::npos);
}

TEST_CASE("errors name the key") {
  REQUIRE(parse_system_config(kMinimal, "test"));
  CHECK(error_of(kMinimal + "read_latencies = 3\n").find("'axi1.read_latencies' is not known") != std::string::npos);
  CHECK(error_of("colour = 1\n" + kMinimal).find("'colour'") != std::string::npos);
  CHECK(parse_system_config(kMinimal + "read_latency = 4095\ntraffic = 0.95\n", "test")->memory[1].traffic == 0.95);
  CHECK(error_of(kMinimal + "traffic = 0.951\n").find("'axi1.traffic'") != std::string::npos);
  CHECK(error_of(kMinimal + "read_latency = 4096\n").find("'axi1.read_latency'") != std::string::npos);
  CHECK(error_of(kMinimal + "read_latency = -1\n").find("'axi1.read_latency'") != std::string::npos);
  CHECK(error_of(kMinimal + "read_latency = 1.5\n").find("'axi1.read_latency'") != std::string::npos);
  CHECK(error_of(kMinimal + "pulse_on = 100\n").find("pulse_off") != std::string::npos);
  CHECK(error_of(kMinimal + "partial_write_cycles = 4\n").find("beats_per_cycle") != std::string::npos);
  CHECK(error_of(kMinimal + "separate_pixels = 2\n").find("'axi1.separate_pixels'") != std::string::npos);
  CHECK(error_of("default_memory_mode = \"Sram_Only\"\n[axi0]\n[axi1]\n").find("'clock_hz'") != std::string::npos);
  CHECK(error_of("clock_hz = 1e9\ndefault_memory_mode = \"Sram_Only\"\n[axi0]\n").find("'axi1'") != std::string::npos);
  CHECK(error_of("clock_hz = 1e9\ndefault_memory_mode = \"Sram\"\n[axi0]\n[axi1]\n").find("memory mode") !=
        std::string::npos);
  CHECK(error_of("clock_hz = \n").find("line 1") != std::string::npos);
  CHECK(error_of(kMinimal + "[memory_modes.Own]\nqconfig = 1\nregioncfg = [0, 4, 0, 0, 0, 0, 0, 0]\n")
            .find("regioncfg") != std::string::npos);
  CHECK(parse_system_config(kMinimal + "[cpu]\ncore = \"cortex-m55\"\nclock_hz = 1e8\n", "test"));
  for (const auto* value : {"5", "true", "[]"})
    CHECK(error_of(kMinimal + "[cpu]\ncore = " + value + "\n").find("'cpu.core' must be a text") != std::string::npos);
  CHECK(error_of(kMinimal + "[cpu]\nclock_hz = \"fast\"\n").find("'cpu.clock_hz'") != std::string::npos);
}

TEST_CASE("a user's file may bring a memory mode of its own") {
  const macaw::test::TemporaryFolder folder;
  const auto file = folder / "system.toml";
  std::ofstream(file) << kMinimal << "[memory_modes.Own]\nqconfig = 1\nregioncfg = [0, 2, 0, 0, 0, 0, 0, 3]\n";
  const auto config = load_system_config(file.string());
  std::filesystem::remove(file);
  REQUIRE(config);
  const auto mode = config->find_mode("Own");
  REQUIRE(mode);
  CHECK(mode->side(1) == 1);
  CHECK(mode->side(2) == 0);
  CHECK(mode->side(7) == 1);
  CHECK(load_system_config("no-such-system").error().code == macaw::ErrorCode::kUsage);
  CHECK(load_system_config(file.string()).error().code == macaw::ErrorCode::kIo);
}

// MACAW_VELA_FILES names a folder with the vendors' files (ensemble_vela.ini, ambiq_final.ini, vela.ini ...); of files
// of one name, each is in a folder that is called as its repository ("ethos-u-vela/vela.ini").
TEST_CASE("a system taken from a vendor's file has the file's clock and memories") {
  const char* folder = std::getenv("MACAW_VELA_FILES");
  if (folder == nullptr) {
    WARN("skipped: MACAW_VELA_FILES is not set");
    return;
  }
  for (const auto& name : system_config_names()) {
    auto config = load_system_config(name);
    REQUIRE(config);
    if (config->vela_system.empty() || !config->source.ends_with(".ini")) continue;
    CAPTURE(name, config->source);
    const auto path = vendor_file(folder, config->source);
    if (!std::filesystem::exists(path)) {
      WARN("skipped: " << path << " is not there");
      continue;
    }
    const auto file = VelaConfig::load(path);
    REQUIRE(file);
    if (std::ranges::count(file->systems(), config->vela_system) == 0) {
      WARN("skipped: " << path << " has no " << config->vela_system);
      continue;
    }
    const auto theirs = file->system(config->vela_system);
    REQUIRE(theirs);
    CHECK(config->clock_hz == theirs->clock_hz);
    // Parameters that a compiler does not need come from measurements.
    for (auto& memory : config->memory) memory.partial_write_cycles = memory.separate_pixels = 0;
    CHECK(config->memory == theirs->memory);
  }
}

TEST_CASE("every built-in system says where it is from, how sure that is and what it was held against") {
  for (const auto& name : system_config_names()) {
    CAPTURE(name);
    const auto config = load_system_config(name);
    REQUIRE(config);
    CHECK_FALSE(config->source.empty());
    CHECK_FALSE(config->confidence.empty());
    CHECK_FALSE(config->checked_against.empty());
    for (const auto& accelerator : config->accelerators) CHECK(find_accelerator(accelerator) != nullptr);
  }
}

TEST_CASE("a confidence that the project does not know is refused") {
  CHECK(error_of("confidence = \"sure\"\n" + kMinimal) ==
        "key 'confidence' must be one of exact, vendor, fitted, assumed");
}

TEST_CASE("a system's own memory mode replaces the common one of that name") {
  const auto config = parse_system_config(
      kMinimal + "[memory_modes.Sram_Only]\nqconfig = 2\nregioncfg = [1, 2, 3, 0, 1, 2, 3, 0]\n", "test");
  REQUIRE(config);
  REQUIRE(config->find_mode("Sram_Only"));
  CHECK(config->find_mode("Sram_Only")->qconfig == 2);
  CHECK(std::ranges::count(config->modes, std::string("Sram_Only"), &MemoryMode::name) == 1);
}

TEST_CASE("numbers of a system reach their limits and no further") {
  struct Row {
    std::string before, after;
    bool holds;
  };
  const std::string rest = "default_memory_mode = \"Sram_Only\"\n[axi0]\n[axi1]\n";
  const std::string regions = "regioncfg = [0, 0, 0, 0, 0, 0, 0, 3]\n";
  for (const Row& row : {Row{"clock_hz = 1e12\n" + rest, "", true},
                         {"clock_hz = 1.001e12\n" + rest, "", false},
                         {"clock_hz = 0\n" + rest, "", false},
                         {"clock_hz = 1e-3\n" + rest, "", true},
                         {"measured_ratios = [0.01, 100]\n" + kMinimal, "", true},
                         {"measured_ratios = [0.0099]\n" + kMinimal, "", false},
                         {"measured_ratios = [100.1]\n" + kMinimal, "", false},
                         {"measured_ratios = [1, 1]\nfitted_values = -1\n" + kMinimal, "", false},
                         {kMinimal, "max_reads = 63\n", true},
                         {kMinimal, "max_reads = 64\n", false},
                         {kMinimal, "beats_per_cycle = 16\n", true},
                         {kMinimal, "beats_per_cycle = 16.1\n", false},
                         {kMinimal, "beats_per_cycle = 1e-4\n", true},
                         {kMinimal, "beats_per_cycle = 0.9e-4\n", false},
                         {kMinimal, "bandwidth_cap = 1\n", false},
                         {kMinimal, "bandwidth_cap = 1\npulse_on = 1\npulse_off = 1\n", true},
                         {kMinimal, "pulse_off = 1\n", false},
                         {kMinimal, "[memory_modes.Own]\nqconfig = 3\n" + regions, true},
                         {kMinimal, "[memory_modes.Own]\nqconfig = 4\n" + regions, false},
                         {kMinimal, "[memory_modes.Own]\nqconfig = -1\n" + regions, false},
                         {kMinimal, "[memory_modes.Own]\nqconfig = 0\nregioncfg = [0, 0, 0, 0, 0, 0, 0]\n", false}}) {
    CAPTURE(row.before, row.after);
    CHECK(parse_system_config(row.before + row.after, "test").has_value() == row.holds);
  }
}
