#include "sim/config/vela_config.hpp"
#include "sim/config/setup.hpp"
#include "tests/support/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace macaw::npu;

namespace {

const std::string kIni = R"(; a comment
[System_Config.Base]
core_clock=400e6
axi0_port=Sram
axi1_port=OffChipFlash
Sram_clock_scale=1.0
Sram_ports_used=2
Sram_burst_length=32
Sram_read_latency=20
Sram_write_latency=21
Sram_max_reads=8
Sram_max_writes=9
OffChipFlash_clock_scale=0.25
OffChipFlash_burst_length=128
OffChipFlash_read_latency=64
OffChipFlash_max_reads=2

[System_Config.Fast]
inherit=System_Config.Base
core_clock=1e9
OffChipFlash_read_latency=10

[Memory_Mode.All0]
const_mem_area=Axi0
arena_mem_area=Axi0
cache_mem_area=Axi0

[Memory_Mode.Split]
inherit=Memory_Mode.All0
const_mem_area=Axi1
arena_mem_area=Axi1
arena_cache_size=262144
)";

VelaConfig parsed(const std::string& text) {
  auto config = VelaConfig::parse(text, "vela.ini");
  if (!config) FAIL(config.error().to_string());
  return std::move(*config);
}

std::string system_error(const std::string& lines) {
  const auto system = parsed("[System_Config.A]\n" + lines).system("A");
  REQUIRE_FALSE(system);
  CHECK(system.error().code == macaw::ErrorCode::kInvalidFile);
  CHECK(system.error().place.file == "vela.ini");
  return system.error().message;
}

std::string form_error(const std::string& text) {
  const auto config = VelaConfig::parse(text, "vela.ini");
  REQUIRE_FALSE(config);
  CHECK(config.error().code == macaw::ErrorCode::kInvalidFile);
  CHECK(config.error().place.file == "vela.ini");
  return config.error().message;
}

/// A file for the time of a test.
struct IniFile {
  macaw::test::TemporaryFolder folder;
  std::filesystem::path path = folder / "vela.ini";
  explicit IniFile(const std::string& text) { std::ofstream(path) << text; }
};

}  // namespace

TEST_CASE("a Vela system becomes two memories") {
  const auto config = parsed(kIni);
  CHECK(config.systems() == std::vector<std::string>{"Base", "Fast"});
  const auto system = config.system("Base");
  REQUIRE(system);
  CHECK(system->clock_hz == 400e6);
  CHECK(system->memory[0] == MemoryTiming{.max_reads = 8,
                                          .max_writes = 9,
                                          .read_latency = 20,
                                          .write_latency = 21,
                                          .beats_per_cycle = 2,
                                          .least_bytes = 32});
  CHECK(system->memory[1] ==
        MemoryTiming{.max_reads = 2, .read_latency = 64, .beats_per_cycle = 0.25, .least_bytes = 128});
}

TEST_CASE("more transactions than an adapter's register holds do not limit") {
  for (const auto& [given, limit] : {std::pair("1", 1U), {"63", 63U}, {"64", 0U}, {"65535", 0U}}) {
    const auto config =
        parsed("[System_Config.A]\naxi0_port=Sram\naxi1_port=Dram\nDram_max_writes=" + std::string(given));
    const auto system = config.system("A");
    REQUIRE(system);
    CHECK(system->memory[1].max_writes == limit);
  }
}

TEST_CASE("a section overrides what it inherits") {
  const auto fast = parsed(kIni).system("Fast");
  REQUIRE(fast);
  CHECK(fast->clock_hz == 1e9);
  CHECK(fast->memory[1].read_latency == 10);
  CHECK(fast->memory[1].max_reads == 2);
}

TEST_CASE("a Vela memory mode becomes regions") {
  const auto config = parsed(kIni);
  CHECK(config.modes() == std::vector<std::string>{"All0", "Split"});
  const auto split = config.mode("Split");
  REQUIRE(split);
  CHECK(split->side(-1) == 1);
  CHECK(split->side(0) == 1);
  CHECK(split->side(1) == 1);
  CHECK(split->side(2) == 0);
  const auto all0 = config.mode("All0");
  REQUIRE(all0);
  for (int region = -1; region < 8; ++region) CHECK(all0->side(region) == 0);
}

