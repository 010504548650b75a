#include "workflow/compare/comparison.hpp"

#include <fmt/format.h>
#include <macaw/input_fit.hpp>
#include <macaw/npu/run.hpp>

#include <algorithm>
#include <utility>

#include "workflow/compare/judge/first_difference.hpp"

namespace macaw::compare {
namespace {

constexpr std::size_t kMostPictures = 8;
constexpr std::int64_t kMostElements = std::int64_t{1} << 18;

void add_picture(std::vector<Picture>& pictures, const ReferenceTensor& tensor, const Tensor& actual) {
  const auto& expected = *tensor.value;
  if (pictures.size() >= kMostPictures || expected.size() > kMostElements ||
      std::ranges::find(pictures, tensor.name, &Picture::tensor) != pictures.end())
    return;
  Picture picture{tensor.name, expected, Tensor(expected.dtype(), expected.shape())};
  std::ranges::copy(actual.bytes(), picture.actual.bytes().begin());
  pictures.push_back(std::move(picture));
}

void take_pictures(ComparedRun& run, const Reference& reference, const std::vector<Tensor>& outputs) {
  for (auto& match : run.location.matched)
    if (match.actual) add_picture(run.pictures, reference.tensors[match.id], *std::exchange(match.actual, {}));
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    if (run.outputs[i].different > 0) add_picture(run.pictures, reference.tensors[reference.outputs[i]], outputs[i]);
}

/// Evaluates a run, and drops the values.
void judge(Comparison& comparison, ComparedRun run, Reference reference, const Sides& sides) {
  if (comparison.runs.empty())
    comparison.constants = check_constants(reference, sides.trace.records, sides.accelerator);
  run.location = find_difference(sides, reference, run.outputs, comparison.constants);
  if (auto& wrong = run.location.wrong) {
    if (!wrong->certain && wrong->candidates.empty() && !wrong->name.empty()) wrong->candidates = {wrong->name};
    wrong->contents.clear();
  }
  comparison.doubtful |= run.location.doubtful;
  comparison.elements = 1;
  for (const auto& tensor : reference.tensors) comparison.elements += tensor.value ? tensor.value->size() : 0;
  take_pictures(run, reference, sides.trace.outputs);
  comparison.coverage.add(reference, run.location);
  for (auto& tensor : reference.tensors) tensor.value.reset();
  for (auto& op : reference.operators) op.forms.clear();
  comparison.reference = std::move(reference);
  comparison.runs.push_back(std::move(run));
}

/// Which of another program's tensors an output of the network is: the one with its name, else one with its contents. A
/// size alone does not say it.
std::optional<TensorId> output_among(const Reference& reference, const npu::TensorBinding& output,
                                     const Tensor& actual) {
  std::vector<TensorId> alike;
  for (TensorId i = 0; i < reference.tensors.size(); ++i) {
    const auto& value = std::as_const(*reference.tensors[i].value);
    if (value.bytes().size() == actual.bytes().size() && size_of(value.dtype()) == size_of(actual.dtype()) &&
        same_arrangement(value.shape(), actual.shape()))
      alike.push_back(i);
  }
  const auto bytes_of = [&](TensorId i) { return std::as_const(*reference.tensors[i].value).bytes(); };
  for (const auto i : alike)
    if (reference.tensors[i].name == output.name) return i;
  for (const auto i : alike)
    if (std::ranges::equal(bytes_of(i), actual.bytes())) return i;
  return std::nullopt;
}

/// All outputs of the network and what they should be, or none where one is not among the tensors.
std::vector<OutputComparison> find_outputs(Reference& reference, const npu::Artifact& artifact, const Trace& trace) {
  std::vector<OutputComparison> comparisons;
  for (std::size_t i = 0; i < trace.outputs.size(); ++i) {
    const auto& actual = trace.outputs[i];
    const auto id = output_among(reference, artifact.outputs[i], actual);
    if (!id) {
      reference.outputs.clear();
      return {};
    }
    const auto& tensor = reference.tensors[*id];
    comparisons.push_back(compare_tensors(tensor.name, *tensor.value, actual));
    reference.outputs.push_back(*id);
  }
  return comparisons;
}

}  // namespace

Result<std::vector<OutputComparison>> compare_outputs(const Reference& reference, const std::vector<Tensor>& actual) {
  if (reference.outputs.size() != actual.size())
    return fail(ErrorCode::kMismatch, fmt::format("the graph has {} outputs, the compiled network {}",
                                                  reference.outputs.size(), actual.size()));
  std::vector<OutputComparison> comparisons;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto& tensor = reference.tensors[reference.outputs[i]];
    const auto expected = std::as_const(*tensor.value).bytes().size(), simulated = actual[i].bytes().size();
    if (expected != simulated)
      return fail(ErrorCode::kMismatch,
                  fmt::format("output '{}': {} bytes in the graph, {} in the compiled network, which is of "
                              "another network or of a part of it",
                              tensor.name, expected, simulated));
    comparisons.push_back(compare_tensors(tensor.name, *tensor.value, actual[i]));
  }
  return comparisons;
}

