#include "workflow/prove/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "workflow/compare/tensor_difference.hpp"

namespace macaw::prove {

Targets::Targets(const tosa::Graph& graph, const Reference& reference, const std::map<TensorId, Given>& given,
                 const std::vector<Record>& records)
    : graph_(graph),
      reference_(reference),
      given_(given),
      constants_(compare::graph_constants(reference)),
      movement_(graph, reference),
      pieces_(pieces_of(reference, records)) {
  for (std::size_t i = 0; i < reference.operators.size(); ++i)
    for (const auto t : reference.operators[i].outputs) producer_[t] = i;
  for (const auto& [record, piece] : pieces_) writers_[piece.tensor].insert(record);
  choose(records.size());
}

void Targets::choose(std::size_t records) {
  for (std::size_t r = 0; r < records; ++r) {
    const Piece* last = nullptr;
    const auto [first, end] = pieces_.equal_range(r);
    for (auto it = first; it != end; ++it)
      if (last == nullptr || rank(it->second.tensor) > rank(last->tensor)) last = &it->second;
    if (last == nullptr) continue;
    written_.emplace(r, *last);
    if (targets_.contains(last->tensor)) continue;
    targets_.emplace(last->tensor, target_of(last->tensor, r));
    order_.emplace(r, last->tensor);
  }
}

std::pair<bool, std::size_t> Targets::rank(TensorId tensor) const {
  const auto producer = producer_.find(tensor);
  if (producer == producer_.end()) return {given_.contains(tensor), 0};
  return {!movement_.moves(producer->second), producer->second};
}

bool Targets::is_given(TensorId tensor, std::size_t record) const {
  if (std::ranges::find(reference_.inputs, tensor) != reference_.inputs.end()) return true;
  if (const auto given = given_.find(tensor); given != given_.end() && given->second.by_host) return true;
  const auto found = writers_.find(tensor);
  if (found != writers_.end() && !found->second.contains(record)) return true;
  const auto producer = producer_.find(tensor);
  return producer != producer_.end() && movement_.moves(producer->second) &&
         std::ranges::all_of(reference_.operators[producer->second].inputs, [&](TensorId input) {
           return reference_.tensors[input].constant || is_given(input, record);
         });
}

Target Targets::target_of(TensorId tensor, std::size_t record) {
  Target target;
  target.tensor = tensor;
  if (const auto given = given_.find(tensor); given != given_.end()) {
    target.reason = given->second.reason;
    return target;
  }
  std::set<std::size_t> operators;
  std::vector<TensorId> open{tensor};
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    if (at != tensor && is_given(at, record)) {
      if (std::ranges::find(target.inputs, at) == target.inputs.end()) target.inputs.push_back(at);
      continue;
    }
    const auto found = producer_.find(at);
    if (found == producer_.end()) {
      target.reason = "not computed by an operator";
      return target;
    }
    if (!operators.insert(found->second).second) continue;
    const auto filters = std::ranges::find(constants_, found->second, &compare::OperatorConstants::op);
    if (filters != constants_.end() && !filters->filters.empty() && !target.convolution) {
      target.convolution = convolution_of(found->second, *filters);
      if (target.convolution) continue;
    }
    if (!target.pool) {
      target.pool = pool_of(found->second);
      if (target.pool) continue;
    }
    for (const auto input : std::views::reverse(reference_.operators[found->second].inputs))
      if (!reference_.tensors[input].constant) open.push_back(input);
  }
  target.operators.assign(operators.begin(), operators.end());
  if (target.pool)
    for (const auto op : target.operators)
      if (&graph_.main().operators[op] != target.pool->op) target.pool->chain.operators.push_back(op);
  target.reason = unhandled(target);
  return target;
}

bool Targets::is_view(std::size_t op) const {
  const auto& kind = reference_.operators[op].kind;
  return kind == "RESHAPE" || kind == "IDENTITY";
}

std::string Targets::unhandled(const Target& target) const {
  static const std::set<std::string> kElementwise = {"RESCALE",
                                                     "CLAMP",
                                                     "TABLE",
                                                     "ADD",
                                                     "SUB",
                                                     "MUL",
                                                     "MAXIMUM",
                                                     "MINIMUM",
                                                     "ABS",
                                                     "NEGATE",
                                                     "BITWISE_AND",
                                                     "BITWISE_OR",
                                                     "BITWISE_XOR",
                                                     "BITWISE_NOT",
                                                     "CAST",
                                                     "RESHAPE",
                                                     "IDENTITY",
                                                     "LOGICAL_LEFT_SHIFT",
                                                     "ARITHMETIC_RIGHT_SHIFT",
                                                     "LOGICAL_RIGHT_SHIFT",
                                                     "CLZ",
                                                     "EQUAL",
                                                     "GREATER",
                                                     "GREATER_EQUAL",
                                                     "SELECT"};
  if (is_moved(target)) return "";
  for (const auto op : target.operators) {
    const auto& kind = reference_.operators[op].kind;
    if (target.convolution && op == target.convolution->constants->op) continue;
    if (target.pool && &graph_.main().operators[op] == target.pool->op) continue;
    if (!kElementwise.contains(kind)) return fmt::format("{} is not handled", kind);
    if (target.convolution && kind != "RESCALE" && kind != "CLAMP" && !is_view(op))
      return fmt::format("{} behind the product", kind);
  }
  if (target.convolution || target.pool)
    return target.inputs.empty() ? "" : "more than one operator goes into the result";
  return target.inputs.size() == 1 || target.inputs.size() == 2 ? "" : "more than two tensors go into the result";
}

bool Targets::is_moved(const Target& target) const {
  return std::ranges::all_of(target.operators, [&](std::size_t op) { return movement_.moves(op); });
}

std::optional<Pool> Targets::pool_of(std::size_t index) const {
  const auto& op = graph_.main().operators[index];
  if (op.op != tosa::Op::kMAX_POOL2D && op.op != tosa::Op::kAVG_POOL2D) return std::nullopt;
  const auto& kernel = op.get_ints(tosa::Attr::k_kernel);
  return Pool{&op,
              {{static_cast<int>(kernel[0]), static_cast<int>(kernel[1])},
               op.get_ints(tosa::Attr::k_stride),
               op.get_ints(tosa::Attr::k_pad),
               {1, 1},
               reference_.tensors[op.inputs[0]].value->shape(),
               reference_.tensors[op.outputs[0]].value->shape(),
               true},
              {{op.outputs[0]}, {}}};
}

std::optional<Convolution> Targets::convolution_of(std::size_t index,
                                                   const compare::OperatorConstants& constants) const {
  const auto& op = graph_.main().operators[index];
  if (op.op != tosa::Op::kCONV2D && op.op != tosa::Op::kDEPTHWISE_CONV2D) return std::nullopt;
  const auto& zero_point = reference_.tensors[op.inputs[3]];
  if (!zero_point.constant || !zero_point.value) return std::nullopt;
  Convolution c{&op,
                &constants,
                reference_.tensors[op.inputs[0]].value->shape(),
                reference_.tensors[op.outputs[0]].value->shape(),
                compare::integer_at(*zero_point.value, 0),
                op.op == tosa::Op::kDEPTHWISE_CONV2D};
  const auto dtype = reference_.tensors[op.inputs[0]].value->dtype();
  if (dtype != DType::kINT8 && dtype != DType::kINT16) return std::nullopt;
  c.input_bits = static_cast<int>(8 * size_of(dtype));
  // One filter for each channel is what the NPU calls depthwise.
  if (c.depthwise && c.output[3] != c.input[3]) return std::nullopt;
  return c;
}

}  // namespace macaw::prove
