#include "workflow/compare/judge/operator_name.hpp"

#include <algorithm>
#include <string_view>

#include <macaw/npu/debug_database.hpp>

namespace macaw::compare {
namespace {

using Kinds = std::vector<std::string_view>;

/// Operators that an NPU operation of a kind is made for before any other.
Kinds made_for(const npu::BlockOperation& op) {
  switch (op.kind) {
    case npu::OpKind::kConv:
    case npu::OpKind::kDepthwise:
      return {"CONV2D",  "DEPTHWISE_CONV2D",  "TRANSPOSE_CONV2D", "CONV3D",         "MATMUL",
              "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED",  "TRANSPOSE_CONV", "BATCH_MATMUL"};
    case npu::OpKind::kPool:
      return {"AVG_POOL2D", "MAX_POOL2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "REDUCE_SUM", "REDUCE_MAX", "MEAN"};
    case npu::OpKind::kElementwise: return {"ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"};
    case npu::OpKind::kResize: return {"RESIZE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"};
  }
  return {};
}

}  // namespace

bool is_made_for(const npu::BlockOperation& operation, std::string_view kind) {
  const auto kinds = made_for(operation);
  return std::ranges::find(kinds, kind) != kinds.end();
}

OperatorNames::OperatorNames(const Reference& reference, const npu::Artifact& artifact,
                             const std::vector<Record>& records, const ConstantCheck& constants)
    : reference_(reference), artifact_(artifact), records_(records), constants_(constants) {
  for (std::size_t i = 0; i < artifact.steps.size(); ++i)
    if (std::holds_alternative<npu::CommandStream>(artifact.steps[i])) stream_of_.emplace(i, stream_of_.size());
}

bool OperatorNames::by_database(WrongOperator& wrong, const Cone& cone, std::size_t record) const {
  if (!artifact_.debug) return false;
  const auto& r = records_[record];
  const auto* source = artifact_.debug->source_of(stream_of_.at(r.step), r.offset);
  if (source == nullptr) return false;
  const bool has_index = source->index && *source->index >= 0 &&
                         static_cast<std::size_t>(*source->index) < reference_.operators.size() &&
                         !artifact_.debug->counts_otherwise(reference_.kind);
  const auto index = has_index ? static_cast<std::size_t>(*source->index) : 0;
  if (has_index && (cone.operators.empty() || cone.operators.contains(index))) {
    wrong.index = index;
    wrong.name = reference_.operators[index].text;
    return true;
  }
  if (!cone.operators.empty()) return false;
  wrong.name = source->to_string();
  return !artifact_.debug->counts_otherwise(reference_.kind);
}

void OperatorNames::name(WrongOperator& wrong, const Cone& cone, const std::vector<std::size_t>& records) const {
  const auto record = records.back();
  const auto& chain = cone.operators;
  if (by_database(wrong, cone, record)) {
    if (!wrong.index) return;
  } else if (const auto found = constants_.operators_of.find(record); found != constants_.operators_of.end()) {
    const auto inside = std::ranges::find_if(found->second, [&](std::size_t op) { return chain.contains(op); });
    wrong.index = inside != found->second.end() ? *inside : found->second.front();
  } else if (!chain.empty()) {
    wrong.index = main_operator(chain, record);
  }
  if (!wrong.index) return;
  wrong.name = reference_.operators[*wrong.index].text;
  for (const auto op : chain)
    if (op != *wrong.index) wrong.fused.push_back(op);
}

std::size_t OperatorNames::main_operator(const std::set<std::size_t>& chain, std::size_t record) const {
  for (const auto op : chain)
    if (is_made_for(records_[record].operation, reference_.operators[op].kind)) return op;
  return *chain.begin();
}

}  // namespace macaw::compare
