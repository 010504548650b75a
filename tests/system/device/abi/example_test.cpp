#include <macaw/npu/registers.hpp>
#include <macaw/npu/timed_simulator.hpp>
#include <macaw/npy.hpp>

#include "sim/config/system_config.hpp"
#include "sim/isa/pmu_events.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

// examples/device, a program in C11, runs the bundled command streams by registers; what it leaves is held against the
// simulator run directly.
using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr std::uint64_t kBase = 0x20000000;

/// A network as the example takes it: an image of all memories, and the registers of the job.
struct Image {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> places;
  std::string script;

  void write(const std::string& name, std::uint64_t value, unsigned word = 0) {
    script += fmt::format("{} {} {:x}\n", name, word, static_cast<std::uint32_t>(value));
  }
  void write64(const std::string& name, std::uint64_t value, unsigned word = 0) {
    write(name, value, word);
    write(name, value >> 32, word + 1);
  }
};

void lay_out_memories(Image& image, const Artifact& artifact, const Tensor& input, const CommandStream& stream) {
  const auto up = [](std::uint64_t n) { return (n + 4095) / 4096 * 4096; };
  for (const auto& one : artifact.memories) {
    image.places.push_back(image.bytes.size());
    image.bytes.resize(image.bytes.size() + up(one.size));
    std::copy(one.initial.begin(), one.initial.end(),
              image.bytes.begin() + static_cast<std::ptrdiff_t>(image.places.back()));
  }
  image.places.push_back(image.bytes.size());
  image.bytes.resize(image.bytes.size() + stream.words.size() * 4);
  std::memcpy(image.bytes.data() + image.places.back(), stream.words.data(), stream.words.size() * 4);
  const auto& to = artifact.inputs.at(0);
  std::memcpy(image.bytes.data() + image.places[static_cast<std::size_t>(to.memory)] + to.offset, input.bytes().data(),
              input.bytes().size());
}

void write_memory_settings(Image& image, Family family, const MemoryMode& mode) {
  if (family == Family::kU85) {
    for (unsigned i = 2; i < 4; ++i) image.write("MEM_ATTR", 4, i);
    for (const char* name : {"AXI_SRAM", "AXI_EXT"}) image.write(name, 0x00021f3f);
  } else {
    for (unsigned i = 0; i < 4; ++i)
      image.write(fmt::format("AXI_LIMIT{}", i), family == Family::kU55 ? 0x0f1f0000 : 0x1f3f0001);
  }
  image.write("QCONFIG", static_cast<std::uint64_t>(mode.qconfig));
  std::uint64_t regions = 0;
  for (unsigned i = 0; i < 8; ++i) regions |= static_cast<std::uint64_t>(mode.regioncfg[i]) << (2 * i);
  image.write("REGIONCFG", regions);
}

void write_job(Image& image, const CommandStream& stream) {
  image.write64("QBASE", kBase + image.places.back());
  image.write("QSIZE", stream.words.size() * 4);
  for (unsigned r = 0; r < 8; ++r)
    if (stream.regions[r].memory >= 0)
      image.write64("BASEP",
                    kBase + image.places[static_cast<std::size_t>(stream.regions[r].memory)] + stream.regions[r].offset,
                    2 * r);
  image.write("CMD", 0xd);
}

/// Runs the example and returns what it prints, by name.
std::map<std::string, std::uint64_t> run_example(const Accelerator& accelerator, const std::string& system,
                                                 Image& image) {
  const macaw::test::TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  std::ofstream(path("memory"), std::ios::binary)
      .write(reinterpret_cast<const char*>(image.bytes.data()), static_cast<std::streamsize>(image.bytes.size()));
  std::ofstream(path("script")) << image.script;
  const std::string command = fmt::format("{} {} {} {} {} {} {} > {}", MACAW_DEVICE_EXAMPLE, accelerator.name, system,
                                          path("memory"), kBase, path("script"), path("result"), path("printed"));
  REQUIRE(std::system(command.c_str()) == 0);  // NOLINT: single-threaded
  std::map<std::string, std::uint64_t> printed;
  std::ifstream in(path("printed"));
  for (std::string name, value; in >> name >> value;) printed[name] = std::stoull(value);
  std::ifstream result(path("result"), std::ios::binary);
  result.read(reinterpret_cast<char*>(image.bytes.data()), static_cast<std::streamsize>(image.bytes.size()));
  REQUIRE(result);
  return printed;
}

