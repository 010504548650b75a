#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace macaw::app::fvp {

/// One of Arm's Corstone platforms.
struct Platform {
  std::string_view name;        ///< as --platform takes it: "sse-300"
  std::string_view parameters;  ///< prefixes of the parameter names of CPU and NPU, and of the board
  std::string_view board;
  bool has_cpu = false;                   ///< QEMU's machine mps3-an547 can stand in for it
  std::uint32_t vectors = 0;              ///< start address of its CPU, secure alias
  std::array<std::uint32_t, 2> npu = {};  ///< the two aliases of the NPU's registers
  unsigned interrupt = 0;                 ///< of the NPU
  std::uint32_t cpuid = 0;                ///< value of its CPUID register; 0: QEMU's value is right
};

/// Corstone SSE-300: Arm's application notes AN547 and AN552, QEMU's mps3-an547. Corstone SSE-310: AN555; its CPU is a
/// Cortex-M85 r1p0, of which QEMU's Cortex-M55 is a subset but for PACBTI.
inline constexpr Platform kPlatforms[] = {
    {"sse-300", "", "mps3_board.", true, 0x10000000, {0x48102000, 0x58102000}, 56, 0},
    {"sse-310", "", "mps3_board.", true, 0x11000000, {0x40004000, 0x50004000}, 16, 0x411fd230},
    {"sse-315", "mps4_board.subsystem.", "mps4_board."},
    {"sse-320", "mps4_board.subsystem.", "mps4_board."}};

/// Null if the name is unknown.
[[nodiscard]] const Platform* find_platform(std::string_view name);
/// "SSE-300", for messages.
[[nodiscard]] std::string title(const Platform& platform);

/// A program of Arm's, such as FVP_Corstone_SSE-300_Ethos-U55 or VHT_MPS3_Corstone_SSE-310.
struct ArmProgram {
  const Platform* platform = nullptr;
  std::string_view npu;  ///< default unless a parameter overrides it
};
[[nodiscard]] std::optional<ArmProgram> find_arm_program(std::string_view name);

}  // namespace macaw::app::fvp
