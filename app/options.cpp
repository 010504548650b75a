#include "app/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

#include "app/help_format.hpp"
#include "app/value_names.hpp"
#include "base/near_names.hpp"
#include "base/number_text.hpp"

namespace macaw::app {
namespace {

/// CLI11 would accept -1 and overflowing numbers as the largest number, and read a leading 0 as octal.
template <class T>
CLI::Validator to_decimal(T least, T most, const std::string& expected = "") {
  const auto replace = [=](std::string& text) -> std::string {
    const auto number = io::decimal_or_hexadecimal<T>(text);
    if (!number || *number < least || *number > most)
      return fmt::format("'{}' is not an integer between {} and {}", text, least, most);
    text = std::to_string(*number);
    return {};
  };
  return {replace, expected};
}

template <class T, class Value>
Option number_option(CLI::App& app, const std::string& names, Value& value, const std::string& help) {
  auto* option = app.add_option(names, value, help);
  option->transform(to_decimal(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  return Option(*option);
}

std::string is_accelerator(const std::string& text) {
  const auto known = known_values("ACCELERATOR");
  return std::ranges::find(known, text) != known.end()
             ? ""
             : fmt::format("unknown accelerator '{}'{}", text, io::near_names(text, known));
}

CLI::Option* name_value(CLI::Option& option) {
  const auto& names = option.get_lnames().empty() ? option.get_snames() : option.get_lnames();
  if (names.empty()) return &option;
  const auto value = value_name_of(names.front());
  option.type_name(std::string(value));
  if (value == "ACCELERATOR") option.check(CLI::Validator(is_accelerator, ""));
  return &option;
}

/// Not for lists: Arm's test runner passes empty lists as an empty string.
template <class Value>
Option text_option(CLI::App& app, const std::string& names, Value& value, const std::string& help) {
  const auto given = [](const std::string& text) { return text.empty() ? "the text is empty" : std::string(); };
  auto* option = name_value(*app.add_option(names, value, help));
  option->check(CLI::Validator(given, ""));
  return Option(*option);
}

/// `expected`: the valid words.
std::string unknown_value(const std::string& text, const std::vector<std::string>& expected) {
  constexpr std::size_t kAllShown = 8;
  return fmt::format("unknown value '{}'{}", text,
                     expected.size() <= kAllShown ? fmt::format("; expected one of {}", fmt::join(expected, ", "))
                                                  : io::near_names(text, expected));
}

std::string is_positive(const std::string& number) {
  return number == "0" || number.starts_with('-') ? "must be above 0" : "";
}

/// A number of bytes with an optional unit; CLI11 reads both, also blanks between and after them.
std::string bytes_fit(std::string& text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  if (io::number_of<std::uint64_t>(digits) && !text.ends_with(' ')) return {};
  return fmt::format("'{}' is not a size between 0 and {} bytes", text, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void take_bytes(CLI::Option& option) {
  static const CLI::AsSizeValue size(false);  // its table of units is expensive to build
  CLI::Validator silent = size;               // the options' descriptions name the units
  option.transform(silent.description(""))->type_name("SIZE");
  option.transform(CLI::Validator(bytes_fit, ""));
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& texts) {
  const auto check = [texts](const std::string& text) {
    return std::ranges::find(texts, text) != texts.end() ? std::string() : unknown_value(text, texts);
  };
  option_->check(CLI::Validator(check, fmt::format("{{{}}}", fmt::join(texts, ","))));
  return *this;
}

Option& Option::in_range(int least, int most) {
  // Must precede the check of the type, whose range is wider.
  option_->transform(to_decimal(least, most, fmt::format("{} to {}", least, most)));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::Validator(is_positive, "above 0"));
  return *this;
}

Option& Option::bytes() {
  take_bytes(*option_);
  return *this;
}

Option& Option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option& Option::value(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::one_value() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::excludes(const std::string& other) {
  option_->excludes(other);
  return *this;
}

Option Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return text_option(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::filesystem::path& value, const std::string& help) {
  return text_option(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::vector<std::string>& value, const std::string& help) {
  return Option(*name_value(*app_->add_option(names, value, help)));
}

Option Command::add_option(const std::string& names, bool& value, const std::string& help) {
  return Option(*app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, int& value, const std::string& help) {
  return number_option<int>(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, unsigned& value, const std::string& help) {
  return number_option<unsigned>(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return number_option<std::uint64_t>(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& help) {
  return number_option<std::uint64_t>(*app_, names, value, help);
}

Option Command::add_option(const std::string& names, std::optional<std::int64_t>& value, const std::string& help) {
  return number_option<std::int64_t>(*app_, names, value, help);
}

Option Command::add_choice(const std::string& names, std::vector<Choice> choices, const std::string& help) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.word);
  const auto choose = [choices = std::move(choices)](const std::string& word) {
    std::ranges::find(choices, word, &Choice::word)->choose();
  };
  auto option = Option(*name_value(*app_->add_option_function<std::string>(names, choose, help)));
  option.one_of(words);
  return option;
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(*app_->add_flag(names, value, help));
}

Option Command::add_action(const std::string& names, std::function<void()> action, const std::string& help) {
  const auto run = [action = std::move(action)] {
    action();
    throw CLI::Success();
  };
  return Option(*app_->add_flag_callback(names, run, help));
}

void Command::add_version(const std::string& names, const std::string& version) {
  app_->set_version_flag(names, version);
}

Command Command::add_subcommand(const std::string& name, const std::string& help) {
  return Command(*app_->add_subcommand(name, help));
}

namespace {

/// The words of a check like "{on,off}", which is how IsMember describes itself.
std::vector<std::string> words_of(const std::string& type) {
  const auto open = type.find('{'), close = type.find('}', open);
  if (open == type.npos || close == type.npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

Description describe_app(const CLI::App& app) {
  Description all{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    Description::Argument argument;
    for (const auto& name : option->get_snames()) argument.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) argument.names.push_back("--" + name);
    argument.positional = argument.names.empty();
    if (argument.positional) argument.names.push_back(option->get_name(true));
    const auto type = option->get_type_name();
    if (option->get_expected_max() != 0) argument.value = value_name(*option);
    argument.words = words_of(type);
    if (argument.words.empty()) argument.words = known_values(argument.value);
    argument.help = option->get_description();
    if (argument.words.empty())
      if (const auto accepted = accepted_values(*option); !accepted.empty())
        argument.help += fmt::format(" ({})", accepted);
    argument.required = option->get_required();
    all.arguments.push_back(std::move(argument));
  }
  for (const auto* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
    all.commands.push_back(describe_app(*command));
  return all;
}

}  // namespace

Description Command::describe() const { return describe_app(*app_); }

void Command::callback(std::function<void()> action) { app_->callback(std::move(action)); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::require_subcommand() { app_->require_subcommand(1); }

void Command::allow_extras() { app_->allow_extras(); }

std::vector<std::string> Command::extras() const { return app_->remaining(); }

}  // namespace macaw::app
