#include "sim/datapath/weight_stream.hpp"
#include "sim/datapath/weight_stream_bits.hpp"

#include <catch2/catch.hpp>

#include <macaw/npy.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

using namespace macaw;
using namespace macaw::npu;

namespace {

std::vector<std::uint8_t> from_hex(std::string_view hex) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}

struct Vector {
  const char* what;
  const char* bytes;
  std::vector<std::int16_t> weights;
  std::uint64_t chunks, slices;
};

const Vector kVectors[] = {
    {"plain", "46004400b0fedc314022feffffffffff", {1, -1, 0, 2, 5, -7, 0, 0, 3}, 2, 1},
    {"zero runs", "100048005603cbf1e4ffffffffffffff", {0, 0, 4, 0, -4, 9, 0, 0, 0}, 1, 1},
    {"raw palette", "3e005c306c70800c0039f1ffffffffff", {3, 3, -3, 100, 0, 3, -3, 3}, 1, 1},
    {"palette and direct values", "2e004015e2b3fffe01f8ffffffffffff", {3, 3, 6, -3, 12, 3}, 2, 1},
    {"two slices, one palette", "13006010e20b0000005a0000090000e0", {3, -3, 3, 0, 0, 3, -3}, 2, 2},
};

/// Decodes a stream, which counting takes for as many weights, or for the same error.
Result<Uncleared<std::int16_t>> decoded(std::span<const std::uint8_t> stream, std::size_t max_weights) {
  auto weights = decode_weight_stream(stream, max_weights);
  const auto count = count_weight_stream(stream, max_weights);
  REQUIRE(count.has_value() == weights.has_value());
  if (weights) REQUIRE(*count == weights->size());
  else REQUIRE(count.error().to_string() == weights.error().to_string());
  return weights;
}

std::vector<std::uint8_t> encoded(int count, int spread) {
  std::vector<std::int16_t> weights;
  for (int i = 0; i < count; ++i) weights.push_back(static_cast<std::int16_t>(i * 7919 % (2 * spread + 1) - spread));
  return encode_weight_stream(weights).value();
}

}  // namespace

TEST_CASE("streams of every kind decode") {
  for (const auto& v : kVectors) {
    INFO(v.what);
    const auto weights = decoded(from_hex(v.bytes), v.weights.size());
    REQUIRE(weights);
    CHECK(std::ranges::equal(*weights, v.weights));
  }
}

TEST_CASE("a stream with more weights than the operation consumes is a fault") {
  for (const auto& v : kVectors) {
    INFO(v.what);
    const auto weights = decoded(from_hex(v.bytes), v.weights.size() - 1);
    REQUIRE_FALSE(weights);
    CHECK(weights.error().code == ErrorCode::kHardwareFault);
    CHECK(weights.error().place.byte_offset);
  }
}

TEST_CASE("damaged streams end in an error or in weights, never beyond the limit") {
  std::uint32_t random = 12345;
  std::vector<std::vector<std::uint8_t>> streams;
  for (const auto& v : kVectors) streams.push_back(from_hex(v.bytes));
  for (const int spread : {1, 6, 30, 127, 255}) streams.push_back(encoded(400, spread));
  for (const auto& bytes : streams) {
    for (int round = 0; round < 2000; ++round) {
      auto damaged = bytes;
      for (int i = 0; i < 3; ++i) {
        random = random * 1664525u + 1013904223u;
        damaged[(random >> 8) % damaged.size()] ^= static_cast<std::uint8_t>(1u << (random >> 29));
      }
      damaged.resize(1 + (random >> 16) % damaged.size());
      const auto weights = decoded(damaged, 1000);
      if (weights) CHECK(weights->size() <= 1000);
    }
  }
}

TEST_CASE("a string of bits is overrun by the first one behind its last") {
  const std::uint8_t bytes[] = {0xa5, 0x3};
  weight_stream::BitReader bits(bytes);
  CHECK(bits.read(12) == 0x3a5);
  CHECK(bits.left() == 4);
  CHECK(bits.read(4) == 0);
  CHECK_FALSE(bits.overrun());
  CHECK(bits.left() == 0);
  CHECK(bits.read(1) == 0);
  CHECK(bits.overrun());
}

TEST_CASE("the first slice must bring a palette section") {
  CHECK_FALSE(decode_weight_stream(from_hex("06000000000000000000000000000000"), 100));
}

TEST_CASE("the corpus' standard streams decode to the stored weights") {
  const char* variable = std::getenv("MACAW_CORPUS");
  const auto folder = std::filesystem::path(variable ? variable : "build/corpus") / "weights";
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: no corpus at " << folder << "\n";
    return;
  }
  int streams = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npz") continue;
    const auto file = read_npz(entry.path());
    REQUIRE(file);
    for (const auto& [name, array] : file->arrays) {
      if (!name.ends_with("|dec")) continue;
      const auto& encoded = file->arrays.at(name.substr(0, name.size() - 3) + "enc");
      const std::span bytes(reinterpret_cast<const std::uint8_t*>(encoded.bytes.data()), encoded.bytes.size());
      const std::span expected(reinterpret_cast<const std::int16_t*>(array.bytes.data()), array.bytes.size() / 2);
      INFO(entry.path() << " " << name);
      const auto weights = decoded(bytes, expected.size());
      REQUIRE(weights);
      REQUIRE(std::equal(weights->begin(), weights->end(), expected.begin(), expected.end()));
      ++streams;
    }
  }
  CHECK(streams > 0);
}

TEST_CASE("a stream is measured in chunks and slices") {
  for (const auto& v : kVectors) {
    INFO(v.what);
    const auto size = measure_weight_stream(from_hex(v.bytes), v.weights.size()).value();
    CHECK(size.weights == v.weights.size());
    CHECK(size.chunks == v.chunks);
    CHECK(size.slices == v.slices);
  }
  // Twelve quotients of zero fill a chunk; larger ones take more of them.
  for (const auto& [count, spread] : {std::pair(1200, 0), {1200, 3}, {1200, 100}}) {
    const auto size = measure_weight_stream(encoded(count, spread), 1200).value();
    CHECK(size.weights == 1200);
    CHECK(size.chunks >= (spread == 0 ? 1 : 100));
    CHECK(size.chunks <= 1200);
  }
}
