#pragma once
#include "reference/tosa/import/attribute_fields.hpp"
#include "reference/tosa/import/tables.hpp"
#include "tosa_v1_generated.h"

namespace macaw::tosa {

inline constexpr Code<v1::NanPropagationMode, NanMode> kNanModesV1[] = {
    {v1::NanPropagationMode::PROPAGATE, NanMode::kPropagate},
    {v1::NanPropagationMode::IGNORE, NanMode::kIgnore},
    // It stands for the default, as in files of writers older than the field.
    {v1::NanPropagationMode::UNKNOWN, NanMode::kPropagate},
};
inline constexpr Code<v1::ResizeMode, ResizeMode> kResizeModesV1[] = {
    {v1::ResizeMode::NEAREST, ResizeMode::kNearestNeighbor},
    {v1::ResizeMode::BILINEAR, ResizeMode::kBilinear},
};
inline constexpr Code<v1::RoundingMode, RoundingMode> kRoundingModesV1[] = {
    {v1::RoundingMode::SINGLE_ROUND, RoundingMode::kSingleRound},
    {v1::RoundingMode::INEXACT_ROUND, RoundingMode::kInexactRound},
    {v1::RoundingMode::DOUBLE_ROUND, RoundingMode::kDoubleRound},
};
/// Other values read as 0, which the operators' rules refuse.
inline constexpr Code<v1::BlockSize, std::int64_t> kBlockSizesV1[] = {
    {v1::BlockSize::UNKNOWN, 0}, {v1::BlockSize::BLOCK_SIZE_1, 1}, {v1::BlockSize::BLOCK_SIZE_32, 32}};

/// The fields that 1.x has codes for, of a FieldReader or FieldWriter.
template <class Io>
class FieldsV1 : public Io {
 public:
  using Io::field;
  using Io::Io;
  void field(Attr attribute, v1::NanPropagationMode& mode) { this->code(attribute, mode, kNanModesV1, "nan_mode"); }
  void field(Attr attribute, v1::ResizeMode& mode) {
    this->code(attribute, mode, kResizeModesV1, "resize mode", ErrorCode::kInvalidGraph);
  }
  void field(Attr attribute, v1::BlockSize& size) {
    this->code(attribute, size, kBlockSizesV1, "block_size", ErrorCode::kInvalidGraph);
  }
  void field(Attr attribute, v1::RoundingMode& mode) { this->code(attribute, mode, kRoundingModesV1, "rounding_mode"); }
};

/// Calls io.table<T>(fields) if the operator has attributes: T is the table as flatbuffers' objects have it, and
/// fields(io, table) hands each of its fields to `io`.
template <class Io>
void visit_attributes_v1(Op op, Io& io) {
  switch (op) {
#define F(name) fields.field(Attr::k_##name, table.name);
#define E(name) fields.element(Attr::k_##name, table.name);
#define O(name) fields.flag_if_set(Attr::k_##name, table.name);
#define MACAW_V1_ATTRIBUTES(op, type, list) \
  case Op::k##op: return io.template table<v1::type##T>([](auto& fields, auto& table) { list });
#define MACAW_V0_80_ATTRIBUTES(op, inputs, type, list)
#include "reference/tosa/import/attributes.def"
#undef MACAW_V0_80_ATTRIBUTES
#undef MACAW_V1_ATTRIBUTES
#undef O
#undef E
#undef F
    default: return;
  }
}

}  // namespace macaw::tosa
