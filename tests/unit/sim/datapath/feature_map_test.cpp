#include "sim/datapath/feature_map.hpp"

#include <catch2/catch.hpp>

#include <numeric>

#include "tests/unit/sim/datapath/support.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

FeatureMap dense(Layout layout, int h, int w, int c, int bits, bool is_signed) {
  auto map = test::feature_map(0, h, w, c, bits, layout);
  map.is_signed = is_signed;
  return map;
}

}  // namespace

TEST_CASE("rows survive a round trip in every layout and type") {
  for (const auto layout : {Layout::kNHWC, Layout::kNHCWB16})
    for (const int bits : {8, 16, 32})
      for (const int c : {1, 15, 16, 17, 40}) {
        const FeatureMap map = dense(layout, 3, 5, c, bits, true);
        std::vector<std::uint8_t> region(static_cast<std::size_t>(3 * map.stride_y), 0xEE);
        const auto view = FeatureMapView::create(map, region, "OFM");
        REQUIRE(view);
        std::vector<std::int64_t> row(static_cast<std::size_t>(5 * c)), back(row.size());
        std::iota(row.begin(), row.end(), -60);
        for (int y = 0; y < 3; ++y) view->write_row(y, row.data());
        view->read_row(2, back.data(), c);
        CHECK(back == (bits == 8 ? [&] {
                auto low = row;
                for (auto& v : low) v = static_cast<std::int8_t>(v);
                return low;
              }()
                                 : row));
        if (layout == Layout::kNHCWB16 && c % 16) {
          const auto pad = static_cast<std::size_t>((c / 16) * map.stride_c + (c % 16) * (bits / 8));
          CHECK(region[pad] == 0xEE);  // lanes beyond the depth stay
        }
      }
}

TEST_CASE("the zero point is subtracted, unsigned types are not sign-extended") {
  FeatureMap map = dense(Layout::kNHWC, 1, 1, 2, 8, false);
  map.zero_point = 128;
  std::vector<std::uint8_t> region = {0, 255};
  const auto view = FeatureMapView::create(map, region, "IFM");
  REQUIRE(view);
  std::int16_t values[2];
  view->read_row(0, values, 2);
  CHECK(values[0] == -128);
  CHECK(values[1] == 127);
}

TEST_CASE("four tiles and a negative stride reach the right bytes") {
  FeatureMap map = dense(Layout::kNHWC, 4, 4, 1, 8, true);
  map.width0 = 3;
  map.height0 = 1;
  map.height1 = 2;
  map.stride_x = 1;
  map.stride_y = -4;
  map.base = {100, 200, 312, 400};
  std::vector<std::uint8_t> region(500);
  const auto view = FeatureMapView::create(map, region, "OFM");
  REQUIRE(view);
  for (int y = 0; y < 4; ++y) {
    const std::int64_t row[4] = {10 * y + 1, 10 * y + 2, 10 * y + 3, 10 * y + 4};
    view->write_row(y, row);
  }
  CHECK(region[100] == 1);
  CHECK(region[102] == 3);
  CHECK(region[200] == 4);
  CHECK(region[196] == 14);
  CHECK(region[312] == 11);
  CHECK(region[312 - 8 + 2] == 33);
  CHECK(region[400] == 24);
  CHECK(region[396] == 34);
  CHECK(view->range().first == 100);
  CHECK(view->range().last == 401);
}

TEST_CASE("maps that leave their region are faults") {
  std::vector<std::uint8_t> region(64);
  FeatureMap map = dense(Layout::kNHWC, 4, 4, 4, 8, true);
  CHECK(FeatureMapView::create(map, region, "IFM"));
  map.base[0] = 1;
  CHECK_FALSE(FeatureMapView::create(map, region, "IFM"));
  map.base[0] = 0;
  map.stride_y = -16;
  const auto below = FeatureMapView::create(map, region, "IFM");
  REQUIRE_FALSE(below);
  CHECK(below.error().code == ErrorCode::kHardwareFault);
  map.stride_y = std::int64_t{1} << 39;
  map.base[0] = (std::uint64_t{1} << 40) - 1;
  map.h = 65536;
  map.height0 = 65536;
  CHECK_FALSE(FeatureMapView::create(map, region, "IFM"));
  map = dense(Layout::kNHWC, 65536, 65536, 65536, 8, true);
  map.stride_x = map.stride_y = 0;
  const auto huge = FeatureMapView::create(map, region, "IFM");
  REQUIRE_FALSE(huge);
  CHECK(huge.error().code == ErrorCode::kUnsupported);
}
