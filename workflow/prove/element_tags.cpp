#include "workflow/prove/element_tags.hpp"

#include <algorithm>
#include <span>

#include "sim/datapath/dma.hpp"
#include "sim/datapath/feature_map.hpp"

namespace macaw::prove {
namespace {

constexpr std::size_t kInternalBytes = std::size_t{1} << 17;  // more than any NPU has

/// Tags of a byte that a writer produced, plane by plane.
std::uint8_t byte_of(std::uint32_t writer, std::uint32_t byte, std::size_t plane) {
  return static_cast<std::uint8_t>((std::uint64_t{writer} << 32 | byte) >> (8 * plane));
}

bool is_followed(const npu::FeatureMap& map) { return map.bits <= 32; }

/// The element that bytes make up; unknown if they are not one's bytes in their order.
ElementTag element_of(std::span<const std::uint64_t> bytes) {
  const auto count = static_cast<std::uint32_t>(bytes.size());
  const auto first = static_cast<std::uint32_t>(bytes[0]);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != bytes[0] + i || first % count != 0) return {};
  return {static_cast<std::uint32_t>(bytes[0] >> 32), first / count, count};
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
  if (input.memory < 0) return;
  std::size_t bytes = static_cast<std::size_t>(input.element_size);
  for (const auto extent : input.shape) bytes *= static_cast<std::size_t>(std::max<std::int64_t>(extent, 1));
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    auto& memory = planes_[plane][static_cast<std::size_t>(input.memory)];
    for (std::size_t i = 0; i < bytes && input.offset + i < memory.size(); ++i)
      memory[input.offset + i] = byte_of(writer, static_cast<std::uint32_t>(i), plane);
  }
}

std::optional<std::vector<ElementTag>> ElementTags::read(std::size_t step, npu::FeatureMap map) {
  if (!is_followed(map) || map.storage == npu::Storage::kNone) return std::nullopt;
  if (map.storage == npu::Storage::kChained) {
    const auto found = chained_.find(map.region);
    if (found == chained_.end() || found->second.extents != std::array{map.h, map.w, map.c}) return std::nullopt;
    return found->second.elements;
  }
  const auto row = static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
  const auto width = static_cast<std::size_t>(map.bits / 8);
  std::vector<std::uint64_t> bytes(row * static_cast<std::size_t>(map.h) * width);
  std::vector<std::int64_t> values(row);
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    const auto memory = regions(step, plane);
    const auto view =
        npu::FeatureMapView::create(plain(map), memory.regions[static_cast<std::size_t>(map.region)].bytes, "tags");
    if (!view) return std::nullopt;
    for (int y = 0; y < map.h; ++y) {
      view->read_row(y, values.data(), map.c);
      for (std::size_t i = 0; i < row * width; ++i)
        bytes[static_cast<std::size_t>(y) * row * width + i] |=
            static_cast<std::uint64_t>(values[i / width] >> (8 * (i % width)) & 255) << (8 * plane);
    }
  }
  std::vector<ElementTag> out;
  out.reserve(bytes.size() / width);
  for (std::size_t i = 0; i < bytes.size(); i += width) out.push_back(element_of(std::span(bytes).subspan(i, width)));
  return out;
}

std::vector<ElementTag> ElementTags::read(const npu::TensorBinding& output) const {
  std::vector<ElementTag> tags;
  const auto width = static_cast<std::size_t>(output.element_size);
  std::size_t elements = 1;
  for (const auto extent : output.shape) elements *= static_cast<std::size_t>(std::max<std::int64_t>(extent, 0));
  for (std::size_t i = 0; i < elements; ++i) {
    std::vector<std::uint64_t> bytes(width, 0);
    for (std::size_t plane = 0; output.memory >= 0 && plane < kPlanes; ++plane) {
      const auto& memory = planes_[plane][static_cast<std::size_t>(output.memory)];
      for (std::size_t b = 0; b < width; ++b)
        if (const auto at = output.offset + i * width + b; at < memory.size())
          bytes[b] |= std::uint64_t{memory[at]} << (8 * plane);
    }
    tags.push_back(element_of(bytes));
  }
  return tags;
}

void ElementTags::write(std::size_t step, npu::FeatureMap map, std::uint32_t writer) {
  std::vector<ElementTag> elements(static_cast<std::size_t>(map.h) * static_cast<std::size_t>(map.w) *
                                   static_cast<std::size_t>(map.c));
  const auto width = static_cast<std::uint32_t>(map.bits / 8);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = {writer, static_cast<std::uint32_t>(i), width};
  write(step, map, elements);
}

void ElementTags::write(std::size_t step, npu::FeatureMap map, const std::vector<ElementTag>& elements) {
  if (map.storage == npu::Storage::kNone) return;
  if (map.storage == npu::Storage::kChained) {
    chained_[map.region] = {{map.h, map.w, map.c}, elements};
    return;
  }
  const auto range = npu::byte_range(map, "tags");
  const auto row = static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
  const auto width = static_cast<std::size_t>(map.bits / 8);
  std::vector<std::int64_t> values(row);
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    const auto memory = regions(step, plane);
    const auto bytes = memory.regions[static_cast<std::size_t>(map.region)].bytes;
    const auto view = npu::FeatureMapView::create(plain(map), bytes, "tags");
    if (!view || !is_followed(map)) {
      // Elements of another width are unknown from here on.
      if (range && range->last <= bytes.size())
        std::ranges::fill(bytes.subspan(range->first, range->last - range->first), std::uint8_t{0});
      continue;
    }
    for (int y = 0; y < map.h; ++y) {
      for (std::size_t i = 0; i < row; ++i) {
        values[i] = 0;
        const auto& element = elements[static_cast<std::size_t>(y) * row + i];
        for (std::size_t b = 0; b < width && element.writer != 0 && element.bytes == width; ++b) {
          const auto byte = element.element * element.bytes + static_cast<std::uint32_t>(b);
          values[i] |= std::int64_t{byte_of(element.writer, byte, plane)} << (8 * b);
        }
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
