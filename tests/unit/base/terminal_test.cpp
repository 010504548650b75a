#include "base/terminal.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <numeric>
#include <sstream>

namespace io = macaw::io;

TEST_CASE("terminal: the width is that of COLUMNS, else 80 where standard output is not a terminal") {
  ::setenv("COLUMNS", "120", 1);
  CHECK(io::terminal_width() == 120);
  ::setenv("COLUMNS", "7", 1);
  CHECK(io::terminal_width() == 40);
  ::setenv("COLUMNS", "wide", 1);
  const auto unknown = io::terminal_width();
  ::unsetenv("COLUMNS");
  CHECK(io::terminal_width() == unknown);
}

TEST_CASE("terminal: long names keep their beginning and their end") {
  CHECK(io::shorten_middle("short", 5) == "short");
  CHECK(io::shorten_middle("model/layer_12/conv2d", 11) == "mode...nv2d");
  CHECK(io::shorten_middle("abcdef", 3) == "abc");
  CHECK(io::shorten_middle("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6", 5) == "\xc3\xa4...\xc3\xb6");
  CHECK(io::fit("ab", 4) == "ab  ");
  CHECK(io::fit("abcdefgh", 5) == "a...h");
}

TEST_CASE("terminal: text is wrapped at blanks") {
  CHECK(io::wrap("one two three", 7) == "one two\nthree");
  CHECK(io::wrap("one two three", 8, 2) == "one two\n  three");
  CHECK(io::wrap("a longword b", 4) == "a\nlongword\nb");
  CHECK(io::wrap("a\nb", 10, 1) == "a\n b");
  CHECK(io::wrap("", 10).empty());
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::string(static_cast<std::size_t>(i % 9 + 1), 'x') + " ";
  std::istringstream lines(io::wrap(text, 30, 4));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 30);
}

TEST_CASE("terminal: the widest columns of a table become narrower first") {
  CHECK(io::fit_columns({4, 40, 6}, 80) == std::vector<std::size_t>{4, 40, 6});
  CHECK(io::fit_columns({4, 40, 6}, 34) == std::vector<std::size_t>{4, 20, 6});
  const auto both = io::fit_columns({30, 40, 5}, 49);
  CHECK(both == std::vector<std::size_t>{20, 20, 5});
  CHECK(io::fit_columns({30, 30}, 5) == std::vector<std::size_t>{8, 8});
  CHECK(io::fit_columns({}, 80).empty());
}

TEST_CASE("terminal: a table has numbers on the right, shortened cells and no blanks at the end") {
  const io::TableRows rows{{"name", "cycles", "by"}, {"a layer of many words", "7", ""}, {"\u00e4", "1,234", "mac"}};
  CHECK(io::column_widths(rows) == std::vector<std::size_t>{21, 6, 3});
  CHECK(io::table_text(rows, io::column_widths(rows), {false, true, false}) ==
        "name                   cycles  by\n"
        "a layer of many words       7\n"
        "\u00e4                       1,234  mac\n");
  CHECK(io::table_text(rows, {9, 6}) ==
        "name       cycles\n"
        "a l...rds  7\n"
        "\u00e4          1,234\n");
  CHECK(io::table_text({}, {}).empty());
}
