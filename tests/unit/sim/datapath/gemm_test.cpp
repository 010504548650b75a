#include "sim/datapath/gemm.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace macaw::npu;

TEST_CASE("the vector kernel equals the plain loop") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int pixels = 1 + static_cast<int>(random() % 19), pairs = 1 + static_cast<int>(random() % 40);
    const int runs = 1 + static_cast<int>(random() % 4);
    const std::ptrdiff_t step = 2 * pairs + 2 * static_cast<int>(random() % 3);
    std::vector<std::int16_t> input(static_cast<std::size_t>((pixels + runs) * step + 2 * pairs));
    std::vector<std::int16_t> weights(static_cast<std::size_t>(runs * pairs * 2 * kGemmChannels));
    // Sums beyond 32 bits must wrap alike.
    for (auto& v : input) v = static_cast<std::int16_t>(round % 2 ? random() : random() % 511 - 255);
    for (auto& v : weights) v = static_cast<std::int16_t>(random() % 511 - 255);
    std::vector<std::ptrdiff_t> offsets;
    for (int r = 0; r < runs; ++r) offsets.push_back(r * step);
    std::vector<std::int32_t> expected(static_cast<std::size_t>(pixels * kGemmChannels)), actual(expected.size());
    gemm_block_scalar(input.data(), step, pixels, offsets, pairs, weights.data(), pairs * 2 * kGemmChannels,
                      expected.data(), kGemmChannels);
    gemm_block(input.data(), step, pixels, offsets, pairs, weights.data(), pairs * 2 * kGemmChannels, actual.data(),
               kGemmChannels);
    REQUIRE(actual == expected);
  }
}
