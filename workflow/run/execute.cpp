#include <macaw/npu/run.hpp>
#include <macaw/npu/weight_figures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <macaw/tflite/host_operators.hpp>

#include "base/crc32.hpp"
#include "workflow/inference/operator_work.hpp"
#include "workflow/run/exclusive_cycles.hpp"
#include "workflow/run/pmu_selection.hpp"

namespace macaw::npu {
namespace {

constexpr std::array<std::string_view, 3> kModes{"functional", "timed", "timing"};

Result<TimedResult> run_step(const RunSpec& spec, const TimedOptions& options) {
  if (spec.mode != RunMode::kFunctional) return run_timed(spec.artifact, spec.accelerator, spec.inputs, options);
  TimedResult result;
  MACAW_ASSIGN(result.values, run_functional(spec.artifact, spec.accelerator, spec.inputs, options.functional));
  return result;
}

/// Counts operations where a functional run is to show its progress.
void show_progress(TimedOptions& options) {
  if (!options.progress) return;
  options.functional.observer = [progress = options.progress,
                                 observer = options.functional.observer](const OperationEvent& event) {
    if (observer) observer(event);
    progress(1);
  };
}

std::int64_t element_sum(const std::vector<TensorBinding>& tensors) {
  std::int64_t elements = 0;
  for (const auto& tensor : tensors) elements += tensor.memory < 0 ? 0 : element_count(tensor.shape).value_or(0);
  return elements;
}

void describe_network(RunRecord& record, const RunSpec& spec) {
  const auto& artifact = spec.artifact;
  record.network = std::filesystem::path(artifact.file).filename().string();
  record.accelerator = &spec.accelerator;
  record.mode = spec.mode;
  record.timing_adapter = spec.options.timing_adapter;
  record.host_operators = host_steps(artifact);
  for (std::size_t i = 0; i < record.values.outputs.size(); ++i) {
    const auto& tensor = record.values.outputs[i];
    record.outputs.push_back(
        {artifact.outputs[i].name, output_file(i), tensor.shape(), tensor.dtype(), io::crc32(tensor.bytes())});
  }
}

std::vector<TensorBinding> present(const std::vector<TensorBinding>& tensors) {
  std::vector<TensorBinding> there;
  for (const auto& tensor : tensors)
    if (tensor.memory >= 0) there.push_back(tensor);
  return there;
}

/// Adds what the weight streams hold to the operations that read them.
Result<void> add_weights(RunRecord& record, const RunSpec& spec) {
  if (std::ranges::none_of(record.operations, [](const auto& o) { return o.details && o.macs != 0; })) return {};
  MACAW_ASSIGN(const auto figures, weight_figures(spec.artifact, spec.accelerator));
  for (auto& operation : record.operations) {
    const auto found = figures.find({operation.step, operation.command});
    if (operation.details && found != figures.end()) operation.details->weights = found->second;
  }
  return {};
}

}  // namespace

std::string_view to_string(RunMode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::optional<RunMode> find_run_mode(std::string_view name) {
  const auto found = std::ranges::find(kModes, name);
  if (found == kModes.end()) return std::nullopt;
  return static_cast<RunMode>(found - kModes.begin());
}

std::string output_file(std::size_t index) { return fmt::format("output_{}.npy", index); }

std::vector<HostStep> host_steps(const Artifact& artifact) {
  std::vector<HostStep> steps;
  for (std::size_t step = 0; step < artifact.steps.size(); ++step)
    if (const auto* host = std::get_if<HostOperator>(&artifact.steps[step]))
      steps.push_back({step, host->index, host->name, element_sum(host->outputs), present(host->inputs),
                       present(host->outputs), inference::macs_of(*host)});
  return steps;
}

Result<RunRecord> execute(const RunSpec& spec) {
  RunRecord record;
  MACAW_ASSIGN(record.counters, run::select_events(spec.accelerator, spec.events));
  TimedOptions options = spec.options;
  options.values = spec.mode == RunMode::kTimed;
  if (options.functional.host == nullptr) options.functional.host = &tflite::host_operators();
  if (spec.mode == RunMode::kFunctional) show_progress(options);
  for (unsigned step = 0; step < spec.steps; ++step) {
    MACAW_ASSIGN(static_cast<TimedResult&>(record), run_step(spec, options));
    if (step + 1 == spec.steps) break;
    options.functional.findings = {};
    options.functional.variables.clear();
    for (auto& variable : record.values.variables) options.functional.variables.push_back({"", std::move(variable)});
  }
  describe_network(record, spec);
  run::read_counters(record.counters, record.pmu);
  run::complete(record);
  MACAW_CHECK(add_weights(record, spec));
  return record;
}

Result<FunctionalResult> execute(const PreparedNetwork& network, std::span<const NamedTensor> inputs,
                                 FunctionalOptions options) {
  if (options.host == nullptr) options.host = &tflite::host_operators();
  return network.run(inputs, options);
}

}  // namespace macaw::npu
