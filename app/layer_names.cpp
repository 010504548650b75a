#include "app/layer_names.hpp"

#include "app/input_option.hpp"
#include "workflow/compare/layer_names.hpp"

namespace macaw::app {
namespace {

Result<void> name_by(const compare::Program& program, const npu::Artifact& artifact,
                     const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& given,
                     std::vector<npu::OperationTiming>& operations) {
  std::vector<Tensor> inputs;
  if (given.empty()) {
    MACAW_ASSIGN(inputs, program.random_inputs(1));
  } else {
    // The compiled network has taken them as they are.
    MACAW_ASSIGN(inputs, order_inputs(given, program.input_ports(), {.reshape = true, .reinterpret = true}));
  }
  return compare::name_operations(operations, program, artifact, accelerator, inputs);
}

}  // namespace

Result<void> name_layers(const std::filesystem::path& graph, const npu::Artifact& artifact,
                         const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs,
                         std::vector<npu::OperationTiming>& operations) {
  if (graph.extension() == ".tflite") {
    MACAW_ASSIGN(const auto network, tflite::load_network(graph));
    return name_by(network, artifact, accelerator, inputs, operations);
  }
  MACAW_ASSIGN(const auto program, tosa::load_graph(graph));
  return name_by(program, artifact, accelerator, inputs, operations);
}

}  // namespace macaw::app
