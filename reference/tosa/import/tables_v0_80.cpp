#include "reference/tosa/import/enumeration.hpp"
#include "reference/tosa/import/tables.hpp"
#include "tosa_v0_80_generated.h"

namespace macaw::tosa {

std::optional<Op> v0_80_op(std::uint32_t number) { return op_from_name(name_of<v0_80::Op>(number, v0_80::EnumNameOp)); }

std::optional<std::uint32_t> v0_80_number(Op op) {
  return number_of<v0_80::Op>(to_string(op), v0_80::EnumValuesOp(), v0_80::EnumNameOp);
}

std::optional<DType> v0_80_dtype(std::uint32_t number) {
  return dtype_from_name(name_of<v0_80::DType>(number, v0_80::EnumNameDType));
}

std::optional<std::uint32_t> v0_80_number(DType dtype) {
  return number_of<v0_80::DType>(to_string(dtype), v0_80::EnumValuesDType(), v0_80::EnumNameDType);
}

}  // namespace macaw::tosa
