#include "sim/datapath/byte_runs.hpp"

#include <catch2/catch.hpp>

#include <random>

#include "tests/unit/sim/datapath/support.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

/// A map with gaps between pixels and rows now and then, sometimes of several tiles.
FeatureMap random_map(std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const auto layout = pick(0, 1) == 0 ? Layout::kNHWC : Layout::kNHCWB16;
  FeatureMap map = test::feature_map(0, pick(1, 5), pick(1, 5), pick(1, 40), 8 << pick(0, 2), layout);
  if (pick(0, 1) == 0) {
    if (layout == Layout::kNHWC) map.stride_x += pick(0, 3) * map.bytes();
    map.stride_y = map.stride_y * 2 + map.stride_x * map.w;
  }
  if (pick(0, 2) == 0) {
    map.width0 = pick(1, 5);
    map.height0 = pick(1, 5);
    map.height1 = pick(1, 5);
    for (std::size_t i = 0; i < map.base.size(); ++i) map.base[i] = 20000 * i;
    if (pick(0, 2) == 0) map.storage = npu::Storage::kTile3x1;
  }
  return map;
}

/// The bytes that a view writes.
std::vector<bool> written(const FeatureMap& map, std::size_t size) {
  std::vector<std::uint8_t> region(size, 0);
  const auto view = FeatureMapView::create(map, region, "OFM");
  REQUIRE(view);
  const std::vector<std::int64_t> row(static_cast<std::size_t>(map.w * map.c), -1);
  for (int y = 0; y < map.h; ++y) view->write_row(y, row.data());
  std::vector<bool> bytes;
  for (const auto byte : region) bytes.push_back(byte != 0);
  return bytes;
}

}  // namespace

TEST_CASE("runs of bytes are those that the elements of a map fill") {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const auto map = random_map(random);
    constexpr std::size_t kSize = 100000;
    std::vector<bool> bytes(kSize, false);
    const auto runs = byte_runs(map, "OFM");
    REQUIRE(runs);
    for (const auto& run : *runs)
      for (auto at = run.first; at < run.last; ++at) bytes[at] = true;
    INFO("map " << i);
    CHECK(bytes == written(map, kSize));
  }
}

TEST_CASE("runs that touch are one") {
  const auto runs = byte_runs(test::feature_map(64, 3, 5, 32, 8, Layout::kNHCWB16), "OFM");
  REQUIRE(runs);
  REQUIRE(runs->size() == 1);
  CHECK(runs->front().first == 64);
  CHECK(runs->front().last == 64 + 3 * 5 * 32);
}
