#pragma once
#include <macaw/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace macaw::tosa::mlir {

/// A place in a text; white space and comments are passed over before everything that is read.
class Cursor {
 public:
  /// `name` is the file's in messages.
  Cursor(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  [[nodiscard]] bool at_end();
  [[nodiscard]] bool peek(std::string_view token);
  [[nodiscard]] char next();  ///< '\0' at the end
  /// A token that is followed by no letter or digit if it ends in one.
  bool take(std::string_view token);
  [[nodiscard]] Result<void> expect(std::string_view token);
  /// [A-Za-z_][A-Za-z0-9_.$]*, or empty.
  [[nodiscard]] std::string identifier();
  /// The name behind a sigil: letters, digits and "_.$-", or a quoted text.
  [[nodiscard]] Result<std::string> suffix();
  [[nodiscard]] Result<std::string> quoted();
  /// A number as it is spelled.
  [[nodiscard]] Result<std::string> number();
  [[nodiscard]] Result<std::int64_t> integer();
  /// Passes over what stands between an opening bracket, which has been taken, and its partner.
  [[nodiscard]] Result<std::string_view> until_closed(char open, char close);
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what) const;
  [[nodiscard]] tl::unexpected<Error> error(ErrorCode code, std::string message) const;

  [[nodiscard]] std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void skip();

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace macaw::tosa::mlir
