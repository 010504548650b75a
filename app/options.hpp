#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// A thin layer over CLI11, whose headers and templates take ten times as long to compile as a subcommand.

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace macaw::app {

/// Lets an option accept bytes with a unit: 512K, 1MiB.
void take_bytes(CLI::Option& option);

/// A word that an option accepts, and its meaning.
struct Choice {
  std::string word;
  std::function<void()> choose;
};

/// Description of a command for help.
struct Description {
  struct Argument {
    std::vector<std::string> names;  ///< "-o", "--output"; of a positional argument "FILE"
    std::string value;               ///< what follows the name, "TEXT"; empty: a flag
    std::string help;
    std::vector<std::string> words;  ///< accepted words; empty: any value
    bool positional = false, required = false;
  };
  std::string name, help, footer;
  std::vector<Argument> arguments;
  std::vector<Description> commands;
};

/// An option of a command; each call restricts the accepted values.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& one_of(const std::vector<std::string>& texts);
  Option& in_range(int least, int most);
  Option& positive();
  /// Calls take_bytes() for it.
  Option& bytes();
  /// Several values of a list may be given in one argument, separated by `separator`.
  Option& delimiter(char separator);
  /// Name of the value in help, if it differs from that of all options of this name.
  Option& value(const std::string& name);
  /// Each occurrence of a list option takes one value, so that positional arguments can follow.
  Option& one_value();
  /// The heading of the help under which it is listed.
  Option& group(const std::string& heading);
  /// Cannot be combined with the option `other` of its command.
  Option& excludes(const std::string& other);

 private:
  CLI::Option* option_;
};

/// The program or one of its subcommands: a handle to an object of the parser.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// Values are written to `value` while the call is parsed, before callbacks run; it must live as long as the parser.
  /// `names`: "-o,--output", or "FILE" for a positional argument.
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, std::filesystem::path& value, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& help);
  Option add_option(const std::string& names, bool& value, const std::string& help);
  Option add_option(const std::string& names, int& value, const std::string& help);
  Option add_option(const std::string& names, unsigned& value, const std::string& help);
  Option add_option(const std::string& names, std::uint64_t& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::int64_t>& value, const std::string& help);
  Option add_choice(const std::string& names, std::vector<Choice> choices, const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// A flag that runs `action` at once and ends the program with exit code 0, whatever else the call contains.
  Option add_action(const std::string& names, std::function<void()> action, const std::string& help);
  /// A flag that prints `version` and ends the program.
  void add_version(const std::string& names, const std::string& version);
  Command add_subcommand(const std::string& name, const std::string& help);

  [[nodiscard]] Description describe() const;

  /// `action` runs after the whole call has been parsed, if it names this command.
  void callback(std::function<void()> action);
  void footer(const std::string& text);
  /// One of its subcommands must be named.
  void require_subcommand();
  /// Unknown arguments are not an error here; extras() returns them after parsing.
  void allow_extras();
  [[nodiscard]] std::vector<std::string> extras() const;

 private:
  CLI::App* app_;
};

}  // namespace macaw::app
