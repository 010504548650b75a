#include "reference/tflite/copy.hpp"

// What ExecuTorch's Ethos-U backend does with a delegate's inputs and outputs: pytorch/executorch
// backends/arm/runtime/EthosUBackend.cpp.
namespace macaw::tflite::executorch_copy {
namespace {

constexpr Definition kDefinitions[] = {
    {"EthosUBackend::copy", 1, 1, 1, 1, copy_elements},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::executorch_copy
