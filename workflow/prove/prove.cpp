#include "workflow/prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <macaw/tflite/to_tosa.hpp>

#include "workflow/compare/comparison.hpp"
#include "workflow/prove/prover.hpp"

namespace macaw::prove {
namespace {

/// Operators that are wrong for an input that was tried.
void add_refuted(Proof& proof, const compare::Comparison& comparison) {
  std::set<std::string> named;
  for (const auto& run : comparison.runs) {
    if (comparison.equal(run) || !run.location.wrong) continue;
    const auto& wrong = *run.location.wrong;
    if (!named.insert(wrong.name).second) continue;
    const auto known = std::ranges::find(proof.tensors, wrong.tensor, &TensorProof::tensor);
    TensorProof entry;
    if (known == proof.tensors.end()) {
      entry.tensor = wrong.tensor;
      entry.operators = {wrong.name};
      if (wrong.index) entry.kind = comparison.reference.operators[*wrong.index].kind;
    } else {
      entry = *known;
      proof.tensors.erase(known);
    }
    entry.verdict = Verdict::kRefuted;
    entry.reason = fmt::format("{} shows it{}{}", run.inputs, entry.reason.empty() ? "" : ": ", entry.reason);
    proof.tensors.push_back(std::move(entry));
  }
}

/// The tensors of the exact part, given those of the rest.
Result<Model> model_of(const tflite::Network& network, const tflite::ExactPart& exact,
                       const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(auto all, compare::reference_of(network, inputs));
  auto tensors = inputs;
  std::map<TensorId, Given> given;
  for (const auto& inexact : exact.inexact) {
    auto& value = all.tensors[inexact.tensor].value;
    tensors.push_back(std::move(*value));  // there is one: it was computed
    given[inexact.value] = {inexact.kind, inexact.op, fmt::format("no exact form in TOSA: {}", inexact.reason)};
  }
  MACAW_ASSIGN(auto reference, compare::reference_of(exact.graph, tensors));
  reference.inputs.resize(inputs.size());
  return Model{exact.graph, std::move(reference), std::move(given)};
}

template <class ModelOf>
Result<Proof> prove(const compare::Program& program, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                    const Options& options, ModelOf&& model_of) {
  if (npu::has_control_flow(artifact))
    return fail(ErrorCode::kUnsupported, "what runs in a network that leaves IF or WHILE to the CPU depends on values",
                {.file = artifact.file});
  compare::Comparison comparison;
  for (unsigned i = 0; i < options.runs; ++i) {
    MACAW_ASSIGN(const auto inputs, program.random_inputs(options.seed + i));
    MACAW_CHECK(
        compare::add_run(comparison, program, artifact, accelerator, fmt::format("seed {}", options.seed + i), inputs));
  }
  MACAW_ASSIGN(const auto inputs, program.random_inputs(options.seed));
  MACAW_ASSIGN(auto model, model_of(inputs));
  MACAW_ASSIGN(const auto named, program.network_inputs(inputs, artifact));
  MACAW_ASSIGN(const auto trace, compare::trace_program(artifact, accelerator, named, true));
  Prover prover(std::move(model), artifact, accelerator, trace.records, trace.host_calls);
  MACAW_CHECK(prover.follow(named));
  auto proof = prover.proof();
  add_refuted(proof, comparison);
  return proof;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved: return "proved";
    case Verdict::kRefuted: return "refuted";
    case Verdict::kNotProved: return "not proved";
  }
  return "";
}

bool Proof::refuted() const {
  return std::ranges::any_of(tensors, [](const auto& t) { return t.verdict == Verdict::kRefuted; });
}

Result<Proof> prove(const tosa::Graph& graph, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                    const Options& options) {
  return prove(compare::Program(graph), artifact, accelerator, options,
               [&](const std::vector<Tensor>& inputs) -> Result<Model> {
                 MACAW_ASSIGN(auto reference, compare::reference_of(graph, inputs));
                 return Model{graph, std::move(reference), {}};
               });
}

Result<Proof> prove(const tflite::Network& network, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                    const Options& options) {
  MACAW_ASSIGN(const auto exact, tflite::exact_part(network));
  return prove(compare::Program(network), artifact, accelerator, options,
               [&](const std::vector<Tensor>& inputs) { return model_of(network, exact, inputs); });
}

}  // namespace macaw::prove
