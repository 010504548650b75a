#include <macaw/npu/device_job.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/command.hpp"
#include "app/fvp/application.hpp"
#include "app/fvp/console.hpp"
#include "app/fvp/npu_bridge.hpp"
#include "app/fvp/qemu.hpp"
#include "app/fvp/semihosting.hpp"
#include "app/fvp/time_limit.hpp"
#include "app/fvp/uart_line.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"
#include "workflow/trace/forms/trace.hpp"

namespace macaw::app::fvp {
namespace {

volatile sig_atomic_t interrupted = 0;
constexpr char kEndOfTransmission =
    4;  // the last character that applications for Arm's platform print (uart0.shutdown_on_eot)

/// Requests an end on Ctrl-C while an object lives.
class InterruptKey {
 public:
  InterruptKey() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = 1; };
    interrupted = 0;
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptKey() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptKey(const InterruptKey&) = delete;
  InterruptKey& operator=(const InterruptKey&) = delete;

 private:
  struct sigaction before_ = {};
};

/// Measures how long the guest has run: its clocks are stopped while Macaw executes an access.
class GuestTime {
 public:
  void start() { began_ = Clock::now(); }
  void stop() {
    before_ = seconds();
    began_.reset();
  }
  [[nodiscard]] double seconds() const {
    return before_ + (began_ ? std::chrono::duration<double>(Clock::now() - *began_).count() : 0);
  }

 private:
  using Clock = std::chrono::steady_clock;
  double before_ = 0;
  std::optional<Clock::time_point> began_;
};

double own_cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

constexpr std::size_t kUarts = std::tuple_size_v<Uarts>;
constexpr std::size_t kMostLogged = std::size_t{1} << 28;  // bytes of a UART in a file
using Logs = std::array<std::string, kUarts>;              // of the UARTs whose file is written at the end

class Run {
 public:
  Run(const Application& application, const TimeLimit& limit, Qemu qemu, std::vector<UartLine> lines,
      GuestFolder folder, GuestMemory& memory)
      : application_(application),
        limit_(limit),
        memory_(memory),
        qemu_(std::move(qemu)),
        guest_(qemu_.take_gdb(), [this] { return go_on(); }),
        interrupt_(qemu_.take_interrupt(), application.platform->interrupt, [this] { return go_on(); }),
        semihosting_(
            std::move(folder), [this](auto text) { console_.print(text); }, [this] { return go_on(); }),
        lines_(std::move(lines)) {}

  Result<int> operator()() {
    auto code = run_to_end();
    // UARTs may have printed more before QEMU ended.
    for (std::size_t i = 0; i < kUarts; ++i) MACAW_CHECK(print_rest_of_uart(i));
    if (!code || !reached_.empty()) console_.end_line();
    return code;
  }

  /// The limit that ended the run; empty: none.
  [[nodiscard]] const std::string& limit() const { return reached_; }
  [[nodiscard]] const Logs& logs() const { return logs_; }
  /// The file of Application::instructions.
  [[nodiscard]] std::string instructions() const {
    return bridge_ && bridge_->instructions() ? bridge_->instructions()->csv() : "";
  }
  /// The operations of all jobs, one step each, as if each job began when the previous one ended.
  [[nodiscard]] const npu::RunRecord& traced() const { return traced_; }
  [[nodiscard]] std::string statistics() const {
    std::string text = fmt::format("{}: {} jobs; {:.1f} s of this machine\n", application_.npu,
                                   bridge_ ? bridge_->jobs() : 0, limit_.passed());
    if (bridge_ && !bridge_->settings().empty())
      text += fmt::format("as the last job ran: macaw sim NETWORK{}\n", bridge_->settings());
    if (bridge_ && bridge_->instructions()) text += bridge_->instructions()->summary();
    return text;
  }

 private:
  Result<int> run_to_end() {
    MACAW_CHECK(started());
    MACAW_CHECK(resume());
    while (!ended_) {
      // poll() ignores negative descriptors.
      std::vector<pollfd> waits = {pollfd{guest_.socket(), POLLIN, 0}, {qemu_.messages(), POLLIN, 0}};
      for (const UartLine& line : lines_) line.add_polls(waits);
      const int events = ::poll(waits.data(), waits.size(), kTickMs);
      MACAW_CHECK(go_on());
      if (events == 0 && std::ranges::any_of(lines_, &UartLine::has_sent)) MACAW_CHECK(interrupt_.repeat());
      for (std::size_t i = 0; i < kUarts; ++i) MACAW_CHECK(print_uart(i, lines_[i].serve(waits)));
      if (check_limits()) return 0;
      if (waits[1].revents != 0) qemu_.read_messages();
      if (waits[0].revents == 0) continue;
      if (!guest_.receive()) return tl::unexpected(qemu_.end_of_run());
      while (const auto packet = guest_.take_packet()) {
        if (packet->starts_with('W'))
          return static_cast<int>(io::number_of<unsigned>(packet->substr(1), 16).value_or(0));
        MACAW_CHECK(serve(*packet));
      }
    }
    return 0;
  }

