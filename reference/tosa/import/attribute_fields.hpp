#pragma once
#include <fmt/format.h>
#include <macaw/tosa/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "reference/tosa/import/narrow.hpp"

// Fields of the attribute tables of attributes.def, from a file's table to the graph's operator and back. Reader and
// writer have the same functions, so that one row serves both.

namespace macaw::tosa {

/// An enumeration of the files beside the graph's.
template <class Wire, class Neutral>
struct Code {
  Wire wire;
  Neutral neutral;
};

/// Table to operator. The first problem is kept until result() is asked.
class FieldReader {
 public:
  explicit FieldReader(Operator& op) : op_(op) {}

  void field(Attr attribute, const std::vector<std::int32_t>& list) {
    op_.set(attribute, std::vector<std::int64_t>(list.begin(), list.end()));
  }
  void field(Attr attribute, const std::int32_t& value) { op_.set(attribute, std::int64_t{value}); }
  void field(Attr attribute, const bool& value) { op_.set(attribute, std::int64_t{value}); }
  void field(Attr attribute, const std::string& text) { op_.set(attribute, text); }
  void field(Attr attribute, const std::vector<std::uint8_t>& bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    op_.set(attribute, std::vector<std::byte>(begin, begin + bytes.size()));
  }
  void flag_if_set(Attr attribute, const bool& value) {
    if (value) field(attribute, value);
  }
  template <class Wire, class Neutral, std::size_t kSize>
  void code(Attr attribute, const Wire& value, const Code<Wire, Neutral> (&codes)[kSize], std::string_view name,
            ErrorCode error = ErrorCode::kInvalidFile) {
    const auto* row = std::ranges::find(codes, value, &Code<Wire, Neutral>::wire);
    if (row == std::end(codes))
      return fail_with(error, fmt::format("unknown {} {}", name, static_cast<unsigned>(value)));
    op_.set(attribute, static_cast<std::int64_t>(row->neutral));
  }

  void fail_with(ErrorCode code, std::string message) {
    if (result_) result_ = fail(code, std::move(message));
  }
  [[nodiscard]] Result<void> result() const { return result_; }

 protected:
  Operator& op_;

 private:
  Result<void> result_;
};

/// Operator to table.
class FieldWriter {
 public:
  explicit FieldWriter(const Operator& op) : op_(op) {}

  void field(Attr attribute, std::vector<std::int32_t>& list) { list = narrow_.list(op_.get_ints(attribute)); }
  void field(Attr attribute, std::int32_t& value) { value = narrow_.one(op_.get_int(attribute)); }
  void field(Attr attribute, bool& value) { value = op_.get_int(attribute) != 0; }
  void field(Attr attribute, std::string& text) { text = op_.get_string(attribute); }
  void field(Attr attribute, std::vector<std::uint8_t>& bytes) {
    for (const auto byte : op_.get_bytes(attribute)) bytes.push_back(std::to_integer<std::uint8_t>(byte));
  }
  void flag_if_set(Attr attribute, bool& value) { field(attribute, value); }
  /// A value that the files do not have is written as the first code.
  template <class Wire, class Neutral, std::size_t kSize>
  void code(Attr attribute, Wire& value, const Code<Wire, Neutral> (&codes)[kSize], std::string_view = {},
            ErrorCode = ErrorCode::kInvalidFile) {
    const auto neutral = static_cast<Neutral>(op_.get_int(attribute));
    const auto* row = std::ranges::find(codes, neutral, &Code<Wire, Neutral>::neutral);
    value = row == std::end(codes) ? codes[0].wire : row->wire;
  }

  void fail_with(ErrorCode code, std::string message) {
    if (result_) result_ = fail(code, std::move(message));
  }
  /// kUnsupported for a value that does not fit the file.
  [[nodiscard]] Result<void> result() const {
    if (!result_) return result_;
    return narrow_.check();
  }

 protected:
  const Operator& op_;
  Narrow narrow_;

 private:
  Result<void> result_;
};

}  // namespace macaw::tosa
