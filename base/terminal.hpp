#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::io {

/// Columns of the terminal that standard output is, at least 40: COLUMNS of the environment, else what the terminal
/// reports, else 80.
[[nodiscard]] std::size_t terminal_width();

/// True if `file` is a terminal and NO_COLOR of the environment is not set or empty (no-color.org).
[[nodiscard]] bool uses_colour(std::FILE* file);

enum class Style { kBold, kRed, kGreen, kYellow };
/// `text` in a style on standard output, if that shows colours; else `text`.
[[nodiscard]] std::string styled(std::string_view text, Style style);

/// Columns that a UTF-8 text takes, a code point counting as one.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// `text` in at most `width` columns: a longer one keeps its beginning and its end around "...".
[[nodiscard]] std::string shorten_middle(std::string_view text, std::size_t width);
/// `text` padded with blanks to `width` columns, shortened in the middle if it is longer.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);
/// `text` broken at blanks into lines of at most `width` columns; lines after the first begin with `indent` blanks,
/// which count. Newlines stay; a word that is longer than a line has a line of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);
/// Widths of the columns of a table of `total` columns with two blanks between them: the widest of those that are
/// wider than `least` become narrower until all fit.
[[nodiscard]] std::vector<std::size_t> fit_columns(std::vector<std::size_t> widths, std::size_t total,
                                                   std::size_t least = 8);

/// Rows of a table, all with as many cells.
using TableRows = std::vector<std::vector<std::string>>;
/// The width of the widest cell of each column.
[[nodiscard]] std::vector<std::size_t> column_widths(const TableRows& rows);
/// A line for each row, with two blanks between the columns and none at the end. Cells are shortened in the middle to
/// the width of their column; the columns beyond `widths` are left out. `to_the_right`: columns of numbers.
[[nodiscard]] std::string table_text(const TableRows& rows, const std::vector<std::size_t>& widths,
                                     const std::vector<bool>& to_the_right = {});

}  // namespace macaw::io