TEST_CASE("each area of a Vela memory mode has the codes of Macaw's own modes") {
  struct Row {
    const char *constants, *arena, *cache;
    int stream, region1, others;
  };
  for (const Row& row : {Row{"Axi0", "Axi0", "Axi0", 0, 0, 1},
                         {"Axi1", "Axi0", "Axi0", 3, 0, 1},
                         {"Axi0", "Axi1", "Axi0", 0, 3, 1},
                         {"Axi0", "Axi0", "Axi1", 0, 0, 3},
                         {"Axi1", "Axi1", "Axi1", 3, 3, 3}}) {
    const auto mode = parsed(std::string("[Memory_Mode.A]\nconst_mem_area=") + row.constants +
                             "\narena_mem_area=" + row.arena + "\ncache_mem_area=" + row.cache + "\n")
                          .mode("A");
    REQUIRE(mode);
    CAPTURE(row.constants, row.arena, row.cache);
    CHECK(mode->qconfig == row.stream);
    const int o = row.others;
    CHECK(mode->regioncfg == std::array{row.stream, row.region1, o, o, o, o, o, o});
  }
}

TEST_CASE("lines and names are as long as the parser's buffers") {
  const auto line = [](std::size_t size) { return "[System_Config.A]\na=" + std::string(size - 2, '1') + "\n"; };
  CHECK(VelaConfig::parse(line(198), "vela.ini"));
  CHECK(form_error(line(199)).find("line 2") != std::string::npos);
  for (const std::string before : {"", "["})
    for (const std::size_t size : {48U, 49U}) {
      const bool section = !before.empty();
      const std::string start = section ? "[Memory_Mode." : "[System_Config.A]\n";
      const std::size_t used = section ? start.size() : 0;
      const auto config =
          VelaConfig::parse(start + std::string(size - used, 'x') + (section ? "]\na=1\n" : "=1\n"), "vela.ini");
      CAPTURE(before, size);
      CHECK(config.has_value() == (size == 48));
    }
  // A comment is as long as a line.
  CHECK(VelaConfig::parse("; " + std::string(190, 'x') + "=\n[System_Config.A]\na=1\n", "vela.ini"));
}

TEST_CASE("numbers of a Vela system have limits, and defaults where there is none") {
  const std::string ports = "[System_Config.A]\naxi0_port=Sram\naxi1_port=Dram\n";
  const auto system = parsed(ports).system("A");
  REQUIRE(system);
  CHECK(system->clock_hz == 1);
  CHECK(system->memory[0] == MemoryTiming{.beats_per_cycle = 1});
  struct Row {
    const char* line;
    bool holds;
  };
  for (const Row& row : {Row{"core_clock=1e12", true},
                         {"core_clock=1.1e12", false},
                         {"core_clock=0", false},
                         {"Sram_clock_scale=16", true},
                         {"Sram_clock_scale=16.5", false},
                         {"Sram_ports_used=16", true},
                         {"Sram_ports_used=17", false},
                         {"Sram_burst_length=65536", true},
                         {"Sram_burst_length=65537", false},
                         {"Sram_read_latency=4095", true},
                         {"Sram_read_latency=4096", false},
                         {"Sram_max_reads=65535", true},
                         {"Sram_max_reads=65536", false},
                         {"core_clock=1x", false}}) {
    CAPTURE(row.line);
    CHECK(parsed(ports + row.line + "\n").system("A").has_value() == row.holds);
  }
  // No port is one port.
  CHECK(parsed(ports + "Sram_ports_used=0\n").system("A")->memory[0].beats_per_cycle == 1);
}

