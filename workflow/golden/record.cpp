#include "workflow/golden/record.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <map>

#include <macaw/npu/report.hpp>
#include <macaw/npy.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "sim/timing/system_config.hpp"
#include "workflow/compare/inputs.hpp"

namespace macaw::golden {
namespace {

using Params = std::vector<std::pair<std::string, double>>;

template <class Byte>
std::string crc32_of(std::span<const Byte> bytes) {
  return fmt::format("{:08X}", crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
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

Result<std::vector<const npu::Accelerator*>> accelerators_of(const Network& network, const npu::Artifact& artifact) {
  std::vector<const npu::Accelerator*> all;
  for (const auto& name : network.accelerators) {
    all.push_back(npu::find_accelerator(name));
    if (all.back() == nullptr)
      return fail(ErrorCode::kUsage, fmt::format("network '{}': unknown accelerator '{}'", network.name, name));
  }
  if (all.empty()) all.push_back(artifact.accelerator);
  if (all.front() == nullptr)
    return fail(ErrorCode::kUsage, fmt::format("network '{}': the artifact does not say its accelerator; list them "
                                               "under 'accelerators'",
                                               network.name));
  return all;
}

Result<nlohmann::json> run(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                           const std::vector<npu::NamedTensor>& inputs, npu::TimedOptions options) {
  std::map<std::pair<std::size_t, std::uint32_t>, std::string> written;
  options.functional.host = &tflite::host_operators();
  options.functional.observer = [&](const npu::OperationEvent& event) {
    if (event.written.memory >= 0) written[{event.step, event.command_index}] = crc32_of(event.bytes);
  };
  MACAW_ASSIGN(const auto result, npu::run_timed(artifact, accelerator, inputs, options));

  nlohmann::json json{{"accelerator", accelerator.name},
                      {"system", result.system},
                      {"memory_mode", result.memory_mode},
                      {"cycles", result.cycles},
                      {"pmu", result.pmu.counts},
                      {"outputs", nlohmann::json::array()},
                      {"operations", nlohmann::json::array()}};
  for (std::size_t i = 0; i < result.values.outputs.size(); ++i) {
    const auto& tensor = result.values.outputs[i];
    json["outputs"].push_back({{"name", artifact.outputs[i].name},
                               {"shape", tensor.shape()},
                               {"dtype", to_string(tensor.dtype())},
                               {"crc32", crc32_of(tensor.bytes())}});
  }
  for (const auto& operation : result.operations) {
    nlohmann::json row{{"step", operation.step},
                       {"command", operation.command_index},
                       {"name", operation.name},
                       {"cycles", operation.end - operation.start}};
    if (const auto found = written.find({operation.step, operation.command_index}); found != written.end())
      row["written_crc32"] = found->second;
    json["operations"].push_back(std::move(row));
  }
  return json;
}

Result<void> record_network(nlohmann::json& runs, const Network& network, const std::filesystem::path& folder,
                            const Params& params, const std::function<void()>& ran) {
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(folder / network.artifact));
  MACAW_ASSIGN(const auto inputs, read_inputs(network, artifact, folder));
  MACAW_ASSIGN(const auto accelerators, accelerators_of(network, artifact));
  const auto modes = network.memory_modes.empty() ? std::vector<std::string>{""} : network.memory_modes;
  for (const auto* accelerator : accelerators) {
    auto systems = network.systems;
    if (systems.empty()) systems.push_back(npu::default_system(*accelerator));
    for (const auto& system : systems)
      for (const auto& mode : modes) {
        npu::TimedOptions options;
        options.system = system;
        options.memory_mode = mode;
        options.params = params;
        MACAW_ASSIGN(auto json, run(artifact, *accelerator, inputs, std::move(options)));
        const auto key = fmt::format("{} | {} | {} | {}", network.name, accelerator->name, system,
                                     json["memory_mode"].get<std::string>());
        if (runs.contains(key)) return fail(ErrorCode::kInvalidFile, fmt::format("'{}' is listed twice", key));
        runs[key] = std::move(json);
        if (ran) ran();
      }
  }
  return {};
}

}  // namespace

Result<nlohmann::json> record(const Manifest& manifest, const std::filesystem::path& folder, const Params& params,
                              const std::function<void()>& ran) {
  auto runs = nlohmann::json::object();
  for (const auto& network : manifest.networks)
    if (auto done = record_network(runs, network, folder, params, ran); !done) {
      done.error().message = fmt::format("network '{}': {}", network.name, done.error().message);
      return tl::unexpected<Error>(done.error());
    }
  return runs;
}

}  // namespace macaw::golden
