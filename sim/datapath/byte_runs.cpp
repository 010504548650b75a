#include "sim/datapath/byte_runs.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kBrickLanes = 16;
constexpr std::int64_t kMostRuns = std::int64_t{1} << 18;

class RunList {
 public:
  explicit RunList(const FeatureMap& map)
      : map_(map),
        step_(map.layout == Layout::kNHWC ? map.stride_x : std::int64_t{kBrickLanes} * map.bytes()),
        lanes_(map.layout == Layout::kNHWC ? map.c : std::min(map.c, kBrickLanes)) {}

  std::vector<ByteRange> take() {
    for (int y = 0; y < map_.h; ++y) {
      if (map_.storage == Storage::kTile3x1) {
        const int tile = y < map_.height0 ? 0 : y < map_.height0 + map_.height1 ? 1 : 2;
        add_row(tile, y - (tile == 0 ? 0 : tile == 1 ? map_.height0 : map_.height0 + map_.height1), map_.w);
        continue;
      }
      const int left = std::min(map_.w, map_.width0);
      const bool lower = y >= map_.height0, lower_right = y >= map_.height1;
      add_row(lower ? 2 : 0, y - (lower ? map_.height0 : 0), left);
      add_row(lower_right ? 3 : 1, y - (lower_right ? map_.height1 : 0), map_.w - left);
    }
    return std::move(runs_);
  }

  /// An upper bound of the number of runs.
  [[nodiscard]] std::int64_t most() const {
    const std::int64_t bricks = (map_.c + lanes_ - 1) / lanes_;
    return map_.h * bricks * (step_ == std::int64_t{lanes_} * map_.bytes() ? 2 : map_.w);
  }

 private:
  void add_row(int tile, int y, int pixels) {
    if (pixels <= 0) return;
    const auto row = static_cast<std::int64_t>(map_.base[static_cast<std::size_t>(tile)]) + y * map_.stride_y;
    for (int c = 0; c < map_.c; c += lanes_) {
      const auto first = row + c / lanes_ * map_.stride_c;
      const auto length = std::int64_t{std::min(lanes_, map_.c - c)} * map_.bytes();
      if (length == step_) add(first, length * pixels);
      else
        for (int x = 0; x < pixels; ++x) add(first + x * step_, length);
    }
  }

  void add(std::int64_t first, std::int64_t length) {
    const ByteRange run{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(first + length)};
    if (!runs_.empty() && runs_.back().last == run.first) runs_.back().last = run.last;
    else runs_.push_back(run);
  }

  const FeatureMap& map_;
  std::int64_t step_;  ///< from pixel to pixel
  int lanes_;          ///< contiguous channels
  std::vector<ByteRange> runs_;
};

}  // namespace

Result<std::vector<ByteRange>> byte_runs(const FeatureMap& map, std::string_view what) {
  MACAW_ASSIGN(const ByteRange range, byte_range(map, what));
  RunList runs(map);
  if (runs.most() > kMostRuns) return std::vector{range};
  return runs.take();
}

}  // namespace macaw::npu
