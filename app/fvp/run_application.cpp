#include <macaw/npu/device_job.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "app/command.hpp"
#include "app/fvp/application.hpp"
#include "app/fvp/console.hpp"
#include "app/fvp/npu_bridge.hpp"
#include "app/fvp/qemu.hpp"
#include "app/fvp/semihosting.hpp"
#include "app/fvp/time_limit.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"
#include "workflow/trace/forms/trace.hpp"

namespace macaw::app::fvp {
namespace {

volatile sig_atomic_t interrupted = 0;
constexpr char kEndOfTransmission = 4;  // what applications for Arm's platform print last (uart0.shutdown_on_eot)

/// Ctrl-C asks to end, as long as this lives.
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

constexpr std::size_t kUarts = std::tuple_size_v<Uarts>;
constexpr std::size_t kMostLogged = std::size_t{1} << 28;  // bytes of a UART in a file
using Logs = std::array<std::string, kUarts>;              // of the UARTs with a file

class Run {
 public:
  Run(const Application& application, const TimeLimit& limit, Qemu qemu, GuestFolder folder, GuestMemory& memory)
      : application_(application),
        limit_(limit),
        memory_(memory),
        qemu_(std::move(qemu)),
        guest_(qemu_.take_gdb(), [this] { return go_on(); }),
        interrupt_(qemu_.take_interrupt(), [this] { return go_on(); }),
        semihosting_(
            std::move(folder), [this](auto text) { console_.print(text); }, [this] { return go_on(); }) {}

  Result<int> operator()() {
    auto code = run_to_end();
    // What the last of the UARTs printed before QEMU's end.
    for (std::size_t i = 0; i < kUarts; ++i) MACAW_CHECK(print_rest_of_uart(i));
    if (!code) console_.end_line();
    return code;
  }

  [[nodiscard]] const Logs& logs() const { return logs_; }
  /// The operations of all jobs, each a step, as if one began where the one before it ended.
  [[nodiscard]] const npu::RunRecord& traced() const { return traced_; }
  [[nodiscard]] std::string statistics() const {
    std::string text = fmt::format("{}: {} jobs; {:.1f} s of this machine\n", application_.npu,
                                   bridge_ ? bridge_->jobs() : 0, limit_.passed());
    if (bridge_ && !bridge_->settings().empty())
      text += fmt::format("as the last job ran: macaw sim NETWORK{}\n", bridge_->settings());
    return text;
  }

