#include "workflow/sequence/tflite_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <macaw/tflite/input_ports.hpp>

namespace macaw::sequence {
namespace {

Port port_of(const tflite::TensorInfo& tensor) {
  return {{.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape}, tensor.quantization};
}

}  // namespace

TfliteEngine::TfliteEngine(tflite::Network network, tflite::RunOptions options)
    : network_(std::move(network)), options_(std::move(options)), variables_(find_variables(network_)) {
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
  for (const auto& [place, name, port] : variables_) {
    const auto found = state_.find(place);
    if (found != state_.end()) {
      state.push_back({name, found->second});
    } else if (port) {
      MACAW_ASSIGN(auto zeros, zero_tensor(*port));
      state.push_back({name, std::move(zeros)});
    }
  }
  return state;
}

Result<void> TfliteEngine::set_state(const std::vector<npu::NamedTensor>& tensors) {
  auto changed = state_;
  for (const auto& [name, tensor] : tensors) {
    const auto found = std::ranges::find(variables_, name, &Variable::name);
    if (found == variables_.end())
      return fail(ErrorCode::kMismatch, fmt::format("the network has no variable '{}'", name));
    auto& value = changed[found->place];
    value = tensor;
    if (found->port) {
      MACAW_ASSIGN(value, fit_input(to_npy(tensor), found->port->tensor, {}, ""));
    }
  }
  state_ = std::move(changed);
  return {};
}

std::vector<TfliteEngine::Variable> TfliteEngine::find_variables(const tflite::Network& network) {
  std::vector<Variable> all, calls;
  for (std::size_t s = 0; s < network.subgraphs.size(); ++s) {
    const auto& graph = network.subgraphs[s];
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
      if (const auto& tensor = graph.tensors[t]; tensor.is_variable)
        all.push_back({{s, t}, tensor.name, port_of(tensor)});
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      if (graph.operators[i].name != "CALL_ONCE") continue;
      const auto op = fmt::format("operator {} (CALL_ONCE)", i);
      const auto name = s == 0 ? op : fmt::format("subgraph {}, {}", s, op);
      calls.push_back({{tflite::kCalledOnce, graph.operators[i].number},
                       name,
                       Port{{.name = name, .dtype = DType::kBOOL, .shape = Shape{1}}}});
    }
  }
  for (std::size_t i = 0; i < network.resource_tensors.size(); ++i) {
    const auto& [name, tensor] = network.resource_tensors[i];
    all.push_back({{tflite::kResourceVariable, i}, name, tensor ? std::optional(port_of(*tensor)) : std::nullopt});
    if (all.back().port) all.back().port->tensor.name = name;
  }
  all.insert(all.end(), std::make_move_iterator(calls.begin()), std::make_move_iterator(calls.end()));
  return all;
}

}  // namespace macaw::sequence
