#include "app/fvp/instruction_counter.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/readable_number.hpp"

namespace macaw::app::fvp {
namespace {

constexpr std::uint32_t kCounter = 0x59302018, kPrescale = 0x5930201c;  // FPGAIO, by its secure alias
// 32 ns of an instruction are 0.64 ticks of 20 MHz.
constexpr std::uint64_t kTicks = 16, kInstructions = 25;

/// A register that is not zero in these bits while a timer runs or has been set up. Reading it changes nothing, as
/// reading SysTick's control register does.
struct TimerRegister {
  std::uint32_t address, bits;
};
constexpr std::uint32_t kReload = 0x00ffffff, kEnable = 1;
constexpr TimerRegister kTimers[] = {{0xe000e014, kReload}, {0xe002e014, kReload},  // SysTick
                                     {0x4800002c, kEnable}, {0x4800102c, kEnable},
                                     {0x4800202c, kEnable}, {0x4800302c, kEnable},  // CNTP_CTL of SSE-300
                                     {0x5800002c, kEnable}, {0x5800102c, kEnable},
                                     {0x5800202c, kEnable}, {0x5800302c, kEnable},  // and secure
                                     {0x4802f000, kEnable}, {0x5802f000, kEnable},
                                     {0x4802e008, kEnable}, {0x5802e008, kEnable}};  // S32K timer, watchdog

}  // namespace

std::optional<std::uint32_t> InstructionCounter::read(std::uint32_t address) {
  std::uint32_t value = 0;
  std::uint8_t bytes[sizeof value];
  if (!guest_.read_memory(address, bytes)) return std::nullopt;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

bool InstructionCounter::is_steady() {
  return read(kPrescale) == 0u && std::ranges::none_of(kTimers, [&](const TimerRegister& timer) {
           return (read(timer.address).value_or(0) & timer.bits) != 0;
         });
}

Result<void> InstructionCounter::start_job() {
  const auto now = read(kCounter);
  if (!now) return fail(ErrorCode::kIo, "QEMU does not give the counter of FPGAIO at 0x59302018");
  const bool steady = is_steady();
  // The counter of 32 bits goes round after 6.7 billion instructions.
  const std::uint32_t ticks = *now - last_;
  last_ = *now;
  before_jobs_.push_back(steady && was_steady_ ? std::optional(ticks * kInstructions / kTicks) : std::nullopt);
  was_steady_ = steady;
  return {};
}

std::string InstructionCounter::csv() const {
  std::string text = "job,cpu_instructions_before\n";
  for (std::size_t i = 0; i < before_jobs_.size(); ++i)
    text += fmt::format("{},{}\n", i + 1, before_jobs_[i] ? std::to_string(*before_jobs_[i]) : "");
  return text;
}

std::string InstructionCounter::summary() const {
  if (before_jobs_.empty()) return "";
  std::vector<std::uint64_t> later;
  for (const auto& count : before_jobs_) {
    if (!count) return "CPU instructions: unknown, as a timer of the application runs\n";
    if (&count != before_jobs_.data()) later.push_back(*count);
  }
  auto text = fmt::format("CPU instructions: {} before the first job", io::with_thousands(*before_jobs_.front()));
  std::ranges::sort(later);
  if (!later.empty())
    text += fmt::format(", {} to {} between two jobs, median {}", io::with_thousands(later.front()),
                        io::with_thousands(later.back()), io::with_thousands(later[later.size() / 2]));
  return text + "\n";
}

}  // namespace macaw::app::fvp
