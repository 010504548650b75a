#include <catch2/catch.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstring>
#include "tests/unit/artifact/vela_stream.hpp"

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

TEST_CASE("malformed vela_bin_streams are errors", "[artifact]") {
  CHECK_FALSE(parse_artifact(stream(61), "f"));  // the output ends behind the scratch memory
  auto bytes = stream(60);
  for (std::size_t size = 0; size < bytes.size() - 31; size += 7) {
    const auto artifact = parse_artifact(std::span(bytes).first(size), "f");
    REQUIRE_FALSE(artifact);
    CHECK(artifact.error().code == ErrorCode::kInvalidFile);
  }
  bytes[20] = std::byte{1};  // "the data is elsewhere"
  const auto external = parse_artifact(bytes, "f");
  REQUIRE_FALSE(external);
  CHECK(external.error().code == ErrorCode::kUnsupported);
}