void run_bundled(const char* name, const char* system, const char* mode_name, const std::vector<std::string>& events) {
  const std::filesystem::path folder = "traces/tiny_cnn";
  const auto artifact = load_artifact(folder / name / "tiny_cnn.npz");
  const auto input = read_tensor(folder / "input_0.npy");
  REQUIRE(artifact);
  REQUIRE(input);
  const Accelerator& accelerator = *find_accelerator(name);
  const std::vector<NamedTensor> inputs{{"", *input}};
  const auto direct = run_timed(*artifact, accelerator, inputs, {.system = system, .memory_mode = mode_name});
  if (!direct) FAIL(direct.error().to_string());
  const auto& stream = std::get<CommandStream>(artifact->steps.at(0));

  Image image;
  lay_out_memories(image, *artifact, *input, stream);
  for (unsigned i = 0; i < events.size(); ++i)
    image.write("PMEVTYPER", find_pmu_event(accelerator.family, events[i])->number, i);
  image.write("PMCR", 1);
  image.write("PMCNTENSET", 1u << 31 | ((1u << events.size()) - 1));
  const auto loaded = load_system_config(system);
  REQUIRE(loaded);
  write_memory_settings(image, accelerator.family, *loaded->find_mode(mode_name));
  write_job(image, stream);
  auto printed = run_example(accelerator, system, image);

  CHECK((printed["STATUS"] & 0x3ff) == 0x22);  // stopped, interrupt, end reached, no fault
  CHECK(printed["interrupts"] == 1);
  CHECK(printed["PMCCNTR"] > 0);
  for (unsigned i = 0; i < events.size(); ++i) {
    INFO(events[i]);
    CHECK(printed[fmt::format("PMEVCNTR{}", i)] == direct->pmu.counts.at("ETHOSU_PMU_" + events[i]));
  }
  const auto& output = artifact->outputs.at(0);
  const auto expected = direct->values.outputs.at(0).bytes();
  const auto* actual = image.bytes.data() + image.places[static_cast<std::size_t>(output.memory)] + output.offset;
  CHECK(std::memcmp(actual, expected.data(), expected.size()) == 0);
}

struct Run {
  const char *name, *system, *mode;
  std::vector<std::string> events;
};

const Run kPlatforms[] = {
    {"ethos-u55-128",
     "corstone-300-u55",
     "Shared_Sram",
     {"NPU_ACTIVE", "AXI0_RD_DATA_BEAT_RECEIVED", "AXI0_WR_DATA_BEAT_WRITTEN", "AXI1_RD_DATA_BEAT_RECEIVED"}},
    {"ethos-u65-512",
     "corstone-300-u65",
     "Dedicated_Sram",
     {"NPU_ACTIVE", "AXI0_RD_DATA_BEAT_RECEIVED", "AXI1_WR_DATA_BEAT_WRITTEN", "AXI1_RD_DATA_BEAT_RECEIVED"}},
    {"ethos-u85-256",
     "corstone-320-u85-low",
     "Dedicated_Sram",
     {"NPU_ACTIVE", "SRAM_RD_DATA_BEAT_RECEIVED", "SRAM_WR_DATA_BEAT_WRITTEN", "EXT_RD_DATA_BEAT_RECEIVED",
      "EXT_WR_DATA_BEAT_WRITTEN", "EXT_RD_TRANS_ACCEPTED"}},
};

}  // namespace

TEST_CASE("the C program leaves the outputs, cycles and beats of the simulator on a platform") {
  for (const Run& run : kPlatforms) {
    CAPTURE(run.name);
    run_bundled(run.name, run.system, run.mode, run.events);
  }
}

TEST_CASE("the C program takes the cycles of the simulator in front of ideal memory") {
  for (const Run& run : kPlatforms) {
    CAPTURE(run.name);
    run_bundled(run.name, "ideal", run.mode, {"NPU_ACTIVE", "MAC_ACTIVE", run.events[1]});
  }
}
