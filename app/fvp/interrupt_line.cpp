#include "app/fvp/interrupt_line.hpp"

#include <fmt/format.h>

namespace macaw::app::fvp {
namespace {

/// Lower interrupts are internal to the subsystem, from this number on they come from the board (QEMU hw/arm/armsse.c).
constexpr unsigned kFirstExpansion = 32;

}  // namespace

Result<void> InterruptLine::set(bool level) { return level == level_ ? Result<void>() : send(level); }

Result<void> InterruptLine::send(bool level) {
  MACAW_CHECK(channel_.send(
      number_ < kFirstExpansion
          ? fmt::format("set_irq_in /machine/iotkit/cluster0/armv7m0 unnamed-gpio-in {} {}\n", number_, level ? 1 : 0)
          : fmt::format("set_irq_in /machine/iotkit EXP_IRQ {} {}\n", number_ - kFirstExpansion, level ? 1 : 0)));
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
