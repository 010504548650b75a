#include "workflow/sequence/tosa_engine.hpp"

#include <fmt/format.h>

#include <map>

#include <macaw/tosa/input_ports.hpp>

#include "workflow/compare/inputs.hpp"

namespace macaw::sequence {
namespace {

using Contents = std::map<std::string, Tensor>;

class TosaEngine : public Engine {
 public:
  TosaEngine(tosa::Graph graph, tosa::Options options) : given_(options.variables) {
    for (auto& port : tosa::input_ports(graph)) inputs_.push_back({std::move(port)});
    for (const auto id : graph.main().outputs) outputs_.push_back({tosa::port_of(graph.main().values[id])});
    for (const auto& block : graph.blocks)
      for (const auto& value : block.values) {
        if (!value.variable) continue;
        auto port = tosa::port_of(value);
        port.name = value.variable_name;
        if (value.data) initial_.try_emplace(value.variable_name, *value.data);
        variables_.try_emplace(value.variable_name, std::move(port));
      }
    interpreter_.emplace(std::move(graph), std::move(options));
  }

  Result<std::vector<Tensor>> step(std::vector<Tensor> inputs) override {
    MACAW_ASSIGN(auto result, interpreter_->run(std::move(inputs)));
    MACAW_CHECK(compare::require_valid(result.verdict, ""));
    return std::move(result.outputs);
  }

  Result<std::vector<npu::NamedTensor>> state() const override {
    Contents contents = interpreter_->variables();
    contents.insert(initial_.begin(), initial_.end());  // of those that have been neither given nor written
    std::vector<npu::NamedTensor> state;
    for (auto& [name, tensor] : contents) state.push_back({name, std::move(tensor)});
    return state;
  }

  Result<void> set_state(const std::vector<npu::NamedTensor>& tensors) override {
    Contents contents = interpreter_->variables();
    for (const auto& [name, tensor] : tensors) {
      const auto found = variables_.find(name);
      if (found == variables_.end())
        return fail(ErrorCode::kMismatch, fmt::format("the network has no variable '{}'", name));
      MACAW_ASSIGN(contents[name], variable_contents(tensor, found->second));
    }
    interpreter_->set_variables(std::move(contents));
    return {};
  }

  void reset() override { interpreter_->set_variables(given_); }

 private:
  Contents given_, initial_;
  std::map<std::string, InputPort> variables_;
  std::optional<tosa::Interpreter> interpreter_;
};

}  // namespace

std::unique_ptr<Engine> tosa_engine(tosa::Graph graph, tosa::Options options) {
  return std::make_unique<TosaEngine>(std::move(graph), std::move(options));
}

}  // namespace macaw::sequence
