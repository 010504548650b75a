#pragma once
#include <fmt/format.h>

#include "sim/isa/register_file.hpp"

namespace macaw::npu {

/// Sign-extends the low `bits` bits.
[[nodiscard]] constexpr std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return std::int64_t((value & (sign * 2 - 1)) ^ sign) - std::int64_t(sign);
}

/// Reads registers on behalf of one operation command and remembers the first illegal value.
class RegisterReader {
 public:
  RegisterReader(const RegisterFile& registers, const Command& command) : registers_(registers), command_(command) {}

  [[nodiscard]] std::uint64_t raw(FieldRef ref) const { return registers_.get(ref); }
  [[nodiscard]] int number(FieldRef ref) const { return int(raw(ref)); }
  [[nodiscard]] bool flag(FieldRef ref) const { return raw(ref) != 0; }
  /// Two's complement over the width that the family gives to the field.
  [[nodiscard]] std::int64_t signed_address(FieldRef ref) const {
    return sign_extend(raw(ref), registers_.family() == Family::kU55 ? 32 : 40);
  }

  /// A value of an enumeration; reserved codes are recorded as a fault and read as 0.
  template <class T = int>
  [[nodiscard]] T code(FieldRef ref) {
    const auto value = raw(ref);
    if (!value_name(registers_.family(), *ref.field, value).empty()) return T(value);
    fault(ref, fmt::format("the value {} is reserved", value));
    return T{};
  }

  /// The same for a field of the operation command itself.
  template <class T = int>
  [[nodiscard]] T own_code(FieldRef ref) {
    const auto value = command_.value(*ref.field);
    if (!value_name(registers_.family(), *ref.field, value).empty()) return T(value);
    fault(fmt::format("{} {} is reserved", ref.field->name, value));
    return T{};
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
  const RegisterFile& registers_;
  const Command& command_;
  std::optional<Error> error_;
};

// References to registers. U65 where U55 has the same register with a shorter address: the missing bits are reserved
// there and read as 0.
#define MACAW_REG_U65(command, name) field_of(Family::kU65, "NPU_SET_" command, name)
#define MACAW_REG_U85(command, name) field_of(Family::kU85, "NPU_SET_" command, name)

}  // namespace macaw::npu
