#include "workflow/sequence/sim_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/npu/element_type.hpp>

namespace macaw::sequence {
namespace {

InputPort port_of(const npu::TensorBinding& binding) {
  return {
      .name = binding.name, .dtype = npu::element_type(binding), .shape = binding.shape, .any_sign = !binding.dtype};
}

std::vector<npu::NamedTensor> unnamed(const std::vector<Tensor>& tensors) {
  std::vector<npu::NamedTensor> list;
  for (const auto& tensor : tensors) list.push_back({"", tensor});
  return list;
}

}  // namespace

SimEngine::SimEngine(npu::PreparedNetwork network, SimSetup setup)
    : network_(std::move(network)), setup_(std::move(setup)) {
  // An input that nothing reads has no memory.
  for (const auto& input : artifact().inputs)
    if (input.memory >= 0) inputs_.push_back({port_of(input), input.quantization});
  for (const auto& output : artifact().outputs) outputs_.push_back({port_of(output), output.quantization});
}

Result<std::unique_ptr<SimEngine>> SimEngine::create(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                                     SimSetup setup) {
  MACAW_ASSIGN(auto network, npu::PreparedNetwork::create(std::move(artifact), accelerator));
  return std::unique_ptr<SimEngine>(new SimEngine(std::move(network), std::move(setup)));
}

Result<npu::FunctionalResult> SimEngine::run_with_record(std::span<const npu::NamedTensor> inputs) {
  auto options = setup_.options;
  options.functional.variables = unnamed(state_);
  MACAW_ASSIGN(record_, npu::execute({.artifact = artifact(),
                                      .accelerator = accelerator(),
                                      .inputs = inputs,
                                      .mode = setup_.mode,
                                      .options = std::move(options),
                                      .events = setup_.events}));
  // They are those of the commands that ran, which are the same in every step unless values decide.
  if (!network_.cycles_depend_on_values()) setup_.options.functional.findings = {};
  if (setup_.on_record) MACAW_CHECK(setup_.on_record(*record_));
  return record_->values;
}

Result<std::vector<Tensor>> SimEngine::step(std::vector<Tensor> inputs) {
  std::vector<npu::NamedTensor> named;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (has_values() || !inputs[i].bytes().empty())  // a run of time alone needs no inputs unless the stream branches
      named.push_back({inputs_[i].tensor.name, std::move(inputs[i])});
  const bool timed = setup_.mode != npu::RunMode::kFunctional;
  npu::FunctionalResult result;
  if (!record_ || (timed && network_.cycles_depend_on_values())) {
    MACAW_ASSIGN(result, run_with_record(named));
  } else if (has_values()) {
    auto options = setup_.options.functional;
    options.variables = unnamed(state_);
    MACAW_ASSIGN(result, npu::execute(network_, named, std::move(options)));
  }
  if (timed) cycles_.push_back(record_->cycles);
  if (has_values()) state_ = std::move(result.variables);
  return std::move(result.outputs);
}

Result<std::vector<npu::NamedTensor>> SimEngine::state() const {
  auto contents = state_;
  if (contents.empty()) {
    MACAW_ASSIGN(contents, network_.initial_variables());
  }
  std::vector<npu::NamedTensor> state;
  for (std::size_t i = 0; i < contents.size(); ++i)
    state.push_back({artifact().variables[i].name, std::move(contents[i])});
  return state;
}

Result<void> SimEngine::set_state(const std::vector<npu::NamedTensor>& tensors) {
  const auto& variables = artifact().variables;
  auto changed = state_;
  if (changed.empty()) {
    MACAW_ASSIGN(changed, network_.initial_variables());
  }
  for (const auto& [name, tensor] : tensors) {
    const auto found = std::ranges::find(variables, name, &npu::TensorBinding::name);
    if (found == variables.end())
      return fail(ErrorCode::kMismatch, fmt::format("the network has no variable '{}'", name));
    MACAW_ASSIGN(changed[static_cast<std::size_t>(found - variables.begin())],
                 variable_contents(tensor, port_of(*found)));
  }
  state_ = std::move(changed);
  return {};
}

}  // namespace macaw::sequence
