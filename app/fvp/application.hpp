#pragma once
#include <macaw/error.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace macaw::app::fvp {

/// Bytes of a file at an address of the guest: "FILE@ADDRESS".
struct PlacedFile {
  std::string file;
  std::uint32_t address = 0;
};
/// Bytes of the guest's DDR to a file: "FILE@ADDRESS,BYTES".
struct Dump {
  std::string file;
  std::uint64_t address = 0, bytes = 0;
};
/// What Arm's virtual platform takes for the same: the name of its one CPU may stand in front, "cpu0=FILE".
[[nodiscard]] std::string without_cpu(const std::string& text);
/// kUsage: not of that form; kIo: the file to place is not there.
[[nodiscard]] Result<PlacedFile> parse_placed_file(const std::string& text);
[[nodiscard]] Result<Dump> parse_dump(const std::string& text);

/// Where what a UART prints goes; nowhere by default.
struct Uart {
  bool shown = false;     ///< on stdout
  std::string log;        ///< file; empty: none
  bool replaces = false;  ///< a file that is there, as Arm's platform does

  [[nodiscard]] bool wanted() const { return shown || !log.empty(); }
};

using Uarts = std::array<Uart, 6>;

/// What runs, and on what.
struct Application {
  std::string elf;
  std::vector<PlacedFile> data;
  std::vector<Dump> dumps;
  std::string npu = "ethos-u55-128", system;
  Uarts uarts = {Uart{.shown = true, .log = {}}};
  std::string end_tag;                 ///< the run ends when UART 0 has printed it; empty: none
  std::vector<std::string> arguments;  ///< of semihosting's command line, the name of the application first
  std::string report_dir;              ///< for a report of every job; empty: none
  std::string pmu_trace;               ///< file for when the commands of all jobs were reached; empty: none
  std::string folder;                  ///< the only one whose files semihosting opens; empty: none
  std::string qemu = "qemu-system-arm";
  double time_limit = 0;  ///< seconds; 0: none
  bool force = false, statistics = false;
};

/// How a run ended.
struct RunResult {
  Result<int> code;        ///< what the application exited with by semihosting, or 0; or what went wrong
  bool timed_out = false;  ///< that is the time limit
};

/// kInvalidFile: the file is not a whole ELF executable for 32-bit Arm.
[[nodiscard]] Result<void> check_elf(const std::string& file);
/// Of an ELF file without mistakes, kUnsupported: it has bytes, or lacks the vector table, where Corstone SSE-300 has
/// memory, or starts.
[[nodiscard]] Result<void> check_platform(const Application& application);

/// Runs the application to its end.
[[nodiscard]] RunResult run_application(const Application& application);

}  // namespace macaw::app::fvp
