#include "workflow/compare/judge/evidence.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace macaw::compare {

bool Evidence::gives_outputs(TensorId tensor, const std::vector<std::byte>& contents) const {
  const auto& expected = *reference_.tensors[tensor].value;
  auto value = reinterpret_as(expected, contents);
  if (!value) return false;
  Overrides overrides;
  overrides.emplace(tensor, std::move(*value));
  const auto outputs = program_.outputs_with(inputs_, reference_, overrides);
  return outputs && std::ranges::equal(*outputs, actual_, [](const Tensor& a, const Tensor& b) {
           return std::ranges::equal(a.bytes(), b.bytes());
         });
}

bool Evidence::explains_outputs(const WrongOperator& wrong) const {
  return wrong.id && wrong.reads_right && wrong.reads_in_order && wrong.different > 0 &&
         gives_outputs(*wrong.id, wrong.contents);
}

std::string Evidence::doubt(const WrongOperator& wrong) const {
  if (!wrong.id) return "what was written is not the tensor as a whole";
  if (!wrong.reads_right || !wrong.read_as_tensor) return "the commands may be steps on the way to it";
  if (!gives_outputs(*wrong.id, wrong.contents)) return "the commands write something else than this tensor";
  if (!output_depends_on_difference(wrong)) return "no output is known to depend on the elements that differ";
  return "";
}

bool Evidence::output_depends_on_difference(const WrongOperator& wrong) const {
  const auto& value = *reference_.tensors[*wrong.id].value;
  const auto expected = std::as_const(value).bytes();
  const auto width = size_of(value.dtype());
  // Values at both ends of the type and between them: what follows may clamp some of them.
  constexpr std::array kFlips = {std::byte{0xFF}, std::byte{0x80}, std::byte{0x7F}, std::byte{0x15}};
  for (const auto flip : kFlips) {
    std::vector<std::byte> changed(expected.begin(), expected.end());
    for (std::size_t at = 0; at < changed.size(); at += width) {
      if (std::memcmp(&expected[at], &wrong.contents[at], width) == 0) continue;
      if (value.dtype() == DType::kBOOL) changed[at] ^= std::byte{1};
      else
        for (std::size_t i = 0; i < width; ++i) changed[at + i] ^= flip;
    }
    Overrides overrides;
    overrides.emplace(*wrong.id, *reinterpret_as(value, changed));
    const auto outputs = program_.outputs_with(inputs_, reference_, overrides);
    if (!outputs) continue;
    for (std::size_t i = 0; i < outputs->size() && i < actual_.size(); ++i)
      if (!std::ranges::equal(std::as_const((*outputs)[i]).bytes(), actual_[i].bytes())) return true;
  }
  return false;
}

}  // namespace macaw::compare
