#include "compiler/arena.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace macaw::npu;

namespace {

struct Block {
  std::size_t first, last;
  std::uint64_t size, address;
  [[nodiscard]] std::uint64_t end() const { return address + (size + 15) / 16 * 16; }
};

/// The lowest multiple of 16 where the block meets none of the others while it lives.
std::uint64_t lowest(const std::vector<Block>& others, Block block) {
  std::vector<std::uint64_t> starts = {0};
  for (const auto& other : others) starts.push_back(other.end());
  std::ranges::sort(starts);
  for (const auto start : starts) {
    block.address = start;
    if (std::ranges::none_of(others, [&](const Block& other) {
          return other.first <= block.last && block.first <= other.last && other.address < block.end() &&
                 block.address < other.end();
        }))
      return start;
  }
  return 0;
}

}  // namespace

TEST_CASE("a block of the arena is taken at the lowest address that is free while it lives") {
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t times = 1; times <= 40; ++times) {
    Arena arena(times);
    std::vector<Block> blocks;
    const auto most = 1 + below(200);
    for (int i = 0; i < 60; ++i) {
      const auto a = below(times), b = below(times);
      Block block{std::min(a, b), std::max(a, b), 1 + below(most), 0};
      const auto address = arena.take(block.first, block.last, block.size, 16);
      REQUIRE(address);
      REQUIRE(*address == lowest(blocks, block));
      block.address = *address;
      blocks.push_back(block);
    }
  }
}

TEST_CASE("nothing takes no room in the arena") {
  Arena arena(2);
  CHECK(arena.take(0, 1, 0, 16) == 0U);
  CHECK(arena.take(0, 1, 5, 16) == 0U);
  CHECK(arena.take(0, 1, 0, 16) == 0U);
  CHECK(arena.take(1, 1, 1, 16) == 16U);
}

TEST_CASE("a block that would end behind the limit is not taken") {
  Arena arena(2);
  CHECK(arena.take(0, 1, 48, 16, 64) == 0U);
  CHECK_FALSE(arena.take(0, 0, 17, 16, 64));
  CHECK(arena.take(0, 0, 16, 16, 64) == 48U);
  CHECK_FALSE(arena.take(0, 0, 1, 16, 64));
  CHECK(arena.take(1, 1, 16, 16, 64) == 48U);
  CHECK_FALSE(arena.take(0, 1, UINT64_MAX - 64, 16, 64));
  CHECK_FALSE(arena.take(0, 1, 1, 16, 0));
  CHECK(arena.take(0, 1, 16, 16) == 64U);
}

// With each block looked at for every other this is 2 * 10^10 steps.
TEST_CASE("200,000 blocks that live together or after each other find their places at once") {
  constexpr std::size_t kCount = 200'000;
  Arena together(kCount), after(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    REQUIRE(together.take(i, kCount - 1, 128, 16) == 128 * i);
    REQUIRE(after.take(i, std::min(i + 1, kCount - 1), 128, 16) == 128 * (i % 2));
  }
}

TEST_CASE("a search for places that takes too long ends") {
  // Every second place is free while the larger blocks live, which have to look at all of them.
  constexpr std::size_t kSmall = 400, kWork = 100'000;
  Arena arena(2, kWork);
  for (std::size_t i = 0; i < kSmall; ++i) REQUIRE(arena.take(0, i % 2, 16, 16) == 16 * i);
  std::uint64_t placed = 0;
  while (const auto address = arena.take(1, 1, 32, 16)) REQUIRE(*address == 16 * kSmall + 32 * placed++);
  CHECK(placed > 100);
  CHECK(placed < 1000);
}
