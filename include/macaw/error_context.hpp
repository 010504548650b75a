#pragma once
#include <macaw/error.hpp>

#include <utility>

namespace macaw {

/// Tells an error on its way up where it happened, for Result::map_error. What the error says already stays:
///   MACAW_CHECK(load(file).map_error(at({.file = name})));
[[nodiscard]] inline auto at(Place place) {
  return [place = std::move(place)](Error error) {
    Place& known = error.place;
    if (known.file.empty()) known.file = place.file;
    if (known.op.empty()) known.op = place.op;
    if (!known.command_index) known.command_index = place.command_index;
    if (!known.byte_offset) known.byte_offset = place.byte_offset;
    return error;
  };
}

}  // namespace macaw