  /// Handles a stop at the NPU's registers, or a system call.
  Result<void> serve(const std::string& packet) {
    if (packet.starts_with('F')) {
      time_.stop();
      MACAW_ASSIGN(const auto reply, semihosting_.answer(packet, guest_));
      time_.start();
      return guest_.reply(reply);
    }
    if (!packet.starts_with('T') && !packet.starts_with('S')) return {};
    time_.stop();
    MACAW_CHECK(bridge_->access());
    return resume();
  }

  Result<void> resume() {
    time_.start();
    return guest_.resume();
  }

  bool check_limits() {
    const Limits& limits = application_.limits;
    const double simulated = time_.seconds();
    if (limits.simulated > 0 && simulated >= limits.simulated) reached_ = "Simulated time";
    else if (limits.cycles > 0 && simulated * limits.clock_hz >= limits.cycles) reached_ = "Cycle limit";
    else if (limits.cpu_seconds > 0 && own_cpu_seconds() + qemu_.cpu_seconds() >= limits.cpu_seconds)
      reached_ = "CPU time";
    return !reached_.empty();
  }

  /// Used if the CPU of QEMU's machine would start elsewhere: the stack pointer and first instruction of the vector
  /// table.
  Result<void> start_at_vectors() {
    const std::uint32_t address = application_.vectors.value_or(application_.platform->vectors);
    constexpr std::uint32_t kQemus = 0, kQemusAlias = 0x10000000, kThumb = 0x01000000;
    if (address == kQemus || address == kQemusAlias) return {};
    std::array<std::uint8_t, 8> bytes{};
    MACAW_CHECK(guest_.read_memory(address, bytes));
    std::array<std::uint32_t, 2> table{};
    std::memcpy(table.data(), bytes.data(), bytes.size());
    MACAW_CHECK(guest_.write_register(13, table[0]));
    MACAW_CHECK(guest_.write_register(15, table[1] & ~1u));
    return guest_.write_register(GdbClient::kXpsr, kThumb);
  }

  Result<void> started() {
    const auto go_on = [this] { return this->go_on(); };
    MACAW_ASSIGN(bridge_, NpuBridge::create(application_, guest_, memory_, interrupt_, go_on));
    bridge_->job_ended = [this](const macaw_device& npu, unsigned job) -> Result<void> {
      if (const char* warning = macaw_device_warning(&npu)) print_stderr("macaw: job {}: {}\n", job, warning);
      if (!application_.pmu_trace.empty()) trace_job(npu::last_job(npu));
      if (application_.report_dir.empty()) return {};
      const auto folder = std::filesystem::path(application_.report_dir) / fmt::format("job_{}", job);
      return npu::write_job_report(npu::last_job(npu), application_.npu, folder);
    };
    if (const auto opened = guest_.open(); !opened) {
      MACAW_CHECK(go_on());
      return tl::unexpected(qemu_.end_of_run());
    }
    MACAW_CHECK(start_at_vectors());
    return bridge_->attach();
  }

  void trace_job(const npu::TimedResult& job) {
    const std::uint64_t before = traced_.cycles;
    for (const auto& o : job.operations) {
      auto& traced = traced_.operations.emplace_back();
      traced.step = bridge_->jobs();
      traced.offset = o.offset;
      traced.issued = before + o.issued;
      traced.end = before + o.end;
    }
    traced_.cycles += job.cycles;
  }

  Result<void> go_on() const {
    if (interrupted) return fail(ErrorCode::kUnsupported, "interrupted");
    return limit_.check();
  }

