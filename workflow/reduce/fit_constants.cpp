#include "workflow/reduce/fit_constants.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <macaw/tosa/resolve_shapes.hpp>

namespace macaw::reduce {
namespace {

using tosa::Op;

std::int64_t elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// The constants of one operator made to fit what it reads.
class Fit {
 public:
  Fit(tosa::Block& block, std::size_t op) : block_(block), index_(op) {}

  bool run() {
    switch (op().op) {
      case Op::kCONV2D:
      case Op::kCONV3D:
      case Op::kTRANSPOSE_CONV2D: return fit_filters(0, operand_rank(1) - 1);
      case Op::kDEPTHWISE_CONV2D: return fit_depthwise();
      case Op::kRESCALE: return fit_vector(1, last(0)) && fit_vector(2, last(0));
      case Op::kRESHAPE: return fit_reshape();
      case Op::kSLICE: return fit_slice();
      case Op::kCONCAT: return fit_concat();
      case Op::kMATMUL: return fit_product();
      case Op::kTABLE: return true;
      default: return fit_broadcast();
    }
  }

 private:
  [[nodiscard]] const tosa::Operator& op() const { return block_.operators[index_]; }
  [[nodiscard]] const tosa::Value& value(std::size_t operand) const { return block_.values[op().inputs[operand]]; }
  [[nodiscard]] std::size_t operand_rank(std::size_t operand) const {
    return value(operand).shape ? value(operand).shape->size() : 0;
  }
  [[nodiscard]] std::int64_t last(std::size_t operand) const {
    return operand_rank(operand) == 0 ? 1 : value(operand).shape->back();
  }

  /// A constant operand's first elements; nothing to do where it has that shape.
  bool take_corner(std::size_t operand, const Shape& shape) {
    const auto& data = value(operand).data;
    if (data == nullptr) return value(operand).shape == shape;
    if (data->shape() == shape) return true;
    auto smaller = corner(*data, shape);
    if (smaller) set_constant(block_, index_, operand, *std::move(smaller));
    return smaller.has_value();
  }

  /// A vector that has one element for all channels or one for each.
  bool fit_vector(std::size_t operand, std::int64_t channels) {
    if (operand >= op().inputs.size() || last(operand) == 1) return true;
    return take_corner(operand, {channels});
  }

  bool fit_filters(std::size_t out_axis, std::size_t in_axis) {
    if (operand_rank(1) < 2) return false;
    auto shape = *value(1).shape;
    shape[in_axis] = last(0);
    return take_corner(1, shape) && fit_vector(2, (*value(1).shape)[out_axis]);
  }

  bool fit_depthwise() {
    if (operand_rank(1) != 4) return false;
    auto shape = *value(1).shape;
    shape[2] = last(0);
    return take_corner(1, shape) && fit_vector(2, shape[2] * shape[3]);
  }

  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t operand) const {
    const auto& data = *value(operand).data;
    std::vector<std::int64_t> all(static_cast<std::size_t>(data.size()));
    const auto width = size_of(data.dtype());
    for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], data.bytes().data() + i * width, width);
    return all;
  }

  void set_integers(std::size_t operand, const std::vector<std::int64_t>& values) {
    Tensor tensor(value(operand).data->dtype(), value(operand).data->shape());
    const auto width = size_of(tensor.dtype());
    for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(tensor.bytes().data() + i * width, &values[i], width);
    set_constant(block_, index_, operand, std::move(tensor));
  }

  /// The new shape is the old one with one axis, the last that can be, made smaller.
  bool fit_reshape() {
    if (op().inputs.size() < 2 || !value(1).data || !value(0).shape) return false;
    auto shape = integers(1);
    const auto wanted = elements(*value(0).shape);
    const auto there = elements(shape);
    if (there == wanted) return true;
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
      if (*extent <= 0 || wanted * *extent % there != 0 || wanted * *extent / there == 0) continue;
      *extent = wanted * *extent / there;
      set_integers(1, shape);
      return true;
    }
    return false;
  }

  bool fit_slice() {
    if (op().inputs.size() < 3 || !value(1).data || !value(2).data || !value(0).shape) return false;
    auto start = integers(1), size = integers(2);
    const auto& shape = *value(0).shape;
    if (start.size() != shape.size() || size.size() != shape.size()) return false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      start[axis] = std::min(start[axis], shape[axis] - 1);
      size[axis] = std::min(size[axis], shape[axis] - start[axis]);
    }
    if (start != integers(1)) set_integers(1, start);
    if (size != integers(2)) set_integers(2, size);
    return true;
  }

  /// [N, H, C] by [N, C, W], of which one may be a constant.
  bool fit_product() {
    for (const std::size_t constant : {std::size_t{0}, std::size_t{1}}) {
      if (!value(constant).data || operand_rank(0) != 3 || operand_rank(1) != 3) continue;
      const auto& other = *value(1 - constant).shape;
      auto shape = *value(constant).shape;
      shape[0] = other[0];
      if (constant == 0) shape[2] = other[1];
      else shape[1] = other[2];
      if (!take_corner(constant, shape)) return false;
    }
    return true;
  }

  bool fit_concat() {
    const auto axis = static_cast<std::size_t>(op().get_int(tosa::Attr::k_axis));
    const Shape* computed = nullptr;
    for (std::size_t i = 0; i < op().inputs.size(); ++i)
      if (!value(i).data && value(i).shape) computed = &*value(i).shape;
    if (computed == nullptr || axis >= computed->size()) return true;
    const Shape like = *computed;
    for (std::size_t i = 0; i < op().inputs.size(); ++i) {
      if (!value(i).data || operand_rank(i) != like.size()) continue;
      auto shape = like;
      shape[axis] = (*value(i).shape)[axis];
      if (!take_corner(i, shape)) return false;
    }
    return true;
  }

  /// Constants beside a tensor of their rank, whose extents are its, or 1.
  bool fit_broadcast() {
    const Shape* computed = nullptr;
    for (std::size_t i = 0; i < op().inputs.size(); ++i)
      if (!value(i).data && value(i).shape && (computed == nullptr || elements(*value(i).shape) > elements(*computed)))
        computed = &*value(i).shape;
    if (computed == nullptr) return true;
    const Shape like = *computed;
    for (std::size_t i = 0; i < op().inputs.size(); ++i) {
      if (!value(i).data || value(i).dtype == DType::kSHAPE || operand_rank(i) != like.size()) continue;
      auto shape = *value(i).shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = std::min(shape[axis], like[axis]);
      if (!take_corner(i, shape)) return false;
    }
    return true;
  }

  tosa::Block& block_;
  std::size_t index_;
};

