#include "workflow/golden/record.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>

#include <macaw/npu/run.hpp>
#include <macaw/npy.hpp>
#include <macaw/tflite/interpreter.hpp>

#include "base/crc32.hpp"
#include "base/json_text.hpp"
#include "sim/config/system_config.hpp"
#include "sim/config/timing_model.hpp"
#include "workflow/compare/inputs.hpp"
#include "workflow/golden/kept.hpp"
#include "workflow/golden/sequence.hpp"
#include "workflow/inference/predict_run.hpp"
#include "workflow/report/lifetimes.hpp"
#include "workflow/run/processes.hpp"

namespace macaw::golden {
namespace {

template <class Byte>
std::string crc32_text(std::span<const Byte> bytes) {
  return fmt::format("{:08X}", io::crc32(std::as_bytes(bytes)));
}

Result<std::vector<npu::NamedTensor>> read_inputs(const Network& network, const npu::Artifact& artifact,
                                                  const std::filesystem::path& folder) {
  std::vector<npu::NamedTensor> inputs;
  if (network.inputs.empty()) {
    MACAW_ASSIGN(auto random, compare::random_inputs(artifact, network.seed));
    for (auto& tensor : random) inputs.push_back({"", std::move(tensor)});
  }
  for (const auto& file : network.inputs) {
    MACAW_ASSIGN(auto tensor, read_tensor(folder / file));
    inputs.push_back({"", std::move(tensor)});
  }
  return inputs;
}

/// The combinations that a network is run on, each with its accelerator.
Result<std::vector<run::Point>> points_of(const Network& network, const npu::Artifact& artifact) {
  run::Axes axes = network;
  for (const auto& name : axes.accelerators)
    if (npu::find_accelerator(name) == nullptr)
      return fail(ErrorCode::kUsage, fmt::format("network '{}': unknown accelerator '{}'", network.name, name));
  if (axes.accelerators.empty() && artifact.accelerator == nullptr)
    return fail(ErrorCode::kUsage, fmt::format("network '{}': the artifact does not say its accelerator; list them "
                                               "under 'accelerators'",
                                               network.name));
  if (axes.accelerators.empty()) axes.accelerators.emplace_back(artifact.accelerator->name);
  return run::points(axes);
}

nlohmann::json described(const std::string& name, const Tensor& output, bool keep) {
  nlohmann::json json{{"name", name},
                      {"shape", output.shape()},
                      {"dtype", to_string(output.dtype())},
                      {"crc32", crc32_text(output.bytes())}};
  if (keep) json["zlib"] = kept(output.bytes());
  return json;
}

/// Whether it is not compiled: a TensorFlow Lite network without a command stream.
bool is_uncompiled(const npu::Artifact& artifact) {
  return std::ranges::none_of(artifact.steps,
                              [](const auto& step) { return std::holds_alternative<npu::CommandStream>(step); });
}

/// The outputs alone, from TensorFlow Lite's kernels, which take no time of an NPU.
Result<nlohmann::json> run_uncompiled(const std::filesystem::path& file, const std::vector<npu::NamedTensor>& inputs,
                                      bool keep) {
  MACAW_ASSIGN(const auto network, tflite::load_network(file));
  std::vector<Tensor> tensors;
  for (const auto& input : inputs) tensors.push_back(input.tensor);
  tflite::State state;
  MACAW_ASSIGN(const auto result, tflite::run(network, tensors, state));
  nlohmann::json json{{"cycles", 0},
                      {"pmu", nlohmann::json::object()},
                      {"outputs", nlohmann::json::array()},
                      {"operations", nlohmann::json::array()}};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const auto id = static_cast<std::size_t>(network.main().outputs[i]);
    json["outputs"].push_back(described(network.main().tensors[id].name, result.outputs[i], keep));
  }
  return json;
}

/// In whole nanoseconds, which are the same on every machine.
nlohmann::json whole_inference(const npu::Inference& inference) {
  return {{"cpu", inference.cpu},
          {"nanoseconds", std::llround(1e6 * inference.ms)},
          {"lower_bound", inference.lower_bound}};
}

Result<nlohmann::json> run_once(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                const std::vector<npu::NamedTensor>& inputs, npu::TimedOptions options, bool keep) {
  struct Written {
    std::string crc32, zlib;
  };
  std::map<std::pair<std::size_t, std::uint32_t>, Written> written;
  options.functional.observer = [&](const npu::OperationEvent& event) {
    if (event.written.memory >= 0)
      written[{event.step, event.command_index}] = {crc32_text(event.bytes),
                                                    keep ? kept(std::as_bytes(std::span(event.bytes))) : std::string()};
  };
  options.movements = true;  // bytes and memory are counted from them
  const npu::RunSpec spec{
      .artifact = artifact, .accelerator = accelerator, .inputs = inputs, .options = std::move(options)};
  MACAW_ASSIGN(const auto result, npu::execute(spec));
  MACAW_ASSIGN(const auto inference, inference::predict_run(spec, result, {}));

  nlohmann::json json{
      {"accelerator", accelerator.name},          {"system", result.system},  {"memory_mode", result.memory_mode},
      {"timing_model", npu::kTimingModelVersion}, {"cycles", result.cycles},  {"bytes", nlohmann::json::object()},
      {"memory", nlohmann::json::object()},       {"pmu", result.pmu.counts}, {"outputs", nlohmann::json::array()},
      {"operations", nlohmann::json::array()}};
  if (!inference.cpu.empty()) json["inference"] = whole_inference(inference);
  const auto lifetimes = report::lifetimes_of(result);
  for (const int side : {0, 1}) {
    const std::string name(result.side_name(side));
    json["bytes"][name] = result.bytes(side, false) + result.bytes(side, true);
    json["memory"][name] = report::memory_use(result, lifetimes, side).reach;
  }
  for (std::size_t i = 0; i < result.values.outputs.size(); ++i)
    json["outputs"].push_back(described(artifact.outputs[i].name, result.values.outputs[i], keep));
  for (const auto& operation : result.operations) {
    nlohmann::json row{{"step", operation.step},
                       {"command", operation.command},
                       {"name", operation.name},
                       {"cycles", operation.end - operation.start}};
    if (!operation.source.empty()) row["source"] = operation.source;
    if (const auto found = written.find({operation.step, operation.command}); found != written.end()) {
      row["written_crc32"] = found->second.crc32;
      if (keep) row["written_zlib"] = found->second.zlib;
    }
    json["operations"].push_back(std::move(row));
  }
  return json;
}

/// The same in one text, for another process.
std::string packed(const Result<nlohmann::json>& runs, double seconds) {
  nlohmann::json json{{"seconds", seconds}};
  if (runs) json["runs"] = *runs;
  else json["error"] = {{"code", static_cast<int>(runs.error().code)}, {"text", runs.error().to_string()}};
  return io::json_text(json);
}

Outcome unpacked(const Network& network, const run::ProcessEnd& end) {
  if (!end.error.empty()) return {&network, fail(ErrorCode::kUnsupported, "the process that ran it " + end.error), 0};
  const auto json = nlohmann::json::parse(end.answer);
  const double seconds = json.at("seconds");
  if (json.contains("runs")) return {&network, json.at("runs"), seconds};
  const auto& error = json.at("error");
  return {&network, fail(static_cast<ErrorCode>(error.at("code").get<int>()), error.at("text").get<std::string>()),
          seconds};
}

}  // namespace

