#include "workflow/prove/refutation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "workflow/compare/comparison.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/reduce/tosa_network.hpp"

namespace macaw::prove {
namespace {

constexpr std::size_t kMostOperators = 64;

/// A run of the network beside the tensors of a program.
struct Run {
  compare::Trace trace;
  std::vector<compare::OutputComparison> outputs;
  compare::Location location;
};

/// The operator that is wrong first, and what the network computes for its tensor.
struct Wrong {
  TensorProof entry;
  std::optional<tosa::ValueId> value;  ///< of the graph; none: it is not known
  std::optional<Tensor> actual;
  std::vector<std::size_t> operators = {};  ///< of the graph
};

std::optional<tosa::ValueId> find_value(const tosa::Graph& graph, const std::string& name) {
  const auto& values = graph.main().values;
  const auto found = std::ranges::find(values, name, &tosa::Value::name);
  if (name.empty() || found == values.end()) return std::nullopt;
  return static_cast<tosa::ValueId>(found - values.begin());
}

/// The operators of the graph between a tensor and those that the reference has as well.
std::vector<std::size_t> operators_between(const tosa::Graph& graph, tosa::ValueId tensor, const Reference& reference) {
  const auto& block = graph.main();
  std::set<std::size_t> found;
  std::vector<tosa::ValueId> open{tensor};
  while (!open.empty()) {
    const auto value = open.back();
    open.pop_back();
    if (value != tensor && reference.find(block.values[value].name)) continue;
    for (std::size_t op = 0; op < block.operators.size(); ++op) {
      const auto& o = block.operators[op];
      if (std::ranges::find(o.outputs, value) == o.outputs.end() || !found.insert(op).second) continue;
      open.insert(open.end(), o.inputs.begin(), o.inputs.end());
    }
  }
  return {found.begin(), found.end()};
}

class Refuter {
 public:
  Refuter(const npu::Artifact& artifact, const npu::Accelerator& accelerator, std::vector<npu::NamedTensor> inputs,
          const Prover* prover)
      : artifact_(artifact), accelerator_(accelerator), inputs_(std::move(inputs)), prover_(prover) {}

  /// The network beside `reference`, and where they part.
  [[nodiscard]] Result<Run> run(const Reference& reference) const {
    compare::IntermediateMatches intermediate(reference);
    const compare::RecordValueSink see = [&](std::size_t record, const compare::IntermediateValues& values) {
      intermediate.record(record, values);
    };
    MACAW_ASSIGN(auto trace, compare::trace_program(artifact_, accelerator_, inputs_, true, see));
    MACAW_ASSIGN(auto outputs, compare::compare_outputs(reference, trace.outputs));
    const auto constants = compare::check_constants(reference, trace.records, accelerator_);
    auto location = compare::locate(reference, artifact_, accelerator_,
                                    {trace.records, intermediate, outputs, trace.host_calls}, constants);
    return Run{std::move(trace), std::move(outputs), std::move(location)};
  }

  /// The first operation that is known to write a part of a tensor and writes something else.
  [[nodiscard]] std::optional<Wrong> known_wrong(const Reference& reference, const Model& model,
                                                 const std::vector<Record>& records) const {
    for (std::size_t r = 0; r < records.size(); ++r) {
      const auto* piece = prover_ != nullptr ? prover_->written(r) : nullptr;
      if (piece == nullptr || !reference.tensors[piece->tensor].value) continue;
      auto actual = *reference.tensors[piece->tensor].value;
      if (!overlay(actual, *piece, records[r])) continue;
      // The tensor as all its operations write it.
      for (std::size_t other = r + 1; other < records.size(); ++other)
        if (const auto* more = prover_->written(other); more != nullptr && more->tensor == piece->tensor)
          overlay(actual, *more, records[other]);
      Wrong wrong{
          {}, static_cast<tosa::ValueId>(piece->tensor), std::move(actual), prover_->operators_of(piece->tensor)};
      wrong.entry.tensor = reference.tensors[piece->tensor].name;
      for (const auto& op : model.reference.operators)
        if (std::ranges::find(op.outputs, piece->tensor) != op.outputs.end()) {
          wrong.entry.operators = {op.text};
          wrong.entry.kind = op.kind;
        }
      return wrong;
    }
    return std::nullopt;
  }

  /// The operator that compare finds wrong.
  [[nodiscard]] static std::optional<Wrong> located(const Reference& reference, const compare::Location& location,
                                                    const tosa::Graph& graph, bool has_ids) {
    if (!location.wrong) return std::nullopt;
    const auto& found = *location.wrong;
    Wrong wrong;
    wrong.entry.tensor = found.tensor;
    wrong.entry.operators = found.candidates.empty() ? std::vector{found.name} : found.candidates;
    wrong.entry.candidates = !found.candidates.empty();
    if (found.index) wrong.entry.kind = reference.operators[*found.index].kind;
    for (const auto& match : location.matched)
      if (match.name == found.tensor && match.actual) {
        wrong.actual = match.actual;
        wrong.value = has_ids ? static_cast<tosa::ValueId>(match.id) : find_value(graph, match.name);
      }
    if (!found.candidates.empty()) return wrong;
    if (has_ids && found.index) {
      wrong.operators = found.fused;
      wrong.operators.insert(wrong.operators.begin(), *found.index);
      std::ranges::sort(wrong.operators);
    } else if (wrong.value) {
      wrong.operators = operators_between(graph, *wrong.value, reference);
    }
    return wrong;
  }

