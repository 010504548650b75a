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

}  // namespace macaw::executorch
