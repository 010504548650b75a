#pragma once
#include <macaw/error.hpp>

#include <utility>

namespace macaw {

/// Adds the place to an error that is passed on, for Result::map_error: MACAW_CHECK(load(file).map_error(at({.file =
/// name}))). Members that the error already has stay.
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
