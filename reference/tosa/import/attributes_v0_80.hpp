#pragma once
#include "reference/tosa/import/attribute_fields.hpp"
#include "reference/tosa/import/tables.hpp"
#include "tosa_v0_80_generated.h"

namespace macaw::tosa {

inline constexpr Code<v0_80::ResizeMode, ResizeMode> kResizeModesV0_80[] = {
    {v0_80::ResizeMode::NEAREST, ResizeMode::kNearestNeighbor},
    {v0_80::ResizeMode::BILINEAR, ResizeMode::kBilinear},
};

/// The attributes of an operator in files of 0.80.
struct AttributesV0_80 {
  Op op;
  std::size_t inputs;  ///< at least
  v0_80::Attribute table;
  bool adds_inputs;  ///< some of the fields are inputs in the graph, behind those of the file
};
inline constexpr AttributesV0_80 kAttributesV0_80[] = {
#define F(name)
#define G(name, member)
#define X(function)
#define Z(name, member, type) || true
#define S(name, member) || true
#define C(function) || true
#define MACAW_V1_ATTRIBUTES(op, type, list)
#define MACAW_V0_80_ATTRIBUTES(op, inputs, type, list) {Op::k##op, inputs, v0_80::Attribute::type, false list},
#include "reference/tosa/import/attributes.def"
#undef MACAW_V0_80_ATTRIBUTES
#undef MACAW_V1_ATTRIBUTES
#undef C
#undef S
#undef Z
#undef X
#undef G
#undef F
};
/// Null for an operator without attributes.
[[nodiscard]] constexpr const AttributesV0_80* find_attributes_v0_80(Op op) {
  for (const auto& row : kAttributesV0_80)
    if (row.op == op) return &row;
  return nullptr;
}

/// Calls io.table<T>(fields) if the operator has attributes: T is the table as flatbuffers' objects have it, and
/// fields(io, table) hands each of its fields to `io`.
template <class Io>
void visit_attributes_v0_80(Op op, Io& visitor) {
  switch (op) {
#define F(name) io.field(Attr::k_##name, table.name);
#define G(name, member) io.field(Attr::k_##name, table.member);
#define X(function) io.function(table);
#define Z(name, member, type) io.zero_point(#name, type, table.member);
#define S(name, member) io.shape(#name, table.member);
#define C(function) io.function(table);
#define MACAW_V1_ATTRIBUTES(op, type, list)
#define MACAW_V0_80_ATTRIBUTES(op, inputs, type, list) \
  case Op::k##op: return visitor.template table<v0_80::type##T>([](auto& io, auto& table) { list });
#include "reference/tosa/import/attributes.def"
#undef MACAW_V0_80_ATTRIBUTES
#undef MACAW_V1_ATTRIBUTES
#undef C
#undef S
#undef Z
#undef X
#undef G
#undef F
    default: return;
  }
}

}  // namespace macaw::tosa
