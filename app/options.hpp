#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// CLI11 behind plain functions: its headers and what they instantiate take ten times as long to compile as a
// subcommand.

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace macaw::app {

/// Has an option take bytes with a unit as well: 512K, 1MiB.
void take_bytes(CLI::Option& option);

/// A word that an option takes, and what it means.
struct Choice {
  std::string word;
  std::function<void()> choose;
};

/// A command as its help shows it.
struct Description {
  struct Argument {
    std::vector<std::string> names;  ///< "-o", "--output"; of a positional argument "FILE"
    std::string value;               ///< what follows the name, "TEXT"; empty: a flag
    std::string help;
    std::vector<std::string> words;  ///< that it takes; empty: any
    bool positional = false, required = false;
  };
  std::string name, help, footer;
  std::vector<Argument> arguments;
  std::vector<Description> commands;
};

/// An option that was added to a command; each call narrows what it takes.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& one_of(const std::vector<std::string>& texts);
  Option& in_range(int least, int most);
  Option& positive();
  /// take_bytes() of it.
  Option& bytes();
  /// Values of a list may stand in one argument, with `separator` between them.
  Option& delimiter(char separator);
  /// Name of the value in help, where it is not that of all options of the name.
  Option& value(const std::string& name);
  /// A list takes one value each time it is given, so that positional arguments can follow it.
  Option& one_value();
  /// The heading of the help that it stands below.
  Option& group(const std::string& heading);
  /// May not be given together with the option `other` of its command.
  Option& excludes(const std::string& other);

 private:
  CLI::Option* option_;
};

/// The program or one of its subcommands: a handle of what the parser owns.
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
  /// A flag that does `action` at once and ends the program with exit code 0, whatever else is in the call.
  Option add_action(const std::string& names, std::function<void()> action, const std::string& help);
  /// A flag that prints `version` and ends the program.
  void add_version(const std::string& names, const std::string& version);
  Command add_subcommand(const std::string& name, const std::string& help);

  [[nodiscard]] Description describe() const;

  /// `action` runs when the whole call has been parsed and names this command.
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
