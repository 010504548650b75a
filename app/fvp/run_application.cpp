#include <macaw/npu/device_job.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "app/command.hpp"
#include "app/fvp/application.hpp"
#include "app/fvp/npu_bridge.hpp"
#include "app/fvp/qemu.hpp"
#include "base/file.hpp"
#include "workflow/trace/forms/trace.hpp"

namespace macaw::app::fvp {
namespace {

volatile sig_atomic_t interrupted = 0;
constexpr char kEndOfTransmission = 4;  // what applications for Arm's platform print last (uart0.shutdown_on_eot)
constexpr int kTickMs = 200;

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
using Printed = std::array<std::string, kUarts>;  // by the UARTs that anyone wants to read

class Run {
 public:
  Run(const Application& application, Qemu qemu, GuestMemory& memory)
      : application_(application), memory_(memory), qemu_(std::move(qemu)), guest_(qemu_.take_gdb()) {}

  Result<int> operator()() {
    MACAW_CHECK(started());
    MACAW_CHECK(guest_.resume());
    for (;;) {
      // A descriptor below 0 is not looked at.
      std::array<pollfd, kUarts + 1> waits = {pollfd{guest_.socket(), POLLIN, 0}};
      for (std::size_t i = 0; i < kUarts; ++i) waits[i + 1] = {qemu_.uarts()[i], POLLIN, 0};
      static_cast<void>(::poll(waits.data(), waits.size(), kTickMs));
      MACAW_CHECK(go_on());
      for (std::size_t i = 0; i < kUarts; ++i)
        if (waits[i + 1].revents != 0 && print_uart(i)) return 0;
      if (waits[0].revents == 0) continue;
      const auto stopped = guest_.take_stop();
      if (!stopped) return end_of_qemu();
      if (!*stopped) continue;
      MACAW_CHECK(bridge_->access());
      MACAW_CHECK(guest_.resume());
    }
  }

  [[nodiscard]] const Printed& printed() const { return printed_; }
  /// The operations of all jobs, each a step, as if one began where the one before it ended.
  [[nodiscard]] const trace::SavedRun& traced() const { return traced_; }
  [[nodiscard]] std::string statistics() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    std::string text = fmt::format("{}: {} jobs; {:.1f} s of this machine\n", application_.npu,
                                   bridge_ ? bridge_->jobs() : 0, passed.count());
    if (bridge_ && !bridge_->settings().empty())
      text += fmt::format("as the last job ran: macaw sim NETWORK{}\n", bridge_->settings());
    return text;
  }

 private:
  Result<void> started() {
    const auto go_on = [this] { return this->go_on(); };
    MACAW_ASSIGN(bridge_, NpuBridge::create(application_.npu, application_.system, guest_, memory_, go_on));
    bridge_->job_ended = [this](const macaw_device& npu, unsigned job) -> Result<void> {
      if (const char* warning = macaw_device_warning(&npu)) tell("macaw: job {}: {}\n", job, warning);
      if (!application_.pmu_trace.empty()) trace_job(npu::last_job(npu));
      if (application_.report_dir.empty()) return {};
      const auto folder = std::filesystem::path(application_.report_dir) / fmt::format("job_{}", job);
      return npu::write_job_report(npu::last_job(npu), application_.npu, folder);
    };
    if (const auto opened = guest_.open(); !opened)
      return fail(ErrorCode::kUnsupported, fmt::format("{} ended before the application ran, with exit code {}",
                                                       application_.qemu, qemu_.ended().value_or(0)));
    return bridge_->attach();
  }

  void trace_job(const npu::TimedResult& job) {
    const std::uint64_t before = traced_.cycles;
    for (const auto& o : job.operations) {
      auto& traced = traced_.operations.emplace_back();
      traced.step = bridge_->jobs();
      traced.offset = o.byte_offset;
      traced.issued = before + o.issued;
      traced.end = before + o.end;
    }
    traced_.cycles += job.cycles;
  }

  Result<void> go_on() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    if (interrupted) return fail(ErrorCode::kUnsupported, "interrupted");
    if (application_.time_limit > 0 && passed.count() > application_.time_limit)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("the application did not end within {} seconds", application_.time_limit));
    return {};
  }

  /// Whether the application says, on UART 0, that it has ended.
  bool print_uart(std::size_t uart) {
    char text[4096];
    const ssize_t got = ::read(qemu_.uarts()[uart], text, sizeof text);
    if (got <= 0) return false;
    std::string_view printed(text, static_cast<std::size_t>(got));
    const std::size_t end = uart == 0 ? printed.find(kEndOfTransmission) : std::string_view::npos;
    printed = printed.substr(0, end);
    if (application_.uarts[uart].shown) {
      std::fwrite(printed.data(), 1, printed.size(), stdout);
      std::fflush(stdout);
    }
    printed_[uart] += printed;
    return end != std::string_view::npos ||
           (uart == 0 && !application_.end_tag.empty() && printed_[0].find(application_.end_tag) != std::string::npos);
  }

  /// What a UART printed before QEMU ended; whether the application said that it has.
  bool print_last_of_uart(std::size_t uart) {
    for (pollfd wait{qemu_.uarts()[uart], POLLIN, 0}; ::poll(&wait, 1, 0) > 0 && (wait.revents & POLLIN) != 0;) {
      const std::size_t before = printed_[uart].size();
      if (print_uart(uart)) return true;
      if (printed_[uart].size() == before) break;
    }
    return false;
  }

  /// The last of the UARTs, and what the application ended with.
  Result<int> end_of_qemu() {
    for (std::size_t i = 0; i < kUarts; ++i)
      if (print_last_of_uart(i)) return 0;
    if (const auto code = qemu_.ended()) return *code;
    return fail(ErrorCode::kIo, "QEMU does not answer");
  }

  const Application& application_;
  GuestMemory& memory_;
  Qemu qemu_;
  GdbClient guest_;
  std::unique_ptr<NpuBridge> bridge_;
  Printed printed_;
  trace::SavedRun traced_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

Result<void> write_files(const Application& application, const GuestMemory& memory, const Run& run) {
  io::FileSet files;
  if (const std::string& file = application.pmu_trace; !file.empty())
    MACAW_CHECK(files.add(file, trace::pmu_trace(run.traced())));
  for (std::size_t i = 0; i < kUarts; ++i)
    if (const std::string& log = application.uarts[i].log; !log.empty()) MACAW_CHECK(files.add(log, run.printed()[i]));
  for (const Dump& dump : application.dumps)
    MACAW_CHECK(
        files.add(dump.file, std::as_bytes(memory.ddr().subspan(dump.address - GuestMemory::kDdrBase, dump.bytes))));
  return files.publish();
}

}  // namespace

Result<int> run_application(const Application& application) {
  MACAW_CHECK(check_elf(application.elf));
  const InterruptKey key;
  MACAW_ASSIGN(const auto memory, GuestMemory::create());
  MACAW_ASSIGN(auto qemu, Qemu::start(application, memory->descriptor()));
  Run run(application, std::move(qemu), *memory);
  auto ended = run();
  if (application.statistics) fmt::print("{}", run.statistics());
  MACAW_CHECK(write_files(application, *memory, run));
  return ended;
}

}  // namespace macaw::app::fvp
