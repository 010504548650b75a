#pragma once
#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>
#include <macaw/tosa/graph.hpp>

#include <span>
#include <string>
#include <vector>

#include "reference/tosa/import/constant_data.hpp"
#include "reference/tosa/import/narrow.hpp"

// Code shared by the writers of both schemas.

namespace macaw::tosa {

using Names = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>>;

/// `variable`: a tensor that stands after them.
inline Names names(flatbuffers::FlatBufferBuilder& builder, const Block& block, std::span<const ValueId> ids,
                   const Value* variable = nullptr) {
  std::vector<flatbuffers::Offset<flatbuffers::String>> list;
  for (const auto id : ids) list.push_back(builder.CreateString(block.values[id].name));
  if (variable) list.push_back(builder.CreateString(variable->name));
  return builder.CreateVector(list);
}

using Contents = flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>;

inline Contents contents(flatbuffers::FlatBufferBuilder& builder, const Value& value) {
  const auto bytes = value.data ? pack_constant(*value.data) : std::vector<std::uint8_t>();
  builder.ForceVectorAlignment(bytes.size(), 1, 8);
  return builder.CreateVector(bytes);
}

/// The members of a table TosaTensor.
struct TensorParts {
  flatbuffers::Offset<flatbuffers::String> name;
  flatbuffers::Offset<flatbuffers::Vector<std::int32_t>> shape;
  Contents contents;
  flatbuffers::Offset<flatbuffers::String> variable_name;  ///< of a variable
};
inline Result<TensorParts> tensor_parts(flatbuffers::FlatBufferBuilder& builder, const Value& value) {
  TensorParts parts;
  parts.name = builder.CreateString(value.name);
  Narrow narrow;
  parts.shape = builder.CreateVector(narrow.list(value.shape.value_or(Shape{})));
  if (auto done = narrow.check(); !done)
    return fail(done.error().code, fmt::format("shape of \"{}\": {}", value.name, done.error().message));
  parts.contents = contents(builder, value);
  if (value.variable) parts.variable_name = builder.CreateString(value.variable_name);
  return parts;
}

inline std::vector<std::byte> bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return std::vector<std::byte>(begin, begin + builder.GetSize());
}

}  // namespace macaw::tosa