  /// Prints the output of a UART, which may end the run.
  Result<void> print_uart(std::size_t uart, std::string_view printed) {
    const Uart& settings = application_.uarts[uart];
    if (printed.empty() || ended_) return {};
    if (settings.ends_at_eot) {
      const std::size_t end = printed.find(kEndOfTransmission);
      ended_ = end != std::string_view::npos;
      printed = printed.substr(0, end);
    }
    if (const std::string& tag = settings.end_tag; !tag.empty()) {
      std::string& before = before_tag_[uart];
      before += printed;
      ended_ = ended_ || before.find(tag) != std::string::npos;
      if (before.size() > tag.size()) before.erase(0, before.size() - tag.size());
    }
    if (settings.shown) console_.print(printed);
    if (settings.log.empty()) return {};
    if (settings.replaces) return lines_[uart].write_log(printed);
    if (logs_[uart].size() + printed.size() > kMostLogged)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("UART {} printed more than {} MiB into a file", uart, kMostLogged >> 20));
    logs_[uart] += printed;
    return {};
  }

  Result<void> print_rest_of_uart(std::size_t uart) {
    // Only what the socket has buffered, even if the guest is still printing.
    constexpr int kMostReads = 1000;
    pollfd wait{qemu_.uarts()[uart], POLLIN, 0};
    for (int i = 0; i<kMostReads&& ::poll(&wait, 1, 0)> 0 && (wait.revents & POLLIN) != 0; ++i)
      MACAW_CHECK(print_uart(uart, lines_[uart].printed()));
    return {};
  }

  const Application& application_;
  const TimeLimit& limit_;
  GuestMemory& memory_;
  Console console_;
  Qemu qemu_;
  GdbClient guest_;
  InterruptLine interrupt_;
  Semihosting semihosting_;
  std::unique_ptr<NpuBridge> bridge_;
  std::vector<UartLine> lines_;
  Logs logs_;
  Logs before_tag_;     // the last characters of the UARTs, as long as their tags
  bool ended_ = false;  // by output of a UART
  GuestTime time_;
  std::string reached_;
  npu::RunRecord traced_;
};

Result<void> write_files(const Application& application, const GuestMemory& memory, const Run& run) {
  io::FileSet files(existing(application.force));
  if (const std::string& file = application.pmu_trace; !file.empty())
    MACAW_CHECK(files.add(file, trace::pmu_trace(run.traced())));
  if (const std::string& file = application.instructions; !file.empty())
    MACAW_CHECK(files.add(file, run.instructions()));
  for (std::size_t i = 0; i < kUarts; ++i) {
    const Uart& uart = application.uarts[i];
    if (!uart.log.empty() && !uart.replaces) MACAW_CHECK(files.add(uart.log, run.logs()[i]));
  }
  for (const Dump& dump : application.dumps)
    MACAW_CHECK(
        files.add(dump.file, std::as_bytes(memory.ddr().subspan(dump.address - GuestMemory::kDdrBase, dump.bytes))));
  return files.publish();
}

/// The host's ends of the UARTs. An opened port is printed as on Arm's platform.
Result<std::vector<UartLine>> open_uarts(const Application& application, const Qemu& qemu) {
  std::vector<UartLine> lines;
  for (std::size_t i = 0; i < kUarts; ++i) {
    MACAW_ASSIGN(auto line, UartLine::open(application.uarts[i], qemu.uarts()[i]));
    const Uart& uart = application.uarts[i];
    if (line.port() == 0 && uart.offers_port)
      print_stderr("Warning: telnetterminal{}: no port is free, no program can connect\n", i);
    else if (line.port() != 0 && !uart.hides_port)
      print_stdout("telnetterminal{}: Listening for serial connection on port {}\n", i, line.port());
    lines.push_back(std::move(line));
  }
  std::fflush(stdout);
  return lines;
}

Result<int> run(const Application& application, const TimeLimit& limit, std::string& reached) {
  MACAW_CHECK(check_platform(application));
  const InterruptKey key;
  MACAW_ASSIGN(auto folder, GuestFolder::open(application.folder));
  MACAW_ASSIGN(const auto memory, GuestMemory::create());
  MACAW_ASSIGN(auto qemu, Qemu::start(application, memory->descriptor()));
  MACAW_ASSIGN(auto lines, open_uarts(application, qemu));
  Run run(application, limit, std::move(qemu), std::move(lines), std::move(folder), *memory);
  auto ended = run();
  reached = run.limit();
  if (application.statistics) print_stdout("{}", run.statistics());
  MACAW_CHECK(write_files(application, *memory, run));
  return ended;
}

}  // namespace

RunResult run_application(const Application& application) {
  const TimeLimit limit(application.limits.seconds);
  std::string reached;
  auto code = run(application, limit, reached);
  if (!code && !limit.check()) reached = "CPU time";
  return {std::move(code), reached};
}

}  // namespace macaw::app::fvp
