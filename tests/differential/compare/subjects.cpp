#include "tests/differential/compare/subjects.hpp"

#include <catch2/catch.hpp>

#include <macaw/tflite/network.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include "compiler/compile.hpp"
#include "models/models.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace macaw {

using test::checked;
namespace fs = std::filesystem;

namespace {

npu::Artifact through_file(const npu::Compiled& compiled) {
  const macaw::test::TemporaryFolder folder;
  const auto file = folder / "net.npz";
  REQUIRE(npu::write_compiled(file, compiled));
  return checked(npu::load_artifact(file));
}

/// Empty if there is none.
fs::path corpus_networks() {
  const char* corpus = std::getenv("MACAW_CORPUS");
  const auto root = fs::path(corpus != nullptr ? corpus : "build/corpus") / "npu";
  return fs::is_directory(root) ? root : fs::path();
}

}  // namespace

std::vector<Subject> bundled_subjects() {
  std::vector<Subject> all;
  for (const char* model : {"mobilenet_v2", "resnet50", "ds_cnn", "lstm", "bert_tiny", "llama_block"})
    for (const char* accelerator : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
      auto graph = (*checked(models::find(model))).build({.tiny = true, .seed = 1});
      auto artifact = through_file(checked(npu::compile(graph, *npu::find_accelerator(accelerator))));
      all.push_back({std::string(model) + " on " + accelerator, std::move(graph), std::move(artifact)});
    }
  return all;
}

std::vector<Subject> vela_subjects() {
  std::vector<Subject> all;
  const auto root = corpus_networks();
  if (root.empty()) {
    std::puts("no corpus (MACAW_CORPUS): Vela's streams are left out");
    return all;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().string().find("tosa_chain_") != std::string::npos &&
        (entry.path().extension() == ".npz" || entry.path().extension() == ".tflite"))
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) {
    auto graph = checked(tosa::load_graph(file.parent_path().parent_path() / "model.tosa"));
    if (std::ranges::count_if(graph.main().operators, [](const auto& op) { return op.op != tosa::Op::kCONST; }) < 10)
      continue;
    all.push_back({file.string(), std::move(graph), checked(npu::load_artifact(file))});
  }
  return all;
}

namespace {

struct NetworkFile {
  fs::path file;
  std::shared_ptr<const tflite::Network> network;
};

/// TensorFlow Lite networks of four operators and more, the smallest first.
std::vector<NetworkFile> tflite_networks() {
  constexpr std::uintmax_t kMostBytes = 200'000;  // of a network
  constexpr std::size_t kLeastOperators = 4;
  std::vector<std::pair<std::uintmax_t, fs::path>> files;
  const auto root = corpus_networks();
  if (root.empty()) return {};
  for (const auto& folder : fs::directory_iterator(root))
    if (const auto file = folder.path() / "model.tflite"; fs::exists(file) && fs::file_size(file) <= kMostBytes)
      files.emplace_back(fs::file_size(file), file);
  std::ranges::sort(files);
  std::vector<NetworkFile> networks;
  for (const auto& [size, file] : files) {
    auto network = std::make_shared<const tflite::Network>(checked(tflite::load_network(file)));
    if (network->main().operators.size() >= kLeastOperators) networks.push_back({file, std::move(network)});
  }
  return networks;
}

}  // namespace

std::vector<Subject> tflite_subjects() {
  std::vector<Subject> all;
  for (const auto& [file, network] : tflite_networks()) {
    std::vector<fs::path> compiled;
    for (const auto& entry : fs::recursive_directory_iterator(file.parent_path()))
      if (entry.path().filename().string().ends_with("_vela.tflite")) compiled.push_back(entry.path());
    std::ranges::sort(compiled);
    for (const auto& path : compiled) all.push_back({path.string(), {}, checked(npu::load_artifact(path)), network});
  }
  return all;
}

std::vector<Subject> compiled_tflite_subjects() {
  std::vector<Subject> all;
  for (const auto& [file, network] : tflite_networks()) {
    const auto graph = tflite::to_tosa(*network);
    if (!graph) continue;
    for (const char* accelerator : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
      const auto compiled = npu::compile(*graph, *npu::find_accelerator(accelerator));
      if (compiled) all.push_back({file.string() + " on " + accelerator, {}, through_file(*compiled), network});
    }
  }
  return all;
}

std::vector<npu::NamedTensor> named(const std::vector<Tensor>& tensors) {
  std::vector<npu::NamedTensor> all;
  for (const auto& t : tensors) all.push_back({"", t});
  return all;
}

std::optional<std::pair<std::size_t, std::uint32_t>> first_changed(const std::vector<compare::Record>& sound,
                                                                   const std::vector<compare::Record>& corrupted) {
  for (std::size_t i = 0; i < std::min(sound.size(), corrupted.size()); ++i) {
    const auto &a = sound[i], &b = corrupted[i];
    if (a.contents != b.contents || a.written.first != b.written.first || a.written.last != b.written.last)
      return std::pair(b.step, b.command);
  }
  return std::nullopt;
}

std::vector<std::set<std::size_t>> operators_of_operations(const compare::Reference& reference,
                                                           const npu::Artifact& artifact, const compare::Trace& sound) {
  std::set<std::size_t> outputs;
  for (std::size_t i = 0; i < sound.outputs.size(); ++i) outputs.insert(i);
  const compare::Alignment alignment(reference, artifact, sound.records, sound.host_calls, outputs);
  std::vector<std::set<std::size_t>> operators(sound.records.size());
  for (std::size_t first = 0; first < operators.size(); ++first) {
    std::set<std::size_t> reached{first};
    for (auto i = first; i < operators.size() && operators[first].empty(); ++i) {
      const auto& producers = sound.records[i].producers;
      if (i != first && std::ranges::none_of(producers, [&](std::size_t p) { return reached.contains(p); })) continue;
      reached.insert(i);
      for (const auto tensor : alignment.written(i)) operators[first].merge(alignment.cone(tensor).operators);
    }
  }
  return operators;
}

bool names(const compare::WrongOperator& wrong, const std::pair<std::size_t, std::uint32_t>& command) {
  return std::ranges::any_of(wrong.commands, [&](const auto& c) { return std::pair(c.step, c.command) == command; });
}

bool same_bytes(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const Tensor& x, const Tensor& y) { return std::ranges::equal(x.bytes(), y.bytes()); });
}

}  // namespace macaw
