#include "workflow/sequence/tflite_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/tflite/input_ports.hpp>

namespace macaw::sequence {
namespace {

Port port_of(const tflite::TensorInfo& tensor) {
  return {{.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape}, tensor.quantization};
}

}  // namespace

TfliteEngine::TfliteEngine(tflite::Network network, tflite::RunOptions options)
    : network_(std::move(network)), options_(std::move(options)) {
  const auto& main = network_.main();
  auto ports = tflite::input_ports(network_);
  for (std::size_t i = 0; i < ports.size(); ++i)
    inputs_.push_back({std::move(ports[i]), main.tensors[static_cast<std::size_t>(main.inputs[i])].quantization});
  for (const int i : main.outputs) outputs_.push_back(port_of(main.tensors[static_cast<std::size_t>(i)]));
}

Result<tflite::RunResult> TfliteEngine::run(const std::vector<Tensor>& inputs, bool keep_tensors) {
  auto options = options_;
  options.keep_tensors = keep_tensors;
  return tflite::run(network_, inputs, state_, options);
}

Result<std::vector<Tensor>> TfliteEngine::step(std::vector<Tensor> inputs) {
  MACAW_ASSIGN(auto result, run(inputs, false));
  return std::move(result.outputs);
}

Result<std::vector<npu::NamedTensor>> TfliteEngine::state() const {
  std::vector<npu::NamedTensor> state;
  for (const auto& [place, port] : variables()) {
    const auto found = state_.find(place);
    if (found != state_.end()) {
      state.push_back({port.tensor.name, found->second});
      continue;
    }
    MACAW_ASSIGN(auto zeros, zero_tensor(port));
    state.push_back({port.tensor.name, std::move(zeros)});
  }
  return state;
}

Result<void> TfliteEngine::set_state(const std::vector<npu::NamedTensor>& tensors) {
  const auto known = variables();
  auto changed = state_;
  for (const auto& [name, tensor] : tensors) {
    const auto found = std::ranges::find_if(known, [&](const auto& v) { return v.second.tensor.name == name; });
    if (found == known.end()) return fail(ErrorCode::kMismatch, fmt::format("the network has no variable '{}'", name));
    MACAW_ASSIGN(changed[found->first], fit_input(to_npy(tensor), found->second.tensor, {}, ""));
  }
  state_ = std::move(changed);
  return {};
}

std::vector<std::pair<TfliteEngine::Place, Port>> TfliteEngine::variables() const {
  std::vector<std::pair<Place, Port>> all;
  for (std::size_t s = 0; s < network_.subgraphs.size(); ++s)
    for (std::size_t t = 0; t < network_.subgraphs[s].tensors.size(); ++t)
      if (const auto& tensor = network_.subgraphs[s].tensors[t]; tensor.is_variable)
        all.push_back({{s, t}, port_of(tensor)});
  return all;
}

}  // namespace macaw::sequence
