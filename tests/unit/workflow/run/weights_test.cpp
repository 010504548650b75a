#include <macaw/npu/run.hpp>
#include <macaw/npu/weight_figures.hpp>
#include <macaw/tosa/graph.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "tests/support/checked.hpp"
#include "workflow/compare/tensor_difference.hpp"

// The weights that a run reports beside those of the graph that its stream was compiled from.
using namespace macaw;
using macaw::test::checked;

namespace {

struct Counts {
  std::uint64_t weights = 0, zeros = 0;
};

/// Sums the weights of all convolutions of the graph, which are the second operands.
Counts of_graph() {
  const auto graph = checked(tosa::load_graph("traces/tiny_cnn/tiny_cnn.tosa"));
  Counts counts;
  const auto& block = graph.blocks.front();
  for (const auto& op : block.operators) {
    if (op.op != tosa::Op::kCONV2D && op.op != tosa::Op::kDEPTHWISE_CONV2D) continue;
    const auto& data = block.values[op.inputs[1]].data;
    REQUIRE(data);
    counts.weights += static_cast<std::uint64_t>(data->size());
    for (std::int64_t i = 0; i < data->size(); ++i) counts.zeros += compare::integer_at(*data, i) == 0;
  }
  return counts;
}

}  // namespace

TEST_CASE("the weights of a stream are those of its graph, on every family") {
  const auto expected = of_graph();
  REQUIRE((expected.weights > 0 && expected.zeros > 0));
  for (const std::string accelerator : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz"));
    npu::RunSpec spec{.artifact = artifact, .accelerator = *artifact.accelerator, .mode = npu::RunMode::kTiming};
    spec.options.movements = true;
    const auto run = checked(npu::execute(spec));
    Counts counts;
    for (const auto& o : run.operations) {
      if (!o.details || !o.details->weights) continue;
      const auto& d = *o.details;
      counts.weights += d.weights->count;
      counts.zeros += d.weights->zeros;
      CHECK(d.weights->encoded > 0);
      CHECK(d.weights->encoded % 16 == 0);
      const int inputs = o.name == "NPU_OP_DEPTHWISE" ? 1 : d.ifm[2];
      CHECK(d.weights->count == static_cast<std::uint64_t>(d.kernel[0] * d.kernel[1] * inputs * d.ofm[2]));
    }
    INFO(accelerator);
    CHECK(counts.weights == expected.weights);
    CHECK(counts.zeros == expected.zeros);
  }
}

TEST_CASE("the bytes of weight streams count towards the limit of what is read") {
  auto artifact = checked(npu::load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"));
  const auto all = checked(npu::weight_figures(artifact, *artifact.accelerator));
  REQUIRE(all.size() > 1);
  // The first stream gets more bytes than the limit; they are zeros.
  auto& stream = std::get<npu::CommandStream>(artifact.steps.front());
  constexpr std::uint32_t kWeightLength = 0x4021,
                          kWeightRegion = 0x0128;  // NPU_SET_WEIGHT_LENGTH, NPU_SET_WEIGHT_REGION
  const auto length = std::ranges::find_if(stream.words, [](auto word) { return (word & 0xffff) == kWeightLength; });
  REQUIRE(length != stream.words.end());
  length[1] = static_cast<std::uint32_t>(npu::kMostWeights) + 16;
  const auto region = std::ranges::find_if(stream.words, [](auto word) { return (word & 0xffff) == kWeightRegion; });
  auto& binding = stream.regions[region == stream.words.end() ? 0 : *region >> 16];
  auto& memory = artifact.memories[static_cast<std::size_t>(binding.memory)];
  memory.size = binding.size = npu::kMostWeights + (1 << 20);
  binding.offset = 0;
  CHECK(checked(npu::weight_figures(artifact, *artifact.accelerator)).empty());
}

TEST_CASE("a run without movements has no details, and none of its weights are read") {
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"));
  const auto run = checked(
      npu::execute({.artifact = artifact, .accelerator = *artifact.accelerator, .mode = npu::RunMode::kTiming}));
  CHECK(std::ranges::none_of(run.operations, [](const auto& o) { return o.details.has_value(); }));
}
