#include "workflow/board/board_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "base/number_text.hpp"

namespace macaw::board {
namespace {

// Width of Arm's counters.
constexpr double kMostCycles = 281474976710655;

/// The cells of a line, without the blanks and quotes around them.
std::vector<std::string> split(const std::string& line) {
  constexpr std::string_view kAround = " \t\r\"";
  std::vector<std::string> cells;
  std::istringstream parts(line + ",");
  parts.exceptions(std::ios::badbit);
  for (std::string cell; std::getline(parts, cell, ',');) {
    const auto first = cell.find_first_not_of(kAround), last = cell.find_last_not_of(kAround);
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last + 1 - first));
  }
  return cells;
}

/// From 0 to kMostCycles.
std::optional<double> number(const std::string& text) {
  const auto value = io::number_of<double>(text);
  return value && *value >= 0 && *value <= kMostCycles ? value : std::nullopt;
}

}  // namespace

std::string to_csv(const std::vector<Row>& rows) {
  std::string text = fmt::format("{}\n", kColumns);
  for (const auto& row : rows)
    text +=
        fmt::format("{},{},{},{},{}\n", row.accelerator, row.network, row.memory_mode, row.npu_active, row.resolution);
  return text;
}

Result<std::vector<calibrate::Cell>> load_board_runs(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  lines.exceptions(std::ios::badbit);
  std::vector<calibrate::Cell> cells;
  std::string line;
  for (int at = 1; std::getline(lines, line); ++at) {
    const auto wrong = [&](std::string_view what) {
      return fail(ErrorCode::kInvalidFile, fmt::format("line {}: {}", at, what), {.file = file.string()});
    };
    const auto parts = split(line);
    if (at == 1) {
      if (fmt::format("{}", fmt::join(parts, ",")) != kColumns)
        return wrong(fmt::format("expected the columns {}", kColumns));
      continue;
    }
    if (parts.size() == 1 && parts[0].empty()) continue;
    if (parts.size() != 5) return wrong(fmt::format("{} columns instead of 5", parts.size()));
    calibrate::Cell cell;
    cell.accelerator = npu::find_accelerator(parts[0]);
    if (!cell.accelerator) return wrong(fmt::format("accelerator: unknown accelerator '{}'", parts[0]));
    if (!cells.empty() && cells.front().accelerator != cell.accelerator)
      return wrong(
          fmt::format("accelerator: {} beside {}: one file is of one NPU", parts[0], cells.front().accelerator->name));
    if (parts[1].empty()) return wrong("network: no file is named");
    cell.network = parts[1];
    cell.artifact = file.parent_path() / parts[1];
    cell.describe = cell.id = fmt::format("{}, {}", parts[1], parts[2]);
    cell.options.memory_mode = parts[2];
    cell.options.system = "ideal";
    const auto resolution = number(parts[4].empty() ? "0" : parts[4]);
    if (!resolution) return wrong(fmt::format("resolution: '{}' is not a number of cycles", parts[4]));
    if (!parts[3].empty()) {
      const auto cycles = number(parts[3]);
      if (!cycles || *cycles <= *resolution / 2)
        return wrong(fmt::format("npu_active: '{}' is not a number of cycles above half the resolution", parts[3]));
      cell.cycles = {.value = *cycles, .resolution = *resolution, .total = false, .tolerance = {}};
    }
    cells.push_back(std::move(cell));
  }
  if (cells.empty()) return fail(ErrorCode::kInvalidFile, "no runs", {.file = file.string()});
  return cells;
}

}  // namespace macaw::board