 private:
  Result<int> run_to_end() {
    MACAW_CHECK(started());
    MACAW_CHECK(guest_.resume());
    while (!ended_) {
      // A descriptor below 0 is not looked at.
      std::array<pollfd, kUarts + 2> waits = {pollfd{guest_.socket(), POLLIN, 0}, {qemu_.messages(), POLLIN, 0}};
      for (std::size_t i = 0; i < kUarts; ++i) waits[i + 2] = {qemu_.uarts()[i], POLLIN, 0};
      static_cast<void>(::poll(waits.data(), waits.size(), kTickMs));
      MACAW_CHECK(go_on());
      for (std::size_t i = 0; i < kUarts; ++i)
        if (waits[i + 2].revents != 0) MACAW_CHECK(print_uart(i));
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

  /// A stop in front of the NPU's registers, or a system call.
  Result<void> serve(const std::string& packet) {
    if (packet.starts_with('F')) {
      MACAW_ASSIGN(const auto reply, semihosting_.answer(packet, guest_));
      return guest_.reply(reply);
    }
    if (!packet.starts_with('T') && !packet.starts_with('S')) return {};
    MACAW_CHECK(bridge_->access());
    return guest_.resume();
  }

  Result<void> started() {
    const auto go_on = [this] { return this->go_on(); };
    MACAW_ASSIGN(bridge_, NpuBridge::create(application_.npu, application_.system, guest_, memory_, interrupt_, go_on));
    bridge_->job_ended = [this](const macaw_device& npu, unsigned job) -> Result<void> {
      if (const char* warning = macaw_device_warning(&npu)) tell("macaw: job {}: {}\n", job, warning);
      if (!application_.pmu_trace.empty()) trace_job(npu::last_job(npu));
      if (application_.report_dir.empty()) return {};
      const auto folder = std::filesystem::path(application_.report_dir) / fmt::format("job_{}", job);
      return npu::write_job_report(npu::last_job(npu), application_.npu, folder);
    };
    if (const auto opened = guest_.open(); !opened) {
      MACAW_CHECK(go_on());
      return tl::unexpected(qemu_.end_of_run());
    }
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

  /// What a UART has printed; UART 0 may end the run by it.
  Result<void> print_uart(std::size_t uart) {
    char text[4096];
    const ssize_t got = ::recv(qemu_.uarts()[uart], text, sizeof text, MSG_DONTWAIT);
    if (got <= 0 || ended_) return {};
    std::string_view printed(text, static_cast<std::size_t>(got));
    if (uart == 0) {
      const std::size_t end = printed.find(kEndOfTransmission);
      ended_ = end != std::string_view::npos;
      printed = printed.substr(0, end);
      const std::string& tag = application_.end_tag;
      before_tag_ += printed;
      ended_ = ended_ || (!tag.empty() && before_tag_.find(tag) != std::string::npos);
      if (before_tag_.size() > tag.size()) before_tag_.erase(0, before_tag_.size() - tag.size());
    }
    if (application_.uarts[uart].shown) console_.print(printed);
    if (application_.uarts[uart].log.empty()) return {};
    if (logs_[uart].size() + printed.size() > kMostLogged)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("UART {} printed more than {} MiB into a file", uart, kMostLogged >> 20));
    logs_[uart] += printed;
    return {};
  }

  Result<void> print_rest_of_uart(std::size_t uart) {
    // No more than what a socket holds back, whatever a guest that still runs adds.
    constexpr int kMostReads = 1000;
    pollfd wait{qemu_.uarts()[uart], POLLIN, 0};
    for (int i = 0; i<kMostReads&& ::poll(&wait, 1, 0)> 0 && (wait.revents & POLLIN) != 0; ++i)
      MACAW_CHECK(print_uart(uart));
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
  Logs logs_;
  std::string before_tag_;  // the last characters of UART 0, as many as the tag has
  bool ended_ = false;      // by what UART 0 printed
  npu::RunRecord traced_;
};

Result<void> write_files(const Application& application, const GuestMemory& memory, const Run& run) {
  io::FileSet files(existing(application.force)), replaced;
  if (const std::string& file = application.pmu_trace; !file.empty())
    MACAW_CHECK(files.add(file, trace::pmu_trace(run.traced())));
  for (std::size_t i = 0; i < kUarts; ++i) {
    const Uart& uart = application.uarts[i];
    if (!uart.log.empty()) MACAW_CHECK((uart.replaces ? replaced : files).add(uart.log, run.logs()[i]));
  }
  for (const Dump& dump : application.dumps)
    MACAW_CHECK(
        files.add(dump.file, std::as_bytes(memory.ddr().subspan(dump.address - GuestMemory::kDdrBase, dump.bytes))));
  MACAW_CHECK(files.publish());
  return replaced.publish();
}

Result<int> run(const Application& application, const TimeLimit& limit) {
  MACAW_CHECK(check_elf(application.elf));
  MACAW_CHECK(check_platform(application));
  const InterruptKey key;
  MACAW_ASSIGN(auto folder, GuestFolder::open(application.folder));
  MACAW_ASSIGN(const auto memory, GuestMemory::create());
  MACAW_ASSIGN(auto qemu, Qemu::start(application, memory->descriptor()));
  Run run(application, limit, std::move(qemu), std::move(folder), *memory);
  auto ended = run();
  if (application.statistics) print_stdout("{}", run.statistics());
  MACAW_CHECK(write_files(application, *memory, run));
  return ended;
}

}  // namespace

RunResult run_application(const Application& application) {
  const TimeLimit limit(application.time_limit);
  auto code = run(application, limit);
  const bool timed_out = !code && !limit.check();
  return {std::move(code), timed_out};
}

}  // namespace macaw::app::fvp
