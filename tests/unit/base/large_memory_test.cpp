#include "base/large_memory.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace macaw;

namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

/// Bytes of the process's own memory that the system has agreed to.
std::size_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmData:")) return std::stoul(line.substr(7)) * 1024;
  FAIL("no VmData");
  return 0;
}

/// Takes and frees blocks of many sizes and looks whether each keeps what was written to its pages.
bool blocks_keep_their_bytes(std::uint32_t seed) {
  struct Block {
    std::byte* begin = nullptr;
    std::size_t size = 0;
    std::byte mark{};
  };
  const auto each_page = [](const Block& block, auto look) {
    for (std::size_t i = 0; i < block.size; i += 4096) look(block.begin[i]);
    look(block.begin[block.size - 1]);
  };
  std::array<Block, 12> blocks;
  std::minstd_rand random(seed);
  bool kept = true;
  for (int i = 0; i < 600; ++i) {
    auto& block = blocks[random() % blocks.size()];
    if (block.begin) {
      each_page(block, [&](std::byte byte) { kept &= byte == block.mark; });
      free_large(block.begin, block.size);
    }
    block = {nullptr, kLargeMemory + random() % (3 * kMega), static_cast<std::byte>(i)};
    block.begin = allocate_large(block.size);
    if (!block.begin) return false;
    each_page(block, [&](std::byte& byte) { byte = block.mark; });
  }
  for (const auto& block : blocks)
    if (block.begin) free_large(block.begin, block.size);
  return kept;
}

}  // namespace

TEST_CASE("large blocks of memory do not overlap, whether freed ones are kept or not") {
  CHECK(blocks_keep_their_bytes(1));
  const KeepFreedMemory keep;
  bool other = false;
  std::thread thread([&] { other = blocks_keep_their_bytes(2); });
  CHECK(blocks_keep_their_bytes(3));
  thread.join();
  CHECK(other);
}

TEST_CASE("freed memory is kept as long as it is wanted, and never more than was in use") {
  const auto before = data_bytes();
  const auto held = [&] { return data_bytes() - before; };
  {
    const KeepFreedMemory keep;
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(allocate_large(8 * kMega));
    for (auto* block : blocks) free_large(block, 8 * kMega);
    CHECK(held() >= 64 * kMega);
    for (std::size_t size = 4; size <= 64; size += 4) {
      auto *small = allocate_large(kMega), *large = allocate_large(size * kMega);
      CHECK(held() <= 70 * kMega);
      free_large(small, kMega);
      free_large(large, size * kMega);
    }
  }
  CHECK(held() <= 4 * kMega);
  free_large(allocate_large(32 * kMega), 32 * kMega);
  CHECK(held() <= 4 * kMega);
}

TEST_CASE("there is no block of more memory than addresses") {
  CHECK(allocate_large(std::size_t{1} << 62) == nullptr);
  const KeepFreedMemory keep;
  CHECK(allocate_large(std::size_t{1} << 62) == nullptr);
}
