#include <catch2/catch.hpp>

#include <macaw/npu/timed_simulator.hpp>
#include <macaw/tflite/host_operators.hpp>
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <macaw/npu/debug_database.hpp>
#include "base/file.hpp"
#include "tests/system/hostile/files/seeds.hpp"
#include "workflow/compare/inputs.hpp"

// Whatever a file holds, reading and running it ends in a result or a coded error with a message; a crash, a hang or a
// sanitizer report fails the program.

using namespace macaw;
using namespace macaw::hostile;

namespace {

struct Tally {
  unsigned ok = 0, failed = 0;
  template <class R>
  void count(const R& result) {
    result ? ++ok : ++failed;
    if (!result) REQUIRE_FALSE(result.error().message.empty());
  }
};

npu::FunctionalOptions small_limits() {
  npu::FunctionalOptions options;
  options.host = &tflite::host_operators();
  options.max_work = std::int64_t{1} << 30;  // 2,000 operations
  options.findings = [](const npu::Finding& finding) { REQUIRE_FALSE(finding.message.empty()); };
  return options;
}

void run_artifact(const npu::Artifact& artifact, bool timed, Tally& tally) {
  const auto* accelerator = artifact.accelerator ? artifact.accelerator : npu::find_accelerator("ethos-u55-128");
  const auto inputs = compare::random_inputs(artifact, 1);
  if (!inputs) return tally.count(inputs);
  std::vector<npu::NamedTensor> named;
  for (const auto& tensor : *inputs) named.push_back({"", tensor});
  if (!timed) return tally.count(npu::run_functional(artifact, *accelerator, named, small_limits()));
  npu::TimedOptions options;
  options.functional = small_limits();
  options.max_cycles = 2'000'000;
  tally.count(npu::run_timed(artifact, *accelerator, named, options));
}

void read_and_run_artifact(std::span<const std::byte> bytes, bool timed, Tally& tally) {
  const auto artifact = npu::parse_artifact(bytes, "mutant");
  if (!artifact) return tally.count(artifact);
  run_artifact(*artifact, timed, tally);
}

void read_and_run_graph(std::span<const std::byte> bytes, Tally& tally) {
  const auto graph = tosa::parse_graph(bytes, "mutant");
  if (!graph) return tally.count(graph);
  const auto verdict = tosa::validate(*graph);
  if (!verdict || verdict->status() != tosa::Status::kValid) return tally.count(verdict);
  const auto inputs = compare::random_inputs(*graph, 1);
  if (!inputs) return tally.count(inputs);
  tosa::Options options;
  options.max_work = std::int64_t{1} << 32;
  tally.count(tosa::run(*graph, *inputs, options));
}

/// Every prefix of a small file; of a larger one every prefix of its first and last part and steps between.
template <class F>
void prefixes(const std::vector<std::byte>& seed, F&& f) {
  constexpr std::size_t kDense = 512;
  for (std::size_t n = 0; n < seed.size();
       n += n < kDense || n + kDense > seed.size() || std::getenv("MACAW_HOSTILE_RUNS") ? 1 : 61)
    f(std::span(seed).first(n));
}

}  // namespace

TEST_CASE("prefixes and mutants of compiled networks") {
  std::mt19937 random(1);
  for (const auto& file : artifact_seeds()) {
    const auto seed = io::read_file(file).value();
    Tally tally;
    prefixes(seed, [&](auto bytes) { read_and_run_artifact(bytes, false, tally); });
    CHECK(tally.ok == 0);
    for (unsigned i = 0; i < runs_per_seed(); ++i) {
      auto bytes = seed;
      mutate(bytes, random);
      read_and_run_artifact(bytes, i % 16 == 0, tally);
    }
    CHECK(tally.failed > 0);
  }
}

TEST_CASE("prefixes and mutants of debug databases") {
  const std::string text =
      "<debug source='net'><table "
      "name='source'><![CDATA[\"id\",\"operator\",\"ofm_w\",\"ofm_h\",\"ofm_d\",\"ext_key\"\n"
      "1,\"Conv2D\",8,4,16,3\n]]></table><table name='optimised'><![CDATA[\"id\",\"source_id\",\"operator\",\"ofm_w\","
      "\"ofm_h\",\"ofm_d\"\n7,1,\"Conv2D\",8,4,16\n]]></table><table name='cmdstream'><![CDATA[\"id\"\n0\n]]></table>"
      "<table name='queue'><![CDATA[\"offset\",\"cmdstream_id\",\"optimised_id\"\n100,0,7\n]]></table></debug>";
  const auto bytes = std::as_bytes(std::span(text));
  std::mt19937 random(4);
  Tally tally;
  const auto parse = [&](std::span<const std::byte> mutant) {
    const auto database = npu::DebugDatabase::parse(mutant, "mutant");
    tally.count(database);
    if (database) (void)database->source_of(0, 100);
  };
  prefixes({bytes.begin(), bytes.end()}, parse);
  for (unsigned i = 0; i < runs_per_seed(); ++i) {
    std::vector<std::byte> mutant(bytes.begin(), bytes.end());
    mutate(mutant, random);
    parse(mutant);
  }
  CHECK(tally.failed > 0);
  CHECK(tally.ok > 0);
}

TEST_CASE("mutants of command streams") {
  // An npz carries checksums, so that most mutants of its bytes end there: these change the words themselves.
  std::mt19937 random(2);
  for (const auto& file : artifact_seeds()) {
    const auto artifact = npu::load_artifact(file).value();
    Tally tally;
    for (unsigned i = 0; i < runs_per_seed(); ++i) {
      auto mutant = artifact;
      for (auto& step : mutant.steps) {
        auto* stream = std::get_if<npu::CommandStream>(&step);
        if (!stream || stream->words.empty()) continue;
        auto& word = stream->words[random() % stream->words.size()];
        if (random() % 2) word ^= 1u << random() % 32;
        else word = (word & 0xFFFF) | static_cast<std::uint32_t>(random()) << 16;
      }
      run_artifact(mutant, i % 16 == 0, tally);
    }
    CHECK(tally.failed > 0);
    CHECK(tally.ok > 0);
  }
}

TEST_CASE("prefixes and mutants of TOSA graphs") {
  std::mt19937 random(3);
  for (const auto& file : graph_seeds()) {
    const auto seed = io::read_file(file).value();
    Tally tally;
    prefixes(seed, [&](auto bytes) { read_and_run_graph(bytes, tally); });
    CHECK(tally.failed > 0);
    for (unsigned i = 0; i < runs_per_seed(); ++i) {
      auto bytes = seed;
      mutate(bytes, random);
      read_and_run_graph(bytes, tally);
    }
    CHECK(tally.ok > 0);
  }
}
