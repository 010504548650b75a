#include "app/batch/tflite.hpp"

#include <macaw/tflite/input_ports.hpp>

namespace macaw::app {

Result<BatchResult> interpret_batch(const tflite::Network& network, const BatchOptions& options,
                                    const tflite::RunOptions& run) {
  const auto one = [&](const std::vector<Tensor>& inputs) -> Result<std::vector<Tensor>> {
    tflite::State state;
    MACAW_ASSIGN(auto result, tflite::run(network, inputs, state, run));
    for (auto& [name, tensor] : result.tensors) result.outputs.push_back(std::move(tensor));
    return std::move(result.outputs);
  };
  return run_batch(options, tflite::input_ports(network), network.main().outputs.size(), "tflite", one);
}

}  // namespace macaw::app
