#pragma once
#include <fmt/format.h>

#include "sim/isa/register_codes.hpp"
#include "sim/isa/register_file.hpp"

#include <span>
#include <type_traits>

namespace macaw::npu {

/// Sign-extends the low `bits` bits.
[[nodiscard]] constexpr std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return std::int64_t((value & (sign * 2 - 1)) ^ sign) - std::int64_t(sign);
}

/// Reads registers for one operation command and records the first illegal value. It is one of the two directions of
/// the descriptions in block_registers.hpp and dma_registers.hpp; the other is the compiler's RegisterWriter.
class RegisterReader {
 public:
  static constexpr bool kReads = true;

  RegisterReader(const RegisterFile& registers, const Command& command) : registers_(registers), command_(command) {}

  [[nodiscard]] std::uint64_t raw(FieldRef ref) const { return registers_.get(ref); }

  /// A number, which the register holds minus `bias`.
  template <class T>
  void number(FieldRef ref, T& value, int bias = 0) const {
    value = static_cast<T>(static_cast<T>(raw(ref)) + bias);
  }
  /// Like number(), for a register that holds the low 16 bits.
  void low_bits(FieldRef ref, int& value, int bias = 0) const { number(ref, value, bias); }
  /// Two's complement over the width of the field.
  void signed_bits(FieldRef ref, int& value) const { value = int(sign_extend(raw(ref), ref.field->width)); }
  /// Two's complement over the address width of the family.
  void signed_address(FieldRef ref, std::int64_t& value) const {
    value = sign_extend(raw(ref), traits(registers_.family()).address_bits);
  }

  /// A value of an enumeration; reserved codes are recorded as a fault and read as 0.
  template <class T>
  void code(FieldRef ref, T& value) {
    value = static_cast<T>(legal_code(ref));
  }
  /// An enumeration whose codes map to other values.
  template <class T>
  void code(FieldRef ref, T& value, std::span<const Code<std::type_identity_t<T>>> codes) {
    const auto found = legal_code(ref);
    for (const auto& [code, meaning] : codes)
      if (code == found) value = meaning;
  }

  /// A field of the operation command itself.
  template <class T>
  void own_number(FieldRef ref, T& value) const {
    value = static_cast<T>(command_.value(*ref.field));
  }
  /// A field of the operation command itself that holds a value of an enumeration.
  template <class T>
  void own_code(FieldRef ref, T& value) {
    const auto found = command_.value(*ref.field);
    const bool legal = !value_name(registers_.family(), *ref.field, found).empty();
    if (!legal) fault(fmt::format("{} {} is reserved", ref.field->name, found));
    value = legal ? static_cast<T>(found) : T{};
  }

  void fault(FieldRef ref, std::string_view what) {
    fault(fmt::format("{} {}: {}", ref.row->name, ref.field->name, what));
  }
  void fault(std::string what) {
    if (!error_)
      error_ = Error{ErrorCode::kHardwareFault,
                     fmt::format("{}: {}", command_.row->name, what),
                     {.command_index = command_.index, .byte_offset = command_.offset}};
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  [[nodiscard]] std::uint64_t legal_code(FieldRef ref) {
    const auto value = raw(ref);
    if (!value_name(registers_.family(), *ref.field, value).empty()) return value;
    fault(ref, fmt::format("the value {} is reserved", value));
    return 0;
  }

  const RegisterFile& registers_;
  const Command& command_;
  std::optional<Error> error_;
};

// References to registers. U65 is used where U55 has the same register with a shorter address: the missing bits are
// reserved there and read as 0.
#define MACAW_REG_U65(command, name) field_of(Family::kU65, "NPU_SET_" command, name)
#define MACAW_REG_U85(command, name) field_of(Family::kU85, "NPU_SET_" command, name)

}  // namespace macaw::npu
