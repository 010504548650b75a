#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "app/command.hpp"
#include "base/shell_line.hpp"

namespace macaw::app {
namespace {

/// Calls a function with every command and its full name, such as "macaw golden check".
template <class F>
void each(const Description& command, const std::string& call, const F& visit) {
  visit(command, call);
  for (const auto& sub : command.commands) each(sub, call + " " + sub.name, visit);
}

std::vector<std::string> words_after(const Description& command) {
  std::vector<std::string> words;
  for (const auto& sub : command.commands) words.push_back(sub.name);
  for (const auto& argument : command.arguments)
    if (!argument.positional) words.insert(words.end(), argument.names.begin(), argument.names.end());
  return words;
}

/// In single quotes, for all three shells.
std::string in_single_quotes(const std::string& text) {
  std::string line = text;
  std::ranges::replace(line, '\n', ' ');
  return io::in_single_quotes(line);
}

std::string bash(const Description& program) {
  std::string words, values;
  each(program, "macaw", [&](const Description& command, const std::string& call) {
    words += fmt::format("    {}) words={} ;;\n", in_single_quotes(call),
                         in_single_quotes(fmt::format("{}", fmt::join(words_after(command), " "))));
    for (const auto& argument : command.arguments)
      if (!argument.words.empty() && !argument.positional)
        for (const auto& name : argument.names)
          values += fmt::format("    {}) words={} ;;\n", in_single_quotes(call + " " + name),
                                in_single_quotes(fmt::format("{}", fmt::join(argument.words, " "))));
  });
  return "_macaw() {\n"
         "  local call=macaw word words= last=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case \"$call $word\" in\n" +
         [&] {
           std::string calls;
           each(program, "macaw", [&](const Description&, const std::string& call) {
             if (call != "macaw") calls += (calls.empty() ? "      " : "|") + in_single_quotes(call);
           });
           return calls;
         }() +
         ") call=\"$call $word\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$call $previous\" in\n" +
         values + "    *) case \"$call\" in\n" + words +
         "    esac ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$last\"))\n"
         "  [[ ${#COMPREPLY[@]} != 0 ]] || compopt -o default\n"
         "}\n"
         "complete -F _macaw macaw\n";
}

/// The script for bash, which zsh can run.
std::string zsh(const Description& program) {
  return "#compdef macaw\nautoload -U +X bashcompinit && bashcompinit\n" + bash(program);
}

std::string fish(const Description& program) {
  std::string text = "complete -c macaw -n __fish_use_subcommand -f\n";
  each(program, "", [&](const Description& command, const std::string& call) {
    std::string here = "__fish_use_subcommand";
    if (!call.empty()) {
      here = "__fish_seen_subcommand_from";
      const auto last = call.rfind(' ');
      here += call.substr(last);
      if (const auto above = call.substr(0, last); !above.empty())
        here += "; and __fish_seen_subcommand_from" + above.substr(above.rfind(' '));
    }
    for (const auto& sub : command.commands)
      text += fmt::format("complete -c macaw -n {} -a {} -d {}\n", in_single_quotes(here), sub.name,
                          in_single_quotes(sub.help));
    for (const auto& argument : command.arguments) {
      if (argument.positional) continue;
      text += fmt::format("complete -c macaw -n {}", in_single_quotes(here));
      for (const auto& name : argument.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!argument.value.empty()) text += " -r";
      if (!argument.words.empty())
        text += fmt::format(" -f -a {}", in_single_quotes(fmt::format("{}", fmt::join(argument.words, " "))));
      text += fmt::format(" -d {}\n", in_single_quotes(argument.help));
    }
  });
  return text;
}

struct Shell {
  const char* name;
  const char* where;
  std::string (*script)(const Description& program);
};
constexpr Shell kShells[] = {{"bash", "source <(macaw completion bash)", bash},
                             {"zsh", "source <(macaw completion zsh)", zsh},
                             {"fish", "macaw completion fish | source", fish}};

}  // namespace

void add_completion(Command app, int& exit_code) {
  auto command = app.add_subcommand("completion", "Print the shell completion script");
  command.require_subcommand();
  command.footer("Example: source <(macaw completion bash)");
  for (const auto& shell : kShells) {
    auto one = command.add_subcommand(shell.name, fmt::format("for {}: {}", shell.name, shell.where));
    one.callback([app, script = shell.script, &exit_code] {
      print_stdout("{}", script(app.describe()));
      exit_code = kOk;
    });
  }
}

}  // namespace macaw::app
