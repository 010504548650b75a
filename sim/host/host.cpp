#include "sim/host/host.hpp"

#include <macaw/error_context.hpp>

#include "sim/host/kernels.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

struct Definition {
  std::string_view name;
  Result<void> (*kernel)(HostCall&);
  int min_inputs, max_inputs, outputs, state;
};

constexpr Definition kDefinitions[] = {
#define MACAW_HOST_OPERATOR(name, kernel, min_inputs, max_inputs, outputs, state) \
  {#name, host::kernel, min_inputs, max_inputs, outputs, state},
#include "sim/host/operators.def"
#undef MACAW_HOST_OPERATOR
};

Result<const Definition*> find_definition(const HostOperator& op) {
  const auto* found =
      std::find_if(std::begin(kDefinitions), std::end(kDefinitions), [&](const auto& d) { return d.name == op.name; });
  if (found == std::end(kDefinitions)) {
    std::string names;
    for (const auto& d : kDefinitions) names += fmt::format("{}{}", names.empty() ? "" : ", ", d.name);
    return host::unsupported(fmt::format(
        "the file leaves this operator to the CPU, and Macaw's CPU side has only {}; recompile so that it is mapped to "
        "the NPU, or cut the network before it",
        names));
  }
  const auto inputs = static_cast<std::int64_t>(op.inputs.size());
  if (inputs < found->min_inputs || (found->max_inputs >= 0 && inputs > found->max_inputs))
    return host::invalid(fmt::format("{} inputs", inputs));
  if (found->outputs >= 0 ? op.outputs.size() != static_cast<std::size_t>(found->outputs) : op.outputs.empty())
    return host::invalid(fmt::format("{} outputs", op.outputs.size()));
  return found;
}

/// Bytes of an operand.
Result<std::int64_t> operand_bytes(const TensorBinding& binding) {
  if (!binding.dtype || macaw::size_of(*binding.dtype) != binding.element_size)
    return host::unsupported(fmt::format("tensor '{}' has elements that Macaw has no type for", binding.name));
  if (binding.memory < 0) return host::invalid(fmt::format("tensor '{}' lies in no memory", binding.name));
  MACAW_ASSIGN(const std::int64_t count, element_count(binding.shape, binding.element_size));
  return count * binding.element_size;
}

class Execution {
 public:
  Execution(const HostOperator& op, const std::vector<Memory>& memories,
            std::vector<std::vector<std::uint8_t>>& contents, std::int64_t max_work)
      : memories_(memories), contents_(contents), call_{op, {}, {}, max_work, 0} {}

  Result<std::int64_t> run() {
    const HostOperator& op = call_.op;
    MACAW_ASSIGN(const Definition* definition, find_definition(op));
    for (const auto& binding : op.inputs) MACAW_CHECK(account(binding, true));
    for (const auto& binding : op.outputs) MACAW_CHECK(account(binding, false));
    const auto state = static_cast<std::size_t>(definition->state);
    if (definition->state >= 0) MACAW_CHECK(check_writable(op.inputs[state]));
    for (const auto& binding : op.outputs) MACAW_CHECK(check_writable(binding));
    for (const auto& binding : op.inputs) {
      call_.inputs.emplace_back();
      if (binding.memory >= 0) {
        MACAW_ASSIGN(call_.inputs.back(), read(binding));
      }
    }
    for (const auto& binding : op.outputs) {
      MACAW_ASSIGN(auto tensor, Tensor::create(*binding.dtype, binding.shape));
      call_.outputs.push_back(std::move(tensor));
    }
    MACAW_CHECK(definition->kernel(call_));
    if (definition->state >= 0) write(op.inputs[state], *call_.inputs[state]);
    for (std::size_t i = 0; i < op.outputs.size(); ++i) write(op.outputs[i], call_.outputs[i]);
    return call_.work;
  }

 private:
  /// Operands are copied: an output may lie where an input does.
  Result<void> account(const TensorBinding& binding, bool may_be_absent) {
    if (binding.memory < 0 && may_be_absent) return {};
    MACAW_ASSIGN(const std::int64_t bytes, operand_bytes(binding));
    return call_.account(bytes);
  }

  Result<void> check_writable(const TensorBinding& binding) const {
    if (binding.memory < 0 || memories_[static_cast<std::size_t>(binding.memory)].read_only)
      return host::invalid(fmt::format("tensor '{}' is written and lies in no memory or a constant", binding.name));
    return {};
  }

  Result<Tensor> read(const TensorBinding& binding) const {
    MACAW_ASSIGN(auto tensor, Tensor::create(*binding.dtype, binding.shape));
    const auto bytes = tensor.bytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), place(binding), bytes.size());
    return tensor;
  }

  void write(const TensorBinding& binding, const Tensor& tensor) {
    const auto bytes = tensor.bytes();
    if (!bytes.empty()) std::memcpy(place(binding), bytes.data(), bytes.size());
  }

  std::uint8_t* place(const TensorBinding& binding) const {
    return contents_[static_cast<std::size_t>(binding.memory)].data() + binding.offset;
  }

  const std::vector<Memory>& memories_;
  std::vector<std::vector<std::uint8_t>>& contents_;
  HostCall call_;
};

}  // namespace

Result<void> HostCall::account(std::int64_t amount) {
  if (amount > max_work - work)
    return host::unsupported(fmt::format("more than the {} multiply-accumulates and bytes that are left", max_work));
  work += amount;
  return {};
}

Result<std::int64_t> run_host_operator(const HostOperator& op, const std::vector<Memory>& memories,
                                       std::vector<std::vector<std::uint8_t>>& contents, std::int64_t max_work) {
  return Execution(op, memories, contents, max_work)
      .run()
      .map_error(at({.op = fmt::format("operator {} ({})", op.index, op.name)}));
}

namespace host {

Result<const Tensor*> input(const HostCall& call, std::size_t index) {
  if (index < call.inputs.size() && call.inputs[index]) return &*call.inputs[index];
  return invalid(fmt::format("input {} is absent", index));
}

Result<void> expect(const Tensor& tensor, DType dtype, const char* what) {
  if (tensor.dtype() == dtype) return {};
  return unsupported(fmt::format("{} is {}, and only {} is supported", what, macaw::to_string(tensor.dtype()),
                                 macaw::to_string(dtype)));
}

Result<void> expect(const Tensor& tensor, const Shape& shape, const char* what) {
  if (tensor.shape() == shape) return {};
  return invalid(
      fmt::format("{} has shape {}, expected {}", what, macaw::to_string(tensor.shape()), macaw::to_string(shape)));
}

Result<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const std::int64_t normal = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (normal < 0 || normal >= static_cast<std::int64_t>(rank))
    return invalid(fmt::format("axis {} of {} axes", axis, rank));
  return static_cast<std::size_t>(normal);
}

std::int64_t product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t result = 1;
  for (std::size_t i = first; i < last; ++i) result *= shape[i];
  return result;
}

}  // namespace host
}  // namespace macaw::npu
