#include "workflow/prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include <macaw/tflite/to_tosa.hpp>

#include "workflow/prove/refutation.hpp"

namespace macaw::prove {
namespace {

/// The entry of the same tensor; null: there is none.
TensorProof* find(Proof& proof, const TensorProof& entry) {
  const auto known = std::ranges::find_if(proof.tensors, [&](const TensorProof& t) {
    return t.tensor == entry.tensor && (t.kind == "output") == (entry.kind == "output");
  });
  return known == proof.tensors.end() ? nullptr : &*known;
}

/// Replaces entries by the refutations that a trial shows. An operator that was proved is not the one; an output
/// that differs is refuted in any case.
void add_refuted(Proof& proof, std::vector<TensorProof> refuted, const Trial& trial) {
  bool named = false;
  for (auto& entry : refuted) {
    auto* const known = find(proof, entry);
    if (known != nullptr && known->verdict == Verdict::kProved && entry.kind != "output") continue;
    named = true;
    if (known == nullptr) {
      proof.tensors.push_back(std::move(entry));
      continue;
    }
    if (known->verdict == Verdict::kRefuted) continue;
    if (entry.kind != "output") entry.kind = known->kind;
    if (!entry.candidates) entry.operators = known->operators;
    if (!known->reason.empty()) entry.reason += fmt::format("; {}", known->reason);
    *known = std::move(entry);
  }
  if (!named) add_refuted(proof, {output_entry(trial, trial.outputs)}, trial);
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

/// Proves and refutes with inputs of its choice.
class Attempt {
 public:
  Attempt(const compare::Program& program, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
          const Options& options, const ModelOf& model_of)
      : program_(program), artifact_(artifact), accelerator_(accelerator), options_(options), model_of_(model_of) {}

  Result<Proof> run() {
    MACAW_CHECK(try_random());
    MACAW_CHECK(try_boundaries());
    if (tried_ == 0) return tl::unexpected(why_undefined_);
    // Tensors are recognised by their contents in a run whose outputs are right, if there is one.
    const bool is_constant = !sound_ && constant_sound_;
    if (is_constant) sound_ = std::move(constant_sound_);
    const bool is_sound = sound_.has_value();
    const auto inputs = (is_sound ? *sound_ : wrong_.front()).inputs;
    MACAW_ASSIGN(auto model, model_of_(inputs));
    MACAW_ASSIGN(const auto named, program_.network_inputs(inputs, artifact_));
    MACAW_ASSIGN(const auto trace, compare::trace_program(artifact_, accelerator_, named, true));
    Prover prover(std::move(model), artifact_, accelerator_, trace.records, trace.host_calls);
    MACAW_CHECK(prover.follow(named, options_.progress));
    auto proof = prover.proof();
    MACAW_CHECK(try_examples(prover, inputs));
    for (const auto& trial : wrong_) {
      MACAW_ASSIGN(auto refuted, refute(program_, artifact_, accelerator_, trial, model_of_,
                                        is_sound ? &prover : nullptr, options_.reproduces));
      add_refuted(proof, std::move(refuted), trial);
    }
    if (is_constant)
      for (auto& entry : proof.tensors)
        if (entry.kind == "output" && entry.verdict == Verdict::kProved) {
          entry.verdict = Verdict::kNotProved;
          entry.reason = "only constant inputs give right outputs, in which elements are in many places";
        }
    proof.tried = tried_;
    proof.undefined = undefined_;
    return proof;
  }

 private:
  /// Constant inputs have the same elements in many places, so that tensors are rather recognised in random ones.
  Result<void> attempt(std::string name, std::vector<Tensor> inputs, bool random) {
    MACAW_ASSIGN(auto trial, run_trial(program_, artifact_, accelerator_, std::move(name), std::move(inputs)));
    ++tried_;
    bool fresh = false;
    for (const auto& output : trial.outputs)
      if (output.different > 0) fresh |= shown_.insert(output.name).second;
    if (fresh) wrong_.push_back(std::move(trial));
    else if (auto& sound = random ? sound_ : constant_sound_; !trial.differs() && !sound) sound = std::move(trial);
    if (options_.progress) options_.progress();
    return {};
  }

  Result<void> try_random() {
    for (unsigned i = 0; i < options_.runs; ++i) {
      MACAW_ASSIGN(auto inputs, program_.random_inputs(options_.seed + i));
      MACAW_CHECK(attempt_defined({fmt::format("seed {}", options_.seed + i), std::move(inputs)}, true));
    }
    return {};
  }

  Result<void> try_boundaries() {
    MACAW_ASSIGN(const auto like, program_.random_inputs(options_.seed));
    MACAW_ASSIGN(const auto ranges, program_.index_ranges());
    for (auto& inputs : boundary_inputs(like)) {
      compare::limit_to_ranges(inputs.tensors, ranges);
      MACAW_CHECK(attempt_defined(std::move(inputs)));
    }
    return {};
  }

  /// Inputs for which the graph may have no result.
  Result<void> attempt_defined(NamedInputs inputs, bool random = false) {
    auto done = attempt(std::move(inputs.name), std::move(inputs.tensors), random);
    if (done || done.error().code != ErrorCode::kUnpredictable) return done;
    ++undefined_;
    why_undefined_ = done.error();
    return {};
  }

  /// Operands for which an operation gives something else, where they are inputs of the network.
  Result<void> try_examples(const Prover& prover, const std::vector<Tensor>& like) {
    for (const auto& example : prover.examples()) {
      NamedInputs inputs{"", like};
      for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        const auto input = prover.input_number(example.inputs[i].tensor);
        if (!input) break;
        fill(inputs.tensors[*input], example.values[i]);
        inputs.name += fmt::format("{}every element of input {} is {}", i == 0 ? "" : ", ", *input, example.values[i]);
        if (i + 1 == example.inputs.size()) MACAW_CHECK(attempt_defined(inputs));
      }
    }
    return {};
  }

  const compare::Program& program_;
  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  const Options& options_;
  const ModelOf& model_of_;
  std::optional<Trial> sound_;           ///< the first random one whose outputs are right
  std::optional<Trial> constant_sound_;  ///< the first other one
  std::vector<Trial> wrong_;             ///< for every output, the first in which it differs
  std::set<std::string> shown_;          ///< the outputs that differ in those
  std::size_t tried_ = 0, undefined_ = 0;
  Error why_undefined_;  ///< of the last
};

Result<Proof> prove(const compare::Program& program, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                    const Options& options, const ModelOf& model_of) {
  if (npu::has_control_flow(artifact))
    return fail(ErrorCode::kUnsupported, "what runs in a network that leaves IF or WHILE to the CPU depends on values",
                {.file = artifact.file});
  return Attempt(program, artifact, accelerator, options, model_of).run();
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
  compare::Program program(graph);
  program.state_ranges(options.ranges);
  return prove(program, artifact, accelerator, options,
               [&](const std::vector<Tensor>& inputs) -> Result<Model> {
                 MACAW_ASSIGN(auto reference, compare::reference_of(graph, inputs));
                 return Model{graph, std::move(reference), {}};
               });
}

Result<Proof> prove(const tflite::Network& network, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                    const Options& options) {
  MACAW_ASSIGN(const auto exact, tflite::exact_part(network));
  compare::Program program(network);
  program.state_ranges(options.ranges);
  return prove(program, artifact, accelerator, options,
               [&](const std::vector<Tensor>& inputs) { return model_of(network, exact, inputs); });
}

}  // namespace macaw::prove
