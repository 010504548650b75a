#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <macaw/npu/timed_simulator.hpp>

namespace macaw::calibrate {

/// A counter that must match its measurement.
struct Expected {
  std::string event;        ///< name of the PMU event, without prefix: "MAC_ACTIVE"
  std::uint64_t value = 0;  ///< as measured
  double resolution = 0;    ///< how much lower the true count may be
  double tolerance = 0;     ///< relative; 0: exactly
};

/// Measured cycles of a whole run.
struct MeasuredCycles {
  double value = 0;
  double resolution = 0;            ///< the true figure may be lower by up to this many cycles
  bool total = false;               ///< NPU_TOTAL, which continues a little after NPU_ACTIVE
  std::optional<double> tolerance;  ///< relative; none: the error is reported but not judged
};

/// One measured run: what ran, in which surroundings, and the counter values.
struct Cell {
  std::string id;
  std::string group;     ///< class that tables sum up
  std::string network;   ///< name in tables
  std::string describe;  ///< how tables name the case: "ethos-u55-32, kws"
  const npu::Accelerator* accelerator = nullptr;
  std::filesystem::path artifact;
  npu::TimedOptions options;
  std::optional<MeasuredCycles> cycles;
  std::vector<Expected> expected;
  bool fitted = false;                                 ///< belongs to the fit set
  bool error_bar = false;                              ///< counts for the error bar of its accelerator
  std::vector<std::filesystem::path> inputs, outputs;  ///< .npy files, in the network's order; may be empty
};

/// A measurement that cannot be compared.
struct LeftOut {
  std::string id, reason;
};

struct Measurements {
  std::vector<Cell> cells;
  std::vector<LeftOut> left_out;
};

/// Reads a measurement file (docs/FORMATS.md, Measurements). Paths in it are relative to its folder and are not opened.
///
/// Errors: kIo; kInvalidFile names the member that is unknown, missing, duplicate, of the wrong type or out of range by
/// its path, "measurements[3].counters.MAC_ACTIVE.value".
[[nodiscard]] Result<Measurements> load_measurements(const std::filesystem::path& file);

/// Parses the text of such a file; `name` is used in errors, and its folder is prepended to the paths.
[[nodiscard]] Result<Measurements> parse_measurements(std::string_view text, const std::filesystem::path& name);

}  // namespace macaw::calibrate
