#pragma once
#include <macaw/error.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/fvp/image.hpp"
#include "app/fvp/platform.hpp"

namespace macaw::app::fvp {

/// Bytes of the guest's DDR to a file: "FILE@ADDRESS,BYTES".
struct Dump {
  std::string file;
  std::uint64_t address = 0, bytes = 0;
};
/// kUsage: not of that form.
[[nodiscard]] Result<Dump> parse_dump(const std::string& text);

/// Destinations of the output of a UART, none by default, and the source of its input.
struct Uart {
  bool shown = false;        ///< on stdout
  std::string log{};         ///< file; empty: none
  bool replaces = false;     ///< a file that is there, as Arm's platform does
  std::string input{};       ///< file, "-" for standard input; empty: none
  bool listens = false;      ///< a program may connect to `port`, to read and to write
  std::uint16_t port = 0;    ///< of this machine alone; the next that is free is taken
  bool ends_at_eot = false;  ///< the run, when the character EOT has been printed
  std::string end_tag{};     ///< the run ends when this has been printed; empty: none

  [[nodiscard]] bool is_used() const {
    return shown || !log.empty() || !input.empty() || listens || ends_at_eot || !end_tag.empty();
  }
};

using Uarts = std::array<Uart, 6>;

/// When a run ends that the application does not end. 0: never.
struct Limits {
  double seconds = 0;      ///< of this machine's time; an error
  double simulated = 0;    ///< seconds of the application's time
  double cycles = 0;       ///< of the application's time, at `clock_hz`
  double cpu_seconds = 0;  ///< that QEMU and Macaw compute
  double clock_hz = 25e6;  ///< core_clk.mul of SSE-300 and SSE-310 by default
};

/// An application, its platform and the options of its run.
struct Application {
  const Platform* platform = nullptr;
  std::vector<Image> images;  ///< of the application; one at least
  std::vector<Image> data;    ///< loaded as well
  std::vector<Dump> dumps;
  std::string npu = "ethos-u55-128", system;
  Uarts uarts = {Uart{.shown = true, .ends_at_eot = true}};
  bool semihosting = true;
  std::vector<std::string> arguments;    ///< of semihosting's command line, the name of the application first
  std::optional<std::uint32_t> vectors;  ///< where the CPU starts, if not where the platform says
  std::string report_dir;                ///< for a report of every job; empty: none
  std::string pmu_trace;                 ///< file for when the commands of all jobs were reached; empty: none
  std::string folder;                    ///< the only one whose files semihosting opens; empty: none
  std::string qemu = "qemu-system-arm";
  Limits limits;
  bool force = false, statistics = false;
};

/// The end of a run.
struct RunResult {
  Result<int> code;     ///< what the application exited with by semihosting, or 0; or what went wrong
  std::string limit{};  ///< the limit that ended it, as Arm's platform names it: "Simulated time"; empty: none
};

/// kUnsupported: a part of an image lies where the platform does not have memory, or nothing lies where the CPU starts.
[[nodiscard]] Result<void> check_platform(const Application& application);

/// Runs the application to its end.
[[nodiscard]] RunResult run_application(const Application& application);

}  // namespace macaw::app::fvp
