#include <fmt/format.h>
#include <hwy/targets.h>

#include <macaw/npu/run.hpp>
#include <macaw/temporary_file.hpp>
#include <macaw/threads.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/version.hpp"
#include "base/json_text.hpp"
#include "base/readable_number.hpp"
#include "compiler/compile.hpp"
#include "models/models.hpp"
#include "workflow/golden/record.hpp"
#include "workflow/reduce/check.hpp"

namespace macaw::app {
namespace {

using std::chrono::seconds;

constexpr seconds kProgramTimeout{20};

/// Result of a check. A missing program is required by some subcommands only.
enum class CheckState : std::uint8_t { kOk, kMissing, kFailed };

std::string_view word_of(CheckState state) {
  switch (state) {
    case CheckState::kOk: return "ok";
    case CheckState::kMissing: return "missing";
    case CheckState::kFailed: return "FAILED";
  }
  return "";
}

struct Check {
  std::string name;
  CheckState state = CheckState::kOk;
  std::string text;  ///< what was found
  std::string help;  ///< what to do; empty if nothing has to be done
};

Check processor() {
  std::string targets;
  for (auto rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
    targets += fmt::format("{}{}", targets.empty() ? "" : ", ", hwy::TargetName(rest & -rest));
  return {"processor",
          CheckState::kOk,
          fmt::format("{} thread{}; vector code: {}, of which the first is used", machine_threads(),
                      machine_threads() == 1 ? "" : "s", targets),
          {}};
}

/// Whether simulator and interpreter compute the same outputs on an accelerator.
Result<bool> outputs_agree(const tosa::Graph& graph, const std::vector<Tensor>& inputs,
                           const npu::Accelerator& accelerator) {
  MACAW_ASSIGN(const auto expected, tosa::run(graph, inputs));
  MACAW_ASSIGN(const auto compiled, npu::compile(graph, accelerator));
  const auto artifact = npu::to_artifact(compiled);
  std::vector<npu::NamedTensor> named;
  for (const auto& input : inputs) named.push_back({"", input});
  MACAW_ASSIGN(const auto run, npu::execute({.artifact = artifact, .accelerator = accelerator, .inputs = named}));
  return std::ranges::equal(expected.outputs, run.values.outputs,
                            [](const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); });
}

Check self_test() {
  constexpr std::string_view kName = "tiny_cnn";
  Check check{"self-test", CheckState::kOk, {}, "this build computes wrong values: please report it with this text"};
  std::string names;
  for (const auto* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    const auto graph = models::tiny_cnn();
    const auto inputs = models::sample_inputs(graph, 1);
    const auto agree = inputs ? outputs_agree(graph, *inputs, *npu::find_accelerator(name))
                              : Result<bool>(tl::unexpected<Error>(inputs.error()));
    if (!agree || !*agree) {
      check.state = CheckState::kFailed;
      check.text = fmt::format("{} on {}: {}", kName, name,
                               agree ? "outputs of simulator and interpreter differ" : agree.error().to_string());
      return check;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  check.text = fmt::format("{} on {}: outputs of simulator and interpreter are equal", kName, names);
  check.help.clear();
  return check;
}

Check temporary_folder() {
  Check check{"temporary folder", CheckState::kOk, {}, {}};
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (!error) {
    const auto file = io::TemporaryFile::create(folder / "macaw-doctor");
    if (file) {
      const auto space = std::filesystem::space(folder, error);
      check.text = fmt::format("{}: writable, {}", folder.string(),
                               error ? "free space unknown" : io::size_text(space.available) + " free");
      return check;
    }
    check.text = file.error().to_string();
  } else {
    check.text = error.message();
  }
  check.state = CheckState::kFailed;
  check.help = "set TMPDIR to a writable folder: 'reduce', 'fvp' and 'sweep' need one";
  return check;
}

/// The first line that a shell command prints; absent if it fails.
std::optional<std::string> answer_of(const std::string& command) {
  const auto outcome = reduce::run_command(command, kProgramTimeout);
  if (!outcome || outcome->timed_out || outcome->exit_code != 0) return std::nullopt;
  return outcome->output.substr(0, outcome->output.find('\n'));
}

/// A program that some subcommands call.
Check program(const std::string& name, const std::string& command, const std::string& help) {
  const auto answer = answer_of(command);
  if (answer) return {name, CheckState::kOk, *answer, {}};
  return {name, CheckState::kMissing, "not found", help};
}

std::vector<Check> all_checks() {
  return {processor(), self_test(), temporary_folder(),
          // The current folder is not searched: a file macaw.py may be there.
          program("Python module",
                  "python3 -c 'import sys; sys.path.pop(0); import macaw; "
                  "print(\"macaw\", macaw.__version__, \"for Python\", sys.version.split()[0])'",
                  "python3 cannot import macaw: install the wheel of 'dev wheel' or the package python3-macaw, or run "
                  "'dev python --user'"),
          program("QEMU", "qemu-system-arm --version", "'macaw fvp' needs it: apt-get install qemu-system-arm")};
}

void show(const std::vector<Check>& checks) {
  print_stdout("{}, timing model {}\n", kVersion, golden::timing_model());
  for (const auto& check : checks) {
    print_stdout("{:<8} {}: {}\n", word_of(check.state), check.name, check.text);
    if (!check.help.empty()) print_stdout("         {}\n", check.help);
  }
}

nlohmann::json to_json(const std::vector<Check>& checks) {
  nlohmann::json json{
      {"macaw", kVersion}, {"timing_model", golden::timing_model()}, {"checks", nlohmann::json::array()}};
  for (const auto& check : checks)
    json["checks"].push_back(
        {{"name", check.name}, {"state", word_of(check.state)}, {"text", check.text}, {"help", check.help}});
  return json;
}

}  // namespace

void add_doctor(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "doctor", "Check this installation: versions, processor, a self-test, temporary folder, optional programs");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "print the result as JSON");
  command.footer(
      "The exit code is 1 if a check failed. A missing program is not a failure: only the subcommand that is named "
      "needs it.\n"
      "Example: macaw doctor");
  command.callback([json, &exit_code] {
    const auto checks = all_checks();
    if (*json) print_stdout("{}\n", io::json_text(to_json(checks), 1));
    else show(checks);
    exit_code =
        std::ranges::any_of(checks, [](const Check& c) { return c.state == CheckState::kFailed; }) ? kMismatch : kOk;
  });
}

}  // namespace macaw::app
