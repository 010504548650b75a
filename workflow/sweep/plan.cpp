#include "workflow/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <macaw/npu/artifact.hpp>
#include <macaw/npu/timed_simulator.hpp>

#include "workflow/sweep/content.hpp"

namespace macaw::sweep {
namespace {

/// More runs than any study has; a plan of so many takes about a second.
constexpr std::size_t kMostRuns = 100'000;

/// Checks how many runs the axes give, before they are expanded. `subjects`: networks with their sets of inputs.
Result<void> check_count(const Study& study, std::size_t subjects) {
  std::size_t runs = 1;
  std::string axes = fmt::format("{} networks and inputs", subjects);
  bool fits = true;
  const auto multiply = [&](std::size_t size, std::string_view name) {
    if (size == 0) return;
    fits = fits && size <= kMostRuns / runs;
    if (fits) runs *= size;
    if (!name.empty()) axes += fmt::format(" x {} {}", size, name);
  };
  multiply(subjects, "");
  multiply(study.accelerators.size(), "accelerators");
  multiply(study.systems.size(), "systems");
  multiply(study.memory_modes.size(), "memory modes");
  for (const auto& [name, values] : study.params) multiply(values.size(), name);
  if (fits) return {};
  return fail(ErrorCode::kUnsupported, fmt::format("the study has more than {} runs: {}", kMostRuns, axes));
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

/// An entry of the axis of systems; one without a name stands for the default.
struct System {
  std::string name = {};
  std::string file = {};     ///< empty: the name of one of Macaw's own
  std::string content = {};  ///< of the file, or the name
};

Result<std::map<std::string, System>> systems_of(const Study& study, const std::filesystem::path& folder) {
  std::map<std::string, System> systems;
  for (const auto& name : or_default(study.systems)) {
    System system{.name = name, .content = name};
    if (name.ends_with(".toml")) {
      system.file = (folder / name).string();
      MACAW_ASSIGN(system.content, contents(system.file));
    }
    systems[name] = std::move(system);
  }
  return systems;
}

/// A network of the study with the sets of inputs that it runs on; one that is empty stands for none.
struct Subject {
  Run run;
  std::vector<InputSet> inputs;
};

Result<std::vector<InputSet>> input_sets(const Network& network, const std::filesystem::path& folder) {
  std::vector<InputSet> sets;
  for (const auto& pattern : network.inputs) {
    MACAW_ASSIGN(const auto files, files_of(folder / pattern));
    for (const auto& file : files) {
      MACAW_ASSIGN(auto content, content_hash(file));
      sets.push_back({file.lexically_relative(folder).string(), file, std::move(content)});
    }
  }
  if (sets.empty()) sets.emplace_back();
  return sets;
}

/// Bytes of fast memory for the bundled compiler; 0 as well where the system or memory mode is wrong, which the run
/// reports.
std::uint64_t fast_memory(const Run& run) {
  if (run.compile != "macaw") return 0;
  const auto* accelerator = npu::find_accelerator(run.accelerator);
  if (accelerator == nullptr) return 0;
  const auto bytes = npu::fast_memory(
      *accelerator, {.system = run.system_file.empty() ? run.system : run.system_file, .memory_mode = run.memory_mode});
  return bytes ? bytes->value_or(0) : 0;
}

std::string run_id(const Run& run, const System& system) {
  auto all = fmt::format("1\n{}\n{}\n{}\n{}\n", run.compile, run.accelerator, system.content, run.memory_mode);
  for (const auto& [name, value] : run.params) all += fmt::format("{}={}\n", name, value);
  all += run.content;
  if (!run.inputs.content.empty()) all += "\n" + run.inputs.content;
  return hash(all);
}

void add_runs(const Study& study, const std::map<std::string, System>& systems, Subject subject,
              std::set<std::string>& seen, Plan& plan) {
  auto& run = subject.run;
  run::Axes axes = study;
  axes.accelerators = accelerators_of(study, run, plan.notes);
  if (axes.accelerators.empty()) return;
  for (auto& point : run::points(axes))
    for (const auto& inputs : subject.inputs) {
      const auto& system = systems.at(point.system);
      run.accelerator = point.accelerator;
      run.system = system.name;
      run.system_file = system.file;
      run.memory_mode = point.memory_mode;
      run.fast_memory = fast_memory(run);
      run.params = point.params;
      run.inputs = inputs;
      run.id = run_id(run, system);
      if (seen.insert(run.id).second) plan.runs.push_back(run);
      else plan.notes.push_back(fmt::format("{} is in the study twice", run.describe()));
    }
}

/// The shortest ends of the paths that are all different.
void name(std::vector<Subject>& networks) {
  for (auto& [run, inputs] : networks) run.network = run.file.filename().string();
  for (bool clash = true; clash;) {
    std::map<std::string, int> uses;
    for (const auto& [run, inputs] : networks) ++uses[run.network];
    clash = false;
    for (auto& [run, inputs] : networks) {
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
  return hash(fmt::format("1\n{}\n{}\n{}\n{}", run.content, run.compile, run.accelerator, run.fast_memory));
}

std::string Run::describe() const {
  auto text = network;
  for (const auto& part : {accelerator, system, memory_mode})
    if (!part.empty()) text += ", " + part;
  for (const auto& [name, value] : params) text += fmt::format(", {} {}", name, value);
  if (!inputs.name.empty()) text += ", " + inputs.name;
  return text;
}

Result<Plan> make_plan(const Study& study, const std::filesystem::path& folder) {
  for (const auto& name : study.accelerators)
    if (!npu::find_accelerator(name))
      return fail(ErrorCode::kUsage,
                  fmt::format("unknown accelerator '{}'; 'macaw list accelerators' names them", name));
  MACAW_CHECK(check_count(study, 1));
  MACAW_ASSIGN(const auto systems, systems_of(study, folder));
  Plan plan;
  std::vector<Subject> networks;
  std::set<std::string> seen;
  for (const auto& network : study.networks) {
    MACAW_ASSIGN(const auto files, files_of(folder / network.file));
    MACAW_ASSIGN(const auto inputs, input_sets(network, folder));
    for (const auto& file : files) {
      MACAW_ASSIGN(auto content, content_hash(file));
      Run run{.content = std::move(content), .file = file, .compile = network.compile};
      if (seen.insert(artifact_key(run)).second) networks.push_back({std::move(run), inputs});
      else plan.notes.push_back(fmt::format("{} has the contents of another network of the study", file.string()));
    }
  }
  name(networks);
  std::size_t subjects = 0;
  for (const auto& network : networks) subjects += network.inputs.size();
  MACAW_CHECK(check_count(study, subjects));
  for (auto& network : networks) add_runs(study, systems, std::move(network), seen, plan);
  return plan;
}

}  // namespace macaw::sweep
