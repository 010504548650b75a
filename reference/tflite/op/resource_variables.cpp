#include <cstring>

#include <fmt/format.h>

#include "reference/tflite/call.hpp"

// Variables that are reached by a handle: tensorflow/tflite-micro @0cc6f9832
// tensorflow/lite/micro/micro_resource_variable.cc and tensorflow/lite/micro/kernels/{var_handle,read_variable,
// assign_variable,call_once}.cc.
namespace macaw::tflite::resource_variables {
namespace {

auto no_network() { return unsupported("an operator with state runs only in its network"); }

Result<void> expect_operands(const Call& call, std::size_t inputs, std::size_t outputs) {
  if (call.inputs.size() == inputs && call.outputs.size() == outputs) return {};
  return invalid(fmt::format("{} inputs and {} outputs, expected {} and {}", call.inputs.size(), call.outputs.size(),
                             inputs, outputs));
}

Result<std::int32_t> handle_of(const Call& call) {
  MACAW_ASSIGN(const Tensor* handle, call.input(0));
  MACAW_CHECK(expect(*handle, DType::kINT32, "the handle"));
  if (handle->size() != 1) return invalid(fmt::format("a handle of {} values", handle->size()));
  return handle->data<std::int32_t>()[0];
}

/// Copies bytes; the sizes must agree, types and shapes do not matter.
Result<void> copy(const Tensor& from, Tensor& to) {
  if (from.bytes().size() != to.bytes().size())
    return invalid(fmt::format("{} bytes for {} bytes of a variable", from.bytes().size(), to.bytes().size()));
  if (!from.bytes().empty()) std::memcpy(to.bytes().data(), from.bytes().data(), from.bytes().size());
  return {};
}

Result<void> var_handle(Call& call) {
  if (!call.resources) return no_network();
  MACAW_ASSIGN(const auto* variable, call.options_as<schema::VarHandleOptionsT>());
  MACAW_CHECK(expect(call.output(), DType::kINT32, "the handle"));
  if (call.output().size() != 1) return invalid(fmt::format("a handle of {} values", call.output().size()));
  MACAW_ASSIGN(call.output().data<std::int32_t>()[0], call.resources->handle(*variable));
  return {};
}

/// A variable that nothing was assigned to has the zero point in each of its bytes.
Result<void> read_variable(Call& call) {
  MACAW_ASSIGN(const Tensor* contents, call.input(0));
  if (!call.on_host) {
    if (!call.resources) return no_network();
    MACAW_ASSIGN(const auto handle, handle_of(call));
    MACAW_ASSIGN(contents, call.resources->find(handle));
  }
  if (contents) return copy(*contents, call.output());
  const auto* quantization = call.outputs[0].quantization;
  const auto zero_point = quantization && !quantization->zero_point.empty() ? quantization->zero_point[0] : 0;
  const auto bytes = call.output().bytes();
  if (!bytes.empty()) std::memset(bytes.data(), static_cast<std::uint8_t>(zero_point), bytes.size());
  return {};
}

/// Inputs: the handle and the value; on the host the value alone, and the variable is the output.
Result<void> assign_variable(Call& call) {
  if (call.on_host) {
    MACAW_CHECK(expect_operands(call, 1, 1));
    MACAW_ASSIGN(const Tensor* value, call.input(0));
    return copy(*value, call.output());
  }
  if (!call.resources) return no_network();
  MACAW_CHECK(expect_operands(call, 2, 0));
  MACAW_ASSIGN(const Tensor* value, call.input(1));
  MACAW_CHECK(call.account(value->size()));
  MACAW_ASSIGN(const auto handle, handle_of(call));
  return call.resources->assign(handle, *value);
}

/// On the host the inputs are whether it has run, and pairs of a variable and its first value.
Result<void> call_once_on_host(Call& call) {
  if (call.inputs.size() % 2 != 1) return invalid("a variable without a value");
  MACAW_ASSIGN(Tensor * done, call.state(0));
  if (done->dtype() != DType::kBOOL || done->size() != 1) return invalid("whether it has run is not one BOOL");
  if (done->data<bool>()[0]) return {};
  for (std::size_t i = 1; i < call.inputs.size(); i += 2) {
    MACAW_ASSIGN(Tensor * variable, call.state(i));
    MACAW_ASSIGN(const Tensor* value, call.input(i + 1));
    MACAW_CHECK(call.account(value->size()));
    MACAW_CHECK(copy(*value, *variable));
  }
  done->data<bool>()[0] = true;
  return {};
}

Result<void> call_once(Call& call) {
  if (call.on_host) return call_once_on_host(call);
  if (!call.resources || !call.run_subgraph) return no_network();
  MACAW_ASSIGN(const auto* options, call.options_as<schema::CallOnceOptionsT>());
  const auto subgraph = options->init_subgraph_index;
  MACAW_CHECK(expect_operands(call, 0, 0));
  // Each operator runs its subgraph once, even if several operators call the same one.
  if (call.resources->called(call.number)) return {};
  MACAW_ASSIGN(const auto outputs, call.run_subgraph(subgraph, {}));
  if (!outputs.empty()) return invalid("the subgraph has outputs");
  call.resources->set_called(call.number);
  return {};
}

constexpr Definition kDefinitions[] = {
    {"VAR_HANDLE", 0, 0, 1, 1, var_handle},
    {"READ_VARIABLE", 1, 1, 1, 1, read_variable},
    {"ASSIGN_VARIABLE", 1, 2, 0, 1, assign_variable},
    {"CALL_ONCE", 0, -1, 0, 0, call_once},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::resource_variables
