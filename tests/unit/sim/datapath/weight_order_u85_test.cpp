#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace macaw;
using namespace macaw::npu;

namespace {

using Weights = std::vector<std::int16_t>;

WeightGeometry geometry(int oc, int taps_y, int taps_x, int ic) {
  WeightGeometry g;
  g.family = Family::kU85;
  g.macs = 256;
  g.ofm_depth = oc;
  g.taps_y = taps_y;
  g.taps_x = taps_x;
  g.ifm_depth = ic;
  return g;
}

Weights ordered(const WeightGeometry& g, int stream = 0) {
  Weights weights(static_cast<std::size_t>(g.weights()));
  std::iota(weights.begin(), weights.end(), std::int16_t{1});
  const auto symbols = order_weights(g, stream, weights);
  REQUIRE(symbols);
  CHECK(static_cast<std::int64_t>(symbols->size()) == *weight_stream_symbols(g, stream));
  return *symbols;
}

/// The symbols that are not padding.
Weights without_padding(Weights symbols) {
  std::erase(symbols, 0);
  return symbols;
}

}  // namespace

TEST_CASE("U85 depth-first takes groups of 4 OFM and 8 IFM channels") {
  const auto g = geometry(8, 1, 1, 16);
  const Weights symbols = ordered(g);
  REQUIRE(symbols.size() == 8 * 64);
  for (int c = 0; c < 8; ++c) {
    const auto channel = symbols.begin() + c * 8;
    for (int i = 0; i < 8; ++i) {
      CHECK(channel[i] == 16 * c + i + 1);
      CHECK(channel[64 + i] == 16 * c + 8 + i + 1);
    }
  }
  CHECK(std::all_of(symbols.begin() + 128, symbols.end(), [](int v) { return v == 0; }));
}

TEST_CASE("U85 depth-first goes through the IFM blocks back and forth") {
  auto g = geometry(16, 1, 1, 65);
  const Weights symbols = ordered(g);
  REQUIRE(symbols.size() == 2 * 2 * 64 * 8);
  CHECK(symbols[0] == 1);
  CHECK(symbols[64 * 8] == 65);
  CHECK(symbols[2 * 64 * 8] == 8 * 65 + 65);  // the second OFM block begins with the last IFM block
  CHECK(symbols[3 * 64 * 8] == 8 * 65 + 1);
}

TEST_CASE("U85 part-kernel order takes the phases of the stride one after the other") {
  auto g = geometry(1, 2, 3, 1);
  g.part_kernel_first = true;
  g.stride_x = 2;
  // Rows alternate in direction within a phase; 6 taps round up to 10 of 16 IFM and 8 OFM channels.
  const Weights symbols = ordered(g);
  CHECK(symbols.size() == 10 * 16 * 8);
  CHECK(without_padding(symbols) == Weights{1, 3, 6, 4, 2, 5});
}

TEST_CASE("U85 depthwise order rounds the taps up and pads them") {
  auto g = geometry(8, 3, 3, 1);
  g.depthwise = true;
  CHECK(ordered(g).size() == 10 * 8);
  g.ifm_bits = 16;
  CHECK(ordered(g).size() == (10 + 2) * 8);
  g.macs = 2048;
  g.ofm_ublock_depth = 16;
  g.streams = 4;
  CHECK(ordered(g).size() == (10 + 6) * 16 / 4);
}

TEST_CASE("U85 decoders share the OFM channels four by four") {
  auto g = geometry(16, 1, 1, 8);
  g.ofm_ublock_depth = 16;
  g.block_depth = 16;
  g.streams = 2;
  const Weights first = without_padding(ordered(g, 0)), second = without_padding(ordered(g, 1));
  CHECK(first.front() == 1);
  CHECK(first[32] == 8 * 8 + 1);
  CHECK(second.front() == 4 * 8 + 1);
  CHECK(second[32] == 12 * 8 + 1);
}

TEST_CASE("U85 sparse weights come in groups of 16 IFM channels") {
  auto g = geometry(8, 1, 1, 128);
  g.sparse = true;
  const Weights symbols = ordered(g);
  CHECK(symbols.size() == 8 * 128);
  CHECK(symbols[15] == 16);
  CHECK(symbols[16] == 129);
}

