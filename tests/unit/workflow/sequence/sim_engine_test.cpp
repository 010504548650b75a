#include "workflow/sequence/sim_engine.hpp"

#include <catch2/catch.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

// Steps of a compiled network on the simulator.
using namespace macaw;
using macaw::test::checked;

namespace {

/// Rows of a table by an index, so that cycles depend on values; the DMA job reads the index where nothing wrote one.
npu::Artifact gather_with_finding() {
  tosa::test::GraphBuilder b;
  const auto index = b.input("index", DType::kINT32, {1, 1});
  const auto rows =
      b.constant("rows", tosa::test::tensor<std::int8_t>(DType::kINT8, {1, 8, 16}, std::vector<std::int8_t>(128, 1)));
  const auto row = b.value("row", DType::kINT8, {1, 1, 16});
  b.add(tosa::Op::kGATHER, {rows, index}, {row});
  b.output(row);
  auto artifact = npu::to_artifact(checked(npu::compile(b.graph(), *npu::find_accelerator("ethos-u85-256"))));
  constexpr std::uint32_t kSetDma0Idx = 0x4037, kElsewhere = 0x18;
  auto& words = std::get<npu::CommandStream>(artifact.steps.front()).words;
  const auto command = std::ranges::find(words, kSetDma0Idx);
  REQUIRE(words.end() - command > 1);
  *(command + 1) = kElsewhere;
  return artifact;
}

}  // namespace

TEST_CASE("where cycles depend on values, each step is looked at for findings") {
  const auto artifact = gather_with_finding();
  for (const auto mode : {npu::RunMode::kFunctional, npu::RunMode::kTimed}) {
    std::size_t found = 0;
    sequence::SimSetup setup{.mode = mode};
    setup.options.functional.findings = [&](const npu::Finding&) { ++found; };
    const auto engine = checked(sequence::SimEngine::create(artifact, *artifact.accelerator, std::move(setup)));
    for (std::size_t step = 1; step <= 3; ++step) {
      CHECK(engine->step({tosa::test::tensor<std::int32_t>(DType::kINT32, {1, 1}, {2})}));
      CHECK(found == step);
    }
  }
}
