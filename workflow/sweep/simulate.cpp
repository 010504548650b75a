#include "workflow/sweep/simulate.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/run.hpp>
#include <macaw/temporary_file.hpp>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/shell_line.hpp"
#include "workflow/inference/predict_run.hpp"
#include "workflow/report/layers.hpp"
#include "workflow/sweep/content.hpp"
#include "workflow/sweep/file_lock.hpp"

namespace macaw::sweep {
namespace {

using nlohmann::json;

/// The command with its words put in.
std::string filled(std::string command, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [name, word] : words)
    for (auto at = command.find(name); at != std::string::npos; at = command.find(name, at + word.size()))
      command.replace(at, name.size(), word);
  return command;
}

Result<void> compile_to(const Run& run, const Compile& compile, const std::filesystem::path& output) {
  if (run.compile == "macaw")
    return compile(run.file, *npu::find_accelerator(run.accelerator), run.fast_memory, output);
  MACAW_ASSIGN(auto temporary, io::TemporaryFile::create(output));
  const auto command = filled(run.compile, {{"{graph}", io::in_single_quotes(run.file.string())},
                                            {"{accelerator}", run.accelerator},
                                            {"{output}", io::in_single_quotes(temporary.path().string())}});
  if (const int status = std::system(command.c_str()); status != 0)
    return fail(ErrorCode::kIo, fmt::format("the command that compiles it ended with status {}: {}", status, command));
  return temporary.publish();
}

Result<std::filesystem::path> compiled(const Run& run, const std::filesystem::path& artifacts, const Compile& compile) {
  if (run.compile.empty()) return run.file;
  MACAW_CHECK(io::make_directory(artifacts));
  const auto output = artifacts / (artifact_key(run) + ".npz");
  if (std::filesystem::exists(output)) return output;
  const FileLock lock(artifacts / (artifact_key(run) + ".lock"), FileLock::Kind::kAlone);
  if (!std::filesystem::exists(output)) MACAW_CHECK(compile_to(run, compile, output));
  return output;
}

json names(const Run& run) {
  auto params = json::object();
  for (const auto& [name, value] : run.params) params[name] = value;
  json names{{"id", run.id},         {"network", run.network},         {"accelerator", run.accelerator},
             {"system", run.system}, {"memory_mode", run.memory_mode}, {"params", params}};
  if (!run.inputs.name.empty()) names["inputs"] = run.inputs.name;
  return names;
}

json layers_json(const report::Summary& summary) {
  auto layers = json::array();
  for (const auto& layer : summary.layers)
    layers.push_back({{"name", layer.name},
                      {"kind", layer.kind},
                      {"inclusive", layer.inclusive},
                      {"exclusive", layer.exclusive},
                      {"macs", layer.macs},
                      {"bound", layer.bound.to_string()},
                      {"memory0_bytes", layer.moved(0)},
                      {"memory1_bytes", layer.moved(1)}});
  return layers;
}

std::string hash_of(const std::vector<Tensor>& tensors) {
  std::string all;
  for (const auto& tensor : tensors) {
    all += fmt::format("{} {} ", to_string(tensor.dtype()), to_string(tensor.shape()));
    all.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  }
  return hash(all);
}

Result<json> measure(const Run& run, const std::filesystem::path& artifacts, const Tools& tools) {
  MACAW_ASSIGN(const auto file, compiled(run, artifacts, tools.compile));
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(file));
  MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, run.accelerator));
  const bool has_inputs = !run.inputs.name.empty();
  std::vector<npu::NamedTensor> inputs;
  if (has_inputs) {
    MACAW_ASSIGN(inputs, tools.read_inputs(run.inputs.path, artifact));
  }
  const npu::RunSpec spec{.artifact = artifact,
                          .accelerator = *accelerator,
                          .inputs = inputs,
                          .mode = has_inputs ? npu::RunMode::kTimed : npu::RunMode::kTiming,
                          .options = {.system = run.system_file.empty() ? run.system : run.system_file,
                                      .memory_mode = run.memory_mode,
                                      .params = run.params,
                                      .movements = true}};
  MACAW_ASSIGN(const auto record, npu::execute(spec));
  MACAW_ASSIGN(const auto whole, inference::predict_run(spec, record, {}));
  const auto outputs = has_inputs ? json(hash_of(record.values.outputs)) : json();
  const auto summary = report::summarise(record);
  auto result = names(run);
  result.update({{"accelerator", accelerator->name},
                 {"system", record.system},
                 {"memory_mode", record.memory_mode},
                 {"cycles", record.cycles},
                 {"milliseconds", 1e3 * record.seconds()},
                 {"macs_per_cycle", accelerator->macs},
                 {"macs", record.macs()},
                 {"pmu", record.pmu.counts},
                 {"outputs", outputs},
                 {"layers", layers_json(summary)},
                 {"inference_ms", whole.ms},
                 {"inference_low_ms", whole.low_ms},
                 {"inference_high_ms", whole.high_ms}});
  for (int side = 0; side < 2; ++side) {
    const auto name = fmt::format("memory{}_", side);
    result[name + "reach"] = summary.memory[static_cast<std::size_t>(side)].reach;
    result[name + "peak"] = summary.memory[static_cast<std::size_t>(side)].peak;
    result[name + "bytes"] = record.bytes(side, false) + record.bytes(side, true);
  }
  return result;
}

}  // namespace

json failed(const Run& run, const std::string& error, bool again) {
  auto result = names(run);
  result["error"] = error;
  if (again) result[kAgain] = true;
  return result;
}

json simulate(const Run& run, const std::filesystem::path& artifacts, const Tools& tools) try {
  auto result = measure(run, artifacts, tools);
  if (result) return std::move(*result);
  return failed(run, result.error().to_string(), result.error().code == ErrorCode::kIo);
} catch (const std::bad_alloc&) {
  return failed(run, "not enough memory while it ran", true);
}

}  // namespace macaw::sweep
