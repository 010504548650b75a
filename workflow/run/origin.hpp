#pragma once
#include <macaw/npu/run.hpp>

#include <string>

namespace macaw::run {

/// Where a run is from. `version` and `command` are the caller's; the artifact's file is read again for its size and
/// CRC-32, unless it is not a regular file: a pipe gives nothing a second time. Errors: those of reading the file and
/// of npu::resolve_setup().
[[nodiscard]] Result<npu::RunOrigin> origin_of(const npu::RunSpec& spec, std::string version, std::string command);

}  // namespace macaw::run
