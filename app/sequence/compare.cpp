#include "app/sequence/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workflow/sequence/sim_engine.hpp"
#include "workflow/sequence/tflite_engine.hpp"
#include "workflow/sequence/tosa_engine.hpp"

namespace macaw::app {
namespace {

using State = std::vector<npu::NamedTensor>;

/// A step with the state of both sides before it, and both outputs.
struct Snapshot {
  std::size_t step = 0;
  std::vector<Tensor> inputs;
  State expected, actual;
  std::vector<Tensor> expected_outputs, actual_outputs;
};
/// The first step, and the first one in which an output differs, or else the last.
struct Steps {
  Snapshot first, last;
};

/// The graph with the state as its variables' initial contents.
tosa::Graph with_state(tosa::Graph graph, const State& state) {
  for (auto& block : graph.blocks)
    for (auto& value : block.values)
      for (const auto& [name, tensor] : state)
        if (value.variable && value.variable_name == name) value.data = std::make_shared<const Tensor>(tensor);
  return graph;
}

/// The network with the state as its memories' initial contents.
npu::Artifact with_state(npu::Artifact artifact, const State& state) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    auto& variable = artifact.variables[i];
    variable.quantization = {};  // without which a run would start at the zero point
    if (variable.memory < 0) continue;
    const auto bytes = state[i].tensor.bytes();
    auto& initial = artifact.memories[static_cast<std::size_t>(variable.memory)].initial;
    initial.resize(std::max<std::size_t>(initial.size(), variable.offset + bytes.size()));
    std::ranges::transform(bytes, initial.begin() + static_cast<std::ptrdiff_t>(variable.offset),
                           [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  }
  return artifact;
}

/// Inputs of the program in the order of the engine of the compiled network.
Result<std::vector<Tensor>> ordered(const compare::Program& program, const npu::Artifact& artifact,
                                    const sequence::Engine& engine, std::span<const Tensor> inputs) {
  MACAW_ASSIGN(const auto named, program.network_inputs({inputs.begin(), inputs.end()}, artifact));
  std::vector<Tensor> tensors(engine.inputs().size());
  for (std::size_t i = 0, next = 0; i < named.size() && i < artifact.inputs.size(); ++i) {
    const auto name = named[i].name.empty() ? artifact.inputs[i].name : named[i].name;
    const auto found =
        std::ranges::find_if(engine.inputs(), [&](const auto& port) { return port.tensor.name == name; });
    const auto place =
        found == engine.inputs().end() ? next : static_cast<std::size_t>(found - engine.inputs().begin());
    if (artifact.inputs[i].memory < 0) continue;
    if (place >= tensors.size()) break;
    const auto& port = engine.inputs()[place].tensor;
    MACAW_ASSIGN(tensors[place], fit_input(to_npy(named[i].tensor), port, {.reshape = true, .reinterpret = true}, ""));
    next = place + 1;
  }
  return tensors;
}

bool same_bytes(std::span<const Tensor> expected, const std::vector<Tensor>& actual) {
  return std::ranges::equal(expected, actual,
                            [](const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); });
}

Result<Steps> find_step(sequence::Engine& engine, const ComparedSequence& both, const SequenceOptions& options,
                        const SequenceRun& run) {
  sequence::SimSetup setup{.mode = npu::RunMode::kFunctional};
  MACAW_ASSIGN(const auto network, sequence::SimEngine::create(both.artifact, both.accelerator, std::move(setup)));
  Snapshot before;
  Steps steps;
  MACAW_ASSIGN(before.expected, engine.state());
  MACAW_ASSIGN(before.actual, network->state());
  bool differs = false;
  sequence::Hooks hooks;
  hooks.done = [&](const sequence::Step& step) -> Result<void> {
    MACAW_ASSIGN(auto inputs, ordered(both.source.program, both.artifact, *network, step.inputs));
    MACAW_ASSIGN(auto actual, network->step(std::move(inputs)));
    differs = !same_bytes(step.outputs, actual);
    steps.last = {.step = step.index,
                  .inputs = {step.inputs.begin(), step.inputs.end()},
                  .expected = std::move(before.expected),
                  .actual = std::move(before.actual),
                  .expected_outputs = {step.outputs.begin(), step.outputs.end()},
                  .actual_outputs = std::move(actual)};
    if (step.index == 0) steps.first = steps.last;
    MACAW_ASSIGN(before.expected, engine.state());
    MACAW_ASSIGN(before.actual, network->state());
    return {};
  };
  hooks.stop = [&](const sequence::Step&) -> Result<bool> { return differs; };
  MACAW_CHECK(run_sequence(engine, options, run, nullptr, std::move(hooks)));
  return steps;
}

}  // namespace

Result<void> compare_sequence(compare::Comparison& comparison, const ComparedSequence& both,
                              const SequenceOptions& options, const SequenceRun& run) {
  const auto add = [&](const compare::Program& program, const Snapshot& at) {
    return compare::add_run(comparison, program, with_state(both.artifact, at.actual), both.accelerator,
                            fmt::format("step {}", at.step), at.inputs);
  };
  if (const auto& network = both.source.network) {
    sequence::TfliteEngine engine(*network, {});
    MACAW_ASSIGN(const auto steps, find_step(engine, both, options, run));
    const auto& [first, last] = steps;
    if (last.step == 0 || !engine.has_state()) return add(both.source.program, last);
    MACAW_CHECK(add(both.source.program, first));
    return compare::add_outputs(
        comparison, fmt::format("step {}", last.step), last.expected_outputs, last.actual_outputs,
        fmt::format("the network has variables: operators are compared in step 0 alone, outputs in steps 0 to {}",
                    last.step));
  }
  const auto& graph = *both.source.graph;
  const auto engine = sequence::tosa_engine(graph, {});
  MACAW_ASSIGN(const auto steps, find_step(*engine, both, options, run));
  const auto changed = with_state(graph, steps.last.expected);
  return add(compare::Program(changed), steps.last);
}

}  // namespace macaw::app
