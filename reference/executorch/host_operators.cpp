#include <macaw/tflite/host_operators.hpp>

#include "reference/tflite/host_call.hpp"

// Operators that a compiled network leaves to the CPU: operators of TensorFlow Lite in a .tflite of Vela's, those of
// ExecuTorch in a .pte.
namespace macaw::executorch {

#define MACAW_EXECUTORCH_FAMILY(name)        \
  namespace name {                           \
  extern const tflite::Operators kOperators; \
  }
#include "reference/executorch/families.def"
#undef MACAW_EXECUTORCH_FAMILY

namespace {

const tflite::Operators* const kFamilies[] = {
#define MACAW_EXECUTORCH_FAMILY(name) &name::kOperators,
#include "reference/executorch/families.def"
#undef MACAW_EXECUTORCH_FAMILY
};

class HostOperators final : public npu::HostOperators {
 public:
  Result<npu::HostResult> run(const npu::HostOperator& op, std::vector<std::optional<Tensor>>& inputs,
                              std::int64_t max_work) const override {
    const auto* definition = tflite::find_definition(op.name);
    if (!definition) definition = tflite::find_definition(kFamilies, op.name);
    if (!definition)
      return tflite::unsupported(
          "the file leaves this operator to the CPU, and Macaw's CPU side does not have it: recompile so that it is "
          "mapped to the NPU, or cut the network before it");
    return tflite::call_on_host(*definition, op, inputs, max_work);
  }
};

}  // namespace
}  // namespace macaw::executorch

namespace macaw::tflite {

const npu::HostOperators& host_operators() {
  static const executorch::HostOperators operators;
  return operators;
}

}  // namespace macaw::tflite