TEST_CASE("fast weight streams") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const int values = round % 3 == 0 ? 4 : round % 3 == 1 ? 16 : 256;
    const int lowest = -static_cast<int>(random() % static_cast<unsigned>(values));
    Weights weights(1 + random() % 500);
    for (auto& w : weights)
      w = static_cast<std::int16_t>(lowest + static_cast<int>(random() % static_cast<unsigned>(values)));
    const auto stream = encode_fast_weight_stream(weights, round % 5 == 0);
    REQUIRE(stream);
    CHECK(stream->size() % 32 == 0);
    const auto decoded = decode_fast_weight_stream(*stream, weights.size());
    REQUIRE(decoded);
    CHECK(*decoded == weights);
  }
  CHECK_FALSE(encode_fast_weight_stream(Weights{256}));
  Weights spread(30);
  std::iota(spread.begin(), spread.end(), std::int16_t{-200});
  spread.push_back(100);
  CHECK_FALSE(encode_fast_weight_stream(spread));
  CHECK_FALSE(decode_fast_weight_stream(std::vector<std::uint8_t>(31), 0));
  CHECK_FALSE(decode_fast_weight_stream(std::vector<std::uint8_t>(64), 129));
}

TEST_CASE("the layout of a fast weight stream") {
  std::vector<std::uint8_t> stream(64);
  stream[0] = 1;      // raw
  stream[13] = 0xFE;  // zero adjust -2
  stream[32] = 5;
  stream[33] = 0x80;
  CHECK(*decode_fast_weight_stream(stream, 2) == Weights{7, -126});
  stream = std::vector<std::uint8_t>(64);
  // Four bits per index; entry 0 is +3 (6 folded), entry 1 is -3 (7 folded) in 9 bits each.
  stream[14] = 6;
  stream[15] = 7 << 1;
  stream[32] = 0x10;
  CHECK(*decode_fast_weight_stream(stream, 3) == Weights{3, -3, 3});
  stream[0] = 2;  // two bits
  stream[32] = 0b0100;
  CHECK(*decode_fast_weight_stream(stream, 3) == Weights{3, -3, 3});
}

TEST_CASE("a fast weight stream takes two bits of up to four values, four of sixteen, else a byte") {
  for (int values = 1; values <= 18; ++values)
    for (std::size_t count = static_cast<std::size_t>(values); count < 140; count += 1 + count / 40) {
      Weights weights(count);
      for (std::size_t i = 0; i < count; ++i) weights[i] = static_cast<std::int16_t>(i % static_cast<unsigned>(values));
      const auto stream = encode_fast_weight_stream(weights);
      REQUIRE(stream);
      const std::size_t bits = values <= 4 ? 2 : values <= 16 ? 4 : 8;
      INFO(values << " values, " << count << " weights");
      CHECK(stream->front() == (bits == 2 ? 2 : bits == 4 ? 0 : 1));
      std::size_t bytes = 32;
      while (8 * (bytes - 32) < bits * count) bytes += 32;
      CHECK(stream->size() == bytes);
      CHECK(fast_weight_stream_bytes(*stream, count) == bytes);
      CHECK(decode_fast_weight_stream(*stream, count).value() == weights);
      CHECK(decode_fast_weight_stream(*stream, 8 * (bytes - 32) / bits));
      CHECK_FALSE(decode_fast_weight_stream(*stream, 8 * (bytes - 32) / bits + 1));
    }
  CHECK(fast_weight_stream_bytes({}, 5) == 0);
  CHECK(decode_fast_weight_stream(std::vector<std::uint8_t>(32), 0).value().empty());
  CHECK_FALSE(decode_fast_weight_stream(std::vector<std::uint8_t>(31), 0));
}

TEST_CASE("literal fast weights span 256 values anywhere in -255..255") {
  for (int lowest = -255; lowest <= 0; ++lowest) {
    Weights weights(256);
    std::iota(weights.begin(), weights.end(), static_cast<std::int16_t>(lowest));
    const auto stream = encode_fast_weight_stream(weights);
    INFO(lowest);
    REQUIRE(stream);
    CHECK(decode_fast_weight_stream(*stream, 256).value() == weights);
    if (lowest == 0) break;
    weights.push_back(static_cast<std::int16_t>(lowest + 256));
    CHECK_FALSE(encode_fast_weight_stream(weights));
  }
}
