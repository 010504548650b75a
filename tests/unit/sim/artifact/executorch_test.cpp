#include <catch2/catch.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstring>
#include "tests/unit/sim/artifact/vela_stream.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

using Words = std::vector<std::uint32_t>;

std::vector<std::byte> stream(std::uint32_t output_offset) {
  return test::vela_stream<std::byte>({1, 1, 1, 1, 1, 4, 4, 1, 16, 1}, {1, 1, 1, 1, 1, 1, 2, 2, output_offset, 1});
}

}  // namespace

TEST_CASE("a vela_bin_stream loads", "[artifact]") {
  const auto artifact = parse_artifact(stream(60), "f");
  REQUIRE(artifact);
  CHECK(artifact->format == Artifact::Format::kExecuTorch);
  CHECK(artifact->accelerator == find_accelerator("ethos-u85-256"));
  REQUIRE(artifact->steps.size() == 1);
  const auto& commands = std::get<CommandStream>(artifact->steps[0]);
  CHECK(commands.words == Words{0xffff0000});
  CHECK(commands.regions[0].size == 12);
  CHECK(commands.regions[1].size == 64);
  CHECK(artifact->memories[0].read_only);
  REQUIRE(artifact->inputs.size() == 1);
  CHECK(artifact->inputs[0].shape == Shape{1, 1, 1, 1, 4, 4});
  CHECK(artifact->inputs[0].offset == 16);
  CHECK(artifact->outputs[0].element_size == 2);
}

TEST_CASE("inputs and outputs of a vela_bin_stream can have regions of their own", "[artifact]") {
  const auto artifact =
      parse_artifact(test::vela_stream<std::byte>({2, 1, 1, 1, 1, 4, 4, 1, 0, 3, 1, 1, 1, 1, 1, 8, 1, 16, 3},
                                                  {1, 1, 1, 1, 1, 1, 2, 2, 0, 4}),
                     "f");
  REQUIRE(artifact);
  const auto& regions = std::get<CommandStream>(artifact->steps.at(0)).regions;
  CHECK(regions[3].size == 24);
  CHECK(regions[4].size == 4);
  CHECK(artifact->memories.at(std::size_t(regions[3].memory)).size == 24);
  CHECK(artifact->inputs.at(1).memory == regions[3].memory);
  CHECK(artifact->inputs[1].offset == 16);
  CHECK(artifact->outputs.at(0).memory == regions[4].memory);
}

TEST_CASE("a region of inputs holds all of them in whatever order they are listed", "[artifact]") {
  const auto artifact =
      parse_artifact(test::vela_stream<std::byte>({2, 1, 1, 1, 1, 1, 8, 1, 16, 3, 1, 1, 1, 1, 4, 4, 1, 0, 3},
                                                  {1, 1, 1, 1, 1, 1, 2, 2, 0, 4}),
                     "f");
  REQUIRE(artifact);
  CHECK(std::get<CommandStream>(artifact->steps.at(0)).regions[3].size == 24);
}

TEST_CASE("an input of a vela_bin_stream among the weights is refused", "[artifact]") {
  const auto artifact =
      parse_artifact(test::vela_stream<std::byte>({1, 1, 1, 1, 1, 4, 4, 1, 0, 0}, {1, 1, 1, 1, 1, 1, 2, 2, 0, 1}), "f");
  REQUIRE_FALSE(artifact);
  CHECK(artifact.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("malformed vela_bin_streams are errors", "[artifact]") {
  CHECK_FALSE(parse_artifact(stream(61), "f"));  // the output ends behind the scratch memory
  auto bytes = stream(60);
  for (std::size_t size = 0; size < bytes.size() - 31; size += 7) {
    const auto artifact = parse_artifact(std::span(bytes).first(size), "f");
    REQUIRE_FALSE(artifact);
    CHECK(artifact.error().code == ErrorCode::kInvalidFile);
  }
  bytes[20] = std::byte{1};  // the data are elsewhere, and there is no key
  const auto external = parse_artifact(bytes, "f");
  REQUIRE_FALSE(external);
  CHECK(external.error().code == ErrorCode::kInvalidFile);
}

TEST_CASE("an identifier is known where the file ends with it, and what is shorter has none", "[artifact]") {
  const auto code = [](std::string_view text, const std::string& method) {
    return parse_artifact(std::as_bytes(std::span(text)), "f", method).error().code;
  };
  CHECK(code(std::string_view("\0\0\0\0ET", 6), "forward") == ErrorCode::kInvalidFile);
  CHECK(code(std::string_view("\0\0\0\0E", 5), "forward") == ErrorCode::kUsage);
  CHECK(code("PK", "") == ErrorCode::kInvalidFile);
  CHECK(code("PK", "forward") == ErrorCode::kUsage);
}

TEST_CASE("blocks of a vela_bin_stream begin at multiples of 16 bytes, whatever their sizes", "[artifact]") {
  // The constants have 12 bytes in vela_stream.hpp, the list of inputs 40.
  const auto bytes = stream(60);
  for (std::size_t at = 0; at + 16 < bytes.size(); at += 16) {
    auto moved = bytes;
    moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(at), 16, std::byte{0});
    INFO(at);
    CHECK_FALSE(parse_artifact(moved, "f"));
  }
}

TEST_CASE("a list of inputs holds as many as it says, each with nine numbers", "[artifact]") {
  const Words one = {1, 1, 1, 1, 1, 4, 4, 1, 16, 1}, output = {1, 1, 1, 1, 1, 1, 2, 2, 60, 1};
  for (std::size_t words = 0; words <= 12; ++words) {
    auto list = one;
    list.resize(words);
    INFO(words);
    const auto artifact = parse_artifact(test::vela_stream<std::byte>(list, output), "f");
    CHECK(artifact.has_value() == (words >= 10));
    if (!artifact) CHECK(artifact.error().code == ErrorCode::kInvalidFile);
  }
  for (const std::uint32_t count : {0u, 2u, 65537u, 0x80000001u}) {
    auto list = one;
    list[0] = count;
    CHECK(parse_artifact(test::vela_stream<std::byte>(list, output), "f").has_value() == (count == 0));
  }
}
