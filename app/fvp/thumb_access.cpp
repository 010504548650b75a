#include "app/fvp/thumb_access.hpp"

#include <fmt/format.h>

namespace macaw::app::fvp {
namespace {

constexpr std::uint32_t bits(std::uint32_t value, unsigned lsb, unsigned width) {
  return value >> lsb & ((1u << width) - 1);
}

bool decode_narrow(std::uint16_t code, const CpuRegisters& registers, ThumbAccess& access) {
  const unsigned low = bits(code, 0, 3), middle = bits(code, 3, 3);
  access.store = bits(code, 11, 1) == 0;
  if (bits(code, 12, 4) == 6) {  // STR, LDR (immediate), T1
    access.base = middle;
    access.data[0] = low;
    access.address = registers.r[middle] + 4 * bits(code, 6, 5);
  } else if (bits(code, 12, 4) == 9) {  // relative to SP, T2
    access.base = 13;
    access.data[0] = bits(code, 8, 3);
    access.address = registers.r[13] + 4 * bits(code, 0, 8);
  } else if (bits(code, 9, 7) == 0x28 || bits(code, 9, 7) == 0x2c) {  // (register), T1
    access.base = middle;
    access.data[0] = low;
    access.address = registers.r[middle] + registers.r[bits(code, 6, 3)];
  } else {
    return false;
  }
  return true;
}

/// The offset of an immediate form with bits for before or after (P), up or down (U) and write-back (W).
void apply_offset(ThumbAccess& access, const CpuRegisters& registers, std::uint32_t offset, bool before, bool up,
                  bool write_back) {
  const std::uint32_t base = registers.r[access.base], moved = up ? base + offset : base - offset;
  access.address = before ? moved : base;
  access.writes_back = write_back;
  access.base_after = moved;
}

bool decode_wide(std::uint16_t first, std::uint16_t second, const CpuRegisters& registers, ThumbAccess& access) {
  access.length = 4;
  access.base = bits(first, 0, 4);
  access.data[0] = bits(second, 12, 4);
  access.store = bits(first, 4, 1) == 0;
  if (access.base == 15) return false;
  const unsigned group = bits(first, 5, 11);
  if (group == (0xf8c0 >> 5)) {  // STR, LDR (immediate), T3
    access.address = registers.r[access.base] + bits(second, 0, 12);
  } else if (group == (0xf840 >> 5) && bits(second, 11, 1) == 1) {  // T4
    apply_offset(access, registers, bits(second, 0, 8), bits(second, 10, 1), bits(second, 9, 1), bits(second, 8, 1));
  } else if (group == (0xf840 >> 5) && bits(second, 6, 6) == 0) {  // (register), T2
    access.address = registers.r[access.base] + (registers.r[bits(second, 0, 4)] << bits(second, 4, 2));
  } else if (bits(first, 9, 7) == (0xe840 >> 9) && bits(first, 6, 1) == 1 && (bits(first, 8, 1) || bits(first, 5, 1))) {
    access.words = 2;  // STRD, LDRD (immediate), T1
    access.data[1] = bits(second, 8, 4);
    apply_offset(access, registers, 4 * bits(second, 0, 8), bits(first, 8, 1), bits(first, 7, 1), bits(first, 5, 1));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<ThumbAccess> decode_access(std::uint16_t first, std::uint16_t second, const CpuRegisters& registers) {
  ThumbAccess access;
  const bool wide = bits(first, 11, 5) >= 0x1d;
  if (wide ? decode_wide(first, second, registers, access) : decode_narrow(first, registers, access)) return access;
  return fail(
      ErrorCode::kUnsupported,
      fmt::format("the application accesses a register with the instruction {:04x} {:04x} at {:#x}; expected LDR, "
                  "STR, LDRD or STRD",
                  first, second, registers.r[15]));
}

std::uint32_t after_instruction(std::uint32_t xpsr) {
  std::uint32_t it = bits(xpsr, 10, 6) << 2 | bits(xpsr, 25, 2);
  it = (it & 7) == 0 ? 0 : (it & 0xe0) | (it << 1 & 0x1f);
  return (xpsr & ~0x0600fc00u) | (it & 3) << 25 | it >> 2 << 10;
}

}  // namespace macaw::app::fvp
