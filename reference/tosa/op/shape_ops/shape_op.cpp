#include "reference/tosa/op/shape_ops/shape_op.hpp"

#include <algorithm>

namespace macaw::tosa {

bool is_tensor_size(const View& view, Wide value) {
  const auto limit = Wide{1} << view.level.max_log2_size;
  return value >= -limit && value < limit;
}

Result<void> evaluate_shape(Call& call) {
  std::vector<Operand> inputs;
  for (const auto* input : call.inputs) inputs.push_back({input->dtype(), &input->shape(), input});
  const auto value = find_definition(call.op.op)->shape_value(View{call.op, inputs, {}, kLevelNone});
  if (!value || static_cast<std::int64_t>(value->size()) != call.out(0).size())
    return fail(ErrorCode::kInvalidGraph, "the output has another length than the result");
  std::ranges::copy(*value, call.out_data<std::int64_t>(0).begin());
  return {};
}

}  // namespace macaw::tosa
