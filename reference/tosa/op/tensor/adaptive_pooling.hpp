#pragma once
#include <algorithm>
#include <array>
#include <utility>

#include "reference/tosa/op/tensor/pooling_rules.hpp"

// AVG_POOL2D_ADAPTIVE and MAX_POOL2D_ADAPTIVE are AVG_POOL2D and MAX_POOL2D with kernel, stride and pad as their last
// three inputs: rules, shapes and kernels are those of the plain operator, on a copy that has the inputs as attributes.

namespace macaw::tosa {

template <class V>
inline constexpr std::uint32_t kPoolParameters = V::reads("kernel", "stride", "pad");
/// Inputs of the plain operator, which the parameters follow.
template <class V>
inline constexpr std::size_t kPlainInputs = typename V::Name("kernel").place.index;

/// The operator with `parameters`, an input's elements by its index, as attributes.
template <class V, class F>
[[nodiscard]] Operator with_pool_attributes(const Operator& op, F parameters) {
  Operator plain = op;
  plain.set(Attr::k_kernel, parameters(kPlainInputs<V>));
  plain.set(Attr::k_stride, parameters(kPlainInputs<V> + 1));
  plain.set(Attr::k_pad, parameters(kPlainInputs<V> + 2));
  return plain;
}

template <class V, class F>
auto on_plain_view(const View& view, F function) {
  const auto op = with_pool_attributes<V>(view.op, [&](std::size_t i) { return view.inputs[i].ints(); });
  return function(View{op, view.inputs.first(kPlainInputs<V>), view.outputs, view.level, view.profiles});
}

template <class V>
[[nodiscard]] Result<std::vector<Shape>> adaptive_shapes(const View& view) {
  return on_plain_view<V>(view, pooling_shapes<V>);
}

template <class V, const auto& kRules, std::size_t kIndex>
bool adaptive_broken(const View& view) {
  return on_plain_view<V>(view, kRules[kIndex].broken);
}

/// A rule of the plain operator with its test replaced; the kernel checks the requirements of a pool. (With sanitizers,
/// g++ 12 does not compare functions with null in constant expressions.)
constexpr Check adapted(Check rule, bool (*broken)(const View&), std::uint32_t needs) {
  if (rule.rule == Rule::kRequire) return rule;
  rule.broken = broken;
  rule.needs |= needs;
  return rule;
}

/// The rules of the plain operator for one whose arguments V knows.
template <class V, const auto& kRules>
inline constexpr auto kAdaptiveRules = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{adapted(kRules[I], adaptive_broken<V, kRules, I>, kPoolParameters<V>)...};
}(std::make_index_sequence<std::size(kRules)>());

/// Runs the plain operator's kernel of the row that begins with kTypes.
template <Op kPlain, class V, DType... kTypes>
Result<void> adaptive_kernel(Call& call) {
  const auto op = with_pool_attributes<V>(call.op, [&](std::size_t i) {
    const auto extents = call.in_data<std::int64_t>(i);
    return std::vector<std::int64_t>(extents.begin(), extents.end());
  });
  auto plain = with_operator(call, op, call.inputs.first(kPlainInputs<V>));
  constexpr std::array types{kTypes...};
  const auto rows = find_definition(kPlain)->rows;
  const auto row = std::ranges::find_if(
      rows, [&](const TypeRow& r) { return std::equal(types.begin(), types.end(), r.types.begin()); });
  return row->kernel(plain);
}

}  // namespace macaw::tosa
