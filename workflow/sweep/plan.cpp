#include "workflow/sweep/plan.hpp"

#include <fmt/format.h>
#include <glob.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>

#include <macaw/npu/artifact.hpp>

#include "base/file.hpp"

namespace macaw::sweep {
namespace {

std::string hash(const std::string& text) {
  const auto value = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

Result<std::string> contents(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& pattern) {
  glob_t found{};
  std::vector<std::filesystem::path> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  if (files.empty()) return fail(ErrorCode::kIo, "no such file", {.file = pattern.string()});
  return files;
}

/// Every combination of the parameters' values.
std::vector<std::vector<std::pair<std::string, double>>> combinations(const Study& study) {
  std::vector<std::vector<std::pair<std::string, double>>> all{{}};
  for (const auto& [name, values] : study.params) {
    std::vector<std::vector<std::pair<std::string, double>>> longer;
    for (const auto& start : all)
      for (const auto value : values) {
        longer.push_back(start);
        longer.back().emplace_back(name, value);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::string> or_default(const std::vector<std::string>& axis) {
  return axis.empty() ? std::vector<std::string>{""} : axis;
}

/// Accelerators to run a network on. One that cannot be read becomes a run, which says why.
std::vector<std::string> accelerators_of(const Study& study, const Run& run, std::vector<std::string>& notes) {
  if (!run.compile.empty()) return study.accelerators;
  const auto artifact = npu::load_artifact(run.file);
  if (!artifact || artifact->accelerator == nullptr) return or_default(study.accelerators);
  const std::string own(artifact->accelerator->name);
  if (study.accelerators.empty() || std::ranges::count(study.accelerators, own) != 0) return {own};
  notes.push_back(fmt::format("{} is compiled for {}, which the study leaves out", run.network, own));
  return {};
}

/// What a system is: the text of a file, or a name.
std::string system_text(const std::string& system) {
  if (!system.ends_with(".toml")) return system;
  const auto text = contents(system);
  return text ? *text : system;
}

void add_runs(const Study& study, Run run, Plan& plan) {
  for (const auto& accelerator : accelerators_of(study, run, plan.notes))
    for (const auto& system : or_default(study.systems))
      for (const auto& memory_mode : or_default(study.memory_modes))
        for (const auto& params : combinations(study)) {
          run.accelerator = accelerator;
          run.system = system;
          run.memory_mode = memory_mode;
          run.params = params;
          auto all = fmt::format("1\n{}\n{}\n{}\n{}\n", run.compile, accelerator, system_text(system), memory_mode);
          for (const auto& [name, value] : params) all += fmt::format("{}={}\n", name, value);
          run.id = hash(all + run.content);
          plan.runs.push_back(run);
        }
}

/// The last parts of the path, as many as tell it from the others.
void name(std::vector<Run>& networks) {
  for (auto& run : networks) run.network = run.file.filename().string();
  for (bool clash = true; clash;) {
    std::map<std::string, int> uses;
    for (const auto& run : networks) ++uses[run.network];
    clash = false;
    for (auto& run : networks) {
      const auto path = run.file.string();
      if (uses[run.network] == 1 || run.network == path) continue;
      const auto slash = path.rfind('/', path.size() - run.network.size() - 2);
      run.network = slash == path.npos ? path : path.substr(slash + 1);
      clash = true;
    }
  }
}

}  // namespace

std::string artifact_key(const Run& run) {
  return hash(fmt::format("1\n{}\n{}\n{}", run.content, run.compile, run.accelerator));
}

std::string Run::describe() const {
  auto text = network;
  for (const auto& part : {accelerator, system, memory_mode})
    if (!part.empty()) text += ", " + part;
  for (const auto& [name, value] : params) text += fmt::format(", {} {}", name, value);
  return text;
}

Result<Plan> make_plan(const Study& study, const std::filesystem::path& folder) {
  for (const auto& name : study.accelerators)
    if (!npu::find_accelerator(name))
      return fail(ErrorCode::kUsage,
                  fmt::format("unknown accelerator '{}'; 'macaw list accelerators' names them", name));
  Plan plan;
  std::vector<Run> networks;
  std::set<std::string> seen;
  for (const auto& network : study.networks) {
    MACAW_ASSIGN(const auto files, files_of(folder / network.file));
    for (const auto& file : files) {
      MACAW_ASSIGN(const auto text, contents(file));
      Run run{.content = hash(text), .file = file, .compile = network.compile};
      if (seen.insert(artifact_key(run)).second) networks.push_back(std::move(run));
      else plan.notes.push_back(fmt::format("{} has the contents of another network of the study", file.string()));
    }
  }
  name(networks);
  for (const auto& run : networks) add_runs(study, run, plan);
  return plan;
}

}  // namespace macaw::sweep
