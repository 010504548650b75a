#pragma once
#include <cstdint>

namespace macaw::models {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): integers only, so a
/// seed gives the same network with every compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// Uniform in [low, high]; the range must be smaller than 2^32.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto range = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(((next() >> 32) * range) >> 32);
  }

  /// Nearly normal, mean 0: a sum of twelve uniform numbers, rounded and clipped to [-limit, limit].
  std::int64_t normal(std::int64_t deviation, std::int64_t limit) {
    std::int64_t sum = 0;  // 12 * 2^20 * (uniform - 1/2): standard deviation 2^20
    for (int i = 0; i < 12; ++i) sum += between(-(1 << 19), (1 << 19) - 1);
    const std::int64_t value = (sum * deviation + (1 << 19)) >> 20;
    return value < -limit ? -limit : value > limit ? limit : value;
  }

 private:
  std::uint64_t state_;
};

}  // namespace macaw::models
