#pragma once
#include <cstdint>

namespace macaw::npu {

/// Half-open box in elements of a feature map.
struct Box {
  int y0 = 0, y1 = 0, x0 = 0, x1 = 0, c0 = 0, c1 = 0;
  [[nodiscard]] int h() const { return y1 - y0; }
  [[nodiscard]] int w() const { return x1 - x0; }
  [[nodiscard]] int c() const { return c1 - c0; }
  [[nodiscard]] bool empty() const { return y1 <= y0 || x1 <= x0 || c1 <= c0; }
  [[nodiscard]] std::uint64_t elements() const {
    return empty() ? 0 : std::uint64_t(h()) * std::uint64_t(w()) * std::uint64_t(c());
  }
  friend bool operator==(const Box&, const Box&) = default;
};

}  // namespace macaw::npu
