#include "app/fvp/console.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace macaw::app::fvp {
namespace {

constexpr std::string_view kAllowed = "\t\b\n\r";

/// In UTF-8, U+0080 to U+009F take two bytes.
bool is_control(char before, char c) {
  const auto byte = static_cast<unsigned char>(c);
  const bool is_c1 = before == '\xc2' && byte >= 0x80 && byte < 0xa0;
  return is_c1 || byte == 0x7f || (byte < 0x20 && kAllowed.find(c) == std::string_view::npos);
}

}  // namespace

Console::Console() : is_terminal_(::isatty(STDOUT_FILENO) != 0) {}

void Console::print(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    const char before = last_;
    last_ = c;
    if (is_terminal_ && is_control(before, c)) c = '?';
  }
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  std::fflush(stdout);
}

void Console::end_line() {
  if (last_ != '\n') print("\n");
}

}  // namespace macaw::app::fvp
