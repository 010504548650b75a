#include "app/layer_names.hpp"

#include "app/input_option.hpp"
#include "app/program_file.hpp"
#include "workflow/compare/match/layer_names.hpp"

namespace macaw::app {
Result<void> name_layers(const std::filesystem::path& graph, const npu::Artifact& artifact,
                         const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs,
                         std::vector<npu::OperationTiming>& operations) {
  MACAW_ASSIGN(const auto file, load_program(graph));
  const auto& program = file.program;
  std::vector<Tensor> ordered;
  if (inputs.empty()) {
    MACAW_ASSIGN(ordered, program.random_inputs(1));
  } else {
    // The compiled network has accepted them unchanged.
    MACAW_ASSIGN(ordered, order_inputs(inputs, program.input_ports(), {.reshape = true, .reinterpret = true}));
  }
  return compare::name_operations(operations, program, artifact, accelerator, ordered);
}

}  // namespace macaw::app