Result<nlohmann::json> record(const Network& network, const std::filesystem::path& folder, const run::Params& params) {
  auto runs = nlohmann::json::object();
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(folder / network.artifact));
  std::vector<npu::NamedTensor> inputs;
  if (network.steps == 0) {
    MACAW_ASSIGN(inputs, read_inputs(network, artifact, folder));
  } else if (is_uncompiled(artifact)) {
    return fail(ErrorCode::kUnsupported, "a sequence of a network without NPU operators");
  }
  if (network.accelerators.empty() && !artifact.accelerator && is_uncompiled(artifact)) {
    MACAW_ASSIGN(runs[network.name + " | tflite"],
                 run_uncompiled(folder / network.artifact, inputs, network.keep_tensors));
    return runs;
  }
  MACAW_ASSIGN(const auto points, points_of(network, artifact));
  for (const auto& point : points) {
    const auto& accelerator = *npu::find_accelerator(point.accelerator);
    npu::TimedOptions options{.system = point.system.empty() ? npu::default_system(accelerator) : point.system,
                              .memory_mode = point.memory_mode,
                              .params = params};
    const auto add = [&](const std::vector<npu::NamedTensor>& given, npu::TimedOptions timed,
                         const std::string& step) -> Result<void> {
      const auto system = timed.system;
      MACAW_ASSIGN(auto json, run_once(artifact, accelerator, given, std::move(timed), network.keep_tensors));
      const auto key = fmt::format("{} | {} | {} | {}{}", network.name, accelerator.name, system,
                                   json["memory_mode"].get<std::string>(), step);
      if (runs.contains(key)) return fail(ErrorCode::kInvalidFile, fmt::format("'{}' is listed twice", key));
      runs[key] = std::move(json);
      return {};
    };
    if (network.steps == 0) {
      MACAW_CHECK(add(inputs, std::move(options), ""));
      continue;
    }
    MACAW_CHECK(for_each_step(network, artifact, accelerator, folder, [&](const GoldenStep& step) {
      auto timed = options;
      timed.functional.variables = step.variables;
      return add(step.inputs, std::move(timed), fmt::format(" | step {:04}", step.index));
    }));
  }
  return runs;
}

Result<nlohmann::json> record(const Manifest& manifest, const std::filesystem::path& folder,
                              const run::Params& params) {
  auto runs = nlohmann::json::object();
  for (const auto& network : manifest.networks) {
    auto mine = record(network, folder, params);
    if (!mine) {
      mine.error().message = fmt::format("network '{}': {}", network.name, mine.error().message);
      return tl::unexpected<Error>(mine.error());
    }
    runs.update(*mine);
  }
  return runs;
}

int timing_model() { return npu::kTimingModelVersion; }

nlohmann::json recording(const std::string& reason, const std::string& macaw_version) {
  return {{"reason", reason}, {"macaw", macaw_version}, {"timing_model", npu::kTimingModelVersion}};
}

nlohmann::json reason_of(const nlohmann::json& entry) {
  return entry.is_object() ? entry.value("reason", nlohmann::json()) : entry;
}

void record_each(const std::vector<Network>& networks, const std::filesystem::path& folder, unsigned jobs,
                 const std::function<void(const Outcome&)>& done) {
  const auto work = [&](std::size_t i) {
    const auto start = std::chrono::steady_clock::now();
    const auto runs = record(networks[i], folder);
    return packed(runs, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  };
  // Without limits the pool has no errors of its own.
  (void)run::run_in_processes(networks.size(), {.jobs = jobs}, work,
                              [&](std::size_t i, const run::ProcessEnd& end) -> Result<void> {
                                done(unpacked(networks[i], end));
                                return {};
                              });
}

}  // namespace macaw::golden
