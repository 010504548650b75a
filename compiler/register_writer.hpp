#pragma once
#include "compiler/command_writer.hpp"
#include "sim/isa/register_codes.hpp"

#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace macaw::npu {

/// Writes the registers of one operation; the inverse of RegisterReader. Fields of a register must be consecutive; a
/// value without a code or out of range is reported as an error of the CommandWriter.
class RegisterWriter {
 public:
  static constexpr bool kReads = false;

  RegisterWriter(CommandWriter& out, Family family) : out_(out), family_(family) {}

  template <class T>
  void number(FieldRef ref, const T& value, int bias = 0) {
    add(ref, static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(bias));
  }
  void low_bits(FieldRef ref, int value, int bias = 0) { add(ref, static_cast<std::uint64_t>(value - bias) & 0xFFFF); }
  void signed_bits(FieldRef ref, int value) { add(ref, static_cast<std::uint64_t>(value) & ref.field->max()); }
  void signed_address(FieldRef ref, std::int64_t value) {
    add(ref, static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << traits(family_).address_bits) - 1));
  }
  template <class T>
  void code(FieldRef ref, const T& value) {
    add(ref, static_cast<std::uint64_t>(value));
  }
  template <class T>
  void code(FieldRef ref, const T& value, std::span<const Code<std::type_identity_t<T>>> codes) {
    for (const auto& [code, meaning] : codes)
      if (meaning == value) return add(ref, code);
    out_.fail(std::string(ref.row->name) + " " + std::string(ref.field->name) + " has no code for what is asked");
  }
  template <class T>
  void own_number(FieldRef ref, const T& value) {
    own_.push_back({ref.field->name, static_cast<std::uint64_t>(value)});
  }
  template <class T>
  void own_code(FieldRef ref, const T& value) {
    own_number(ref, value);
  }

  /// Writes the last register.
  void finish() {
    if (row_) out_.set(row_->name.view().substr(std::string_view("NPU_SET_").size()), fields_);
    row_ = nullptr;
    fields_.clear();
  }
  /// Writes the last register, then the operation; `name` without "NPU_OP_".
  void op(std::string_view name) {
    finish();
    out_.op(name, own_);
  }

 private:
  void add(FieldRef ref, std::uint64_t value) {
    if (!row_ || row_->name != ref.row->name) finish();
    row_ = ref.row;
    fields_.push_back({ref.field->name, value});
  }

  CommandWriter& out_;
  Family family_;
  const CommandRow* row_ = nullptr;
  std::vector<FieldValue> fields_, own_;
};

}  // namespace macaw::npu
