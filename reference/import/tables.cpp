#include "reference/import/tables.hpp"

#include <string_view>

#include "tosa_v0_80_generated.h"
#include "tosa_v1_generated.h"

namespace macaw::tosa {
namespace {

// Operators and data types have the same names in the schemas and here, so that the generated names are the tables.

template <class E>
std::string_view name_of(std::uint32_t number, const char* (*name)(E)) {
  return number > static_cast<std::uint32_t>(E::MAX) ? std::string_view()
                                                     : std::string_view(name(static_cast<E>(number)));
}

template <class E, class Values>
std::optional<std::uint32_t> number_of(std::string_view wanted, const Values& values, const char* (*name)(E)) {
  for (const E value : values)
    if (value != E::UNKNOWN && wanted == name(value)) return static_cast<std::uint32_t>(value);
  return std::nullopt;
}

}  // namespace

std::optional<Op> v1_op(std::uint32_t number) { return op_from_name(name_of<v1::Op>(number, v1::EnumNameOp)); }
std::optional<Op> v0_80_op(std::uint32_t number) { return op_from_name(name_of<v0_80::Op>(number, v0_80::EnumNameOp)); }

std::optional<std::uint32_t> v1_number(Op op) {
  return number_of<v1::Op>(to_string(op), v1::EnumValuesOp(), v1::EnumNameOp);
}
std::optional<std::uint32_t> v0_80_number(Op op) {
  return number_of<v0_80::Op>(to_string(op), v0_80::EnumValuesOp(), v0_80::EnumNameOp);
}

std::optional<DType> v1_dtype(std::uint32_t number) {
  return dtype_from_name(name_of<v1::DType>(number, v1::EnumNameDType));
}
std::optional<DType> v0_80_dtype(std::uint32_t number) {
  return dtype_from_name(name_of<v0_80::DType>(number, v0_80::EnumNameDType));
}

std::optional<std::uint32_t> v1_number(DType dtype) {
  return number_of<v1::DType>(to_string(dtype), v1::EnumValuesDType(), v1::EnumNameDType);
}
std::optional<std::uint32_t> v0_80_number(DType dtype) {
  return number_of<v0_80::DType>(to_string(dtype), v0_80::EnumValuesDType(), v0_80::EnumNameDType);
}

}  // namespace macaw::tosa
