#include "reference/tflite/call.hpp"

#include <macaw/tflite/interpreter.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace macaw::tflite {

#define MACAW_TFLITE_FAMILY(name)    \
  namespace name {                   \
  extern const Operators kOperators; \
  }
#include "reference/tflite/families.def"
#undef MACAW_TFLITE_FAMILY

namespace {

const Operators* const kFamilies[] = {
#define MACAW_TFLITE_FAMILY(name) &name::kOperators,
#include "reference/tflite/families.def"
#undef MACAW_TFLITE_FAMILY
};

}  // namespace

const Definition* find_definition(std::span<const Operators* const> families, std::string_view name) {
  for (const Operators* family : families) {
    const auto found = std::ranges::find(*family, name, &Definition::name);
    if (found != family->end()) return &*found;
  }
  return nullptr;
}

const Definition* find_definition(std::string_view name) { return find_definition(kFamilies, name); }

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operators* family : kFamilies)
    for (const auto& definition : *family) names.emplace_back(definition.name);
  std::ranges::sort(names);
  return names;
}

Result<void> execute(const Definition& definition, Call& call) {
  const auto count = [](const std::vector<Operand>& operands, int min, int max, const char* what) -> Result<void> {
    const auto n = static_cast<std::int64_t>(operands.size());
    if (n < min || (max >= 0 && n > max)) return invalid(fmt::format("{} {}", n, what));
    return {};
  };
  MACAW_CHECK(count(call.inputs, definition.min_inputs, definition.max_inputs, "inputs"));
  MACAW_CHECK(count(call.outputs, definition.min_outputs, definition.max_outputs, "outputs"));
  MACAW_CHECK(call.account(kWorkPerOperator));
  for (const auto& output : call.outputs) {
    if (!output.writable) return invalid("an output is absent");
    MACAW_CHECK(call.account(output.value->size()));
  }
  return definition.kernel(call);
}

Result<const Tensor*> Call::input(std::size_t index) const {
  if (const auto* found = optional_input(index)) return found;
  return invalid(fmt::format("input {} is absent", index));
}

const Tensor* Call::optional_input(std::size_t index) const {
  return index < inputs.size() ? inputs[index].value : nullptr;
}

Result<Tensor*> Call::state(std::size_t index) {
  MACAW_CHECK(input(index));
  if (!inputs[index].writable) return invalid(fmt::format("input {} is state and cannot be written", index));
  changed.push_back(index);
  return inputs[index].writable;
}

Result<void> Call::account(std::int64_t amount) {
  if (amount > max_work - work) return unsupported(fmt::format("more work than the limit of {}", max_work));
  work += amount;
  return {};
}

Result<void> expect(const Tensor& tensor, DType dtype, std::string_view what) {
  if (tensor.dtype() == dtype) return {};
  return unsupported(fmt::format("{} has type {}, not {}", what, to_string(tensor.dtype()), to_string(dtype)));
}

Result<void> expect(const Tensor& tensor, const Shape& shape, std::string_view what) {
  if (tensor.shape() == shape) return {};
  return invalid(fmt::format("{} has shape {}, not {}", what, to_string(tensor.shape()), to_string(shape)));
}

Result<void> expect_rank(const Tensor& tensor, std::size_t rank, std::string_view what) {
  if (tensor.rank() == rank) return {};
  return invalid(fmt::format("{} has rank {}, not {}", what, tensor.rank(), rank));
}

tl::unexpected<Error> unsupported_type(DType dtype) {
  return unsupported(fmt::format("elements of type {}", to_string(dtype)));
}

Result<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const auto extent = static_cast<std::int64_t>(rank);
  if (axis < -extent || axis >= extent) return invalid(fmt::format("axis {} of rank {}", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + extent : axis);
}

std::int64_t product(const Shape& shape, std::size_t first, std::size_t last) {
  return std::accumulate(shape.begin() + std::ptrdiff_t(first), shape.begin() + std::ptrdiff_t(last), std::int64_t{1},
                         std::multiplies<>());
}

Result<std::vector<std::int64_t>> integers(const Tensor& tensor, std::string_view what) {
  if (tensor.dtype() == DType::kINT64) {
    const auto values = tensor.data<std::int64_t>();
    return std::vector<std::int64_t>(values.begin(), values.end());
  }
  MACAW_CHECK(expect(tensor, DType::kINT32, what));
  const auto values = tensor.data<std::int32_t>();
  return std::vector<std::int64_t>(values.begin(), values.end());
}

}  // namespace macaw::tflite
