#include "sim/blocks/transfer.hpp"

#include "sim/blocks/stream_share.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <random>

using namespace macaw::npu;

namespace {

// Word by word and run by run, as the definition says.
std::uint64_t counted(const Transfer& t, std::uint64_t size) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < t.runs(); ++i) {
    const auto start = t.run_address(i);
    total += (start + t.run - 1) / size - start / size + 1;
  }
  return total;
}

}  // namespace

TEST_CASE("beats and transactions in closed form equal the count over all runs") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    Transfer t = contiguous(Channel::kReadIfm, 0, 1'000'000 + random() % 300, 1 + random() % 200);
    for (auto& level : t.levels) {
      level.count = 1 + random() % 7;
      const bool aligned = random() % 3 == 0;
      level.stride = (static_cast<std::int64_t>(random() % 400) - 150) * (aligned ? 64 : 1);
    }
    CAPTURE(round);
    CHECK(t.beats(8) == counted(t, 8));
    CHECK(t.beats(16) == counted(t, 16));
    CHECK(t.transactions(64) == counted(t, 64));
    CHECK(t.transactions(128) == counted(t, 128));
    CHECK(t.bytes() == t.run * t.runs());
  }
}

TEST_CASE("a long walk over unaligned runs is counted without visiting them") {
  Transfer t = contiguous(Channel::kReadIfm, 0, 3, 10);
  t.levels[0] = {std::uint64_t{1} << 40, 10};
  // Residues of 3 + 10k mod 8 are 3, 5, 7, 1: of these runs of 10 bytes those at 7 touch three words.
  CHECK(t.beats(8) == (std::uint64_t{1} << 38) * (2 + 2 + 3 + 2));
}

TEST_CASE("an empty transfer costs nothing") {
  CHECK(Transfer{}.beats(8) == 0);
  TransferList list;
  list.push_back(Transfer{});
  CHECK(list.empty());
}

TEST_CASE("shares of a stream add up to the whole stream and never split a burst") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    const Stream stream{0, 16 * (random() % 100), 16 * (random() % 200)};
    const std::uint64_t total = 1 + random() % 50;
    std::uint64_t beats = 0, bursts = 0, next = stream.base;
    for (std::uint64_t at = 0; at < total;) {
      const auto to = std::min(total, at + 1 + random() % 5);
      TransferList list;
      append_share(list, Channel::kReadWeights, stream, {at, to, total}, 64);
      beats += list.beats(8);
      bursts += list.transactions(64);
      for (const auto& part : list) {
        CHECK(part.address == next);
        next = part.address + part.run;
      }
      // The data read so far covers the even share.
      CHECK((next - stream.base) * total >= stream.length * to);
      at = to;
    }
    const auto whole = contiguous(Channel::kReadWeights, 0, stream.base, stream.length);
    CHECK(beats == whole.beats(8));
    CHECK(bursts == whole.transactions(64));
    CHECK(next == stream.base + stream.length);
  }
}