/// Shapes of what an operator writes, from those that it reads.
bool infer_outputs(const tosa::Graph& graph, tosa::Block& block, const tosa::Operator& op) {
  tosa::Graph alone;
  alone.version = graph.version;
  auto& only = alone.blocks.emplace_back();
  only.name = block.name;
  tosa::Operator same = op;
  for (auto& input : same.inputs) {
    const auto id = static_cast<tosa::ValueId>(only.values.size());
    only.values.push_back(block.values[input]);
    only.values.back().name = std::to_string(id);
    if (!block.values[input].data) {
      only.inputs.push_back(id);
    } else {
      tosa::Operator make;
      make.op = block.values[input].dtype == DType::kSHAPE ? Op::kCONST_SHAPE : Op::kCONST;
      make.outputs = {id};
      only.operators.push_back(std::move(make));
    }
    input = id;
  }
  for (auto& output : same.outputs) {
    const auto id = static_cast<tosa::ValueId>(only.values.size());
    only.values.push_back(block.values[output]);
    only.values.back().name = std::to_string(id);
    only.values.back().shape.reset();
    only.outputs.push_back(id);
    output = id;
  }
  only.operators.push_back(std::move(same));
  const auto resolved = tosa::resolve_shapes(std::move(alone), {});
  if (!resolved) return false;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const auto& shape = resolved->main().values[resolved->main().outputs[i]].shape;
    if (!shape || std::ranges::any_of(*shape, [](auto extent) { return extent < 1; })) return false;
    block.values[op.outputs[i]].shape = shape;
  }
  return true;
}

}  // namespace

std::optional<Tensor> corner(const Tensor& tensor, const Shape& shape) {
  const auto& from = tensor.shape();
  if (from.size() != shape.size()) return std::nullopt;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < 1 || shape[axis] > from[axis]) return std::nullopt;
  Tensor smaller(tensor.dtype(), shape);
  const auto width = size_of(tensor.dtype());
  const auto row = shape.empty() ? std::int64_t{1} : shape.back();
  Shape at(shape.size(), 0);
  for (std::int64_t done = 0; done < smaller.size(); done += row) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * from[axis] + at[axis];
    std::memcpy(smaller.bytes().data() + static_cast<std::size_t>(done) * width,
                tensor.bytes().data() + static_cast<std::size_t>(place) * width, static_cast<std::size_t>(row) * width);
    for (std::size_t axis = shape.size(); axis-- > 1;) {
      if (++at[axis - 1] < shape[axis - 1]) break;
      at[axis - 1] = 0;
    }
  }
  return smaller;
}

void set_constant(tosa::Block& block, std::size_t op, std::size_t operand, Tensor tensor) {
  const auto old = block.operators[op].inputs[operand];
  const auto id = static_cast<tosa::ValueId>(block.values.size());
  auto value = block.values[old];
  const auto base = value.name.substr(0, value.name.rfind('#'));
  for (std::size_t number = id; block.find_value(value.name); ++number)
    value.name = base + "#" + std::to_string(number);
  value.shape = tensor.shape();
  value.data = std::make_shared<const Tensor>(std::move(tensor));
  block.values.push_back(std::move(value));
  block.operators[op].inputs[operand] = id;
}

std::optional<tosa::Graph> fit_constants(tosa::Graph graph) {
  if (graph.blocks.size() != 1) return std::nullopt;
  auto& block = graph.blocks.front();
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    if (block.operators[i].inputs.empty()) continue;
    if (!Fit(block, i).run() || !infer_outputs(graph, block, block.operators[i])) return std::nullopt;
  }
  return graph;
}

}  // namespace macaw::reduce
