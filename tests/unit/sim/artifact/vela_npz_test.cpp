#include <macaw/npu/artifact.hpp>
#include <macaw/npy.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <span>

#include "tests/support/temporary_folder.hpp"

// A raw network of Vela, array by array (u55_u65 1.4): what its numbers may be, and what becomes of them.
using namespace macaw;
using namespace macaw::npu;

namespace {

using Numbers = std::vector<std::uint64_t>;

template <class T>
NpyArray array(const char* descr, const std::vector<T>& values, Shape shape) {
  const auto bytes = std::as_bytes(std::span(values));
  return {descr, std::move(shape), {bytes.begin(), bytes.end()}};
}

struct Network {
  std::map<std::string, NpyArray> arrays;

  Network() {
    cop1();
    arrays["weight_data"] = array("|u1", std::vector<std::uint8_t>(48), {48});
    number("weight_region", 0);
    number("scratch_region", 1);
    number("scratch_size", 64);
    number("scratch_fast_region", 2);
    number("scratch_fast_size", 32);
    tensors("input", {{4, 1, 1, 16}});
    tensors("output", {{4, 2, 1, 32}});
    tensors("variable", {});
  }
  void cop1() {
    // COP1 for U85-256, an OPTIMIZER_CONFIG, padding, and a stream of one stop.
    const std::vector<std::uint32_t> payload = {0x31504f43, 1, 0x20000118,   0x20007000, 5,
                                                5,          5, 1U << 16 | 2, 0xffff0000};
    payload_of(payload);
  }
  /// A stream whose operands have addresses of their own: COP2 with Vela's metadata.
  void local_addresses() {
    std::vector<std::uint32_t> payload = {0x32504f43, 1, 68, 0,          1,          60, 52,
                                          0x4d554556, 1, 20, 0x20000118, 0x20007000, 2};
    payload.resize(80 / 4);
    payload.push_back(0xffff0000);
    payload_of(payload);
  }
  void payload_of(const std::vector<std::uint32_t>& words) {
    arrays["cmd_data"] = array("|u1", words, {static_cast<std::int64_t>(words.size() * 4)});
  }
  void number(const std::string& key, std::uint64_t value) { arrays[key] = array("<u8", Numbers{value}, {}); }

  struct Tensor {
    std::uint64_t extent, size, region, offset;
  };
  void tensors(const std::string& kind, const std::vector<Tensor>& list) {
    Numbers shapes, sizes, regions, offsets;
    for (const auto& t : list) {
      shapes.insert(shapes.end(), {1, t.extent});
      sizes.push_back(t.size);
      regions.push_back(t.region);
      offsets.push_back(t.offset);
    }
    const auto count = static_cast<std::int64_t>(list.size());
    arrays[kind + "_shape"] = array("<u8", shapes, {count, list.empty() ? 0 : 2});
    arrays[kind + "_elem_size"] = array("<u8", sizes, {count});
    arrays[kind + "_region"] = array("<u8", regions, {count});
    arrays[kind + "_offset"] = array("<u8", offsets, {count});
  }

  [[nodiscard]] Result<Artifact> load() const {
    const macaw::test::TemporaryFolder folder;
    const auto file = folder / "net.npz";
    REQUIRE(write_npz(file, arrays));
    return load_artifact(file);
  }
};

const RegionBinding& region(const Artifact& artifact, std::size_t index) {
  return std::get<CommandStream>(artifact.steps.at(0)).regions.at(index);
}

}  // namespace

TEST_CASE("memories and tensors of a raw network lie where its numbers say") {
  const auto artifact = Network().load();
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  CHECK(artifact->accelerator == find_accelerator("ethos-u85-256"));
  REQUIRE(artifact->memories.size() == 3);
  for (const auto& [index, size] : {std::pair(0U, 48U), {1U, 64U}, {2U, 32U}}) {
    CHECK(region(*artifact, index).memory == static_cast<int>(index));
    CHECK(region(*artifact, index).size == size);
    CHECK(artifact->memories[index].size == size);
  }
  CHECK(artifact->memories[0].read_only);
  CHECK(region(*artifact, 3).memory < 0);
  CHECK(artifact->inputs.at(0).offset == 16);
  CHECK(artifact->outputs.at(0).offset == 32);
  CHECK(artifact->outputs.at(0).element_size == 2);
  CHECK(artifact->outputs.at(0).shape == Shape{1, 4});
}

TEST_CASE("a raw network has up to 65536 outputs, and as many numbers of each kind") {
  Network network;
  network.tensors("output", std::vector<Network::Tensor>(65536, {4, 2, 1, 32}));
  const auto artifact = network.load();
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  CHECK(artifact->outputs.size() == 65536);
  network.tensors("output", std::vector<Network::Tensor>(65537, {4, 2, 1, 32}));
  CHECK(network.load().error().message == "65537 outputs, more than 65536");
  network.tensors("output", {{4, 2, 1, 32}});
  network.arrays["output_region"] = array("<u8", Numbers{1, 1}, {2});
  CHECK(network.load().error().message == "output_elem_size, output_offset and output_region have 1, 1 and 2 elements");
}

TEST_CASE("regions of inputs and outputs alone end at a multiple of 16 bytes") {
  Network network;
  network.tensors("input", {{286, 1, 3, 0}});
  network.tensors("output", {{13, 2, 4, 0}});
  const auto artifact = network.load();
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  CHECK(artifact->memories.at(static_cast<std::size_t>(region(*artifact, 3).memory)).size == 288);
  CHECK(artifact->memories.at(static_cast<std::size_t>(region(*artifact, 4).memory)).size == 32);
}

