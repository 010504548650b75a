#include "app/batch/tosa.hpp"

#include <macaw/tosa/input_ports.hpp>

#include "base/large_memory.hpp"
#include "reference/tosa/run_validated.hpp"

namespace macaw::app {
namespace {

Result<void> valid(const tosa::Verdict& verdict) {
  for (const auto& finding : verdict.findings) {
    if (finding.status == tosa::Status::kError) return fail(ErrorCode::kInvalidGraph, finding.to_string());
    if (finding.status == tosa::Status::kUnpredictable) return fail(ErrorCode::kUnpredictable, finding.to_string());
  }
  return {};
}

}  // namespace

Result<BatchResult> interpret_batch(const tosa::Graph& graph, const BatchOptions& options, tosa::Options run) {
  tosa::RunCache cache;
  MACAW_ASSIGN(const auto verdict, tosa::validate(graph, run, cache));
  MACAW_CHECK(valid(verdict));
  run.threads = 1;  // the threads are used for sets, not for rows
  const KeepFreedMemory keep_freed_memory;
  const auto one = [&](std::vector<Tensor> inputs) -> Result<std::vector<Tensor>> {
    MACAW_ASSIGN(auto result, tosa::run_validated(graph, verdict, cache, std::move(inputs), run));
    MACAW_CHECK(valid(result.verdict));
    return std::move(result.outputs);
  };
  return run_batch(options, tosa::input_ports(graph), graph.main().outputs.size(), "tosa", one);
}

}  // namespace macaw::app
