#pragma once
#include <filesystem>

#include <macaw/npu/run.hpp>

#include "base/file.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::app {

/// The tensor file of an event dump: NAME.bin for NAME.etdp.
[[nodiscard]] std::filesystem::path tensor_file(const std::filesystem::path& dump);

/// Adds ExecuTorch's event dump of a timed run and the tensors of its trace (workflow/trace/forms/etdump.hpp).
[[nodiscard]] Result<void> add_event_dump(io::FileSet& files, const std::filesystem::path& dump,
                                          const compare::Trace& trace, const npu::RunRecord& record);

}  // namespace macaw::app
