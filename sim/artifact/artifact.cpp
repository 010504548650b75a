#include <macaw/npu/artifact.hpp>

#include <fmt/format.h>

#include <cstring>

#include "base/file.hpp"
#include <macaw/npu/debug_database.hpp>
#include "sim/artifact/loader.hpp"

namespace macaw::npu {
namespace {

bool has(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
  return bytes.size() >= offset + text.size() && std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

Result<void> check_binding(const Artifact& artifact, const TensorBinding& tensor) {
  if (tensor.memory < 0) return {};
  const auto op = fmt::format("tensor \"{}\"", tensor.name);
  if (std::size_t(tensor.memory) >= artifact.memories.size())
    return fail(ErrorCode::kInvalidFile, "the tensor is in no memory", {.file = artifact.file, .op = op});
  const auto& memory = artifact.memories[std::size_t(tensor.memory)];
  MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact.file));
  if (bytes > memory.size || tensor.offset > memory.size - bytes)
    return fail(ErrorCode::kInvalidFile,
                fmt::format("bytes {} to {} are outside {} ({} bytes)", tensor.offset, tensor.offset + bytes,
                            memory.name, memory.size),
                {.file = artifact.file, .op = op});
  return {};
}

}  // namespace

Result<std::uint64_t> byte_size(const TensorBinding& tensor, const std::string& file) {
  const auto count = element_count(tensor.shape, tensor.element_size);
  if (!count)
    return fail(ErrorCode::kInvalidFile, count.error().message,
                {.file = file, .op = fmt::format("tensor \"{}\"", tensor.name)});
  return std::uint64_t(*count) * tensor.element_size;
}

Result<void> add_payload(Artifact& artifact, DriverPayload payload, const std::string& name,
                         const std::array<RegionBinding, 8>& regions) {
  if (payload.config_word) {
    const auto* accelerator = accelerator_from_config(*payload.config_word);
    if (!accelerator)
      return fail(ErrorCode::kInvalidFile, fmt::format("CONFIG word {:#010x} is no Ethos-U", *payload.config_word),
                  {.file = artifact.file, .op = name});
    if (artifact.accelerator && artifact.accelerator != accelerator)
      return fail(
          ErrorCode::kMismatch,
          fmt::format("compiled for {}, an earlier operator for {}", accelerator->name, artifact.accelerator->name),
          {.file = artifact.file, .op = name});
    artifact.accelerator = accelerator;
  }
  for (auto& stream : payload.streams)
    artifact.steps.emplace_back(CommandStream{.name = name,
                                              .words = std::move(stream.words),
                                              .payload_offset = stream.offset,
                                              .regions = regions,
                                              .config_word = payload.config_word,
                                              .id_word = payload.id_word});
  return {};
}

Result<void> check_bindings(const Artifact& artifact) {
  for (const auto& memory : artifact.memories)
    if (memory.size > kMaxMemory || memory.initial.size() > memory.size)
      return fail(ErrorCode::kInvalidFile, fmt::format("{} has {} bytes", memory.name, memory.size),
                  {.file = artifact.file});
  for (const auto* list : {&artifact.inputs, &artifact.outputs, &artifact.variables})
    for (const auto& tensor : *list) MACAW_CHECK(check_binding(artifact, tensor));
  for (const auto& step : artifact.steps) {
    if (const auto* stream = std::get_if<CommandStream>(&step)) {
      for (std::size_t i = 0; i < stream->regions.size(); ++i) {
        const auto& region = stream->regions[i];
        if (region.memory < 0) continue;
        const auto size = artifact.memories[std::size_t(region.memory)].size;
        if (region.size > size || region.offset > size - region.size)
          return fail(ErrorCode::kInvalidFile, fmt::format("region {} is not inside its memory", i),
                      {.file = artifact.file, .op = stream->name});
      }
    } else {
      const auto& host = std::get<HostOperator>(step);
      for (const auto* list : {&host.inputs, &host.outputs})
        for (const auto& tensor : *list) MACAW_CHECK(check_binding(artifact, tensor));
    }
  }
  return {};
}

Result<Artifact> parse_artifact(std::span<const std::byte> bytes, const std::string& name, const std::string& method) {
  const bool executorch = has(bytes, 4, "ET") && !is_vela_bin(bytes);
  if (!method.empty() && !executorch)
    return fail(ErrorCode::kUsage, fmt::format("method \"{}\": only an ExecuTorch program has methods", method),
                {.file = name});
  if (has(bytes, 0, "PK")) return parse_vela_npz(bytes, name);
  if (has(bytes, 4, "TFL3")) return parse_vela_tflite(bytes, name);
  if (is_vela_bin(bytes)) return parse_vela_bin(bytes, name);
  if (executorch) return parse_executorch(bytes, name, method);
  return fail(ErrorCode::kInvalidFile,
              "neither a Vela npz nor a TensorFlow Lite file, an ExecuTorch program or a vela_bin_stream",
              {.file = name});
}

Result<Artifact> load_artifact(const std::filesystem::path& file, const std::string& method) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto artifact, parse_artifact(bytes, file.string(), method));
  if (const auto database = debug_database_beside(file); !artifact.debug && !database.empty())
    MACAW_CHECK(attach_debug_database(artifact, database));
  return artifact;
}

}  // namespace macaw::npu
