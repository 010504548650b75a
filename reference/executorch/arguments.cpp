#include "reference/executorch/arguments.hpp"

#include <fmt/format.h>

namespace macaw::executorch {

Result<std::int64_t> integer_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const Tensor* argument, call.input(index));
  if (argument->size() != 1) return invalid(fmt::format("argument {} is not a number", index));
  if (argument->dtype() == DType::kBOOL) return std::int64_t{argument->data<bool>()[0]};
  MACAW_CHECK(expect(*argument, DType::kINT64, "a whole number among the arguments"));
  return argument->data<std::int64_t>()[0];
}

Result<std::int64_t> integer_argument(const Call& call, std::size_t index, std::int64_t if_none) {
  if (!call.optional_input(index)) return if_none;
  return integer_argument(call, index);
}

Result<double> real_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const Tensor* argument, call.input(index));
  if (argument->dtype() != DType::kFP64) {
    MACAW_ASSIGN(const auto whole, integer_argument(call, index));
    return static_cast<double>(whole);
  }
  if (argument->size() != 1) return invalid(fmt::format("argument {} is not a number", index));
  return argument->data<double>()[0];
}

Result<std::vector<std::int64_t>> list_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const Tensor* argument, call.input(index));
  return integers(*argument, "a list among the arguments");
}

Result<std::vector<std::size_t>> axes_argument(const Call& call, std::size_t index, std::size_t rank) {
  std::vector<std::size_t> axes;
  std::vector<std::int64_t> given;
  if (call.optional_input(index)) {
    MACAW_ASSIGN(given, list_argument(call, index));
  }
  if (given.empty())
    for (std::size_t axis = 0; axis < rank; ++axis) given.push_back(static_cast<std::int64_t>(axis));
  for (const auto dim : given) {
    // A tensor of rank 0 has an axis 0 and -1.
    if (rank == 0 && (dim == 0 || dim == -1)) continue;
    MACAW_ASSIGN(const auto axis, normal_axis(dim, rank));
    axes.push_back(axis);
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) return invalid("an axis is named twice");
  return axes;
}

Result<std::string> text_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const Tensor* argument, call.input(index));
  MACAW_CHECK(expect(*argument, DType::kUINT8, "a text among the arguments"));
  const auto bytes = argument->data<std::uint8_t>();
  return std::string(bytes.begin(), bytes.end());
}

Result<void> expect_false(const Call& call, std::size_t index, std::string_view what) {
  MACAW_ASSIGN(const auto value, integer_argument(call, index, 0));
  if (value != 0) return unsupported(fmt::format("{} is true, expected false", what));
  return {};
}

Result<void> expect_contiguous_format(const Call& call, std::size_t index, bool or_preserve) {
  // MemoryFormat of runtime/core/portable_type/tensor_options.h: 0 contiguous, 1 that of the input.
  MACAW_ASSIGN(const auto format, integer_argument(call, index, 0));
  if (format != 0 && !(or_preserve && format == 1))
    return unsupported(fmt::format("memory format {}, expected contiguous", format));
  return {};
}

tl::unexpected<Error> Number::misfit() const {
  const auto value = kind == Kind::kReal      ? fmt::format("the real number {}", real)
                     : kind == Kind::kInteger ? fmt::format("the integer {}", whole)
                                              : std::string("a boolean");
  return invalid(fmt::format("argument {} is {}, which the type of the elements does not hold", index, value));
}

Result<Number> number_argument(const Call& call, std::size_t index) {
  MACAW_ASSIGN(const Tensor* argument, call.input(index));
  Number number{.index = index};
  if (argument->dtype() == DType::kFP64) {
    number.kind = Number::Kind::kReal;
    MACAW_ASSIGN(number.real, real_argument(call, index));
  } else {
    if (argument->dtype() == DType::kBOOL) number.kind = Number::Kind::kBoolean;
    MACAW_ASSIGN(number.whole, integer_argument(call, index));
  }
  return number;
}

}  // namespace macaw::executorch
