#include <macaw/npu/timed_simulator.hpp>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/temporary_folder.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

/// For each signal, by "scope.name": time with a value other than zero, and the largest value.
struct Signal {
  std::uint64_t time = 0, most = 0, value = 0;
};
struct Waveform {
  std::map<std::string, Signal> signals;
  std::uint64_t end = 0;
};

Waveform read_vcd(const std::filesystem::path& file) {
  Waveform wave;
  std::map<std::string, std::string> names;  // by identifier
  std::vector<std::string> scopes;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first, second, third, id, name;
    words >> first >> second >> third;
    if (first == "$scope") scopes.push_back(third);
    if (first == "$upscope") scopes.pop_back();
    if (first == "$var") {
      words >> id >> name;
      names[id] = scopes.back() + "." + name;
      wave.signals[names[id]];
    }
    if (line.empty()) continue;
    if (line[0] == '#') {
      const std::uint64_t time = std::stoull(line.substr(1));
      REQUIRE(time >= wave.end);
      for (auto& [key, signal] : wave.signals)
        if (signal.value) signal.time += time - wave.end;
      wave.end = time;
    } else if (line[0] == '0' || line[0] == '1' || line[0] == 'b') {
      const auto value = line[0] == 'b' ? std::stoull(first.substr(1), nullptr, 2) : std::uint64_t(line[0] - '0');
      Signal& signal = wave.signals.at(names.at(line[0] == 'b' ? second : line.substr(1)));
      signal.value = value;
      signal.most = std::max<std::uint64_t>(signal.most, value);
    }
  }
  return wave;
}

Artifact tiny_cnn(const std::string& accelerator) {
  auto artifact = load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz");
  REQUIRE(artifact);
  return std::move(*artifact);
}

}  // namespace

