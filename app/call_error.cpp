#include "app/call_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/exclusive_options.hpp"
#include "app/help_format.hpp"
#include "base/near_names.hpp"

namespace macaw::app {
namespace {

std::vector<std::string> names_of(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const auto* command : commands)
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

/// The subcommand that is called, and the words of its name.
std::pair<CLI::App*, std::string> named_command(CLI::App& app) {
  auto* command = &app;
  std::string call = app.get_name();
  for (auto inner = command->get_subcommands(); !inner.empty(); inner = command->get_subcommands()) {
    command = inner.back();
    call += " " + command->get_name();
  }
  return {command, call};
}

/// Unparsed words in the order of the call. CLI11 returns them by subcommand and in reverse.
std::vector<std::string> not_expected(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto remaining = app.remaining(true);
  std::multiset<std::string> left(remaining.begin(), remaining.end());
  std::vector<std::string> words;
  for (const auto& word : arguments)
    if (const auto found = left.find(word); found != left.end() && word != "--")
      words.push_back(left.extract(found).value());
  return words;
}

std::string unknown_words(const CLI::App& command, const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(words, [](const auto& word) { return word.size() > 1 && word[0] == '-'; });
  if (option == words.end())
    return fmt::format("unexpected argument{} '{}'", words.size() == 1 ? "" : "s", fmt::join(words, "', '"));
  const auto name = option->substr(0, option->find('='));
  std::vector<std::string> known;
  for (const auto* candidate : command.get_options({})) {
    for (const auto& text : candidate->get_lnames()) known.push_back("--" + text);
    for (const auto& text : candidate->get_snames()) known.push_back("-" + text);
  }
  // A single letter is similar to every other.
  return fmt::format("unknown option '{}'{}", name, name.size() > 2 ? io::near_names(name, known) : "");
}

std::string missing(const CLI::App& command) {
  std::vector<std::string> arguments, options;
  for (const auto* option : command.get_options({})) {
    if (!option->get_required() || option->count() != 0) continue;
    if (option->get_positional()) arguments.push_back(option->get_name(true));
    else options.push_back("'" + option->get_name() + " " + value_name(*option) + "'");
  }
  std::string text;
  if (!arguments.empty()) text = fmt::format("missing argument {}", fmt::join(arguments, ", "));
  if (!options.empty()) text += fmt::format("{}missing option {}", text.empty() ? "" : "; ", fmt::join(options, ", "));
  if (!text.empty()) return text;
  return fmt::format("missing subcommand; expected one of: {}",
                     fmt::join(names_of(const_cast<CLI::App&>(command).get_subcommands({})), ", "));
}

/// CLI11 puts the option before a colon.
std::string option_of(const std::string& what) { return what.substr(0, what.find_first_of(": ")); }

std::string reason(CLI::App& app, const CLI::App& command, const CLI::ParseError& error,
                   const std::vector<std::string>& arguments) {
  const std::string what = error.what();
  if (const auto words = not_expected(app, arguments);
      !words.empty() &&
      (dynamic_cast<const CLI::ExtrasError*>(&error) || dynamic_cast<const CLI::RequiredError*>(&error)))
    return unknown_words(command, words);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return missing(command);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && what.ends_with(" missing"))
    return fmt::format("option '{}' needs a value", option_of(what));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && what.find("At Most") != what.npos)
    return fmt::format("option '{}' was given more than once", option_of(what));
  if (dynamic_cast<const CLI::ExcludesError*>(&error))
    return cannot_be_used_together(option_of(what), what.substr(what.rfind(' ') + 1));
  return what;
}

}  // namespace

std::string wrong_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto* command = &app;
  std::string call = app.get_name();
  for (const auto& word : arguments) {
    const auto commands = command->get_subcommands({});
    if (commands.empty() || word.starts_with("-")) break;
    const auto found = std::ranges::find(commands, word, [](const CLI::App* c) { return c->get_name(); });
    if (found == commands.end())
      return fmt::format("{}: unknown command '{}'{}\nSee '{} --help'.", call, word,
                         io::near_names(word, names_of(commands)), call);
    command = *found;
    call += " " + word;
  }
  const bool has_options = std::ranges::any_of(arguments, [](const auto& a) { return a.starts_with("-"); });
  if (command == &app || has_options || command->get_require_subcommand_min() == 0) return {};
  return fmt::format("{}: {}\nSee '{} --help'.", call, missing(*command), call);
}

std::string explain(CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const auto [command, call] = named_command(app);
  return fmt::format("{}: {}\nSee '{} --help'.", call, reason(app, *command, error, arguments), call);
}

}  // namespace macaw::app
