#include "app/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <map>

#include "base/number_text.hpp"

namespace macaw::app {
namespace {

/// CLI11 would take -1 as the greatest number there is, what is greater still as well, and a leading 0 as octal.
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

/// Not for lists: Arm's test runner gives empty ones as an empty text.
template <class Value>
Option text_option(CLI::App& app, const std::string& names, Value& value, const std::string& help) {
  const auto given = [](const std::string& text) { return text.empty() ? "the text is empty" : std::string(); };
  auto* option = app.add_option(names, value, help);
  option->check(CLI::Validator(given, ""));
  return Option(*option);
}

std::string is_positive(const std::string& number) {
  return number == "0" || number.starts_with('-') ? "must be above 0" : "";
}

/// A number of bytes and perhaps a unit, both of which CLI11 reads: blanks as well, even behind the unit.
std::string bytes_fit(std::string& text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  if (io::number_of<std::uint64_t>(digits) && !text.ends_with(' ')) return {};
  return fmt::format("'{}' is not a size between 0 and {} bytes", text, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void take_bytes(CLI::Option& option) {
  static const CLI::AsSizeValue size(false);  // its table of units is slow to make
  option.transform(size)->type_name("SIZE");
  option.transform(CLI::Validator(bytes_fit, ""));
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& texts) {
  option_->check(CLI::IsMember(texts));
  return *this;
}

Option& Option::in_range(int least, int most) {
  // Before the check of the type, whose range is wider.
  option_->transform(to_decimal(least, most, fmt::format("in [{} - {}]", least, most)));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::Validator(is_positive, "POSITIVE"));
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
  return Option(*app_->add_option(names, value, help));
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

Option Command::add_choice(const std::string& names, std::vector<Choice> choices, const std::string& help,
                           const std::string& expected) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < choices.size(); ++i) places[choices[i].word] = i;
  const auto choose = [choices = std::move(choices)](std::size_t place) { choices[place].choose(); };
  return Option(*app_->add_option_function<std::size_t>(names, choose, help)
                     ->transform(CLI::CheckedTransformer(places).description(expected))
                     ->type_name("TEXT"));
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
    if (option->get_expected_max() != 0) argument.value = type.substr(0, type.find(':'));
    argument.words = words_of(type);
    argument.help = option->get_description();
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
