#include "reference/tflite/copy.hpp"

// What ExecuTorch's Ethos-U backend does with a delegate's inputs and outputs: pytorch/executorch
// backends/arm/runtime/EthosUBackend.cpp.
namespace macaw::tflite {

namespace EthosUBackend_copy {
extern constexpr Definition kDefinition = {"EthosUBackend::copy", 1, 1, 1, 1, copy_elements};
}

}  // namespace macaw::tflite
