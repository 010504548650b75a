#include "workflow/prove/element_tags.hpp"

#include <catch2/catch.hpp>

// Tags of elements in a memory of 64 bytes, which is region 1.
using namespace macaw;
using prove::ElementTag;
using Tags = std::vector<ElementTag>;

namespace {

constexpr std::uint32_t kWriter = 70000;  // more than 16 bits

npu::Artifact artifact_of_one_memory() {
  npu::Artifact artifact;
  artifact.memories.push_back({.name = "arena", .size = 64});
  npu::CommandStream stream;
  stream.regions[1] = {.memory = 0, .offset = 0, .size = 64};
  artifact.steps.emplace_back(stream);
  return artifact;
}

npu::FeatureMap row_of(std::uint64_t base, int elements, int bits) {
  npu::FeatureMap map;
  map.region = 1;
  map.bits = bits;
  map.base[0] = base;
  map.h = map.c = map.height0 = map.height1 = 1;
  map.w = map.width0 = elements;
  map.stride_c = map.stride_x = bits / 8;
  map.stride_y = map.stride_x * elements;
  return map;
}

npu::TensorBinding place_of(std::uint64_t offset, std::int64_t elements, unsigned width) {
  npu::TensorBinding binding;
  binding.shape = {elements};
  binding.element_size = width;
  binding.memory = 0;
  binding.offset = offset;
  return binding;
}

/// Four words of 16 bits of an input, from byte 8 on.
struct Words {
  npu::Artifact artifact = artifact_of_one_memory();
  prove::ElementTags tags{artifact};

  Words() { tags.place(place_of(8, 4, 2), kWriter); }
  [[nodiscard]] Tags read(std::uint64_t base, int elements, int bits) {
    const auto found = tags.read(0, row_of(base, elements, bits));
    REQUIRE(found);
    return *found;
  }
};

bool is_unknown(const ElementTag& tag) { return tag.writer == 0; }

}  // namespace

TEST_CASE("an element is known by its writer, its place there and the width in which it is read") {
  Words words;
  CHECK(words.read(8, 4, 16) == Tags{{kWriter, 0, 2}, {kWriter, 1, 2}, {kWriter, 2, 2}, {kWriter, 3, 2}});
  // Read in another width it is another element, and says so.
  CHECK(words.read(10, 2, 8) == Tags{{kWriter, 2, 1}, {kWriter, 3, 1}});
  CHECK(words.read(8, 2, 32) == Tags{{kWriter, 0, 4}, {kWriter, 1, 4}});
  for (const auto& tag : words.read(9, 3, 16)) CHECK(is_unknown(tag));
  CHECK(is_unknown(words.read(10, 1, 32)[0]));
  CHECK(is_unknown(words.read(6, 1, 16)[0]));
  CHECK(is_unknown(words.read(16, 1, 16)[0]));
  CHECK_FALSE(words.tags.read(0, row_of(8, 1, 64)));
}

TEST_CASE("what is written over an element makes it unknown, in part as well") {
  Words words;
  words.tags.write(0, row_of(11, 1, 8), 3U);
  const auto read = words.read(8, 4, 16);
  CHECK(read[0] == ElementTag{kWriter, 0, 2});
  CHECK(is_unknown(read[1]));
  CHECK(read[2] == ElementTag{kWriter, 2, 2});
  CHECK(words.read(11, 1, 8) == Tags{{3, 0, 1}});
  words.tags.write(0, row_of(8, 1, 64), 4U);  // of a width that is not followed
  for (const auto& tag : words.read(8, 4, 16)) CHECK(is_unknown(tag));
}

TEST_CASE("a copy takes elements of its own width along, and nothing of another") {
  Words words;
  const auto read = words.read(10, 2, 16);
  words.tags.write(0, row_of(32, 2, 16), read);
  CHECK(words.read(32, 2, 16) == read);
  words.tags.write(0, row_of(40, 2, 8), read);
  for (const auto& tag : words.read(40, 2, 8)) CHECK(is_unknown(tag));
  words.tags.write(0, row_of(32, 2, 16), Tags{{}, read[1]});
  CHECK(is_unknown(words.read(32, 1, 16)[0]));
  CHECK(words.read(34, 1, 16)[0] == read[1]);
}

TEST_CASE("a network's output is read in the width of its elements") {
  const Words words;
  CHECK(words.tags.read(place_of(10, 2, 2)) == Tags{{kWriter, 1, 2}, {kWriter, 2, 2}});
  CHECK(words.tags.read(place_of(8, 1, 4)) == Tags{{kWriter, 0, 4}});
  CHECK(is_unknown(words.tags.read(place_of(63, 1, 2))[0]));  // beyond the memory
}

TEST_CASE("a buffer between operations holds what the last operation left, for a map of its extents") {
  Words words;
  auto map = row_of(0, 3, 8);
  map.storage = npu::Storage::kChained;
  CHECK_FALSE(words.tags.read(0, map));
  words.tags.write(0, map, 9U);
  CHECK(words.tags.read(0, map) == Tags{{9, 0, 1}, {9, 1, 1}, {9, 2, 1}});
  map.w = 2;
  CHECK_FALSE(words.tags.read(0, map));
}

TEST_CASE("a DMA job takes tags along; one of the NPU's own memory or of indices leaves what it writes unknown") {
  Words words;
  npu::DmaOperation dma;
  dma.src_region = dma.dst_region = 1;
  dma.src = 8;
  dma.dst = 40;
  dma.len = 8;
  words.tags.move(0, dma);
  CHECK(words.read(40, 4, 16) == words.read(8, 4, 16));
  for (auto npu::DmaOperation::*other : {&npu::DmaOperation::src_internal, &npu::DmaOperation::src_indexed}) {
    words.tags.move(0, dma);
    auto unknown = dma;
    unknown.*other = true;
    words.tags.move(0, unknown);
    CHECK(is_unknown(words.read(40, 1, 16)[0]));
    CHECK_FALSE(is_unknown(words.read(8, 1, 16)[0]));
  }
  words.tags.move(0, dma);
  auto leaving = dma;
  leaving.dst_internal = true;
  words.tags.move(0, leaving);
  CHECK(words.read(40, 4, 16) == words.read(8, 4, 16));
}

TEST_CASE("each region shows its own part of a memory") {
  auto artifact = artifact_of_one_memory();
  auto& regions = std::get<npu::CommandStream>(artifact.steps[0]).regions;
  regions[0] = {.memory = 0, .offset = 8, .size = 16};
  regions[7] = {.memory = 0, .offset = 12, .size = 4};
  prove::ElementTags tags(artifact);
  tags.place(place_of(8, 4, 2), kWriter);
  auto map = row_of(0, 2, 16);
  map.region = 0;
  CHECK(tags.read(0, map) == Tags{{kWriter, 0, 2}, {kWriter, 1, 2}});
  map.region = 7;
  CHECK(tags.read(0, map) == Tags{{kWriter, 2, 2}, {kWriter, 3, 2}});
  map.w = map.width0 = 3;  // beyond the region
  CHECK_FALSE(tags.read(0, map));
}
