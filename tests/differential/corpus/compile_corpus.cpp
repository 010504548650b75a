#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/npy.hpp>

#include "reference/description.hpp"
#include "sim/compile/compile.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

// Graphs of the corpus that the compiler takes, against the outputs of Arm's TOSA reference model.
using namespace macaw;
namespace fs = std::filesystem;

namespace {

constexpr const char* kAccelerators[] = {"ethos-u55-32", "ethos-u55-128", "ethos-u55-256", "ethos-u65-512"};

fs::path corpus(const char* part) {
  const char* root = std::getenv("MACAW_CORPUS");
  return fs::path(root ? root : "build/corpus") / part;
}

bool missing(const fs::path& folder) {
  if (fs::exists(folder)) return false;
  std::printf("skipped: %s is not there (set MACAW_CORPUS)\n", folder.c_str());
  return true;
}

std::vector<fs::path> sorted_folders(const fs::path& folder) {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) list.push_back(entry.path());
  std::ranges::sort(list);
  return list;
}

/// Compiles for every accelerator and compares; false if the compiler does not take the graph.
bool agrees(const fs::path& graph_file, const std::vector<npu::NamedTensor>& inputs, const std::vector<Tensor>& golden) {
  const auto graph = tosa::load_graph(graph_file);
  if (!graph) return false;
  for (const char* name : kAccelerators) {
    INFO(graph_file.string() << " on " << name);
    const auto* accelerator = npu::find_accelerator(name);
    const auto compiled = npu::compile(*graph, *accelerator);
    if (!compiled) {
      CHECK(compiled.error().code != ErrorCode::kUsage);
      return false;
    }
    const auto run = npu::run_functional(npu::to_artifact(*compiled), *accelerator, inputs);
    if (!run) FAIL(run.error().to_string());
    REQUIRE(run->outputs.size() == golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i)
      CHECK(std::ranges::equal(run->outputs[i].bytes(), golden[i].bytes()));
  }
  return true;
}

/// Files "<stem>0.npy", "<stem>1.npy", ...
std::vector<Tensor> numbered(const fs::path& folder, const std::string& stem) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0;; ++i) {
    const auto file = folder / (stem + std::to_string(i) + ".npy");
    if (!fs::exists(file)) return tensors;
    auto tensor = read_tensor(file);
    REQUIRE(tensor);
    tensors.push_back(std::move(*tensor));
  }
}

}  // namespace

TEST_CASE("composed graphs of the corpus compile to their golden outputs") {
  const auto root = corpus("npu");
  if (missing(root)) return;
  int taken = 0;
  for (const auto& folder : sorted_folders(root)) {
    if (!folder.filename().string().starts_with("tosa_")) continue;
    std::vector<npu::NamedTensor> inputs;
    for (auto& t : numbered(folder / "golden", "input")) inputs.push_back({"", std::move(t)});
    taken += agrees(folder / "model.tosa", inputs, numbered(folder / "golden", "output"));
  }
  std::printf("%d composed graphs compiled\n", taken);
  CHECK(taken >= 30);
}

TEST_CASE("conformance graphs of the corpus compile to their golden outputs") {
  const auto root = corpus("tosa");
  if (missing(root)) return;
  // Operators that the compiler takes on their own.
  constexpr std::string_view kPrefixes[] = {"avg_pool2d_", "max_pool2d_", "clamp_", "rescale_", "reshape_"};
  int taken = 0;
  for (const auto& folder : sorted_folders(root)) {
    const auto name = folder.filename().string();
    if (std::ranges::none_of(kPrefixes, [&](auto p) { return name.starts_with(p); })) continue;
    const auto description = tosa::read_description(folder / "desc.json");
    if (!description || description->expected_failure) continue;
    std::vector<npu::NamedTensor> inputs;
    std::vector<Tensor> golden;
    bool readable = true;
    for (std::size_t i = 0; i < description->input_files.size(); ++i) {
      auto tensor = read_tensor(description->input_files[i]);
      readable &= tensor.has_value();
      if (tensor) inputs.push_back({description->input_names[i], std::move(*tensor)});
    }
    for (const auto& output : description->output_names) {
      auto tensor = read_tensor(folder / ("expected-" + output + ".npy"));
      readable &= tensor.has_value();
      if (tensor) golden.push_back(std::move(*tensor));
    }
    if (readable) taken += agrees(description->graph, inputs, golden);
  }
  std::printf("%d conformance graphs compiled\n", taken);
  CHECK(taken >= 34);
}
