#pragma once
#include <filesystem>
#include <vector>

#include <macaw/npu/run.hpp>

#include "base/file.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::app {

/// Returns the files of an event dump: NAME.etdp and its tensors in NAME.bin. kUsage unless the artifact is an
/// ExecuTorch program.
[[nodiscard]] Result<std::vector<std::filesystem::path>> event_dump_files(const std::filesystem::path& dump,
                                                                          const npu::Artifact& artifact);

/// Adds ExecuTorch's event dump of a timed run and the tensors of its trace (workflow/trace/forms/etdump.hpp).
[[nodiscard]] Result<void> add_event_dump(io::FileSet& files, const std::filesystem::path& dump,
                                          const compare::Trace& trace, const npu::RunRecord& record);

}  // namespace macaw::app
