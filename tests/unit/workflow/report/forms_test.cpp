#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <macaw/npu/artifact.hpp>

#include "workflow/report/forms/forms.hpp"
#include "workflow/report/junit.hpp"
#include "workflow/report/layers.hpp"
#include "workflow/report/name_tensors.hpp"
#include "workflow/run/exclusive_cycles.hpp"

// Figures that a form shows, from runs whose figures are given.
using namespace macaw;

namespace {

/// Three operations of three layers; nothing is held by the second, which ran beside the first.
npu::RunRecord three_layers() {
  npu::RunRecord run;
  run.network = "net";
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.clock_hz = 500e6;
  run.cycles = 100;
  const auto add = [&](const char* source, std::uint64_t start, std::uint64_t end) {
    npu::OperationTiming operation;
    operation.name = "NPU_OP_CONV";
    operation.source = source;
    operation.command = static_cast<std::uint32_t>(run.operations.size());
    operation.issued = operation.start = start;
    operation.end = end;
    run.operations.push_back(operation);
  };
  add("a", 0, 60);
  add("b", 20, 40);
  add("c", 60, 100);
  run.region_side[1] = 1;
  run.operations[0].memory = {{"ifm", 0, 100, 0, 99, false}, {"weights", 1, 230, 0, 229, false}};
  run::complete(run);
  return run;
}

}  // namespace

TEST_CASE("a flame graph has a sample for each operation that cycles are held by, and no other") {
  const auto saved = three_layers();
  const auto json = nlohmann::json::parse(report::render_speedscope(saved, report::summarise(saved)));
  const auto& profile = json.at("profiles").at(0);
  std::uint64_t held = 0, sum = 0;
  for (const auto& operation : saved.operations) held += operation.exclusive.cycles() != 0;
  REQUIRE(held < saved.operations.size());
  for (const auto& weight : profile.at("weights")) sum += weight.get<std::uint64_t>();
  CHECK(sum == saved.cycles);
  CHECK(profile.at("weights").size() == held);
  CHECK(profile.at("samples").size() == held);
  CHECK(json.at("shared").at("frames").size() == saved.operations.size() + held);
}

TEST_CASE("a summary for CI shows bytes of both sides") {
  const auto saved = three_layers();
  const auto summary = report::summarise(saved);
  CHECK(summary.layers.at(0).moved(0) == 100);
  CHECK(summary.layers.at(0).moved(1) == 230);
  CHECK(report::render_markdown(saved, summary).find(" | 330 | ") != std::string::npos);
}

TEST_CASE("a JUnit file counts a case once: failed, skipped or passed") {
  const report::JunitSuite suite{"s",
                                 {{"c", "failed", "why", "", 1},
                                  {"c", "failed and skipped", "why", "because", 1},
                                  {"c", "skipped", "", "because", 1},
                                  {"c", "passed", "", "", 1}}};
  const auto xml = report::junit_xml({suite});
  CHECK(xml.find("<testsuites tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\" time=\"4.000\">") != xml.npos);
  CHECK(xml.find("<testsuite name=\"s\" tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\"") != xml.npos);
}

TEST_CASE("an operation is named by the tensor within whose bytes it writes last, and by no neighbour") {
  npu::Artifact artifact;
  artifact.memories.resize(1);
  npu::CommandStream stream;
  stream.regions[1] = {0, 0, 64};
  artifact.steps.emplace_back(stream);
  npu::TensorBinding tensor;
  tensor.name = "y";
  tensor.shape = {4};
  tensor.element_size = 2;
  tensor.memory = 0;
  tensor.offset = 16;
  artifact.outputs.push_back(tensor);
  const auto named = [&](std::uint64_t first, std::uint64_t last) {
    npu::OperationTiming operation;
    operation.memory.push_back({"ofm", 1, last - first + 1, first, last, true});
    std::vector<npu::OperationTiming> operations{operation};
    report::name_by_tensors(operations, artifact);
    return operations[0].source;
  };
  CHECK(named(16, 23) == "'y'");
  CHECK(named(20, 21) == "'y'");
  CHECK(named(16, 24).empty());
  CHECK(named(15, 23).empty());
  CHECK(named(24, 31).empty());
}
