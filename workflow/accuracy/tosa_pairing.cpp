#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "workflow/accuracy/tosa_pair.hpp"
#include "workflow/report/forms/align.hpp"

namespace macaw::accuracy {
namespace {

using tosa::Block;
using tosa::Op;
using tosa::ValueId;

/// Operators that pass on the elements of their first operand in their order, at another scale or within limits.
bool passes_on(Op op) {
  constexpr std::array kOps{Op::kCLAMP, Op::kRESCALE, Op::kRESHAPE, Op::kCAST, Op::kIDENTITY};
  return std::ranges::find(kOps, op) != kOps.end();
}

/// Functions of one element are a table in a graph of integers.
std::string_view word_of(Op op) {
  constexpr std::array kFunctions{Op::kTABLE, Op::kTANH, Op::kSIGMOID, Op::kERF, Op::kEXP, Op::kLOG, Op::kRSQRT};
  return std::ranges::find(kFunctions, op) != kFunctions.end() ? "TABLE" : tosa::to_string(op);
}

std::int64_t element_total(const tosa::Value& value) {
  return value.is_static() ? element_count(*value.shape).value_or(-1) : -1;
}

bool is_wanted(const tosa::Value& value, bool as_float) {
  if (element_total(value) <= 0 || value.data) return false;
  if (as_float) return value.dtype == DType::kFP32 || value.dtype == DType::kFP16 || value.dtype == DType::kBF16;
  return value.dtype == DType::kINT8 || value.dtype == DType::kINT16;
}

/// An operator with what passes its result on.
struct LayerGroup {
  std::string word;  ///< kind and size, for the alignment
  std::string kind;
  std::optional<ValueId> result;        ///< the last one of a wanted type
  std::vector<std::string> names = {};  ///< of all values of a wanted type
  std::size_t op = 0;                   ///< that computes it
};

class LayerGroups {
 public:
  LayerGroups(const Block& block, bool as_float) : block_(block), as_float_(as_float), readers_(block.values.size()) {
    for (const auto& op : block.operators)
      for (const auto input : op.inputs) ++readers_[input];
    for (const auto output : block.outputs) ++readers_[output];
    for (std::size_t i = 0; i < block.operators.size(); ++i) add(i);
    for (auto& group : list_)
      if (group.result) group.word = fmt::format("{} {}", group.kind, element_total(block_.values[*group.result]));
    std::erase_if(list_, [](const LayerGroup& group) { return !group.result; });
  }

  [[nodiscard]] const std::vector<LayerGroup>& list() const { return list_; }

 private:
  void add(std::size_t i) {
    const auto& op = block_.operators[i];
    if (op.outputs.empty() || op.inputs.empty()) return;
    const auto result = op.outputs[0];
    const auto before = group_of_.find(op.inputs[0]);
    // A value that several read ends its group: what follows belongs to one of them.
    const bool goes_on = passes_on(op.op) && before != group_of_.end() && readers_[op.inputs[0]] == 1;
    std::size_t group = 0;
    if (goes_on) {
      group = before->second;
    } else if (passes_on(op.op) && before == group_of_.end()) {
      return;  // of an input or a constant
    } else {
      group = list_.size();
      list_.push_back({});
      list_.back().kind = word_of(op.op);
    }
    group_of_.emplace(result, group);
    if (!is_wanted(block_.values[result], as_float_)) return;
    list_[group].result = result;
    list_[group].names.push_back(block_.values[result].name);
    list_[group].op = i;
  }

  const Block& block_;
  bool as_float_;
  std::vector<int> readers_;
  std::vector<LayerGroup> list_;
  std::map<ValueId, std::size_t> group_of_;
};

/// Groups by the names of their values.
std::map<std::string_view, std::size_t> groups_by_name(const std::vector<LayerGroup>& groups) {
  std::map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto& name : groups[i].names)
      if (!name.empty()) names.emplace(name, i);
  return names;
}

/// The longest name: those that a converter makes up for the parts of an operator are short.
const std::string& shown_name(const LayerGroup& group) {
  return *std::ranges::max_element(group.names, {}, &std::string::size);
}

}  // namespace

