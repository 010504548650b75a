#include <catch2/catch.hpp>

#include <macaw/npy.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Archives whose members say that they unpack to more than they hold.
using namespace macaw;

namespace {

struct Archive {
  std::vector<std::byte> bytes;

  void number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void text(const std::string& chars) {
    for (const char c : chars) bytes.push_back(static_cast<std::byte>(c));
  }
  /// Fields shared by a member's header and its directory entry.
  void member(const std::string& name, std::uint32_t unpacked) {
    constexpr int kVersion = 20, kDeflated = 8, kPacked = 2;
    number(kVersion, 2);
    number(0, 2);  // flags
    number(kDeflated, 2);
    number(0x210000, 4);  // time
    number(0, 4);         // checksum
    number(kPacked, 4);
    number(unpacked, 4);
    number(name.size(), 2);
    number(0, 2);  // nothing more
  }
};

/// Members that are empty when unpacked, whatever size each says, each of its own name or all of one.
std::vector<std::byte> archive(const std::vector<std::uint32_t>& sizes, bool alike = false) {
  Archive zip, directory;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto name = "a" + std::to_string(alike ? 0 : i) + ".npy";
    const auto at = zip.bytes.size();
    zip.text("PK\x03\x04");
    zip.member(name, sizes[i]);
    zip.text(name);
    zip.number(3, 2);  // deflate's last block, of fixed codes, with its end alone
    directory.text("PK\x01\x02");
    directory.number(20, 2);
    directory.member(name, sizes[i]);
    directory.number(0, 2);  // no comment
    directory.number(0, 2);  // disk
    directory.number(0, 6);  // attributes
    directory.number(at, 4);
    directory.text(name);
  }
  const auto start = zip.bytes.size();
  zip.bytes.insert(zip.bytes.end(), directory.bytes.begin(), directory.bytes.end());
  zip.text("PK\x05\x06");
  zip.number(0, 4);
  zip.number(sizes.size(), 2);
  zip.number(sizes.size(), 2);
  zip.number(directory.bytes.size(), 4);
  zip.number(start, 4);
  zip.number(0, 2);
  return std::move(zip.bytes);
}

/// Whether the members are refused for what they say that they have together.
bool too_large(const std::vector<std::uint32_t>& sizes) {
  const auto bytes = archive(sizes);
  const auto npz = parse_npz(bytes, "x.npz");
  REQUIRE_FALSE(npz);
  INFO(npz.error().message);
  CHECK(npz.error().code == ErrorCode::kInvalidFile);
  CHECK(npz.error().message.find("not an npz file") == std::string::npos);
  return npz.error().message.find("2147483648 bytes in total") != std::string::npos;
}

}  // namespace

TEST_CASE("the members of an archive unpack to 2^31 bytes together at most") {
  constexpr std::uint32_t kHalf = 1u << 30;
  CHECK_FALSE(too_large({128}));
  CHECK_FALSE(too_large({2 * kHalf}));
  CHECK(too_large({2 * kHalf + 1}));
  CHECK_FALSE(too_large({kHalf, kHalf}));
  CHECK_FALSE(too_large({kHalf, 0, kHalf}));
  CHECK(too_large({kHalf, kHalf + 1}));
  CHECK(too_large({kHalf + 1, kHalf}));
  CHECK(too_large({kHalf, kHalf, 1}));
  // Nor does a sum that would leave 32 bits come round again.
  CHECK(too_large({UINT32_MAX - 1, UINT32_MAX - 1, 4}));
}

TEST_CASE("an archive in which two members have one name is refused for that") {
  const auto bytes = archive({4, 4}, true);
  const auto npz = parse_npz(bytes, "x.npz");
  REQUIRE_FALSE(npz);
  CHECK(npz.error().message.find("two members have one name") != std::string::npos);
}
