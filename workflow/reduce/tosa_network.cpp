#include "workflow/reduce/tosa_network.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "workflow/compare/program.hpp"
#include "workflow/reduce/fit_constants.hpp"

namespace macaw::reduce {
namespace {

using tosa::Attr;
using tosa::Op;
using tosa::ValueId;

bool is_constant(const tosa::Operator& op) { return op.op == Op::kCONST || op.op == Op::kCONST_SHAPE; }

/// Whether all bytes of a constant's elements are those of its first.
bool is_uniform(const Tensor& tensor) {
  const auto width = size_of(tensor.dtype());
  const auto bytes = tensor.bytes();
  return bytes.size() <= width || std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

class TosaNetwork final : public Network {
 public:
  explicit TosaNetwork(tosa::Graph graph) : graph_(std::move(graph)) {
    for (std::size_t i = 0; i < block().operators.size(); ++i)
      if (!is_constant(block().operators[i])) numbers_.push_back(i);
  }

  [[nodiscard]] std::size_t operators() const override { return numbers_.size(); }
  [[nodiscard]] NetworkPtr keep(const std::vector<std::size_t>& operators) const override;
  [[nodiscard]] std::vector<Candidate> simplifications() const override;
  [[nodiscard]] Result<std::vector<std::byte>> bytes() const override {
    return tosa::write_graph(graph_, graph_.version);
  }
  [[nodiscard]] const char* extension() const override { return ".tosa"; }
  [[nodiscard]] std::size_t elements() const override;
  [[nodiscard]] compare::Program program() const override { return {graph_}; }
  [[nodiscard]] std::optional<std::size_t> number_of(std::size_t op) const override;

 private:
  [[nodiscard]] const tosa::Block& block() const { return graph_.main(); }
  [[nodiscard]] NetworkPtr bypass(std::size_t op) const;
  /// Every input with such an extent along an axis gets another.
  [[nodiscard]] NetworkPtr shrink_inputs(std::size_t axis, std::int64_t extent, std::int64_t smaller) const;
  [[nodiscard]] NetworkPtr shrink_constant(std::size_t op, std::size_t operand, std::size_t axis,
                                           std::int64_t smaller) const;
  [[nodiscard]] NetworkPtr with_attribute(std::size_t op, Attr attribute, std::vector<std::int64_t> values) const;
  [[nodiscard]] NetworkPtr with_constant(std::size_t op, std::size_t operand, Tensor tensor) const;
  void add_shapes(std::vector<Candidate>& all) const;
  void add_attributes(std::vector<Candidate>& all) const;
  void add_constants(std::vector<Candidate>& all) const;

  tosa::Graph graph_;
  std::vector<std::size_t> numbers_;  ///< of the operators that are not constants
};

/// Copies parts of a graph.
class Extract {
 public:
  explicit Extract(const tosa::Graph& from) : from_(from.main()) {
    to_.version = from.version;
    to_.blocks = {tosa::Block{.name = from_.name, .values = {}, .operators = {}, .inputs = {}, .outputs = {}}};
    to_.blocks.insert(to_.blocks.end(), from.blocks.begin() + 1, from.blocks.end());
    for (const auto& op : from_.operators)
      if (is_constant(op)) makers_.emplace(op.outputs.front(), &op);
  }

  /// The operator, and what it reads that is not there yet. Whether that can be.
  bool add(const tosa::Operator& op) {
    auto copy = op;
    for (auto& input : copy.inputs) {
      const auto known = ids_.find(input);
      if (known != ids_.end()) {
        input = known->second;
        continue;
      }
      const auto& value = from_.values[input];
      const auto id = add_value(input);
      if (value.data && !value.variable) {
        auto made = makers_.contains(input) ? *makers_.at(input) : tosa::Operator{};
        if (!makers_.contains(input)) made.op = value.dtype == DType::kSHAPE ? Op::kCONST_SHAPE : Op::kCONST;
        made.outputs = {id};
        block().operators.push_back(std::move(made));
      } else if (value.is_static() && value.dtype != DType::kSHAPE && !value.variable) {
        block().inputs.push_back(id);
      } else if (!value.variable) {
        return false;
      }
      input = id;
    }
    for (auto& output : copy.outputs) {
      written_.push_back(output);
      output = add_value(output);
    }
    for (const auto input : op.inputs) read_.insert(input);
    block().operators.push_back(std::move(copy));
    return true;
  }

  /// The graph, whose outputs are those of the old one and what nothing reads.
  std::optional<tosa::Graph> finish() {
    for (const auto value : written_) {
      const bool is_output = std::ranges::find(from_.outputs, value) != from_.outputs.end();
      if (is_output || !read_.contains(value)) block().outputs.push_back(ids_.at(value));
    }
    if (block().outputs.empty()) return std::nullopt;
    return std::move(to_);
  }

 private:
  tosa::Block& block() { return to_.blocks.front(); }
  ValueId add_value(ValueId value) {
    const auto id = static_cast<ValueId>(block().values.size());
    block().values.push_back(from_.values[value]);
    ids_[value] = id;
    return id;
  }

  const tosa::Block& from_;
  tosa::Graph to_;
  std::map<ValueId, ValueId> ids_;
  std::map<ValueId, const tosa::Operator*> makers_;
  std::vector<ValueId> written_;
  std::set<ValueId> read_;
};

NetworkPtr extract(const tosa::Graph& graph, const std::vector<std::size_t>& operators) {
  Extract parts(graph);
  for (const auto op : operators)
    if (!parts.add(graph.main().operators[op])) return nullptr;
  auto result = parts.finish();
  return result ? make_network(*std::move(result)) : nullptr;
}

NetworkPtr TosaNetwork::keep(const std::vector<std::size_t>& operators) const {
  std::vector<std::size_t> kept;
  for (const auto op : operators) kept.push_back(numbers_[op]);
  return extract(graph_, kept);
}

NetworkPtr TosaNetwork::bypass(std::size_t index) const {
  const auto& op = block().operators[index];
  if (op.outputs.size() != 1 || op.inputs.empty()) return nullptr;
  const auto& from = block().values[op.inputs[0]];
  const auto& to = block().values[op.outputs[0]];
  if (from.data || from.dtype != to.dtype || from.shape != to.shape) return nullptr;
  auto graph = graph_;
  auto& changed = graph.blocks.front();
  bool is_read = false;
  for (auto& other : changed.operators)
    for (auto& input : other.inputs)
      if (input == op.outputs[0]) input = op.inputs[0], is_read = true;
  if (!is_read) return nullptr;
  std::erase(changed.outputs, op.outputs[0]);
  auto kept = numbers_;
  std::erase(kept, index);
  return extract(graph, kept);
}

NetworkPtr fitted(tosa::Graph graph) {
  auto result = fit_constants(std::move(graph));
  if (!result) return nullptr;
  // Values that no operator reads any longer are removed.
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < result->main().operators.size(); ++i)
    if (!is_constant(result->main().operators[i])) all.push_back(i);
  return extract(*result, all);
}

NetworkPtr TosaNetwork::shrink_inputs(std::size_t axis, std::int64_t extent, std::int64_t smaller) const {
  auto graph = graph_;
  for (const auto input : block().inputs) {
    auto& shape = graph.blocks.front().values[input].shape;
    if (shape && axis < shape->size() && (*shape)[axis] == extent) (*shape)[axis] = smaller;
  }
  return fitted(std::move(graph));
}

NetworkPtr TosaNetwork::shrink_constant(std::size_t op, std::size_t operand, std::size_t axis,
                                        std::int64_t smaller) const {
  const auto& data = *block().values[block().operators[op].inputs[operand]].data;
  auto shape = data.shape();
  shape[axis] = smaller;
  auto part = corner(data, shape);
  if (!part) return nullptr;
  auto graph = graph_;
  set_constant(graph.blocks.front(), op, operand, *std::move(part));
  return fitted(std::move(graph));
}

NetworkPtr TosaNetwork::with_attribute(std::size_t op, Attr attribute, std::vector<std::int64_t> values) const {
  auto graph = graph_;
  graph.blocks.front().operators[op].set(attribute, std::move(values));
  return fitted(std::move(graph));
}

NetworkPtr TosaNetwork::with_constant(std::size_t op, std::size_t operand, Tensor tensor) const {
  auto graph = graph_;
  set_constant(graph.blocks.front(), op, operand, std::move(tensor));
  return fitted(std::move(graph));
}

/// Smaller extents in place of one, the smallest first.
std::vector<std::int64_t> smaller_extents(std::int64_t extent) {
  std::vector<std::int64_t> all;
  for (const auto smaller : {std::int64_t{1}, extent / 4, extent / 2, extent - 1})
    if (smaller >= 1 && smaller < extent && (all.empty() || smaller > all.back())) all.push_back(smaller);
  return all;
}

void TosaNetwork::add_shapes(std::vector<Candidate>& all) const {
  std::set<std::pair<std::size_t, std::int64_t>> extents;
  for (const auto input : block().inputs)
    if (const auto& shape = block().values[input].shape)
      for (std::size_t axis = 0; axis < shape->size(); ++axis) extents.emplace(axis, (*shape)[axis]);
  for (const auto& [axis, extent] : extents)
    for (const auto smaller : smaller_extents(extent))
      all.push_back([this, axis, extent, smaller] { return shrink_inputs(axis, extent, smaller); });
  for (const auto op : numbers_) {
    const auto& o = block().operators[op];
    const bool is_filter =
        o.op == Op::kCONV2D || o.op == Op::kCONV3D || o.op == Op::kTRANSPOSE_CONV2D || o.op == Op::kDEPTHWISE_CONV2D;
    if (!is_filter || o.inputs.size() < 2 || !block().values[o.inputs[1]].data) continue;
    const auto& shape = block().values[o.inputs[1]].data->shape();
    // Input channels follow the input.
    const std::size_t follows = o.op == Op::kDEPTHWISE_CONV2D ? 2 : shape.size() - 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      for (const auto smaller : smaller_extents(axis == follows ? 1 : shape[axis]))
        all.push_back([this, op, axis, smaller] { return shrink_constant(op, 1, axis, smaller); });
  }
}

void TosaNetwork::add_attributes(std::vector<Candidate>& all) const {
  struct Simplest {
    Attr attribute;
    std::int64_t value;
  };
  for (const auto op : numbers_)
    for (const auto& [attribute, value] : {Simplest{Attr::k_kernel, 1}, Simplest{Attr::k_dilation, 1},
                                           Simplest{Attr::k_pad, 0}, Simplest{Attr::k_stride, 1}}) {
      const auto& values = block().operators[op].get_ints(attribute);
      const std::vector<std::int64_t> simplest(values.size(), value);
      if (values != simplest)
        all.push_back([this, op, attribute, simplest] { return with_attribute(op, attribute, simplest); });
    }
}

void TosaNetwork::add_constants(std::vector<Candidate>& all) const {
  for (const auto op : numbers_)
    for (std::size_t operand = 0; operand < block().operators[op].inputs.size(); ++operand) {
      const auto& value = block().values[block().operators[op].inputs[operand]];
      if (!value.data || value.variable || value.dtype == DType::kSHAPE) continue;
      const Tensor& data = *value.data;
      if (is_zero(data.bytes())) continue;
      all.push_back(
          [this, op, operand, &data] { return with_constant(op, operand, Tensor(data.dtype(), data.shape())); });
      if (is_uniform(data)) continue;
      const auto width = size_of(data.dtype());
      all.push_back([this, op, operand, width, &data] {
        Tensor uniform(data.dtype(), data.shape());
        for (std::size_t i = 0; i < uniform.bytes().size(); i += width)
          std::memcpy(uniform.bytes().data() + i, data.bytes().data(), width);
        return with_constant(op, operand, std::move(uniform));
      });
      const auto elements = static_cast<std::size_t>(data.size());
      constexpr std::size_t kMostParts = 16;
      for (std::size_t parts = 2; parts <= std::min(kMostParts, elements); parts *= 2)
        for (std::size_t part = 0; part < parts; ++part) {
          const auto first = part * elements / parts * width, last = (part + 1) * elements / parts * width;
          if (is_zero(data.bytes().subspan(first, last - first))) continue;
          all.push_back([this, op, operand, first, last, &data] {
            Tensor zeroed = data;
            std::memset(zeroed.bytes().data() + first, 0, last - first);
            return with_constant(op, operand, std::move(zeroed));
          });
        }
    }
}

std::vector<Candidate> TosaNetwork::simplifications() const {
  std::vector<Candidate> all;
  for (const auto op : numbers_) all.push_back([this, op] { return bypass(op); });
  add_shapes(all);
  add_attributes(all);
  add_constants(all);
  return all;
}

std::size_t TosaNetwork::elements() const {
  std::size_t sum = 0;
  for (const auto& value : block().values) {
    if (!value.shape) continue;
    std::int64_t product = 1;
    for (const auto extent : *value.shape) product *= std::max<std::int64_t>(extent, 1);
    sum += static_cast<std::size_t>(product);
  }
  return sum;
}

std::optional<std::size_t> TosaNetwork::number_of(std::size_t op) const {
  const auto found = std::ranges::find(numbers_, op);
  if (found == numbers_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers_.begin());
}

}  // namespace

NetworkPtr make_network(tosa::Graph graph) { return std::make_unique<TosaNetwork>(std::move(graph)); }

}  // namespace macaw::reduce
