#include "workflow/compare/trace/tensor_dump.hpp"
#include "base/npy_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <macaw/npu/debug_database.hpp>

namespace macaw::compare {
namespace {

DType dtype_of(const npu::FeatureMap& map) {
  switch (map.bits) {
    case 8: return map.is_signed ? DType::kINT8 : DType::kUINT8;
    case 16: return map.is_signed ? DType::kINT16 : DType::kUINT16;
    case 32: return DType::kINT32;
    default: return DType::kINT64;
  }
}

std::string name_of(const npu::Artifact& artifact, std::size_t stream, const Record& record) {
  std::string name = record.name;
  if (artifact.debug) {
    const auto* scheduled = artifact.debug->optimised_of(stream, record.offset);
    const auto* source = artifact.debug->source_of(stream, record.offset);
    if (scheduled != nullptr && !scheduled->name.empty()) name = scheduled->name;
    else if (source != nullptr && !source->name.empty()) name = source->name;
  }
  // A name in a file may be anything; it must not leave the folder.
  for (auto& c : name)
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '_';
  constexpr std::size_t kMostCharacters = 120;
  return name.substr(0, kMostCharacters);
}

}  // namespace

Result<std::optional<Tensor>> written_tensor(const Record& record) {
  if (record.contents.empty()) return std::nullopt;
  MACAW_ASSIGN(auto tensor, Tensor::create(dtype_of(record.operation.ofm), {record.h, record.w, record.c}));
  if (tensor.bytes().size() != record.contents.size()) return std::nullopt;
  std::ranges::copy(record.contents, tensor.bytes().begin());
  return tensor;
}

Result<std::vector<WrittenTensor>> written_tensors(const npu::Artifact& artifact, const std::vector<Record>& records) {
  std::map<std::size_t, std::size_t> stream_of;  // by step: streams are counted without CPU operators
  for (std::size_t i = 0; i < artifact.steps.size(); ++i)
    if (std::holds_alternative<npu::CommandStream>(artifact.steps[i])) stream_of.emplace(i, stream_of.size());
  std::vector<WrittenTensor> written;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    MACAW_ASSIGN(auto tensor, written_tensor(record));
    if (!tensor) continue;
    written.push_back(
        {fmt::format("{:05}_{}.npy", i, name_of(artifact, stream_of.at(record.step), record)), *std::move(tensor)});
  }
  return written;
}

Result<void> add_tensors(io::FileSet& files, const std::filesystem::path& folder, const npu::Artifact& artifact,
                         const std::vector<Record>& records) {
  MACAW_ASSIGN(const auto written, written_tensors(artifact, records));
  for (const auto& [name, tensor] : written) {
    MACAW_CHECK(io::check_inside(folder, folder / name));
    MACAW_CHECK(io::add_tensor(files, folder / name, tensor));
  }
  return {};
}

}  // namespace macaw::compare
