#include "workflow/compare/program.hpp"

#include <algorithm>

#include <macaw/tosa/index_ranges.hpp>
#include <macaw/tosa/input_ports.hpp>

#include "workflow/compare/inputs.hpp"

namespace macaw::compare {
namespace {

class GraphKind final : public Program::Kind {
 public:
  explicit GraphKind(const tosa::Graph& graph) : graph_(graph) {}

  [[nodiscard]] const char* word() const override { return "tosa"; }
  [[nodiscard]] std::vector<std::string> input_names() const override {
    std::vector<std::string> names;
    for (const auto id : graph_.main().inputs) names.push_back(graph_.main().values[id].name);
    return names;
  }
  [[nodiscard]] std::vector<InputPort> input_ports() const override { return tosa::input_ports(graph_); }
  [[nodiscard]] IndexRanges index_ranges() const override { return tosa::index_ranges(graph_); }
  [[nodiscard]] Result<std::vector<Tensor>> random_inputs(std::uint32_t seed,
                                                          const StatedRanges& stated) const override {
    return compare::random_inputs(graph_, seed, stated);
  }
  [[nodiscard]] Result<std::vector<Tensor>> typed_inputs(const std::vector<Tensor>& inputs) const override {
    return graph_inputs(graph_, inputs);
  }
  // A graph's names are not the network's: only those of the file that was compiled are.
  [[nodiscard]] bool shares_names() const override { return false; }
  [[nodiscard]] Result<Reference> reference(const std::vector<Tensor>& inputs) const override {
    return reference_of(graph_, inputs);
  }
  [[nodiscard]] Result<std::vector<Tensor>> outputs_with(const std::vector<Tensor>& inputs, const Reference& reference,
                                                         const Overrides& overrides) const override {
    return compare::outputs_with(graph_, inputs, reference, overrides);
  }
  [[nodiscard]] Result<std::shared_ptr<const Expansion>> expand(const std::vector<Tensor>& /*inputs*/,
                                                                const Reference& /*reference*/) const override {
    return std::shared_ptr<const Expansion>();
  }

 private:
  const tosa::Graph& graph_;
};

}  // namespace

Program::Program(const tosa::Graph& graph) : kind_(std::make_shared<GraphKind>(graph)) {}

Result<std::vector<npu::NamedTensor>> Program::network_inputs(const std::vector<Tensor>& inputs,
                                                              const npu::Artifact& artifact) const {
  MACAW_ASSIGN(auto typed, kind_->typed_inputs(inputs));
  const auto names = input_names();
  const auto is_known = [&](const std::string& name) {
    return std::ranges::count(artifact.inputs, name, &npu::TensorBinding::name) == 1;
  };
  const bool by_name = kind_->shares_names() && std::ranges::all_of(names, is_known);
  std::vector<npu::NamedTensor> named;
  for (std::size_t i = 0; i < typed.size(); ++i)
    named.push_back({by_name && i < names.size() ? names[i] : "", std::move(typed[i])});
  return named;
}

}  // namespace macaw::compare
