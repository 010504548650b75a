#include "reference/tosa/import/enumeration.hpp"
#include "reference/tosa/import/tables.hpp"
#include "tosa_v1_generated.h"

namespace macaw::tosa {

std::optional<Op> v1_op(std::uint32_t number) { return op_from_name(name_of<v1::Op>(number, v1::EnumNameOp)); }

std::optional<std::uint32_t> v1_number(Op op) {
  return number_of<v1::Op>(to_string(op), v1::EnumValuesOp(), v1::EnumNameOp);
}

std::optional<DType> v1_dtype(std::uint32_t number) {
  return dtype_from_name(name_of<v1::DType>(number, v1::EnumNameDType));
}

std::optional<std::uint32_t> v1_number(DType dtype) {
  return number_of<v1::DType>(to_string(dtype), v1::EnumValuesDType(), v1::EnumNameDType);
}

}  // namespace macaw::tosa
