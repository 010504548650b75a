#pragma once
#include <macaw/npu/debug_database.hpp>
#include "sim/isa/command_parser.hpp"
#include "sim/machine/machine.hpp"

#include <fmt/format.h>

namespace macaw::npu {

/// The operator of the network that a command of one of the artifact's streams is of; empty if nothing says it.
[[nodiscard]] inline std::string source_of(const Artifact& artifact, const CommandStream& stream,
                                           std::uint32_t byte_offset) {
  for (std::size_t i = 0; i < artifact.steps.size(); ++i)
    if (std::get_if<CommandStream>(&artifact.steps[i]) == &stream) return source_operator(artifact, i, byte_offset);
  return {};
}

/// An error of a stream with its place: file, stream, command. `at` null: the command could not be read.
[[nodiscard]] inline tl::unexpected<Error> located(Error error, const Machine& machine, const CommandStream& stream,
                                                   const StreamOperation* at, std::string_view name) {
  error.place.file = machine.artifact().file;
  error.place.op = stream.name;
  if (!at) return tl::unexpected<Error>(std::move(error));
  error.place.command_index = at->index;
  error.place.byte_offset = at->offset;
  const auto source = source_of(machine.artifact(), stream, at->offset);
  error.message = fmt::format("{}: {}{}", name, error.message, source.empty() ? "" : ", in " + source);
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace macaw::npu
