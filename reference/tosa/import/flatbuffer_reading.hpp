#pragma once
#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/tosa/import/block_builder.hpp"
#include "reference/tosa/import/constant_data.hpp"

// Code shared by the readers of both schemas; any vector or string of a flatbuffer may be absent (null).

namespace macaw::tosa {

template <class T>
std::vector<std::int64_t> ints(const flatbuffers::Vector<T>* list) {
  return list ? std::vector<std::int64_t>(list->begin(), list->end()) : std::vector<std::int64_t>();
}

inline std::string text(const flatbuffers::String* string) { return string ? string->str() : std::string(); }

inline std::vector<std::byte> raw(const flatbuffers::Vector<std::uint8_t>* list) {
  if (!list) return {};
  const auto* begin = reinterpret_cast<const std::byte*>(list->data());
  return {begin, begin + list->size()};
}

using NameList = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

inline Result<std::vector<ValueId>> find_all(BlockBuilder& builder, const NameList* names, const std::string& place) {
  std::vector<ValueId> ids;
  if (names)
    for (const auto* name : *names) {
      MACAW_ASSIGN(const auto id, builder.find(name->string_view(), place));
      ids.push_back(id);
    }
  return ids;
}

/// Unpacks a value's constant data, if it has any.
inline Result<void> add_data(const BlockBuilder& builder, Value& value, std::span<const std::uint8_t> data,
                             DataBudget& budget, const std::string& place) {
  if (data.empty()) return {};
  if (data.size() > budget.left) return builder.error(ErrorCode::kInvalidFile, "the file's constants overlap", place);
  budget.left -= data.size();
  if (!value.is_static()) return builder.error(ErrorCode::kInvalidGraph, "a constant needs a known shape", place);
  auto tensor = unpack_constant(value.dtype, *value.shape, data, budget.how);
  if (!tensor) return builder.error(tensor.error().code, tensor.error().message, place);
  value.data = std::make_shared<const Tensor>(std::move(*tensor));
  return {};
}

inline std::span<const std::uint8_t> contents(const flatbuffers::Vector<std::uint8_t>* data) {
  return data ? std::span(data->data(), data->size()) : std::span<const std::uint8_t>();
}

/// The data of a tensor: in the flatbuffer, or in the file beside it (TOSA 1.1, for files over 2 GiB).
template <class Table>
Result<std::span<const std::uint8_t>> contents_of(const BlockBuilder& builder, const Table& in,
                                                  const DataBudget& budget, const std::string& place) {
  auto inside = contents(in.data());
  if constexpr (requires { in.offset(); }) {
    if (in.offset() <= 1) return inside;
    const auto& file = budget.file;
    if (!inside.empty())
      return builder.error(ErrorCode::kInvalidFile, "data both in and outside the flatbuffer", place);
    if (in.offset() > file.size() || in.size() > file.size() - in.offset())
      return builder.error(
          ErrorCode::kInvalidFile,
          fmt::format("{} bytes of data at {}, beyond the file's {}", in.size(), in.offset(), file.size()), place);
    return std::span(reinterpret_cast<const std::uint8_t*>(file.data()) + in.offset(), in.size());
  } else {
    return inside;
  }
}

template <class Table>
Result<void> add_tensor(BlockBuilder& builder, const Table& in, std::optional<DType> dtype, DataBudget& budget) {
  Value value;
  value.name = text(in.name());
  const auto place = "tensor \"" + value.name + "\"";
  if (!dtype)
    return builder.error(ErrorCode::kInvalidFile,
                         fmt::format("unknown data type {}", static_cast<std::uint32_t>(in.type())), place);
  value.dtype = *dtype;
  value.variable = in.variable();
  value.variable_name = text(in.variable_name());
  if (value.variable && value.variable_name.empty()) value.variable_name = value.name;
  if (!in.is_unranked()) {
    const auto extents = in.shape() ? std::span<const std::int32_t>(in.shape()->data(), in.shape()->size())
                                    : std::span<const std::int32_t>();
    auto shape = checked_shape(extents);
    if (!shape) return builder.error(shape.error().code, shape.error().message, place);
    value.shape = std::move(*shape);
  }
  MACAW_ASSIGN(const auto data, contents_of(builder, in, budget, place));
  MACAW_CHECK(add_data(builder, value, data, budget, place));
  MACAW_CHECK(builder.add_value(std::move(value)));
  return {};
}

}  // namespace macaw::tosa
