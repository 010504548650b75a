#include <catch2/catch.hpp>

#include <macaw/npy.hpp>
#include <macaw/tflite/interpreter.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/tflite/options.hpp"
#include "tests/system/hostile/files/seeds.hpp"

// Whatever a .tflite holds, reading it, running it and writing it as TOSA end in a result or a coded error with a
// message. The seeds are the stored networks of every operator.

using namespace macaw;
using namespace macaw::hostile;

namespace {

using Bytes = std::vector<std::byte>;

struct Tally {
  unsigned ok = 0, failed = 0;
  template <class R>
  void count(const R& result) {
    result ? ++ok : ++failed;
    if (!result) REQUIRE_FALSE(result.error().message.empty());
  }
};

/// The first network of each operator: its size and its bytes stand at the beginning.
std::vector<Bytes> network_seeds() {
  const auto archive = read_npz("tests/differential/tflite/tflm.npz");
  REQUIRE(archive);
  std::vector<Bytes> seeds;
  for (const auto& [name, array] : archive->arrays) {
    if (!name.ends_with(".cases")) continue;
    std::uint32_t size = 0;
    std::memcpy(&size, array.bytes.data(), sizeof(size));
    const auto begin = array.bytes.begin() + sizeof(size);
    seeds.emplace_back(begin, begin + size);
  }
  return seeds;
}

void read_and_run(std::span<const std::byte> bytes, Tally& tally) {
  const auto network = tflite::parse_network(bytes, "mutant");
  if (!network) return tally.count(network);
  constexpr std::int64_t kMostWork = 1 << 27, kMostMemory = 1 << 26;
  std::vector<Tensor> inputs;
  for (const int id : network->main().inputs) {
    const auto& info = network->main().tensors[static_cast<std::size_t>(id)];
    const auto bytes_of_input = byte_count(info.dtype, info.shape);
    if (!bytes_of_input || *bytes_of_input > kMostMemory) return tally.count(network);
    inputs.emplace_back(info.dtype, info.shape);
  }
  tflite::State state;
  const auto run = tflite::run(*network, inputs, state, {.max_work = kMostWork, .max_memory = kMostMemory});
  tally.count(run);
  // Inputs that the limits reject would run without them.
  if (run) tally.count(tflite::to_tosa(*network));
}

}  // namespace

TEST_CASE("prefixes and mutants of TensorFlow Lite networks") {
  std::mt19937 random(5);
  const auto seeds = network_seeds();
  const auto runs = std::max(20U, runs_per_seed() / 8);
  Tally mutants;
  for (const auto& seed : seeds) {
    Tally prefixes;
    for (std::size_t n = 0; n < seed.size(); n += std::getenv("MACAW_HOSTILE_RUNS") ? 1 : 7)
      read_and_run(std::span(seed).first(n), prefixes);
    CHECK(prefixes.ok == 0);
    for (unsigned i = 0; i < runs; ++i) {
      auto bytes = seed;
      mutate(bytes, random);
      read_and_run(bytes, mutants);
    }
  }
  CHECK(mutants.ok > seeds.size());
  CHECK(mutants.failed > seeds.size());
}

TEST_CASE("offsets of TensorFlow Lite networks that point anywhere") {
  std::mt19937 random(6);
  Tally tally;
  for (const auto& seed : network_seeds())
    for (std::size_t at = 0; at + 4 <= seed.size(); at += std::getenv("MACAW_HOSTILE_RUNS") ? 4 : 20) {
      auto bytes = seed;
      const auto value =
          random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : static_cast<std::uint32_t>(random() % 4096);
      std::memcpy(bytes.data() + at, &value, sizeof(value));
      read_and_run(bytes, tally);
    }
  CHECK(tally.ok > 0);
  CHECK(tally.failed > 0);
}

TEST_CASE("extents of TensorFlow Lite networks that are zero or one") {
  namespace fb = tflite::schema;
  Tally tally;
  for (const auto& seed : network_seeds()) {
    // With another extent in the place of those that are chosen by tensor, axis and extent.
    const auto run_with = [&](int extent, const auto& is_chosen) {
      const auto model = fb::UnPackModel(seed.data());
      auto& tensors = model->subgraphs.front()->tensors;
      for (std::size_t t = 0; t < tensors.size(); ++t)
        for (std::size_t axis = 0; axis < tensors[t]->shape.size(); ++axis) {
          int& old = tensors[t]->shape[axis];
          if (old < 1 || !is_chosen(t, axis, old)) continue;
          auto& data = model->buffers[tensors[t]->buffer]->data;
          data.resize(data.size() / static_cast<std::size_t>(old) * static_cast<std::size_t>(extent));
          old = extent;
        }
      flatbuffers::FlatBufferBuilder builder;
      fb::FinishModelBuffer(builder, fb::Model::Pack(builder, model.get()));
      read_and_run(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), tally);
    };
    const auto whole = fb::UnPackModel(seed.data());
    std::set<int> extents;
    const auto& tensors = whole->subgraphs.front()->tensors;
    for (std::size_t t = 0; t < tensors.size(); ++t)
      for (std::size_t axis = 0; axis < tensors[t]->shape.size(); ++axis) {
        extents.insert(tensors[t]->shape[axis]);
        for (const int extent : {0, 1})
          run_with(extent, [&](std::size_t i, std::size_t d, int) { return i == t && d == axis; });
      }
    for (const int old : extents)
      for (const int extent : {0, 1}) run_with(extent, [&](std::size_t, std::size_t, int e) { return e == old; });
  }
  CHECK(tally.ok > 0);
  CHECK(tally.failed > 0);
}
