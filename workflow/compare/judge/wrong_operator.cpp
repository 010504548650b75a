#include "workflow/compare/judge/wrong_operator.hpp"

#include <algorithm>

#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {

std::optional<Tensor> reinterpret_as(const Tensor& expected, std::span<const std::byte> contents) {
  if (contents.size() != expected.bytes().size()) return std::nullopt;
  Tensor actual(expected.dtype(), expected.shape());
  std::ranges::copy(contents, actual.bytes().begin());
  return actual;
}

void describe_difference(WrongOperator& wrong, const Tensor& expected, std::span<const std::byte> contents) {
  wrong.elements = expected.size();
  wrong.different = expected.size();
  const auto actual = reinterpret_as(expected, contents);
  wrong.other_size = !actual;
  if (!actual) return;
  const auto difference = compare_tensors(wrong.tensor, expected, *actual);
  wrong.different = difference.different;
  wrong.position = difference.index;
  wrong.expected = difference.expected;
  wrong.actual = difference.actual;
  wrong.pattern = pattern_of(expected, *actual);
}

}  // namespace macaw::compare
