#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <macaw/npu/report.hpp>

namespace macaw::calibrate {

/// A counter that must come out as measured; tolerance is relative, 0: exactly.
struct Expected {
  std::string event;  ///< the driver's name without prefix
  std::uint64_t value = 0;
  double tolerance = 0;
};

/// One measured run: what ran, what around it, and what the counters showed.
struct Cell {
  std::string id;       ///< of measurements.json, with the setting of a sweep
  std::string group;    ///< "adapter on", "adapter off", "memory mode", "EXT read latency", "FPGA", ...
  std::string network;  ///< "rnnoise", "kws", "ad"
  const npu::Accelerator* accelerator = nullptr;
  std::filesystem::path artifact;
  npu::TimedOptions options;
  std::optional<double> cycles;  ///< NPU_ACTIVE
  bool coarse = false;           ///< `cycles` is a TOTAL, which moves in steps of 1000 above ACTIVE
  std::vector<Expected> expected;
  bool fitted = false;  ///< in the fit set: rnnoise and kws with the timing adapter on and off
};

/// An entry that cannot be compared.
struct LeftOut {
  std::string id, reason;
};

struct Measurements {
  std::vector<Cell> cells;
  std::vector<LeftOut> left_out;
};

/// Reads measurements.json of CORPUS/measured. Every entry is in one of the two lists.
[[nodiscard]] Result<Measurements> load_measurements(const std::filesystem::path& folder);

}  // namespace macaw::calibrate
