#include "workflow/prove/element_tags.hpp"

#include <algorithm>

#include "sim/datapath/dma.hpp"
#include "sim/datapath/feature_map.hpp"

namespace macaw::prove {
namespace {

constexpr std::size_t kInternalBytes = std::size_t{1} << 17;  // more than any NPU has

std::uint64_t packed(ElementTag tag) { return std::uint64_t{tag.writer} << 32 | tag.element; }
std::uint8_t byte_of(ElementTag tag, std::size_t plane) {
  return static_cast<std::uint8_t>(packed(tag) >> (8 * plane));
}

/// The map as one of plain bytes.
npu::FeatureMap plain(npu::FeatureMap map) {
  map.zero_point = 0;
  map.is_signed = false;
  return map;
}

}  // namespace

ElementTags::ElementTags(const npu::Artifact& artifact) : artifact_(artifact), internal_(kInternalBytes) {
  for (auto& plane : planes_)
    for (const auto& memory : artifact.memories) plane.emplace_back(memory.size, std::uint8_t{0});
}

npu::MemoryMap ElementTags::regions(std::size_t step, std::size_t plane) {
  npu::MemoryMap map;
  map.internal = internal_;
  const auto& bindings = std::get<npu::CommandStream>(artifact_.steps[step]).regions;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const auto& binding = bindings[i];
    if (binding.memory < 0) continue;
    auto& memory = planes_[plane][static_cast<std::size_t>(binding.memory)];
    map.regions[i] = {std::span(memory).subspan(binding.offset, binding.size), true, true};
  }
  return map;
}

void ElementTags::place(const npu::TensorBinding& input, std::uint32_t writer) {
  if (input.memory < 0 || input.element_size != 1) return;
  std::size_t elements = 1;
  for (const auto extent : input.shape) elements *= static_cast<std::size_t>(std::max<std::int64_t>(extent, 1));
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    auto& memory = planes_[plane][static_cast<std::size_t>(input.memory)];
    for (std::size_t i = 0; i < elements && input.offset + i < memory.size(); ++i)
      memory[input.offset + i] = byte_of({writer, static_cast<std::uint32_t>(i)}, plane);
  }
}

std::optional<std::vector<ElementTag>> ElementTags::read(std::size_t step, npu::FeatureMap map) {
  if (map.bits != 8 || map.storage == npu::Storage::kNone || map.storage == npu::Storage::kChained) return std::nullopt;
  const auto row = static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
  std::vector<std::uint64_t> tags(row * static_cast<std::size_t>(map.h));
  std::vector<std::int64_t> values(row);
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    const auto memory = regions(step, plane);
    const auto view =
        npu::FeatureMapView::create(plain(map), memory.regions[static_cast<std::size_t>(map.region)].bytes, "tags");
    if (!view) return std::nullopt;
    for (int y = 0; y < map.h; ++y) {
      view->read_row(y, values.data(), map.c);
      for (std::size_t i = 0; i < row; ++i)
        tags[static_cast<std::size_t>(y) * row + i] |= static_cast<std::uint64_t>(values[i]) << (8 * plane);
    }
  }
  std::vector<ElementTag> out;
  out.reserve(tags.size());
  for (const auto tag : tags) out.push_back({static_cast<std::uint32_t>(tag >> 32), static_cast<std::uint32_t>(tag)});
  return out;
}

void ElementTags::write(std::size_t step, npu::FeatureMap map, std::uint32_t writer) {
  if (map.storage == npu::Storage::kNone || map.storage == npu::Storage::kChained) return;
  const auto range = npu::byte_range(map, "tags");
  const auto row = static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
  std::vector<std::int64_t> values(row);
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    const auto memory = regions(step, plane);
    const auto bytes = memory.regions[static_cast<std::size_t>(map.region)].bytes;
    const auto view = npu::FeatureMapView::create(plain(map), bytes, "tags");
    if (!view || map.bits != 8) {
      // What is wider than a tag can say is unknown from here on.
      if (range && range->last <= bytes.size())
        std::ranges::fill(bytes.subspan(range->first, range->last - range->first), std::uint8_t{0});
      continue;
    }
    for (int y = 0; y < map.h; ++y) {
      for (std::size_t i = 0; i < row; ++i) {
        const auto element = static_cast<std::uint32_t>(static_cast<std::size_t>(y) * row + i);
        values[i] = writer == 0 ? 0 : byte_of({writer, element}, plane);
      }
      view->write_row(y, values.data());
    }
  }
}

void ElementTags::move(std::size_t step, const npu::DmaOperation& dma) {
  if (dma.dst_internal) return;
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    const auto memory = regions(step, plane);
    const bool known = !dma.src_internal && !dma.src_indexed && !dma.dst_indexed;
    if (known && npu::execute(dma, memory)) continue;
    if (const auto written = npu::destination(dma, memory)) std::ranges::fill(*written, std::uint8_t{0});
  }
}

}  // namespace macaw::prove
