#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/calibrate/measurements.hpp"

namespace macaw::board {

/// The first line of a file of a board's runs (docs/FORMATS.md, Boards).
inline constexpr std::string_view kColumns = "accelerator,network,memory_mode,npu_active,resolution";

/// A line of such a file. Without cycles it was not run.
struct Row {
  std::string accelerator, network, memory_mode;
  std::string npu_active = {}, resolution = "0";
};
[[nodiscard]] std::string to_csv(const std::vector<Row>& rows);

/// Reads such a file; networks are looked up beside it. All runs are of one accelerator, on memories without latency or
/// limits until they are fitted.
///
/// Errors: kIo; kInvalidFile names the line and the column that is missing, unknown or not a number.
[[nodiscard]] Result<std::vector<calibrate::Cell>> load_board_runs(const std::filesystem::path& file);

}  // namespace macaw::board
