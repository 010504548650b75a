#pragma once
#include <macaw/error.hpp>

#include "app/fvp/gdb_client.hpp"

namespace macaw::app::fvp {

/// A load or store of one or two words by a Thumb instruction.
struct ThumbAccess {
  bool store = false;
  unsigned base = 0;          ///< register that holds the base address
  unsigned data[2] = {0, 0};  ///< registers of the words
  unsigned words = 1;
  std::uint32_t address = 0;  ///< of the first word
  unsigned length = 2;        ///< bytes of the instruction
  bool writes_back = false;   ///< write-back: `base` becomes `base_after`
  std::uint32_t base_after = 0;
};

/// Decodes the instruction with the halfwords `first` and `second` (`second` belongs to the next instruction if this
/// one has one halfword). Registers are those before it. kUnsupported: not LDR, STR, LDRD or STRD (Armv8-M ARM, chapter
/// C2).
[[nodiscard]] Result<ThumbAccess> decode_access(std::uint16_t first, std::uint16_t second,
                                                const CpuRegisters& registers);

/// xPSR after a skipped instruction: advances the IT block.
[[nodiscard]] std::uint32_t after_instruction(std::uint32_t xpsr);

}  // namespace macaw::app::fvp
