#pragma once
#include <macaw/tosa/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace macaw::tosa {

/// A file may go on behind its flatbuffer, which ends before 2 GiB.
[[nodiscard]] inline std::size_t flatbuffer_size(std::span<const std::byte> file) {
  return std::min(file.size(), std::size_t{0x7fff'fffe});
}

/// The importers of the two schemas; `bytes` is 8-byte aligned and holds a graph stamped with `version`.
[[nodiscard]] Result<Graph> import_v0_80(std::span<const std::byte> bytes, const Version& version,
                                         const std::string& name);
[[nodiscard]] Result<Graph> import_v1(std::span<const std::byte> bytes, const Version& version,
                                      const std::string& name);

/// A VGF file, or a SPIR-V module alone, whose data graph is of the instruction set TOSA.001000.1.
[[nodiscard]] Result<Graph> import_vgf(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<Graph> import_spirv(std::span<const std::byte> bytes, const std::string& name);
/// MLIR text: a function of TOSA's dialect, in the generic form or the one that LLVM's tools print.
[[nodiscard]] Result<Graph> import_mlir(std::span<const std::byte> bytes, const std::string& name);

[[nodiscard]] Result<std::vector<std::byte>> write_v0_80(const Graph& graph, const Version& version);
[[nodiscard]] Result<std::vector<std::byte>> write_v1(const Graph& graph, const Version& version);

}  // namespace macaw::tosa
