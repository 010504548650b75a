#include <catch2/catch.hpp>

#include <macaw/tosa/mlir_text.hpp>

#include "base/file.hpp"
#include "tests/fuzz/graph.hpp"
#include "tests/support/formats/vgf_writer.hpp"
#include "tests/system/hostile/files/seeds.hpp"

// Truncated and mutated MLIR text, VGF files and SPIR-V modules: every one of them ends in a graph or a coded error.

using namespace macaw;
using namespace macaw::hostile;

namespace {

void prefixes_and_mutants(const Result<std::vector<std::byte>>& seed, std::mt19937& random) {
  REQUIRE(seed);
  REQUIRE(tosa::parse_graph(*seed, "seed"));
  // The last bytes of a file may be padding.
  constexpr std::size_t kPadding = 16;
  const std::size_t step = std::getenv("MACAW_HOSTILE_RUNS") ? 1 : 1 + seed->size() / 2000;
  for (std::size_t n = 0; n + kPadding < seed->size(); n += step) {
    const auto prefix = std::span(*seed).first(n);
    CHECK_FALSE(tosa::parse_graph(prefix, "prefix"));
    fuzz::run_graph(prefix);
  }
  for (unsigned i = 0; i < runs_per_seed(); ++i) {
    auto bytes = *seed;
    mutate(bytes, random);
    fuzz::run_graph(bytes);
  }
}

}  // namespace

TEST_CASE("prefixes and mutants of graphs in other formats") {
  std::mt19937 random(5);
  const auto graph = tosa::load_graph("tests/fuzz/seeds/tosa/softmax.tosa").value();
  prefixes_and_mutants(tosa::write_mlir(graph), random);
  prefixes_and_mutants(tosa::test::write_vgf(graph), random);
  using tosa::test::Ports;
  for (const auto ports : {Ports::kTensors, Ports::kArray, Ports::kElements})
    prefixes_and_mutants(tosa::test::write_spirv(graph, ports), random);
  prefixes_and_mutants(io::read_file("tests/fuzz/seeds/mlir/control_flow.mlir"), random);
}
