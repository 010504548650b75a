#include <catch2/catch.hpp>

#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>
#include "tests/support/checked.hpp"
#include "workflow/compare/comparison.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

using namespace macaw;
using macaw::test::checked;
namespace fs = std::filesystem;

namespace {

/// How many of the tensors that the NPU computes were compared, and why others were not.
struct Share {
  std::size_t pairs = 0, compared = 0, others = 0;
  std::map<std::string, std::size_t> by_method, causes, refused;
  std::map<std::string, std::string> examples;  ///< of causes
  std::set<std::string> different;              ///< networks that do not compute what their source does

  void add(const compare::Comparison& comparison, const std::string& name) {
    ++pairs;
    if (!comparison.equal()) different.insert(name);
    const auto& location = comparison.runs.front().location;
    compared += location.matched.size();
    for (const auto& tensor : location.unmatched) others += tensor.reason != "left to the CPU";
    for (const auto& tensor : location.matched) ++by_method[to_string(tensor.method)];
    for (const auto& tensor : location.unmatched) {
      std::string kind;
      for (const auto& op : comparison.reference.operators)
        if (std::ranges::find(op.outputs, tensor.id) != op.outputs.end()) kind = op.kind;
      ++causes[kind + ", " + tensor.reason];
      examples.emplace(kind + ", " + tensor.reason, "'" + tensor.name + "' of " + name);
    }
  }

  [[nodiscard]] double percent() const {
    return 100.0 * static_cast<double>(compared) / static_cast<double>(compared + others);
  }

  void print(const char* what) const {
    std::printf("%s: %zu of %zu tensors compared (%.1f %%) in %zu networks\n", what, compared, compared + others,
                percent(), pairs);
    const auto list = [](const char* title, const auto& counts) {
      for (const auto& [text, count] : counts) std::printf("  %s %zu: %s\n", title, count, text.c_str());
    };
    list("compared by", by_method);
    for (const auto& [text, count] : causes)
      std::printf("  not compared %zu: %s (%s)\n", count, text.c_str(), examples.at(text).c_str());
    list("refused", refused);
    for (const auto& name : different) std::printf("  different: %s\n", name.c_str());
  }
};

void add(Share& share, const compare::Program& program, const npu::Artifact& artifact,
         const npu::Accelerator& accelerator, const std::string& name) {
  compare::Comparison comparison;
  const auto inputs = checked(program.random_inputs(1));
  if (const auto done = compare::add_run(comparison, program, artifact, accelerator, "seed 1", inputs); !done)
    ++share.refused[done.error().message.substr(0, 60)];
  else share.add(comparison, name);
}

struct Shares {
  Share with, without;

  void add(const compare::Program& program, npu::Artifact artifact, const npu::Accelerator& accelerator,
           const std::string& name) {
    if (artifact.debug) ::add(with, program, artifact, accelerator, name);
    artifact.debug = nullptr;
    ::add(without, program, artifact, accelerator, name);
  }
};

}  // namespace

TEST_CASE("most tensors of compiled networks are compared", "[.share]") {
  const char* corpus = std::getenv("MACAW_CORPUS");
  const fs::path root = fs::path(corpus != nullptr ? corpus : "build/corpus") / "npu";
  std::ifstream file(root / "INDEX.json");
  REQUIRE(file);
  const auto index = nlohmann::json::parse(file);
  const char* step = std::getenv("MACAW_SHARE_STEP");
  Shares shares;
  for (std::size_t i = 0; i < index.size(); i += step != nullptr ? std::strtoul(step, nullptr, 10) : 1) {
    const auto& entry = index[i];
    const auto* accelerator = npu::find_accelerator(entry["accelerator"].get<std::string>());
    // A network as it was before it was compiled is its own source.
    if (entry["format"] == "original" || accelerator == nullptr) continue;
    const fs::path source = root / entry["source"].get<std::string>();
    for (const auto& name : entry["artifacts"]) {
      auto artifact = npu::load_artifact(root / name.get<std::string>());
      if (!artifact) {
        ++shares.without.refused[artifact.error().message.substr(0, 60)];
      } else if (source.extension() == ".tosa") {
        const auto graph = checked(tosa::load_graph(source));
        shares.add(graph, std::move(*artifact), *accelerator, name);
      } else {
        const auto network = checked(tflite::load_network(source));
        shares.add(network, std::move(*artifact), *accelerator, name);
      }
    }
  }
  shares.with.print("with debug database");
  shares.without.print("without debug database");
  CHECK(shares.with.percent() >= 98);
  CHECK(shares.without.percent() >= 90);
}
