#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/npy.hpp>

#include "compiler/compile.hpp"
#include "reference/tosa/description.hpp"
#include "tests/support/corpus.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

// Graphs of the corpus that the compiler takes, against the outputs of Arm's TOSA reference model.
using namespace macaw;
namespace fs = std::filesystem;

namespace {

constexpr const char* kAccelerators[] = {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"};
constexpr std::size_t kCount = std::size(kAccelerators);

/// Graphs compiled and refused, per accelerator.
struct Tally {
  std::array<int, kCount> compiled{}, refused{};

  void print(const char* what) const {
    for (std::size_t i = 0; i < kCount; ++i)
      std::printf("%s, %s: %d compiled and equal, %d refused\n", what, kAccelerators[i], compiled[i], refused[i]);
  }
};

std::vector<fs::path> sorted_folders(const fs::path& folder) {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) list.push_back(entry.path());
  std::ranges::sort(list);
  return list;
}

/// Compiles for every accelerator and compares. What the compiler does not take is a named operator and a reason.
void compare(const fs::path& graph_file, const std::string& name, const std::vector<npu::NamedTensor>& inputs,
             const std::vector<Tensor>& golden, Tally& tally, bool list_refused) {
  const auto graph = tosa::load_graph(graph_file);
  if (!graph) return;
  for (std::size_t a = 0; a < kCount; ++a) {
    INFO(graph_file.string() << " on " << kAccelerators[a]);
    const auto* accelerator = npu::find_accelerator(kAccelerators[a]);
    const auto compiled = npu::compile(*graph, *accelerator);
    if (!compiled) {
      CHECK(compiled.error().code == ErrorCode::kUnsupported);
      CHECK_FALSE(compiled.error().message.empty());
      ++tally.refused[a];
      if (list_refused)
        std::printf("  %s, %s: %s\n", name.c_str(), kAccelerators[a], compiled.error().to_string().c_str());
      continue;
    }
    const auto run = npu::run_functional(npu::to_artifact(*compiled), *accelerator, inputs);
    if (!run) FAIL(run.error().to_string());
    REQUIRE(run->outputs.size() == golden.size());
    bool equal = true;
    for (std::size_t i = 0; i < golden.size(); ++i)
      equal &= std::ranges::equal(run->outputs[i].bytes(), golden[i].bytes());
    CHECK(equal);
    tally.compiled[a] += equal;
  }
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
  if (!macaw::test::in_corpus("npu")) return;
  const auto root = macaw::test::corpus("npu");
  Tally tally;
  for (const auto& folder : sorted_folders(root)) {
    if (!folder.filename().string().starts_with("tosa_")) continue;
    std::vector<npu::NamedTensor> inputs;
    for (auto& t : numbered(folder / "golden", "input")) inputs.push_back({"", std::move(t)});
    compare(folder / "model.tosa", folder.filename(), inputs, numbered(folder / "golden", "output"), tally, true);
  }
  tally.print("composed graphs");
  CHECK(tally.compiled[0] >= 80);
  CHECK(tally.compiled[1] >= 80);
  CHECK(tally.compiled[2] >= 120);
}

TEST_CASE("conformance graphs of the corpus compile to their golden outputs") {
  if (!macaw::test::in_corpus("tosa")) return;
  const auto root = macaw::test::corpus("tosa");
  Tally tally;
  for (const auto& folder : sorted_folders(root)) {
    const auto description = tosa::read_description(folder / "desc.json");
    if (!description || description->expected_failure) continue;
    // Any result within bounds is right there, and the stored one is a bound.
    if (folder.filename().string().find("_rmI_") != std::string::npos) continue;
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
    if (readable) compare(description->graph, folder.filename(), inputs, golden, tally, false);
  }
  tally.print("conformance graphs");
  for (const int compiled : tally.compiled) CHECK(compiled >= 100);
}
