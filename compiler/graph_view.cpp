#include "compiler/graph_view.hpp"

namespace macaw::npu {

GraphView::GraphView(const tosa::Block& block)
    : block_(&block), consumers_(block.values.size()), producers_(block.values.size()), outputs_(block.values.size()) {
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    for (const auto id : block.operators[i].inputs) consumers_[id].push_back(i);
    for (const auto id : block.operators[i].outputs) producers_[id] = i;
  }
  for (const auto id : block.outputs) outputs_[id] = true;
}

std::optional<std::size_t> GraphView::only_consumer(tosa::ValueId id) const {
  if (outputs_[id] || consumers_[id].size() != 1) return std::nullopt;
  return consumers_[id].front();
}

tl::unexpected<Error> GraphView::unsupported(std::size_t op, std::string reason) const {
  return fail(ErrorCode::kUnsupported, std::move(reason), {.op = place(op)});
}

Result<const Tensor*> GraphView::constant(std::size_t op, std::size_t input) const {
  const auto& inputs = this->op(op).inputs;
  if (input >= inputs.size())
    return fail(ErrorCode::kInvalidGraph, "operand " + std::to_string(input) + " is missing", {.op = place(op)});
  const auto& v = value(inputs[input]);
  if (!v.data) return unsupported(op, "operand " + v.name + " is not a constant");
  return v.data.get();
}

Result<std::vector<std::int64_t>> GraphView::integers(std::size_t op, std::size_t input) const {
  MACAW_ASSIGN(const Tensor* tensor, constant(op, input));
  std::vector<std::int64_t> values;
  const auto copy = [&](auto data) { values.assign(data.begin(), data.end()); };
  switch (tensor->dtype()) {
    case DType::kBOOL: copy(tensor->data<bool>()); break;
    case DType::kINT4:
    case DType::kINT8: copy(tensor->data<std::int8_t>()); break;
    case DType::kINT16: copy(tensor->data<std::int16_t>()); break;
    case DType::kINT32: copy(tensor->data<std::int32_t>()); break;
    case DType::kINT48:
    case DType::kSHAPE: copy(tensor->data<std::int64_t>()); break;
    default:
      return unsupported(op, "operand " + std::to_string(input) + " is " + std::string(to_string(tensor->dtype())));
  }
  return values;
}

Result<std::int64_t> GraphView::integer(std::size_t op, std::size_t input) const {
  MACAW_ASSIGN(const auto values, integers(op, input));
  if (values.empty())
    return fail(ErrorCode::kInvalidGraph, "operand " + std::to_string(input) + " has no elements", {.op = place(op)});
  return values.front();
}

Result<std::array<std::int64_t, 2>> GraphView::clamp_bounds(std::size_t op) const {
  std::array<std::int64_t, 2> bounds{};
  const tosa::Attr attributes[] = {tosa::Attr::k_min_val, tosa::Attr::k_max_val};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto bytes = this->op(op).get_bytes(attributes[i]);
    if (bytes.size() != 1 && bytes.size() != 2) return unsupported(op, "CLAMP of another type than INT8 and INT16");
    for (std::size_t b = bytes.size(); b-- > 0;)
      bounds[i] = b + 1 == bytes.size() ? static_cast<std::int8_t>(bytes[b])
                                        : bounds[i] * 256 + static_cast<std::uint8_t>(bytes[b]);
  }
  return bounds;
}

Result<std::vector<int>> GraphView::list(std::size_t op, tosa::Attr attribute, std::size_t count, int low) const {
  const auto& values = this->op(op).get_ints(attribute);
  if (values.size() != count)
    return fail(ErrorCode::kInvalidGraph,
                std::string(to_string(attribute)) + " must have " + std::to_string(count) + " numbers",
                {.op = place(op)});
  std::vector<int> out;
  for (const auto v : values) {
    if (v < low || v >= (1 << 16)) return unsupported(op, std::string(to_string(attribute)) + " out of range");
    out.push_back(static_cast<int>(v));
  }
  return out;
}

}  // namespace macaw::npu
