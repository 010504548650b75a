#pragma once
#include "sim/isa/command_parser.hpp"
#include "sim/machine/machine.hpp"

#include <fmt/format.h>

namespace macaw::npu {

/// An error of a stream with its place: file, stream, command. `step` null: the command could not be read.
[[nodiscard]] inline tl::unexpected<Error> located(Error error, const Machine& machine, const CommandStream& stream,
                                                   const Step* step, std::string_view name) {
  error.place.file = machine.artifact().file;
  error.place.op = stream.name;
  if (!step) return tl::unexpected<Error>(std::move(error));
  error.place.command_index = step->index;
  error.place.byte_offset = step->offset;
  error.message = fmt::format("{}: {}", name, error.message);
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace macaw::npu
