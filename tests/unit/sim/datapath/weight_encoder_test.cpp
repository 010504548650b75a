#include "sim/datapath/weight_stream.hpp"

#include <catch2/catch.hpp>

#include <macaw/npy.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

using namespace macaw;
using namespace macaw::npu;

namespace {

void round_trip(const std::vector<std::int16_t>& weights) {
  const auto stream = encode_weight_stream(weights);
  REQUIRE(stream);
  CHECK(stream->size() % 16 == 0);
  const auto decoded = decode_weight_stream(*stream, weights.size());
  REQUIRE(decoded);
  REQUIRE(std::ranges::equal(*decoded, weights));
}

}  // namespace

TEST_CASE("what is encoded decodes to itself") {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::int16_t> weights(1 + random() % 5000);
    const double zeros = std::uniform_real_distribution<>(0, 1)(random);
    const int spread = 1 + static_cast<int>(random() % 255);
    const int kind = round % 4;
    std::geometric_distribution<int> geometric(1.0 / spread);
    std::vector<int> values(1 + random() % 40);
    for (auto& v : values) v = static_cast<int>(random() % 511) - 255;
    for (auto& w : weights) {
      if (std::uniform_real_distribution<>(0, 1)(random) < zeros) continue;
      int v = 0;
      if (kind == 0) v = static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread;
      if (kind == 1) v = std::min(255, geometric(random)) * (random() % 2 ? 1 : -1);
      if (kind == 2) v = values[random() % values.size()];
      if (kind == 3) v = random() % 50 ? static_cast<int>(random() % 5) - 2 : static_cast<int>(random() % 511) - 255;
      w = static_cast<std::int16_t>(v);
    }
    round_trip(weights);
  }
}

TEST_CASE("edges of the format round-trip") {
  round_trip({});
  round_trip({0});
  round_trip({-255});
  round_trip(std::vector<std::int16_t>(100000, 0));
  round_trip(std::vector<std::int16_t>(100000, 255));
  std::vector<std::int16_t> sparse(70000, 0);
  sparse[0] = 1;
  sparse[69999] = -3;
  round_trip(sparse);
  std::vector<std::int16_t> every;
  for (int v = -255; v <= 255; ++v) every.push_back(static_cast<std::int16_t>(v));
  round_trip(every);
}

TEST_CASE("a weight beyond nine bits is refused") { CHECK_FALSE(encode_weight_stream(std::vector<std::int16_t>{256})); }

TEST_CASE("compression is close to Vela's on its own streams") {
  const char* variable = std::getenv("MACAW_CORPUS");
  const auto folder = std::filesystem::path(variable ? variable : "build/corpus") / "weights";
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: no corpus at " << folder << "\n";
    return;
  }
  std::size_t ours = 0, velas = 0;
  const auto file = read_npz(folder / "ethos-u55-128.npz");
  REQUIRE(file);
  for (const auto& [name, array] : file->arrays) {
    if (!name.ends_with("|dec")) continue;
    std::vector<std::int16_t> weights(array.bytes.size() / 2);
    std::copy_n(reinterpret_cast<const std::int16_t*>(array.bytes.data()), weights.size(), weights.begin());
    round_trip(weights);
    ours += encode_weight_stream(weights)->size();
    velas += file->arrays.at(name.substr(0, name.size() - 3) + "enc").bytes.size();
  }
  INFO("ours " << ours << " bytes, Vela's " << velas);
  CHECK(static_cast<double>(ours) <= 1.02 * static_cast<double>(velas));
}
