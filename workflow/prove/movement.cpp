#include "workflow/prove/movement.hpp"

#include <algorithm>
#include <utility>

#include "workflow/compare/tensor_difference.hpp"

namespace macaw::prove {
namespace {

using tosa::Attr;
using tosa::Op;
using Index = std::vector<std::int64_t>;

std::size_t flat(const Index& index, const Shape& shape) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) at = at * shape[i] + index[i];
  return static_cast<std::size_t>(at);
}

/// Calls fn(index) for every element of a shape in order.
template <class Fn>
void for_each(const Shape& shape, std::int64_t elements, Fn&& fn) {
  Index index(shape.size(), 0);
  for (std::int64_t i = 0; i < elements; ++i) {
    fn(index);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

}  // namespace

Movement::Movement(const tosa::Graph& graph, const Reference& reference) : graph_(graph), reference_(reference) {
  for (std::size_t i = 0; i < reference.operators.size(); ++i)
    if (moves(i)) mover_.emplace(reference.operators[i].outputs.front(), i);
}

bool Movement::moves(std::size_t op) const {
  switch (graph_.main().operators[op].op) {
    case Op::kRESHAPE:
    case Op::kIDENTITY:
    case Op::kCONCAT:
    case Op::kPAD:
    case Op::kSLICE:
    case Op::kTILE:
    case Op::kREVERSE:
    case Op::kTRANSPOSE: return true;
    default: return false;
  }
}

std::vector<std::int64_t> Movement::constant(TensorId tensor) const {
  const auto& value = *reference_.tensors[tensor].value;
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < value.size(); ++i) all.push_back(compare::integer_at(value, i));
  return all;
}

// Long because it has one case for each operator.
Movement::Elements Movement::elements_of(std::size_t index) const {
  const auto& op = graph_.main().operators[index];
  const auto shape_of = [&](TensorId t) -> const Shape& { return reference_.tensors[t].value->shape(); };
  const TensorId from = op.inputs[0];
  const auto& shape = shape_of(op.outputs[0]);
  const auto& source = shape_of(from);
  const auto size = reference_.tensors[op.outputs[0]].value->size();
  Elements elements;
  elements.reserve(static_cast<std::size_t>(size));
  const auto take = [&](const auto& place) {
    Index at(source.size());
    for_each(shape, size, [&](const Index& i) {
      place(i, at);
      elements.push_back({from, flat(at, source)});
    });
  };
  const auto axis = static_cast<std::size_t>(op.get_int(Attr::k_axis));
  switch (op.op) {
    case Op::kTRANSPOSE: {
      const auto& perms = op.get_ints(Attr::k_perms);
      take([&](const Index& i, Index& at) {
        for (std::size_t d = 0; d < i.size(); ++d) at[static_cast<std::size_t>(perms[d])] = i[d];
      });
      break;
    }
    case Op::kREVERSE:
      take([&](const Index& i, Index& at) {
        at = i;
        at[axis] = shape[axis] - 1 - i[axis];
      });
      break;
    case Op::kTILE:
      take([&](const Index& i, Index& at) {
        for (std::size_t d = 0; d < i.size(); ++d) at[d] = i[d] % source[d];
      });
      break;
    case Op::kSLICE: {
      const auto start = constant(op.inputs[1]);
      take([&](const Index& i, Index& at) {
        for (std::size_t d = 0; d < i.size(); ++d) at[d] = i[d] + start[d];
      });
      break;
    }
    case Op::kPAD: {
      const auto padding = constant(op.inputs[1]);
      for_each(shape, size, [&](Index i) {
        bool inside = true;
        for (std::size_t d = 0; d < i.size(); ++d) {
          i[d] -= padding[2 * d];
          inside &= i[d] >= 0 && i[d] < source[d];
        }
        elements.push_back(inside ? Element{from, flat(i, source)} : Element{op.inputs[2], 0});
      });
      break;
    }
    case Op::kCONCAT:
      for_each(shape, size, [&](Index i) {
        std::size_t input = 0;
        for (; i[axis] >= shape_of(op.inputs[input])[axis]; ++input) i[axis] -= shape_of(op.inputs[input])[axis];
        elements.push_back({op.inputs[input], flat(i, shape_of(op.inputs[input]))});
      });
      break;
    default:
      for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) elements.push_back({from, i});
  }
  return elements;
}

Element Movement::origin(Element element) {
  const auto mover = mover_.find(element.tensor);
  if (mover == mover_.end()) return element;
  auto found = origins_.find(element.tensor);
  if (found == origins_.end()) {
    auto elements = elements_of(mover->second);
    for (auto& e : elements) e = origin(e);
    found = origins_.emplace(element.tensor, std::move(elements)).first;
  }
  return found->second[element.index];
}

}  // namespace macaw::prove
