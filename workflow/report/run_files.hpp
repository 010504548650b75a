#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include <macaw/npu/run.hpp>

#include "base/file.hpp"

namespace macaw::report {

/// Output files of a run; an empty path: the file is not written.
struct RunFiles {
  std::filesystem::path folder;                 ///< for report.json and output_0.npy, output_1.npy, ...
  std::filesystem::path page;                   ///< of `macaw report --html`
  std::optional<std::uint64_t> sram_size = {};  ///< bytes of the memory on AXI0 (U85: SRAM), for the page
};

/// The files of a run, before it has come to its end.
[[nodiscard]] std::vector<std::filesystem::path> names(const RunFiles& files, const npu::Artifact& artifact,
                                                       npu::RunMode mode);

/// Makes the folder and adds the files to a set. The report comes last: where it is new, so are the others.
[[nodiscard]] Result<void> add_files(io::FileSet& set, const RunFiles& files, const npu::RunRecord& record);

}  // namespace macaw::report
