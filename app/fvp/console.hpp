#pragma once
#include <string_view>

namespace macaw::app::fvp {

/// Prints what an application prints on standard output, and at once. On a terminal, control characters other than tab,
/// backspace, newline and carriage return are replaced, so that the application does not control the terminal.
class Console {
 public:
  Console();
  void print(std::string_view text);
  /// Ends a line that was begun, so that what follows starts one.
  void end_line();

 private:
  bool is_terminal_;
  char last_ = '\n';
};

}  // namespace macaw::app::fvp
