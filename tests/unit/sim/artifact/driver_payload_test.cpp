#include <catch2/catch.hpp>

#include <macaw/npu/artifact.hpp>
#include "sim/artifact/driver_payload.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr std::uint32_t kMagic1 = 0x31504f43, kMagic2 = 0x32504f43, kNop = 5, kStop = 0xffff0000;

Result<DriverPayload> payload_of(const std::vector<std::uint32_t>& words) {
  return parse_driver_payload(std::as_bytes(std::span(words)), "p");
}

void check_error(const std::vector<std::uint32_t>& words, const char* text, ErrorCode code = ErrorCode::kInvalidFile) {
  const auto payload = payload_of(words);
  REQUIRE_FALSE(payload);
  CHECK(payload.error().code == code);
  CHECK_THAT(payload.error().message, Catch::Contains(text));
  CHECK(payload.error().place.byte_offset);
}

// One command stream of two words at byte 80, behind metadata that is padded to there.
std::vector<std::uint32_t> cop2(std::uint32_t features) {
  constexpr std::uint32_t kVela = 0x4d554556, kStreamAt = 80, kEnd = kStreamAt + 8;
  std::vector<std::uint32_t> words{kMagic2,
                                   1,
                                   kEnd - 16,
                                   0,  // version 1.0, bytes of all entries
                                   1,
                                   kEnd - 24,  // a command stream, its bytes
                                   kStreamAt - 28,
                                   kVela,
                                   1,
                                   20,
                                   0x20000118,
                                   0x20007000,
                                   features,
                                   0,
                                   0};
  words.resize(kStreamAt / 4, 0xffffffff);
  words.insert(words.end(), {kNop, kStop});
  return words;
}

}  // namespace

TEST_CASE("a COP1 payload holds configuration and stream", "[artifact]") {
  const auto payload =
      payload_of({kMagic1, 0x00100001, 0x00001807, 0x10066001, kNop, kNop, kNop, 2u << 16 | 2, kNop, kStop});
  REQUIRE(payload);
  CHECK(payload->config_word == 0x1807u);
  CHECK(payload->id_word == 0x10066001u);
  REQUIRE(payload->streams.size() == 1);
  CHECK(payload->streams[0].offset == 32);
  CHECK(payload->streams[0].words == std::vector<std::uint32_t>{kNop, kStop});
  CHECK_FALSE(payload->local_addressing);
}

TEST_CASE("the length of a COP1 stream has 24 bits", "[artifact]") {
  std::vector<std::uint32_t> words{kMagic1, kNop, kNop, 1u << 8 | 2};
  words.resize(4 + 0x10000, kStop);
  const auto payload = payload_of(words);
  REQUIRE(payload);
  CHECK(payload->streams[0].words.size() == 0x10000);
}

TEST_CASE("malformed COP1 payloads are errors", "[artifact]") {
  check_error({0x30504f43, kNop}, "neither COP1 nor COP2");
  check_error({}, "ends inside");
  check_error({kMagic1}, "no command stream");
  check_error({kMagic1, 1, 0x1807}, "ends inside OPTIMIZER_CONFIG");
  check_error({kMagic1, kNop, kNop, 2u << 16 | 2, kStop}, "command stream has 2 words");
  check_error({kMagic1, 1u << 16 | 2, kStop}, "16-byte aligned");
  check_error({kMagic1, 0}, "driver action 0");
  check_error({kMagic1, 6}, "driver action 6");
  check_error({kMagic1, 4}, "old drivers", ErrorCode::kUnsupported);
  const std::uint8_t odd[] = {0x43, 0x4f, 0x50, 0x31, 5};
  CHECK_FALSE(parse_driver_payload(std::as_bytes(std::span(odd)), "p"));
}

TEST_CASE("a COP2 payload says how it addresses tensors", "[artifact]") {
  CHECK_FALSE(payload_of(cop2(1))->local_addressing);
  auto words = cop2(2);
  const auto payload = payload_of(words);
  REQUIRE(payload);
  CHECK(payload->local_addressing);
  CHECK(payload->config_word == 0x20000118u);
  CHECK(payload->streams[0].offset == 80);
  CHECK(payload->streams[0].words == std::vector<std::uint32_t>{kNop, kStop});

  for (const std::uint32_t off : {4u, 0xfffffffcu}) {
    words[2] += off;
    check_error(words, "bytes of actions");
    words[2] -= off;
  }
  // A header of 12 bytes and 20 bytes of Vela's are the least (u55_u65 1.2).
  for (const std::uint32_t bytes : {0u, 20u, 28u}) {
    words[6] = bytes;
    check_error(words, "metadata of");
  }
  words[6] = 80 - 28;
  words[7] = 0;
  check_error(words, "not Vela's", ErrorCode::kUnsupported);
  words[6] = 0xfffffff0;
  check_error(words, "metadata of");
  words[5] = 0xfffffff0;
  check_error(words, "longer than the payload");
  words[4] = 9;
  words[5] = 4;
  check_error(words, "type 9", ErrorCode::kUnsupported);
  words[1] = 2;
  check_error(words, "version 2", ErrorCode::kUnsupported);
}

TEST_CASE("metadata of a COP2 entry end with it, though another entry follows", "[artifact]") {
  // Two entries of a stream of two words at bytes 80 and 144.
  auto words = cop2(2);
  const std::vector<std::uint32_t> first(words.begin() + 4, words.end());
  words.insert(words.end(), first.begin(), first.begin() + 11);
  words.resize(144 / 4, 0xffffffff);
  words.insert(words.end(), {kNop, kStop});
  words[2] = 152 - 16;
  words[23] = 152 - 96;
  words[24] = 144 - 100;
  const auto payload = payload_of(words);
  if (!payload) FAIL(payload.error().to_string());
  REQUIRE(payload->streams.size() == 2);
  CHECK((payload->streams[0].offset == 80 && payload->streams[1].offset == 144));
  words[6] += 12;
  check_error(words, "metadata of");
}

TEST_CASE("a payload alone is an artifact without memories") {
  const auto words = cop2(0);
  const auto artifact = parse_artifact(std::as_bytes(std::span(words)), "payload.bin");
  REQUIRE(artifact);
  CHECK(artifact->memories.empty());
  REQUIRE(artifact->steps.size() == 1);
  CHECK(std::get<CommandStream>(artifact->steps[0]).words == std::vector<std::uint32_t>{kNop, kStop});
}
