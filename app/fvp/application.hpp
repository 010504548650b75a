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

/// Writes bytes of the guest's DDR to a file: "FILE@ADDRESS,BYTES".
struct Dump {
  std::string file;
  std::uint64_t address = 0, bytes = 0;
};
/// kUsage if the text does not have that form.
[[nodiscard]] Result<Dump> parse_dump(const std::string& text);

/// Destinations of the output of a UART, none by default, and the source of its input.
struct Uart {
  bool shown = false;     ///< on stdout
  std::string log{};      ///< file; empty: none
  bool replaces = false;  ///< as on Arm's platform: an existing file, from the start, and written while the run goes on
  std::string input{};    ///< file, "-" for standard input; empty: none
  bool listens = false;   ///< a program may connect to `port`
  bool offers_port = false;  ///< the same, but the run goes on if no port is free
  bool hides_port = false;   ///< the port is not printed
  std::uint16_t port = 0;    ///< on this machine only; the next free port is used
  bool ends_at_eot = false;  ///< the run ends when the character EOT has been printed
  std::string end_tag{};     ///< the run ends when this has been printed; empty: never

  [[nodiscard]] bool is_used() const {
    return shown || !log.empty() || !input.empty() || listens || offers_port || ends_at_eot || !end_tag.empty();
  }
};

using Uarts = std::array<Uart, 6>;

/// Limits that end a run. 0: none.
struct Limits {
  double seconds = 0;      ///< of wall-clock time; reaching it is an error
  double simulated = 0;    ///< seconds of the application's time
  double cycles = 0;       ///< of the application's time, at `clock_hz`
  double cpu_seconds = 0;  ///< of processor time of QEMU and Macaw
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
  std::vector<std::string> arguments;    ///< semihosting's command line, the name of the application first
  std::optional<std::uint32_t> vectors;  ///< start address, if it is not the platform's
  std::string report_dir;                ///< for a report of each job; empty: none
  std::string pmu_trace;                 ///< times of the commands of all jobs; empty: none
  std::string instructions;              ///< file for the CPU's instructions before each job; empty: not counted
  std::string folder;                    ///< the only folder whose files semihosting can open; empty: none
  std::string qemu = "qemu-system-arm";
  Limits limits;
  bool force = false, statistics = false;
};

/// The end of a run.
struct RunResult {
  Result<int> code;     ///< exit code of the application by semihosting, or 0; or the error
  std::string limit{};  ///< the limit that ended it, as Arm's platform names it: "Simulated time"; empty: none
};

/// kUnsupported: a part of an image lies outside the platform's memory, or the start address has no contents.
[[nodiscard]] Result<void> check_platform(const Application& application);

/// Runs the application to its end.
[[nodiscard]] RunResult run_application(const Application& application);

}  // namespace macaw::app::fvp
