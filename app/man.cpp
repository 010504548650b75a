#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>
#include <memory>
#include <utility>

#include "app/command.hpp"
#include "app/version.hpp"

namespace macaw::app {
namespace {

/// Escapes text for troff: control characters at the beginning of a line, '-' and '\'.
std::string troff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    at_start = c == '\n';
  }
  return out;
}

std::string synopsis(const Description& command, const std::string& call) {
  auto text = fmt::format(".B {}\n", troff(call));
  bool options = false;
  for (const auto& argument : command.arguments) options |= !argument.positional;
  if (options) text += "[\\fIOPTIONS\\fR]\n";
  for (const auto& argument : command.arguments)
    if (argument.positional)
      text += argument.required ? fmt::format("\\fI{}\\fR\n", troff(argument.names.front()))
                                : fmt::format("[\\fI{}\\fR]\n", troff(argument.names.front()));
  if (!command.commands.empty()) text += "\\fISUBCOMMAND\\fR\n";
  return text + ".br\n";
}

std::string arguments(const Description& command) {
  std::string text;
  for (const auto& argument : command.arguments) {
    std::string names;
    for (const auto& name : argument.names)
      names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", troff(name));
    if (!argument.value.empty() && !argument.positional) names += fmt::format(" \\fI{}\\fR", troff(argument.value));
    auto help = argument.help;
    if (!argument.words.empty()) help += fmt::format(" ({})", fmt::join(argument.words, ", "));
    text += fmt::format(".TP\n{}\n{}\n", names, troff(help));
  }
  return text;
}

void sections(std::string& text, const Description& command, const std::string& call) {
  text += fmt::format(".SH \"{}\"\n{}.PP\n{}\n{}", troff(call), synopsis(command, call), troff(command.help),
                      arguments(command));
  if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(command.footer));
  for (const auto& sub : command.commands) sections(text, sub, call + " " + sub.name);
}

/// A named paragraph for each pair.
std::string entries(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  std::string text;
  for (const auto& [name, meaning] : pairs) text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(name), troff(meaning));
  return text;
}

std::string page(const Description& program) {
  auto text = fmt::format(".TH MACAW 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\nmacaw \\- {}\n.SH SYNOPSIS\n{}",
                          troff(kVersion), troff(program.help), synopsis(program, "macaw"));
  text += ".SH DESCRIPTION\n" +
          troff(
              "macaw runs neural networks that were compiled for an Arm Ethos-U NPU, without the NPU: "
              "it computes their outputs bit by bit, predicts cycles, and compares them with the source network.\n");
  for (const auto& sub : program.commands)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(sub.name), troff(sub.help));
  text += ".SH OPTIONS\n" + arguments(program);
  for (const auto& sub : program.commands) sections(text, sub, "macaw " + sub.name);
  text += ".SH EXIT STATUS\n" + entries({{"0", "success; nothing differs"},
                                         {"1", "something differs, a check failed, or a limit is exceeded"},
                                         {"2", "wrong usage"},
                                         {"3", "a file or an input is missing, malformed or not supported"},
                                         {"4", "the result is unpredictable"},
                                         {"5", "the NPU would stop on this stream"},
                                         {"70", "a bug in Macaw"}});
  text +=
      ".SH FILES\n" + entries({{"report.json", "record of a run, in the folder of --output-dir"},
                               {"golden.toml, golden.json", "networks of 'macaw golden' and their recorded results"},
                               {"NET_debug.xml", "Vela's debug database, read if it is in the network's folder"}});
  text += ".SH ENVIRONMENT\n" + entries({{"COLUMNS", "width of tables and help; overrides that of the terminal"},
                                         {"NO_COLOR", "if not empty, output has no colours"}});
  return text + ".SH EXAMPLES\n.nf\n" +
         troff(
             "macaw sim net_vela.tflite --input x.npy --output-dir out\nmacaw report out --html net.html\n"
             "macaw compare net.tflite net_vela.tflite\n") +
         ".fi\n";
}

}  // namespace

void add_man(Command app, int& exit_code) {
  auto command = app.add_subcommand("man", "Print the manual page");
  command.footer("Example: macaw man | man -l -");
  command.callback([app, &exit_code] {
    print_stdout("{}", page(app.describe()));
    exit_code = kOk;
  });
}

}  // namespace macaw::app
