#include <macaw/tosa/interpreter.hpp>

#include "tests/fuzz/target.hpp"

using namespace macaw;

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 16;  // elements of a tensor: what is larger takes too long

/// Whether every tensor whose size is known is small.
bool is_small(const tosa::Graph& graph) {
  for (const auto& block : graph.blocks)
    for (const auto& value : block.values)
      if (value.is_static())
        if (const auto count = element_count(*value.shape); !count || *count > kMost) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto graph = tosa::parse_graph(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(graph);
  if (!graph || !is_small(*graph)) return 0;
  tosa::Options options;
  options.threads = 1;
  options.max_operators = 1000;
  const auto verdict = tosa::validate(*graph, options);
  fuzz::expect_message(verdict);
  if (!verdict || verdict->status() == tosa::Status::kError) return 0;
  std::vector<Tensor> inputs;
  for (const auto id : graph->main().inputs) {
    const auto& value = graph->main().values[id];
    if (!value.is_static()) return 0;
    inputs.emplace_back(value.dtype, *value.shape);
  }
  fuzz::expect_message(tosa::run(*graph, inputs, options));
  options.kernels = tosa::Kernels::kScalar;
  fuzz::expect_message(tosa::run(*graph, std::move(inputs), options));
  return 0;
}
