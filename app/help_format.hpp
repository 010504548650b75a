#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace macaw::app {

/// How help shows the value of an option ("FILE", "N"): the part of CLI11's description of the type before the checks.
[[nodiscard]] std::string value_name(const CLI::Option& option);

/// The range or the words that an option accepts, "0 to 256" or "on, off"; empty: any value, or the description
/// explains them.
[[nodiscard]] std::string accepted_values(const CLI::Option& option);

/// --help in the width of the terminal (at most 100 columns): names on the left, descriptions wrapped on the right,
/// headings in bold where standard output shows colours.
class HelpFormatter : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace macaw::app
