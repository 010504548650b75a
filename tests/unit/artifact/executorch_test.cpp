#include <catch2/catch.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstring>

using namespace macaw;
using namespace macaw::npu;

namespace {

using Words = std::vector<std::uint32_t>;

void add_block(std::vector<std::byte>& out, const char* name, const Words& words) {
  const auto at = out.size();
  const auto size = std::uint32_t(words.size() * 4);
  out.resize(at + 32 + (size + 15) / 16 * 16);
  std::memcpy(out.data() + at, name, std::strlen(name));
  std::memcpy(out.data() + at + 16, &size, 4);
  if (size) std::memcpy(out.data() + at + 32, words.data(), size);
}

std::vector<std::byte> stream(std::uint32_t output_offset) {
  std::vector<std::byte> out;
  add_block(out, "vela_bin_stream", {});
  add_block(out, "cmd_data", {0x31504f43, 1, 0x20000118, 0x20007000, 5, 5, 5, 1u << 16 | 2, 0xffff0000});
  add_block(out, "weight_data", {1, 2, 3});
  add_block(out, "scratch_size", {64});
  add_block(out, "inputs", {1, 1, 1, 1, 1, 4, 4, 1, 16, 1});
  add_block(out, "outputs", {1, 1, 1, 1, 1, 1, 2, 2, output_offset, 1});
  add_block(out, "vela_end_stream", {});
  return out;
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
