#pragma once
#include <string_view>

namespace macaw::app::fvp {

/// Prints the output of an application on standard output without delay. On a terminal, control characters other than
/// tab, backspace, newline and carriage return are replaced, so that the application does not control the terminal.
class Console {
 public:
  Console();
  void print(std::string_view text);
  /// Ends an unfinished line.
  void end_line();

 private:
  bool is_terminal_;
  char last_ = '\n';
};

}  // namespace macaw::app::fvp
