#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/npy.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "base/file.hpp"
#include "compiler/compile.hpp"
#include "models/models.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"

#include <filesystem>
#include <string>

using namespace macaw;
using macaw::test::checked;
namespace fs = std::filesystem;

// The files below traces/ are what `traces/regenerate` writes: the same bytes on every machine.
namespace {

constexpr std::uint64_t kInputSeed = 1;

struct Trace {
  const models::Model* model;
  fs::path folder;  ///< of the model
  std::vector<const npu::Accelerator*> accelerators;
};

std::vector<Trace> traces() {
  std::vector<Trace> all;
  for (const auto& model : models::all()) {
    Trace trace{&model, fs::path("traces") / model.name, {}};
    for (const auto& a : npu::accelerators())
      if (fs::exists(trace.folder / a.name)) trace.accelerators.push_back(&a);
    if (!trace.accelerators.empty()) all.push_back(std::move(trace));
  }
  return all;
}

fs::path numbered(const fs::path& folder, const char* stem, std::size_t i) {
  return folder / (stem + std::to_string(i) + ".npy");
}

std::vector<Tensor> read_all(const fs::path& folder, const char* stem, std::size_t count) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < count; ++i) tensors.push_back(checked(read_tensor(numbered(folder, stem, i))));
  return tensors;
}

}  // namespace

TEST_CASE("there is a trace of tiny_cnn on U55-128") {
  const auto all = traces();
  REQUIRE_FALSE(all.empty());
  CHECK(all.front().model->name == "tiny_cnn");
  CHECK(fs::exists("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"));
}

TEST_CASE("graphs, inputs and command streams come out again byte for byte") {
  for (const auto& trace : traces()) {
    INFO(trace.folder.string());
    const std::string name(trace.model->name);
    const auto graph = trace.model->build({});
    CHECK(checked(tosa::write_graph(graph, graph.version)) == checked(io::read_file(trace.folder / (name + ".tosa"))));
    const auto inputs = checked(models::sample_inputs(graph, kInputSeed));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      CHECK(format_npy(to_npy(inputs[i])) == checked(io::read_file(numbered(trace.folder, "input_", i))));
    for (const auto* accelerator : trace.accelerators) {
      INFO(accelerator->name);
      const auto compiled = checked(npu::compile(graph, *accelerator));
      const macaw::test::TemporaryFolder folder;
      const auto file = folder / "net.npz";
      REQUIRE(npu::write_compiled(file, compiled));
      CHECK(checked(io::read_file(file)) == checked(io::read_file(trace.folder / accelerator->name / (name + ".npz"))));
    }
  }
}

TEST_CASE("interpreter and simulator give the stored outputs from the stored files") {
  for (const auto& trace : traces()) {
    INFO(trace.folder.string());
    const std::string name(trace.model->name);
    const auto graph = checked(tosa::load_graph(trace.folder / (name + ".tosa")));
    const auto inputs = read_all(trace.folder, "input_", graph.main().inputs.size());
    const auto interpreted = checked(tosa::run(graph, inputs));
    REQUIRE(interpreted.verdict.status() == tosa::Status::kValid);
    REQUIRE(interpreted.outputs.size() == graph.main().outputs.size());
    std::vector<npu::NamedTensor> named;
    for (const auto& t : inputs) named.push_back({"", t});
    for (const auto* accelerator : trace.accelerators) {
      INFO(accelerator->name);
      const auto folder = trace.folder / accelerator->name;
      const auto stored = read_all(folder, "output_", interpreted.outputs.size());
      const auto artifact = checked(npu::load_artifact(folder / (name + ".npz")));
      CHECK(artifact.accelerator == accelerator);
      const auto simulated = checked(npu::run_functional(artifact, *accelerator, named));
      REQUIRE(simulated.outputs.size() == stored.size());
      for (std::size_t i = 0; i < stored.size(); ++i) {
        CHECK(interpreted.outputs[i] == stored[i]);
        CHECK(simulated.outputs[i] == stored[i]);
      }
    }
  }
}
