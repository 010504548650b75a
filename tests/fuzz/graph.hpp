#pragma once
#include <macaw/tosa/interpreter.hpp>

#include "tests/fuzz/target.hpp"

namespace macaw::fuzz {

/// Whether every tensor whose size is known is small.
inline bool is_small(const tosa::Graph& graph) {
  constexpr std::int64_t kMost = std::int64_t{1} << 16;  // elements of a tensor: what is larger takes too long
  for (const auto& block : graph.blocks)
    for (const auto& value : block.values)
      if (value.is_static())
        if (const auto count = element_count(*value.shape); !count || *count > kMost) return false;
  return true;
}

/// Runs a graph on zeros.
inline void run(const tosa::Graph& graph) {
  if (!is_small(graph)) return;
  tosa::Options options;
  options.threads = 1;
  options.max_work = std::int64_t{1} << 27;
  const auto verdict = tosa::validate(graph, options);
  expect_message(verdict);
  if (!verdict || verdict->status() == tosa::Status::kError) return;
  std::vector<Tensor> inputs;
  for (const auto id : graph.main().inputs) {
    const auto& value = graph.main().values[id];
    if (!value.is_static()) return;
    inputs.emplace_back(value.dtype, *value.shape);
  }
  expect_message(tosa::run(graph, inputs, options));
  options.kernels = tosa::Kernels::kScalar;
  expect_message(tosa::run(graph, std::move(inputs), options));
}

/// Reads a graph of any format and runs it.
inline void run_graph(std::span<const std::byte> bytes) {
  const auto graph = tosa::parse_graph(bytes, "fuzz");
  expect_message(graph);
  if (graph) run(*graph);
}

}  // namespace macaw::fuzz
