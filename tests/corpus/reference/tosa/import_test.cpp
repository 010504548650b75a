#include <cstdlib>
#include <iostream>
#include <map>

#include <macaw/npy.hpp>
#include <macaw/tosa/mlir_text.hpp>
#include "reference/tosa/description.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/formats/vgf_writer.hpp"
#include "tests/unit/reference/tosa/import/same.hpp"

// Graphs of Arm's test generator through MLIR text and through VGF: the same results as from the flatbuffer. Every 16th
// of the corpus, or every nth with MACAW_FORMAT_STEP=n. With MACAW_SPIRV_VAL, the path of a spirv-val that knows
// SPV_ARM_graph, it judges the modules too.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

namespace fs = std::filesystem;

struct Tally {
  std::size_t same = 0;
  std::map<std::string, std::size_t> refused;  ///< by reason
};

/// Up to what names a tensor.
std::string reason(const Error& error) { return error.message.substr(0, error.message.find('"')); }

template <class Write>
void through(const Graph& graph, const std::vector<Tensor>& inputs, Write write, Tally& tally) {
  const auto bytes = write(graph);
  if (!bytes) {
    REQUIRE(bytes.error().code == ErrorCode::kUnsupported);
    ++tally.refused[reason(bytes.error())];
    return;
  }
  check_same(graph, parsed(bytes), inputs);
  ++tally.same;
}

void print(const char* format, const Tally& tally) {
  std::cout << format << ": " << tally.same << " graphs equal";
  for (const auto& [reason, count] : tally.refused) std::cout << "; " << count << " refused: " << reason;
  std::cout << "\n";
}

}  // namespace

TEST_CASE("The corpus's graphs compute the same from every format") {
  if (!macaw::test::in_corpus("tosa")) return;
  const char* given = std::getenv("MACAW_FORMAT_STEP");
  const auto step = given ? std::strtoul(given, nullptr, 10) : 16;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(macaw::test::corpus("tosa")))
    if (fs::exists(entry.path() / "desc.json")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  Tally mlir, vgf, valid;
  for (std::size_t i = 0; i < folders.size(); i += step) {
    INFO(folders[i].filename().string());
    const auto description = read_description(folders[i] / "desc.json");
    REQUIRE(description);
    const auto graph = load_graph(description->graph);
    if (!graph || description->expected_failure) continue;
    std::vector<Tensor> inputs;
    for (std::size_t k = 0; k < description->input_files.size(); ++k) {
      const auto port = find_port(*graph, graph->main().inputs, description->input_names[k], "input");
      REQUIRE(port);
      const auto& value = graph->main().values[graph->main().inputs[*port]];
      const auto tensor = read_tensor(description->input_files[k], value.dtype);
      REQUIRE(tensor);
      inputs.resize(std::max(inputs.size(), *port + 1));
      inputs[*port] = *tensor;
    }
    through(*graph, inputs, write_mlir, mlir);
    through(
        *graph, inputs, [](const Graph& g) { return write_vgf(g); }, vgf);
    if (const auto module = write_spirv(*graph); module && check_valid(*module)) ++valid.same;
  }
  print("MLIR", mlir);
  print("VGF", vgf);
  if (valid.same > 0) std::cout << "spirv-val: " << valid.same << " modules judged\n";
  CHECK(mlir.same > 0);
  CHECK(vgf.same > 0);
}