 private:
  /// Puts what an operation wrote in its place of a tensor. Whether that changed it.
  static bool overlay(Tensor& tensor, const Piece& piece, const Record& record) {
    const auto width = size_of(tensor.dtype());
    if (width != static_cast<std::size_t>(record.bytes) || piece.channels == 0) return false;
    bool changed = false;
    for (std::size_t i = 0; (i + 1) * width <= record.contents.size(); ++i) {
      const auto element = piece.element(i / piece.channels, i % piece.channels);
      if ((element + 1) * width > std::as_const(tensor).bytes().size()) return changed;
      auto* const to = tensor.bytes().data() + element * width;
      const auto* const from = record.contents.data() + i * width;
      if (std::memcmp(to, from, width) == 0) continue;
      std::memcpy(to, from, width);
      changed = true;
    }
    return changed;
  }

  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  std::vector<npu::NamedTensor> inputs_;
  const Prover* prover_;
};

/// Makes a tensor an input of the graph. Whether it can be one.
bool cut(tosa::Graph& graph, tosa::ValueId tensor) {
  auto& block = graph.blocks.front();
  for (auto& op : block.operators) {
    const auto found = std::ranges::find(op.outputs, tensor);
    if (found == op.outputs.end()) continue;
    const auto unused = static_cast<tosa::ValueId>(block.values.size());
    block.values.push_back(block.values[tensor]);
    block.values.back().name = fmt::format("{} before it was replaced {}", block.values[tensor].name, unused);
    *found = unused;
    block.inputs.push_back(tensor);
    return true;
  }
  return false;
}

}  // namespace

TensorProof output_entry(const Trial& trial, const std::vector<compare::OutputComparison>& outputs) {
  const auto output = std::ranges::find_if(outputs, [](const auto& o) { return o.different > 0; });
  TensorProof entry{.tensor = output->name, .operators = {"output"}, .kind = "output", .verdict = Verdict::kRefuted};
  entry.reason = fmt::format("{}: {}", trial.name, first_difference(outputs));
  entry.shown_by = trial.name;
  entry.inputs = std::make_shared<const std::vector<Tensor>>(trial.inputs);
  return entry;
}

Result<std::vector<TensorProof>> refute(const compare::Program& program, const npu::Artifact& artifact,
                                        const npu::Accelerator& accelerator, const Trial& trial,
                                        const ModelOf& model_of, const Prover* prover, bool reproduces) {
  MACAW_ASSIGN(auto named, program.network_inputs(trial.inputs, artifact));
  const Refuter refuter(artifact, accelerator, std::move(named), prover);
  MACAW_ASSIGN(const auto given, program.reference(trial.inputs));
  MACAW_ASSIGN(const auto model, model_of(trial.inputs));
  auto graph = model.graph;
  std::vector<Tensor> tensors;  // of the graph's inputs, in its order
  for (const auto input : graph.main().inputs) tensors.push_back(*model.reference.tensors[input].value);

  std::vector<TensorProof> entries;
  for (std::size_t i = 0; i < kMostOperators; ++i) {
    // The given network has names and steps that its exact part lacks.
    const bool first = i == 0 && prover == nullptr;
    Reference reference = first ? given : model.reference;
    if (i > 0) {
      MACAW_ASSIGN(reference, compare::reference_of(graph, tensors));
      reference.inputs.resize(trial.inputs.size());
    }
    MACAW_ASSIGN(const auto run, refuter.run(reference));
    auto difference = first_difference(run.outputs);
    if (difference.empty()) break;
    auto wrong = first ? std::nullopt : refuter.known_wrong(reference, model, run.trace.records);
    if (!wrong)
      wrong = Refuter::located(reference, run.location, graph, !first || program.kind() == std::string_view("tosa"));
    if (!wrong && i > 0) break;
    if (!wrong) {
      entries.push_back(output_entry(trial, run.outputs));
      break;
    }
    wrong->entry.verdict = Verdict::kRefuted;
    wrong->entry.shown_by = trial.name;
    wrong->entry.inputs = std::make_shared<const std::vector<Tensor>>(trial.inputs);
    wrong->entry.reason =
        fmt::format("{}{}: {}", trial.name,
                    i > 0 ? ", with the refuted tensors before it as the network computes them" : "", difference);
    if (reproduces && !wrong->operators.empty()) {
      // In the exact part each tensor has the values that the operators are to be shown with.
      const auto values = i == 0 ? Result<Reference>(model.reference) : compare::reference_of(graph, tensors);
      if (values)
        if (auto files =
                reduce::reproducer_files(*reduce::make_network(graph), *values,
                                         {wrong->operators,
                                          fmt::format("{}, tensor '{}': {}", fmt::join(wrong->entry.operators, ", "),
                                                      wrong->entry.tensor, wrong->entry.reason),
                                          wrong->actual}))
          wrong->entry.reproducer = *std::move(files);
    }
    entries.push_back(wrong->entry);
    if (!wrong->value || !wrong->actual || !cut(graph, *wrong->value)) break;
    const auto& like = graph.main().values[*wrong->value];
    Tensor actual(like.dtype, like.shape.value_or(wrong->actual->shape()));
    if (actual.bytes().size() != std::as_const(*wrong->actual).bytes().size()) break;
    std::ranges::copy(std::as_const(*wrong->actual).bytes(), actual.bytes().begin());
    tensors.push_back(std::move(actual));
  }
  return entries;
}

}  // namespace macaw::prove
