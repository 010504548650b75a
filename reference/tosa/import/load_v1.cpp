#include <flatbuffers/flatbuffers.h>

#include <fmt/format.h>

#include <cstdint>

#include "base/file.hpp"
#include "reference/tosa/import/import.hpp"
#include "tosa_header_generated.h"

namespace macaw::tosa {

std::span<const std::byte> aligned(std::span<const std::byte> bytes, std::vector<std::byte>& copy) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 == 0) return bytes;
  copy.assign(bytes.begin(), bytes.end());
  return copy;
}

Result<Version> flatbuffer_version(std::span<const std::byte> bytes, const std::string& name) {
  // Smallest file: root offset, identifier, a graph table and its version.
  if (bytes.size() < 16) return fail(ErrorCode::kInvalidFile, "too short for a TOSA graph", {.file = name});
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  if (!header::TosaGraphBufferHasIdentifier(data))
    return fail(ErrorCode::kInvalidFile, "not a TOSA graph: no identifier \"TOSA\" at byte 4", {.file = name});
  flatbuffers::Verifier verifier(data, flatbuffer_size(bytes));
  if (!header::VerifyTosaGraphBuffer(verifier))
    return fail(ErrorCode::kInvalidFile, "not a sound flatbuffer", {.file = name});
  const auto* stamp = header::GetTosaGraph(data)->version();
  return Version{stamp->_major(), stamp->_minor(), stamp->_patch(), stamp->_draft()};
}

Result<Graph> load_graph_v1(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto contents, io::read_file(file));
  std::vector<std::byte> copy;
  const auto bytes = aligned(contents, copy);
  MACAW_ASSIGN(const auto version, flatbuffer_version(bytes, file.string()));
  if (version.major == 1) return import_v1({bytes, {}}, version, file.string());
  return fail(ErrorCode::kUnsupported, fmt::format("graph of TOSA {}; versions 1.x are read", to_string(version)),
              {.file = file.string()});
}

}  // namespace macaw::tosa
