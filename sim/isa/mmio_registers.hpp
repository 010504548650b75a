#pragma once
#include "sim/isa/command_table.hpp"

namespace macaw::npu {

/// A memory-mapped register. Fields count bits across all words of one register.
struct MmioRegisterRow {
  static constexpr std::size_t kMaxFields = 32;
  struct Field {
    FixedText<27> name;
    std::uint8_t lsb = 0, width = 0;
  };

  FamilySet families = 0;
  std::uint16_t offset = 0;  ///< bytes
  std::uint8_t words = 1;    ///< 32-bit words of one register
  std::uint16_t count = 1;   ///< consecutive registers of an array
  std::uint32_t reset = 0;   ///< of the first word; the others are 0
  FixedText<20> name;
  std::array<Field, kMaxFields> field_rows{};

  [[nodiscard]] constexpr std::span<const Field> fields() const {
    std::size_t n = 0;
    while (n < kMaxFields && !field_rows[n].name.empty()) ++n;
    return std::span(field_rows).first(n);
  }
};

[[nodiscard]] std::span<const MmioRegisterRow> mmio_registers();
[[nodiscard]] const MmioRegisterRow* find_mmio_register(Family family, std::string_view name);
/// The register that covers the byte offset.
[[nodiscard]] const MmioRegisterRow* find_mmio_register(Family family, unsigned offset);

}  // namespace macaw::npu
