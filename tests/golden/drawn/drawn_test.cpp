#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "compiler/compile.hpp"
#include "models/models.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/networks/random_graph.hpp"
#include "tests/support/networks/random_network.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/trace/forms/trace.hpp"

#include <string>

// Networks of random make on every accelerator: the stream that each compiles to, and the outputs, cycles, counters and
// reports of its run, held still in drawn.json. The hidden case "[record]" writes the file anew.
using namespace macaw;
using macaw::test::checked;

namespace {

constexpr const char* kFile = "tests/golden/drawn/drawn.json";
constexpr std::uint64_t kNetworks = 40, kGraphs = 16;

struct Drawn {
  tosa::Graph graph;
  std::vector<Tensor> inputs;
};

/// Runs differ in where memories are, how fast they are and what else uses them.
npu::TimedOptions options_of(std::uint64_t seed) {
  static const std::vector<npu::TimedOptions> kAll = {
      {},
      {.memory_mode = "Sram_Only"},
      {.memory_mode = "Shared_Sram", .params = {{"axi1.traffic", 0.3}, {"axi0.max_reads", 3}}},
      {.memory_mode = "Dedicated_Sram", .params = {{"axi1.read_latency", 90}, {"axi1.write_latency", 45}}},
      {.timing_adapter = false},
      {.memory_mode = "Shared_Sram",
       .params = {{"axi0.beats_per_cycle", 0.6},
                  {"axi1.beats_per_cycle", 0.2},
                  {"axi1.least_bytes", 64},
                  {"axi0.write_latency", 30}}},
      {.memory_mode = "Dedicated_Sram",
       .params = {{"axi0.max_reads_writes", 3},
                  {"axi0.pulse_on", 40},
                  {"axi0.pulse_off", 9},
                  {"axi0.bandwidth_cap", 25},
                  {"axi1.burst_bytes", 64}}},
  };
  npu::TimedOptions options = kAll[seed % kAll.size()];
  options.blocks = options.movements = true;
  options.activity_spans = 200;
  return options;
}

class Checksum {
 public:
  template <class Byte>
  Checksum& add(std::span<const Byte> bytes) {
    // zlib begins anew where there are no bytes.
    if (!bytes.empty()) sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size_bytes());
    return *this;
  }
  Checksum& add(const std::string& text) { return add(std::span<const char>(text)); }
  [[nodiscard]] std::string text() const { return fmt::format("{:08X}", sum_); }

 private:
  uLong sum_ = 0;
};

Checksum forms_of(const npu::RunRecord& record, const npu::Artifact& artifact) {
  const auto summary = report::summarise(record);
  Checksum sum;
  sum.add(report::to_text(record, artifact))
      .add(report::render_csv(record, summary))
      .add(report::render_layers_csv(record));
  sum.add(report::render_markdown(record, summary)).add(report::render_speedscope(record, summary));
  sum.add(report::render_graph_json(record, summary)).add(report::render_node_data(summary));
  sum.add(io::json_text(report::page_data(record, summary))).add(trace::perfetto(record)).add(trace::pmu_lines(record));
  return sum.add(std::span<const std::byte>(trace::pmu_trace(record)));
}

/// Results for one network on one accelerator.
std::string result_of(const Drawn& drawn, const npu::Accelerator& accelerator, npu::TimedOptions options,
                      std::uint64_t seed) {
  // Every second network leaves the fast scratch unused.
  const auto fast = checked(npu::fast_memory(accelerator, options)).value_or(0);
  const auto compiled = npu::compile(drawn.graph, accelerator, {.fast_memory = seed % 2 == 0 ? fast : 0});
  if (!compiled) return "refused: " + compiled.error().to_string();
  auto artifact = npu::to_artifact(*compiled);
  // Times and counters go on in a second stream.
  if (seed % 4 == 3) artifact.steps.push_back(artifact.steps.front());
  std::vector<npu::NamedTensor> inputs;
  for (const auto& tensor : drawn.inputs) inputs.push_back({"", tensor});
  std::vector<npu::Finding> findings;
  options.functional.findings = [&](const npu::Finding& finding) { findings.push_back(finding); };
  auto record =
      checked(npu::execute({.artifact = artifact, .accelerator = accelerator, .inputs = inputs, .options = options}));
  record.network = "drawn";
  record.outputs.clear();  // the tensors have a checksum of their own
  record.findings = std::move(findings);
  Checksum stream, outputs, counters;
  stream.add(std::span<const std::uint32_t>(compiled->words));
  for (const auto& memory : artifact.memories) stream.add(std::span<const std::uint8_t>(memory.initial));
  for (const auto& tensor : record.values.outputs) outputs.add(tensor.bytes());
  counters.add(io::json_text(nlohmann::json(record.pmu.counts)));
  Checksum json;
  json.add(io::json_text(report::to_json(record)));
  return fmt::format("{} cycles, stream {}, outputs {}, counters {}, report {}, its forms {}", record.cycles,
                     stream.text(), outputs.text(), counters.text(), json.text(), forms_of(record, artifact).text());
}

/// tell(name, result) of each network on each accelerator.
template <class Tell>
void for_each_result(Tell tell) {
  const auto run = [&](const std::string& name, std::uint64_t seed, const Drawn& drawn) {
    for (const auto& accelerator : npu::accelerators())
      tell(fmt::format("{} on {}", name, accelerator.name), result_of(drawn, accelerator, options_of(seed), seed));
  };
  for (std::uint64_t seed = 0; seed < kNetworks; ++seed) {
    auto network = test::random_network(seed, 1 + static_cast<int>(seed % 4), test::Choice::kAnything);
    run(fmt::format("network {:02}", seed), seed, {std::move(network.made.graph), std::move(network.made.inputs)});
  }
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    auto graph = test::random_graph(seed);
    auto inputs = checked(models::sample_inputs(graph, seed));
    run(fmt::format("graph {:02}", seed), seed, {std::move(graph), std::move(inputs)});
  }
}

}  // namespace

TEST_CASE("drawn networks compile, compute and take as long as recorded") {
  const auto bytes = checked(io::read_file(kFile));
  const auto recorded =
      nlohmann::json::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::size_t runs = 0;
  for_each_result([&](const std::string& name, const std::string& result) {
    ++runs;
    INFO(name);
    CHECK(result == recorded.value(name, "nothing"));
  });
  CHECK(runs == recorded.size());
}

TEST_CASE("record drawn networks", "[.][record]") {
  nlohmann::json all;
  for_each_result([&](const std::string& name, const std::string& result) { all[name] = result; });
  REQUIRE(io::write_file(kFile, io::json_text(all, 1) + "\n"));
}
