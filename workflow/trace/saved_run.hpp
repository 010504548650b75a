#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/run.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workflow/trace/held.hpp"

namespace macaw::trace {

/// What an operation moves; members as in report.json (docs/CLI.md).
struct Movement {
  std::string purpose;
  int region = 0;
  std::uint64_t bytes = 0, first = 0, last = 0;
  bool write = false;
};

/// An OFM block of an operation.
struct Block {
  std::uint64_t start = 0, end = 0;
  std::string bound;
};

struct Operation {
  std::uint64_t step = 0, command = 0, offset = 0;
  std::string name, source, bound;
  std::string kind;                         ///< of the source operator, "Conv2D"; empty: not known
  std::optional<std::array<int, 3>> shape;  ///< height, width and channels of the source operator's result
  struct Scheduled {
    std::uint64_t id = 0;
    std::string kind, name;
  };
  std::optional<Scheduled> scheduled;  ///< operator that Vela scheduled for it
  std::uint64_t issued = 0, start = 0, end = 0, macs = 0;
  std::uint64_t mac_bits = 0;  ///< of the elements that they multiply; 0: not said
  Held held;                   ///< of all cycles, those that it held the run up
  std::vector<std::pair<std::string, std::uint64_t>> busy;
  std::vector<Movement> memory;
  std::vector<std::uint64_t> chain_reads;  ///< chain buffers of U85
  std::optional<std::uint64_t> chain_write;
  std::vector<Block> blocks;

  [[nodiscard]] std::uint64_t cycles() const { return end - start; }
  [[nodiscard]] bool is_dma() const { return name == "NPU_OP_DMA_START"; }
};

/// When a unit worked on a command stream. Times in thousandths of a cycle.
struct Activity {
  struct Span {
    std::uint64_t command = 0, start = 0, end = 0, busy = 0;
  };
  std::uint64_t step = 0;
  std::string unit;
  std::uint64_t resolution = 0;  ///< longest pause that a span may hold
  std::vector<Span> spans;
};

/// A timed or timing run as `macaw sim` wrote it.
struct SavedRun {
  std::string network, system, memory_mode;
  const npu::Accelerator* accelerator = nullptr;
  double clock_hz = 0;
  std::array<double, 2> bytes_per_cycle{};
  std::array<int, 8> region_side{};
  std::uint64_t cycles = 0;
  std::optional<npu::CyclesInterval> interval;  ///< absent where `no_interval` says why
  std::string no_interval = "the report does not say";
  std::map<std::string, std::uint64_t> pmu;
  std::vector<Operation> operations;
  std::vector<Activity> activity;
  std::vector<npu::Advice> advice;
  std::vector<std::string> host_operators;  ///< left to the CPU, without time

  /// "measured from 35000 to 37000 in 90 of 100 runs like this: ...", or why that is not known.
  [[nodiscard]] std::string accuracy() const;
  [[nodiscard]] double seconds() const { return static_cast<double>(cycles) / clock_hz; }
  [[nodiscard]] std::uint64_t macs() const;
  /// "axi0", "axi1"; on U85 "sram", "ext".
  [[nodiscard]] std::string_view side_name(int side) const;
  /// Bytes over the bus by side and direction.
  [[nodiscard]] std::uint64_t bytes(int side, bool write) const;
};

/// Fills the shares of the operations in the length of the run.
void share_cycles(SavedRun& run);

/// Reads report.json. kInvalidFile if it is none or not whole; kUsage if it is of a functional run, which has no time.
[[nodiscard]] Result<SavedRun> parse_saved_run(std::string_view json, const std::string& file);
[[nodiscard]] Result<SavedRun> read_saved_run(const nlohmann::json& json, const std::string& file);

}  // namespace macaw::trace
