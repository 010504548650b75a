#pragma once
#include <macaw/tosa/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reference/tosa/import/constant_data.hpp"

namespace macaw::tosa {

/// A file may go on behind its flatbuffer, which ends before 2 GiB.
[[nodiscard]] inline std::size_t flatbuffer_size(std::span<const std::byte> file) {
  return std::min(file.size(), std::size_t{0x7fff'fffe});
}

/// The version that a flatbuffer of either schema is stamped with, once it has been found sound. `bytes` is 8-byte
/// aligned.
[[nodiscard]] Result<Version> flatbuffer_version(std::span<const std::byte> bytes, const std::string& name);
/// Bytes where flatbuffers can be read: those given, or a copy in `copy`.
[[nodiscard]] std::span<const std::byte> aligned(std::span<const std::byte> bytes, std::vector<std::byte>& copy);

struct FileBytes {
  std::span<const std::byte> bytes;  ///< 8-byte aligned
  Unpacking how;
};
/// The importers of the two schemas; the file holds a graph stamped with `version`.
[[nodiscard]] Result<Graph> import_v0_80(const FileBytes& file, const Version& version, const std::string& name);
[[nodiscard]] Result<Graph> import_v1(const FileBytes& file, const Version& version, const std::string& name);

/// A VGF file, or a SPIR-V module alone, whose data graph is of the instruction set TOSA.001000.1.
[[nodiscard]] Result<Graph> import_vgf(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<Graph> import_spirv(std::span<const std::byte> bytes, const std::string& name);
/// MLIR text: a function of TOSA's dialect, in the generic form or the one that LLVM's tools print.
/// `function`: the one to read; empty: @main, or the only one.
[[nodiscard]] Result<Graph> import_mlir(std::span<const std::byte> bytes, const std::string& name,
                                        const std::string& function = {});

[[nodiscard]] Result<std::vector<std::byte>> write_v0_80(const Graph& graph, const Version& version);
[[nodiscard]] Result<std::vector<std::byte>> write_v1(const Graph& graph, const Version& version);

}  // namespace macaw::tosa