TEST_CASE("what is wrong with a Vela file is named") {
  const std::string ports = "axi0_port=Sram\naxi1_port=Dram\n";
  CHECK(system_error("axi0_port=Sram\n").find("'axi1_port' is missing") != std::string::npos);
  CHECK(system_error("axi0_port=Sarm\naxi1_port=Dram\n").find("did you mean 'Sram'") != std::string::npos);
  CHECK(system_error(ports + "Sram_read_latencies=1\n").find("did you mean 'Sram_read_latency'") != std::string::npos);
  CHECK(system_error(ports + "Dram_read_latency=-1\n").find("'Dram_read_latency' is '-1'") != std::string::npos);
  CHECK(system_error(ports + "Dram_clock_scale=fast\n").find("'Dram_clock_scale'") != std::string::npos);
  CHECK(system_error(ports + "Dram_clock_scale=0\n").find("above 0") != std::string::npos);
  CHECK(system_error("inherit=System_Config.A\n").find("inherits from itself") != std::string::npos);
  std::string chain = "inherit=System_Config.S1\n";
  for (int i = 1; i < 5000; ++i)
    chain += "[System_Config.S" + std::to_string(i) + "]\ninherit=System_Config.S" + std::to_string(i + 1) + "\n";
  CHECK(system_error(chain).find("inherits through more than 100 sections") != std::string::npos);
  CHECK(system_error("inherit=System_Config.B\n").find("names no section") != std::string::npos);
  CHECK(form_error("").find("neither") != std::string::npos);
  CHECK(form_error("[Other]\na=1\n").find("[Other]") != std::string::npos);
  CHECK(form_error("[System_Config.A]\nno equals sign\n").find("line 2") != std::string::npos);
  CHECK(form_error("[System_Config.A]\na=1\na=2\n").find("given twice") != std::string::npos);
  CHECK(form_error("[System_Config." + std::string(60, 'x') + "]\na=1\n").find("line 1") != std::string::npos);
  CHECK(form_error("[System_Config.A]\na=" + std::string(300, '1') + "\n").find("line 2") != std::string::npos);
}

TEST_CASE("a changed Vela file ends in a system or in an error about the file") {
  std::size_t refused = 0, read = 0;
  for (std::size_t at = 0; at < kIni.size(); ++at)
    for (const char c : {'\0', '[', ']', '=', '\n', '9', '-', '\xff'}) {
      std::string text = kIni;
      text[at] = c;
      const auto config = VelaConfig::parse(text, "vela.ini");
      if (!config) {
        REQUIRE(config.error().code == macaw::ErrorCode::kInvalidFile);
        ++refused;
        continue;
      }
      for (const auto& name : config->systems()) {
        const auto system = config->system(name);
        if (!system) REQUIRE(system.error().code == macaw::ErrorCode::kInvalidFile);
        ++(system ? read : refused);
      }
      for (const auto& name : config->modes()) {
        const auto mode = config->mode(name);
        if (!mode) REQUIRE(mode.error().code == macaw::ErrorCode::kInvalidFile);
      }
    }
  CHECK(refused > 100);
  CHECK(read > 100);
}

TEST_CASE("a run takes systems and modes from the user's file and from Macaw") {
  const IniFile file(kIni);
  const Accelerator& u55 = *find_accelerator("ethos-u55-128");
  const SetupRequest request{
      .system = "Fast", .memory_mode = "Split", .vela_config = file.path.string(), .overrides = {}};
  const auto own = resolve_setup(u55, request);
  REQUIRE(own);
  CHECK(own->system.name == "Fast");
  CHECK(own->mode.side(1) == 1);
  CHECK(own->mode.fast_memory() == 262144U);
  CHECK(own->mode_source == file.path.string());
  auto mixed = request;
  mixed.system = "corstone-300-u55";
  mixed.memory_mode = "Sram_Only";
  REQUIRE(resolve_setup(u55, mixed));
  CHECK(resolve_setup(u55, mixed)->system.memory[1].pulse_on == 320);
  auto modeless = request;
  modeless.memory_mode = "";
  for (const auto& [name, mode] : {std::pair{"ethos-u55-128", "Shared_Sram"}, {"ethos-u85-256", "Dedicated_Sram"}}) {
    const auto chosen = resolve_setup(*find_accelerator(name), modeless);
    REQUIRE(chosen);
    CHECK(chosen->mode.name == mode);
  }
  auto none = request;
  none.system = "";
  CHECK(resolve_setup(u55, none).error().message.find("'Base', 'Fast'") != std::string::npos);
  none.system = "Fasr";
  CHECK(resolve_setup(u55, none).error().message.find("did you mean 'Fast'") != std::string::npos);
}

TEST_CASE("a memory mode of the user's file comes before one of the same name") {
  const IniFile file("[Memory_Mode.Sram_Only]\nconst_mem_area=Axi1\narena_mem_area=Axi1\ncache_mem_area=Axi1\n");
  const auto setup = resolve_setup(*find_accelerator("ethos-u55-128"),
                                   {.memory_mode = "Sram_Only", .vela_config = file.path.string(), .overrides = {}});
  REQUIRE(setup);
  CHECK(setup->mode.qconfig == 3);
  CHECK(setup->mode_source == file.path.string());
}