bool ComparedRun::outputs_equal() const {
  return std::ranges::all_of(outputs, [](const auto& o) { return o.different == 0; });
}

bool Comparison::equal(const ComparedRun& run) const {
  return run.outputs_equal() && (outputs_only || !run.location.wrong);
}

bool Comparison::equal() const {
  return std::ranges::all_of(runs, [&](const auto& run) { return equal(run); });
}

std::vector<std::string> Comparison::notes() const {
  std::vector<std::string> all;
  const auto add = [&](std::string note) {
    if (std::ranges::find(all, note) == all.end()) all.push_back(std::move(note));
  };
  if (outputs_only) return all;
  for (const auto& run : runs)
    for (const auto& note : run.location.notes) add(note);
  if (equal())
    for (const auto& difference : constants.differences)
      add(fmt::format("constant differs, but on no input tried an output: {}", to_text(difference, reference)));
  return all;
}

Result<void> add_run(Comparison& comparison, const Program& program, const npu::Artifact& artifact,
                     const npu::Accelerator& accelerator, std::string inputs, const std::vector<Tensor>& tensors) {
  comparison.kind = program.kind();
  comparison.accelerator = accelerator.name;
  ComparedRun run{std::move(inputs), {}, {}};
  MACAW_ASSIGN(auto reference, program.reference(tensors));
  MACAW_ASSIGN(const auto network_inputs, program.network_inputs(tensors, artifact));
  IntermediateMatches intermediate(reference);
  const RecordValueSink see = [&](std::size_t record, const IntermediateValues& values) {
    intermediate.record(record, values);
  };
  MACAW_ASSIGN(const auto trace, trace_program(artifact, accelerator, network_inputs, comparison.runs.empty(), see));
  MACAW_ASSIGN(run.outputs, compare_outputs(reference, trace.outputs));
  judge(comparison, std::move(run), std::move(reference),
        {artifact, accelerator, trace, intermediate, &program, &tensors});
  return {};
}

Result<void> add_run(Comparison& comparison, Reference reference, const npu::Artifact& artifact,
                     const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs) {
  comparison.kind = "given";
  comparison.accelerator = accelerator.name;
  IntermediateMatches intermediate(reference);
  const RecordValueSink see = [&](std::size_t record, const IntermediateValues& values) {
    intermediate.record(record, values);
  };
  MACAW_ASSIGN(const auto trace, trace_program(artifact, accelerator, inputs, false, see));
  ComparedRun run{"input files", find_outputs(reference, artifact, trace), {}};
  if (comparison.outputs_only && run.outputs.empty())
    return fail(ErrorCode::kMismatch, "the network's outputs are not among the tensors of the folder");
  judge(comparison, std::move(run), std::move(reference), {artifact, accelerator, trace, intermediate});
  if (comparison.coverage.compared.empty())
    return fail(ErrorCode::kMismatch, "no tensor of the folder was found in what the network writes");
  return {};
}

Result<void> add_outputs(Comparison& comparison, std::string inputs, const std::vector<Tensor>& expected,
                         const std::vector<Tensor>& actual, std::string note) {
  auto reference = comparison.reference;
  for (std::size_t i = 0; i < std::min(expected.size(), reference.outputs.size()); ++i)
    reference.tensors[reference.outputs[i]].value = expected[i];
  ComparedRun run{std::move(inputs), {}, {}};
  MACAW_ASSIGN(run.outputs, compare_outputs(reference, actual));
  run.location.notes.push_back(std::move(note));
  take_pictures(run, reference, actual);
  comparison.runs.push_back(std::move(run));
  return {};
}

Result<void> search_counterexample(Comparison& comparison, const Program& program, const npu::Artifact& artifact,
                                   const npu::Accelerator& accelerator) {
  constexpr std::uint32_t kFirstSeed = 0x5EED0000;
  constexpr std::int64_t kLeastRuns = 4, kMostRuns = 48;
  constexpr std::int64_t kElements = std::int64_t{1} << 21;  // of all runs together
  const bool doubtful = comparison.doubtful || !comparison.constants.differences.empty();
  if (comparison.outputs_only || !doubtful || !comparison.equal()) return {};
  const auto runs = std::clamp<std::int64_t>(kElements / comparison.elements, kLeastRuns, kMostRuns);
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto seed = kFirstSeed + static_cast<std::uint32_t>(i);
    const auto inputs = program.random_inputs(seed);
    if (!inputs) return {};
    const auto expected = program.outputs_with(*inputs, {}, {});
    const auto given = program.network_inputs(*inputs, artifact);
    if (!expected || !given) continue;
    const auto actual = npu::execute(
        {.artifact = artifact, .accelerator = accelerator, .inputs = *given, .mode = npu::RunMode::kFunctional});
    if (!actual) continue;
    if (!std::ranges::equal(*expected, actual->values.outputs,
                            [](const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }))
      return add_run(comparison, program, artifact, accelerator, fmt::format("seed {}", seed), *inputs);
    ++comparison.tried;
  }
  return {};
}

}  // namespace macaw::compare
