#include "app/fvp/interrupt_line.hpp"

#include <fmt/format.h>

namespace macaw::app::fvp {
namespace {

constexpr unsigned kInterrupt = 56;  // Corstone SSE-300 (AN552; QEMU's mps3-an547)
constexpr unsigned kFirstExpansion = 32;

}  // namespace

Result<void> InterruptLine::set(bool level) {
  if (level == level_) return {};
  MACAW_CHECK(channel_.send(
      fmt::format("set_irq_in /machine/iotkit EXP_IRQ {} {}\n", kInterrupt - kFirstExpansion, level ? 1 : 0)));
  std::string answer;
  while (answer.find('\n') == std::string::npos) {
    MACAW_ASSIGN(const std::string more, channel_.receive());
    answer += more;
  }
  if (!answer.starts_with("OK"))
    return fail(ErrorCode::kIo, fmt::format("QEMU answers '{}' to an interrupt", answer.substr(0, answer.find('\n'))));
  level_ = level;
  return {};
}

}  // namespace macaw::app::fvp