TEST_CASE("a waveform shows what the counters count, and moves none of them") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-256");
  CAPTURE(name);
  const macaw::test::TemporaryFolder folder;
  const auto artifact = tiny_cnn(name);
  const auto& accelerator = *find_accelerator(name);
  TimedOptions options;
  options.values = false;
  const auto plain = run_timed(artifact, accelerator, {}, options);
  REQUIRE(plain);
  options.vcd = folder / "run.vcd";
  const auto traced = run_timed(artifact, accelerator, {}, options);
  REQUIRE(traced);
  CHECK(traced->pmu.counts == plain->pmu.counts);
  CHECK(traced->cycles == plain->cycles);

  const Waveform wave = read_vcd(options.vcd);
  const auto count = [&](const char* event) { return traced->pmu.counts.at(std::string("ETHOSU_PMU_") + event); };
  const auto cycles = [&](const std::string& signal) { return (wave.signals.at(signal).time + 999) / 1000; };
  CHECK((wave.end + 999) / 1000 >= traced->cycles);
  CHECK(cycles("weight_decoder.busy") == count("WD_ACTIVE"));
  for (const std::string unit :
       {"command_processor", "dma", "ifm_loader", "weight_decoder", "mac_array", "output_unit", "ofm_writer"}) {
    CAPTURE(unit);
    CHECK(cycles(unit + ".busy") <= traced->cycles);
    std::set<std::uint64_t> commands;
    for (const auto& operation : traced->operations) commands.insert(operation.command);
    if (unit != "command_processor" && cycles(unit + ".busy") > 0)
      CHECK(commands.contains(wave.signals.at(unit + ".operation").value));
  }
  const bool u85 = accelerator.family == Family::kU85;
  if (u85) CHECK(cycles("mac_array.busy") > 0);
  else CHECK(cycles("mac_array.busy") == count("MAC_ACTIVE"));
  const std::string port = u85 ? "ext" : "axi1";
  CHECK(wave.signals.at(port + ".reads0").most >= 1);
  CHECK(wave.signals.at(port + ".reads0").most <= static_cast<std::uint64_t>(accelerator.max_reads1));
  CHECK(wave.signals.at(port + ".reads0").value == 0);

  // Equal runs give equal bytes.
  const auto bytes = [&] {
    std::ifstream in(options.vcd, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string once = bytes();
  REQUIRE(run_timed(artifact, accelerator, {}, options));
  CHECK(bytes() == once);
  const auto command = "vcd2fst '" + options.vcd.string() + "' '" + (folder / "run.fst").string() + "'";
  if (std::system("command -v vcd2fst >/dev/null") == 0) CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("the streams of a network follow each other in one waveform") {
  const macaw::test::TemporaryFolder folder;
  auto artifact = tiny_cnn("ethos-u55-128");
  TimedOptions options;
  options.values = false;
  options.vcd = folder / "run.vcd";
  const auto& accelerator = *find_accelerator("ethos-u55-128");
  artifact.steps.push_back(artifact.steps.front());
  const auto result = run_timed(artifact, accelerator, {}, options);
  REQUIRE(result);
  const Waveform wave = read_vcd(options.vcd);
  CHECK((wave.end + 999) / 1000 >= result->cycles);
  CHECK((wave.signals.at("mac_array.busy").time + 999) / 1000 == result->pmu.counts.at("ETHOSU_PMU_MAC_ACTIVE"));
  for (const auto& operation : result->operations)
    CHECK((operation.issued >= result->cycles / 2) == (operation.step == artifact.steps.size() - 1));

  // The longest file is that of both together.
  const auto bytes = std::filesystem::file_size(options.vcd);
  options.max_vcd_bytes = bytes * 3 / 4;
  CHECK_FALSE(run_timed(artifact, accelerator, {}, options));
  options.max_vcd_bytes = bytes * 3;
  CHECK(run_timed(artifact, accelerator, {}, options));
}

TEST_CASE("operators of a stream are those of its number among the streams, whatever the CPU does before it") {
  auto artifact = tiny_cnn("ethos-u55-128");
  const auto& accelerator = *find_accelerator("ethos-u55-128");
  TimedOptions options;
  options.values = false;
  const auto sources = [&] {
    const auto result = run_timed(artifact, accelerator, {}, options);
    if (!result) FAIL(result.error().to_string());
    std::vector<std::string> all;
    for (const auto& operation : result->operations) all.push_back(operation.source);
    return all;
  };
  const auto alone = sources();
  REQUIRE(std::ranges::any_of(alone, [](const auto& source) { return !source.empty(); }));
  artifact.steps.insert(artifact.steps.begin(),
                        HostOperator{.index = 0, .name = "SOMETHING", .inputs = {}, .outputs = {}});
  CHECK(sources() == alone);
}

TEST_CASE("progress is told as what has passed since it was told last") {
  const auto artifact = tiny_cnn("ethos-u55-128");
  TimedOptions options;
  options.values = false;
  options.params = {{"axi0.read_latency", 4000}, {"axi1.read_latency", 4000}, {"axi0.write_latency", 4000}};
  std::uint64_t calls = 0, sum = 0;
  options.progress = [&](std::uint64_t cycles) {
    ++calls;
    sum += cycles;
  };
  const auto result = run_timed(artifact, *find_accelerator("ethos-u55-128"), {}, options);
  if (!result) FAIL(result.error().to_string());
  REQUIRE(calls > 2);
  CHECK(sum <= result->cycles);
}

TEST_CASE("a waveform that cannot be completed leaves no file") {
  const macaw::test::TemporaryFolder folder;
  const auto artifact = tiny_cnn("ethos-u55-128");
  const auto& accelerator = *find_accelerator("ethos-u55-128");
  TimedOptions options;
  options.values = false;
  options.vcd = folder / "run.vcd";
  SECTION("too long") {
    options.max_vcd_bytes = 1000;
    const auto result = run_timed(artifact, accelerator, {}, options);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kUnsupported);
    CHECK(result.error().message == "the waveform is longer than 1000 bytes");
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a run that takes longer than it may names its limit") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u85-256");
  const bool traced = GENERATE(false, true);
  CAPTURE(name, traced);
  const macaw::test::TemporaryFolder folder;
  const auto artifact = tiny_cnn(name);
  const auto& accelerator = *find_accelerator(name);
  TimedOptions options;
  options.values = false;
  const auto whole = run_timed(artifact, accelerator, {}, options);
  REQUIRE(whole);
  if (traced) options.vcd = folder / "run.vcd";
  for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{100}, whole->cycles / 2, whole->cycles - 1}) {
    CAPTURE(limit);
    options.max_cycles = limit;
    const auto result = run_timed(artifact, accelerator, {}, options);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kUnsupported);
    CHECK(result.error().message == "the NPU did not stop within " + std::to_string(limit) + " cycles");
    CHECK(std::filesystem::is_empty(folder.path()));
  }
  options.max_cycles = whole->cycles + 1;
  const auto result = run_timed(artifact, accelerator, {}, options);
  REQUIRE(result);
  CHECK(result->cycles == whole->cycles);
  if (traced) CHECK((read_vcd(options.vcd).end + 999) / 1000 >= whole->cycles);
}

TEST_CASE("a waveform in a folder that does not exist is an error") {
  TimedOptions options;
  options.values = false;
  options.vcd = "/nonexistent/run.vcd";
  const auto result = run_timed(tiny_cnn("ethos-u55-128"), *find_accelerator("ethos-u55-128"), {}, options);
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kIo);
}
