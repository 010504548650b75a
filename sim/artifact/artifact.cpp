#include <macaw/npu/artifact.hpp>

#include <fmt/format.h>

#include <cstring>

#include <macaw/npu/bundled_program.hpp>
#include <macaw/npu/debug_database.hpp>
#include <macaw/npu/external_data.hpp>
#include "base/c_array.hpp"
#include "base/file.hpp"
#include "base/foreign_format.hpp"
#include "sim/artifact/loader.hpp"

namespace macaw::npu {
namespace {

bool has(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
  return bytes.size() >= offset + text.size() && std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

enum class Kind : std::uint8_t { kUnknown, kExternalData, kVelaNpz, kVelaTflite, kVelaBin, kPayload, kExecutorch };

/// Recognises the format by the first bytes.
Kind kind_of(std::span<const std::byte> bytes) {
  if (has(bytes, 4, "FT01")) return Kind::kExternalData;
  if (has(bytes, 0, "PK")) return Kind::kVelaNpz;
  if (has(bytes, 4, "TFL3")) return Kind::kVelaTflite;
  if (is_vela_bin(bytes)) return Kind::kVelaBin;
  if (has(bytes, 0, "COP1") || has(bytes, 0, "COP2")) return Kind::kPayload;
  if (has(bytes, 4, "ET")) return Kind::kExecutorch;
  return Kind::kUnknown;
}

/// A bare command payload, as a driver receives it: its steps, without the memories that they address.
Result<Artifact> parse_bare_payload(std::span<const std::byte> bytes, const std::string& name) {
  Artifact artifact;
  artifact.file = name;
  MACAW_ASSIGN(auto payload, parse_driver_payload(bytes, name));
  MACAW_CHECK(add_payload(artifact, std::move(payload), "payload", {}));
  return artifact;
}

}  // namespace

Result<void> add_payload(Artifact& artifact, DriverPayload payload, const std::string& name,
                         const std::array<RegionBinding, 8>& regions) {
  if (payload.config_word) {
    const auto* accelerator = accelerator_from_config(*payload.config_word);
    if (!accelerator)
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("CONFIG word {:#010x} does not describe a known Ethos-U", *payload.config_word),
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

Result<Artifact> parse_artifact(std::span<const std::byte> bytes, const std::string& name, const std::string& method) {
  return parse_artifact(bytes, name, method, {});
}

Result<Artifact> parse_artifact(std::span<const std::byte> bytes, const std::string& name, const std::string& method,
                                std::span<const ExternalData> data) {
  if (is_bundled_program(bytes)) {
    MACAW_ASSIGN(const auto bundle, parse_bundled_program(bytes, name));
    return parse_executorch(bundle.program, name, method, data);
  }
  const auto kind = kind_of(bytes);
  const bool executorch = kind == Kind::kExecutorch;
  if (!method.empty() && !executorch)
    return fail(ErrorCode::kUsage, fmt::format("method \"{}\": only an ExecuTorch program has methods", method),
                {.file = name});
  if (!data.empty() && !executorch)
    return fail(ErrorCode::kUsage, fmt::format("{}: only an ExecuTorch program has external data", data.front().file),
                {.file = name});
  if (kind == Kind::kUnknown)
    return io::or_foreign_format<Artifact>(
        fail(ErrorCode::kInvalidFile,
             "unknown kind of file; expected a Vela .npz or .tflite, an ExecuTorch .pte, a vela_bin_stream, a command "
             "payload (COP1) or one of these as a C array",
             {.file = name}),
        bytes, name);
  switch (kind) {
    case Kind::kExternalData:
      return fail(ErrorCode::kInvalidFile,
                  "external data of an ExecuTorch program: run the program (.pte) and give this file with --data",
                  {.file = name});
    // PyTorch and Keras write zip files as well.
    case Kind::kVelaNpz: return io::or_foreign_format(parse_vela_npz(bytes, name), bytes, name);
    case Kind::kVelaTflite: return parse_vela_tflite(bytes, name);
    case Kind::kVelaBin: return parse_vela_bin(bytes, name);
    case Kind::kPayload: return parse_bare_payload(bytes, name);
    default: return parse_executorch(bytes, name, method, data);
  }
}

Result<Artifact> load_artifact(const std::filesystem::path& file, const std::string& method,
                               const std::filesystem::path& debug_database) {
  return load_artifact(file, method, debug_database, {});
}

Result<Artifact> load_artifact(const std::filesystem::path& file, const std::string& method,
                               const std::filesystem::path& debug_database,
                               const std::vector<std::filesystem::path>& data) {
  MACAW_ASSIGN(const auto bytes, io::read_network_file(file));
  std::vector<std::vector<std::byte>> contents(data.size());
  std::vector<ExternalData> external;
  for (std::size_t i = 0; i < data.size(); ++i) {
    MACAW_ASSIGN(contents[i], io::read_file(data[i]));
    external.push_back({data[i].string(), contents[i]});
  }
  MACAW_ASSIGN(auto artifact, parse_artifact(bytes, file.string(), method, external));
  if (!debug_database.empty()) {
    MACAW_CHECK(attach_debug_database(artifact, debug_database));
    return artifact;
  }
  if (const auto database = debug_database_beside(file); !artifact.debug && !database.empty())
    if (auto attached = attach_debug_database(artifact, database); !attached) {
      attached.error().message += "; it is read because it lies beside the network, which runs without it as well";
      return tl::unexpected(attached.error());
    }
  return artifact;
}

}  // namespace macaw::npu