TosaPairing pair_graphs(const Block& reference, const Block& quantised) {
  const LayerGroups there(reference, true), here(quantised, false);
  std::map<std::size_t, std::size_t> partner;  // group of integers -> group of floats
  std::set<std::size_t> taken;
  const auto join = [&](std::size_t q, std::size_t r) {
    if (partner.contains(q) || taken.contains(r)) return;
    if (element_total(quantised.values[*here.list()[q].result]) !=
        element_total(reference.values[*there.list()[r].result]))
      return;
    partner.emplace(q, r);
    taken.insert(r);
  };
  const auto find = [](const std::vector<LayerGroup>& groups, ValueId value) {
    const auto found = std::ranges::find(groups, value, [](const LayerGroup& g) { return *g.result; });
    return static_cast<std::size_t>(found - groups.begin());
  };
  for (std::size_t i = 0; i < std::min(reference.outputs.size(), quantised.outputs.size()); ++i) {
    const auto q = find(here.list(), quantised.outputs[i]), r = find(there.list(), reference.outputs[i]);
    if (q < here.list().size() && r < there.list().size()) join(q, r);
  }
  const auto names = groups_by_name(there.list());
  for (const auto& [name, q] : groups_by_name(here.list()))
    if (const auto found = names.find(name); found != names.end()) join(q, found->second);
  std::vector<std::string> then, now;
  for (const auto& group : there.list()) then.push_back(group.word);
  for (const auto& group : here.list()) now.push_back(group.word);
  for (const auto& [r, q] : report::align(then, now))
    if (r && q) join(*q, *r);
  TosaPairing pairing;
  for (const auto& [q, r] : partner) {
    const auto& group = here.list()[q];
    pairing.pairs.push_back({.op = group.op,
                             .quantised = *group.result,
                             .reference = *there.list()[r].result,
                             .kind = group.kind,
                             .name = shown_name(group),
                             .reference_name = shown_name(there.list()[r])});
  }
  std::ranges::sort(pairing.pairs, {}, &TosaPair::op);
  for (std::size_t i = 0; i < there.list().size(); ++i)
    if (!taken.contains(i)) pairing.only_float.push_back(shown_name(there.list()[i]));
  for (std::size_t i = 0; i < here.list().size(); ++i)
    if (!partner.contains(i)) pairing.only_quantised.push_back(shown_name(here.list()[i]));
  return pairing;
}

Result<CutOut> cut_out(const tosa::Graph& graph, const std::vector<ValueId>& known, ValueId wanted) {
  const auto& block = graph.main();
  std::map<ValueId, std::size_t> writer;
  for (std::size_t i = 0; i < block.operators.size(); ++i)
    for (const auto output : block.operators[i].outputs) writer.emplace(output, i);
  const std::set<ValueId> given(known.begin(), known.end());
  std::set<std::size_t> operators;
  std::set<ValueId> inputs;
  std::vector<ValueId> open{wanted};
  while (!open.empty()) {
    const auto value = open.back();
    open.pop_back();
    if (value != wanted && given.contains(value)) {
      inputs.insert(value);
      continue;
    }
    const auto found = writer.find(value);
    if (found == writer.end())
      return fail(ErrorCode::kUnsupported,
                  fmt::format("it depends on '{}', which has no partner", block.values[value].name));
    if (!operators.insert(found->second).second) continue;
    const auto& op = block.operators[found->second];
    open.insert(open.end(), op.inputs.begin(), op.inputs.end());
  }
  CutOut result;
  result.graph.version = graph.version;
  auto& part = result.graph.blocks.emplace_back();
  part.name = block.name;
  std::map<ValueId, ValueId> number;
  const auto add = [&](ValueId value) {
    const auto [found, is_new] = number.emplace(value, static_cast<ValueId>(part.values.size()));
    if (is_new) part.values.push_back(block.values[value]);
    return found->second;
  };
  for (const auto input : inputs) {
    part.inputs.push_back(add(input));
    result.inputs.push_back(input);
  }
  for (const auto i : operators) {
    auto op = block.operators[i];
    for (auto& value : op.inputs) value = add(value);
    for (auto& value : op.outputs) value = add(value);
    part.operators.push_back(std::move(op));
  }
  part.outputs.push_back(add(wanted));
  return result;
}

}  // namespace macaw::accuracy