TEST_CASE("regions of a raw network are 0 to 7") {
  for (const std::string key : {"weight_region", "scratch_region", "scratch_fast_region"})
    for (const std::uint64_t value : {std::uint64_t{7}, std::uint64_t{8}, ~std::uint64_t{0}}) {
      Network network;
      network.number(key, value);
      if (key == "scratch_region") network.tensors("input", {}), network.tensors("output", {});
      INFO(key << " " << value);
      CHECK(network.load().has_value() == (value == 7));
    }
  for (const std::uint64_t value : {7U, 8U}) {
    Network network;
    network.tensors("input", {{4, 1, value, 0}});
    CHECK(network.load().has_value() == (value == 7));
  }
}

TEST_CASE("two scratch sizes of one region are one memory of the greater") {
  for (const auto& [first, second] : {std::pair(64U, 128U), {128U, 64U}}) {
    Network network;
    network.number("scratch_size", first);
    network.number("scratch_fast_size", second);
    network.number("scratch_fast_region", 1);
    const auto artifact = network.load();
    REQUIRE(artifact);
    CHECK(artifact->memories.size() == 2);
    CHECK(region(*artifact, 1).size == 128);
  }
  Network shared;
  shared.number("scratch_region", 0);
  CHECK_FALSE(shared.load());  // with the constants
}

TEST_CASE("without fast scratch its region means nothing") {
  Network network;
  network.number("scratch_fast_size", 0);
  network.number("scratch_fast_region", 0);
  const auto artifact = network.load();
  REQUIRE(artifact);
  CHECK(artifact->memories.size() == 2);
}

TEST_CASE("the offset 2^64-1 is not a place") {
  Network network;
  network.tensors("input", {{4, 1, 1, 0}, {4, 1, 1, ~std::uint64_t{0}}});
  const auto artifact = network.load();
  REQUIRE(artifact);
  CHECK(artifact->inputs.at(0).memory == 1);
  CHECK(artifact->inputs.at(1).memory < 0);
  // numpy makes float64 of lists with that number in them.
  network.arrays["input_offset"] = array("<f8", std::vector<double>{8.0, 18446744073709551616.0}, {2});
  const auto floats = network.load();
  REQUIRE(floats);
  CHECK(floats->inputs.at(0).offset == 8);
  CHECK(floats->inputs.at(1).memory < 0);
  for (const double bad : {-1.0, 0.5, 18446744073709551616.0 * 2}) {
    network.arrays["input_offset"] = array("<f8", std::vector<double>{0.0, bad}, {2});
    CHECK_FALSE(network.load());
  }
}

TEST_CASE("tensors end inside their memory, or make a region of their own as long as they need") {
  for (const auto& [offset, fits] : {std::pair(60U, true), {61U, false}}) {
    Network network;
    network.tensors("input", {{4, 1, 1, offset}});
    CHECK(network.load().has_value() == fits);
  }
  Network network;
  network.tensors("input", {{4, 2, 3, 8}, {3, 1, 3, 0}});
  const auto artifact = network.load();
  REQUIRE(artifact);
  CHECK(region(*artifact, 3).size == 16);
  for (const std::uint64_t size : {0U, 3U, 16U}) {
    network.tensors("input", {{4, size, 1, 0}});
    CHECK_FALSE(network.load());
  }
}

TEST_CASE("state of a stream with addresses of its own is among inputs and outputs, of one extent and cleared") {
  for (const bool state : {true, false}) {
    Network network;
    network.local_addresses();
    network.tensors("input", {{4, 1, 3, 0}});
    network.tensors("output", {{40, 1, 4, 0}});
    if (state) network.tensors("variable", {{8, 1, 1, 64}});
    const auto artifact = network.load();
    INFO((artifact ? "" : artifact.error().to_string()));
    REQUIRE(artifact);
    const auto& in = artifact->memories.at(static_cast<std::size_t>(region(*artifact, 3).memory));
    const auto& out = artifact->memories.at(static_cast<std::size_t>(region(*artifact, 4).memory));
    CHECK(in.size == (state ? 80 : 48));
    CHECK(out.size == in.size);
    CHECK((in.cleared == state && !out.cleared));
    CHECK(region(*artifact, 1).size == 64);
    if (state) CHECK(artifact->variables.at(0).memory == region(*artifact, 4).memory);
  }
}

TEST_CASE("a state that lies on an output of a stream with addresses of its own is found") {
  for (const auto& [offset, overlaps] : {std::pair(48U, 0U), {39U, 1U}, {0U, 1U}}) {
    Network network;
    network.local_addresses();
    network.tensors("input", {{4, 1, 3, 0}});
    network.tensors("output", {{40, 1, 4, 0}});
    // The same state before and after a step, of which the file lists each.
    network.tensors("variable", {{8, 2, 1, offset}, {8, 2, 1, offset}});
    const auto artifact = network.load();
    REQUIRE(artifact);
    const auto& stream = std::get<CommandStream>(artifact->steps.at(0));
    REQUIRE(stream.overlaps.size() == overlaps);
    if (overlaps == 0) continue;
    CHECK(stream.overlaps[0].bytes.memory == region(*artifact, 4).memory);
    const std::set<std::string> names{stream.overlaps[0].first, stream.overlaps[0].second};
    CHECK((names.contains("output_0") && (names.contains("variable_0") || names.contains("variable_1"))));
  }
}
