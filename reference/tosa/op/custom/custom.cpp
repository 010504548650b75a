#include "reference/tosa/op/custom.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "reference/tosa/op/custom/registry.hpp"
#include "reference/tosa/op/declare.hpp"

// CUSTOM: an operator of a plug-in (include/macaw/plugin/custom_op.h).

namespace macaw::tosa {
namespace {

struct Answer {
  macaw_custom_status status;
  std::string text;
};

using Tensors = std::vector<macaw_custom_tensor>;

macaw_custom_tensor describe_tensor(DType dtype, const Shape& shape, std::span<const std::byte> data) {
  // Names of data types are literals, so that they end in a zero. Inputs are not written, by contract.
  return {info(dtype).name.data(),
          size_of(dtype),
          shape.size(),
          shape.data(),
          const_cast<std::byte*>(data.data()),
          data.size()};
}

Tensors without_data(Tensors tensors) {
  for (auto& tensor : tensors) {
    tensor.data = nullptr;
    tensor.data_size = 0;
  }
  return tensors;
}

Answer ask(macaw_custom_function function, const Operator& op, const Tensors& inputs, const Tensors& outputs) {
  std::array<char, 512> error{};
  const auto attributes = op.get_bytes(Attr::k_implementation_attrs);
  const macaw_custom_call call{op.get_string(Attr::k_domain_name).c_str(),
                               op.get_string(Attr::k_operator_name).c_str(),
                               reinterpret_cast<const std::uint8_t*>(attributes.data()),
                               attributes.size(),
                               inputs.data(),
                               inputs.size(),
                               outputs.data(),
                               outputs.size(),
                               error.data(),
                               error.size()};
  const auto status = function(&call);
  error.back() = '\0';
  return {status, error[0] ? error.data() : "the operator gives no reason"};
}

Result<const macaw_custom_op*> selected(const Operator& op) {
  const auto &domain = op.get_string(Attr::k_domain_name), &name = op.get_string(Attr::k_operator_name);
  const auto* custom = find_custom_op(domain, name);
  if (!custom)
    return fail(ErrorCode::kUnsupported,
                fmt::format("CUSTOM operator \"{}\" of domain \"{}\" is in no loaded library", name, domain));
  return custom;
}

BrokenRule finding_of(const Answer& answer, const std::string& place) {
  const auto status = answer.status == MACAW_CUSTOM_ERROR ? Status::kError : Status::kUnpredictable;
  return {status, place, "", "CUSTOM.check", answer.text};
}

Result<void> run_custom(Call& call) {
  MACAW_ASSIGN(const auto* custom, selected(call.op));
  Tensors inputs, outputs;
  for (const auto* tensor : call.inputs)
    inputs.push_back(describe_tensor(tensor->dtype(), tensor->shape(), tensor->bytes()));
  for (auto* tensor : call.outputs)
    outputs.push_back(describe_tensor(tensor->dtype(), tensor->shape(), tensor->bytes()));
  // Shapes that were open before the run have not been checked; in a precise run the types are not the graph's.
  Answer answer{MACAW_CUSTOM_OK, ""};
  if (custom->check && !call.precise) answer = ask(custom->check, call.op, without_data(inputs), without_data(outputs));
  if (answer.status == MACAW_CUSTOM_OK) answer = ask(custom->eval, call.op, inputs, outputs);
  if (answer.status == MACAW_CUSTOM_OK) return {};
  if (answer.status != MACAW_CUSTOM_ERROR && answer.status != MACAW_CUSTOM_UNPREDICTABLE)
    return fail(ErrorCode::kUnsupported, answer.text);
  call.findings.push_back(finding_of(answer, ""));
  return fail(ErrorCode::kUnpredictable, answer.text);
}

constexpr Argument kArguments[] = {
    input("input_list").list(),
    attribute("operator_name").type("String"),
    attribute("domain_name").type("String"),
    attribute("implementation_attrs").type("String"),
    output("output_list").list(),
};

constexpr TypeRow kRows[] = {row({}).in(kProIntOrFp).by(run_custom)};

}  // namespace

Result<bool> check_custom(const View& view, const std::string& place, std::vector<BrokenRule>& findings) {
  MACAW_ASSIGN(const auto* custom, selected(view.op));
  if (!custom->check) return true;
  Tensors inputs, outputs;
  for (const auto& [operands, tensors] : {std::pair{view.inputs, &inputs}, std::pair{view.outputs, &outputs}})
    for (const auto& operand : operands) {
      if (!operand.shape) return true;
      tensors->push_back(describe_tensor(operand.dtype, *operand.shape, {}));
    }
  const auto answer = ask(custom->check, view.op, inputs, outputs);
  if (answer.status == MACAW_CUSTOM_OK) return true;
  if (answer.status != MACAW_CUSTOM_ERROR && answer.status != MACAW_CUSTOM_UNPREDICTABLE)
    return fail(ErrorCode::kUnsupported, answer.text, Place{"", place, {}, {}});
  findings.push_back(finding_of(answer, place));
  return false;
}

namespace CUSTOM {
extern constexpr Definition kDefinition{
    .op = Op::kCUSTOM, .arguments = kArguments, .type_variables = {}, .rows = kRows, .checks = {}};
}  // namespace CUSTOM
}  // namespace macaw::tosa
