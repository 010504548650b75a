#include "sim/timed/burst_cursor.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

struct Cut {
  std::uint64_t address, beats;
  friend bool operator==(const Cut&, const Cut&) = default;
};

/// Beat by beat: a transaction ends before a multiple of `burst`, after `most` beats and with its run. Runs of the
/// innermost level that touch and hold whole beats go on in one transaction, if they are joined.
std::vector<Cut> cut_by_beats(const std::vector<Transfer>& transfers, std::uint64_t base, std::uint64_t beat,
                              std::uint64_t burst, std::uint64_t most, bool join) {
  std::vector<Cut> cuts;
  for (const Transfer& transfer : transfers) {
    std::uint64_t end_before = 0;
    for (std::uint64_t i = 0; i < transfer.runs(); ++i) {
      const std::uint64_t first = base + transfer.run_address(i), end = first + transfer.run;
      const bool whole = first % beat == 0 && transfer.run % beat == 0;
      const bool joined = join && whole && i % transfer.levels[0].count != 0 && first == end_before;
      for (std::uint64_t at = first / beat * beat; at < end; at += beat) {
        const bool begins = (at <= first && !joined) || at % burst == 0 || cuts.back().beats == most;
        if (begins) cuts.push_back({at, 0});
        ++cuts.back().beats;
      }
      end_before = end;
    }
  }
  return cuts;
}

}  // namespace

TEST_CASE("transactions are the beats of the runs, cut at bursts and at the longest transaction") {
  std::mt19937 random(4);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int round = 0; round < 3000; ++round) {
    const auto beat = static_cast<std::uint32_t>(pick(0, 1) ? 8 : 16);
    const std::uint32_t burst = 64U << pick(0, 2);
    const auto most = static_cast<std::uint64_t>(pick(0, 1) ? pick(1, 9) : 1 << 20);
    const bool join = pick(0, 1);
    const std::uint64_t base = static_cast<std::uint64_t>(pick(0, 3)) * (pick(0, 1) ? 4096 : 24);
    std::vector<Transfer> transfers;
    for (int i = pick(1, 3); i > 0; --i) {
      const auto run = static_cast<std::uint64_t>(pick(0, 1) ? 16 * pick(1, 12) : pick(1, 300));
      auto transfer = contiguous(Channel::kReadIfm, 1,
                                 4096 + static_cast<std::uint64_t>(pick(0, 1) ? 16 * pick(0, 9) : pick(0, 99)), run);
      const auto step = static_cast<std::int64_t>(run);
      transfer.levels[0] = {static_cast<std::uint64_t>(pick(1, 4)), pick(0, 1) ? step : step + pick(1, 40)};
      transfer.levels[1] = {
          static_cast<std::uint64_t>(pick(1, 3)),
          pick(0, 1) ? static_cast<std::int64_t>(transfer.levels[0].count) * transfer.levels[0].stride : -pick(0, 700)};
      transfers.push_back(transfer);
    }
    BurstCursor cursor;
    cursor.start(transfers, base, beat, burst, Beats(most), join);
    std::vector<Cut> cuts;
    std::uint64_t beats = 0;
    Beats coming = cursor.coming();
    for (Burst next; cursor.next(next); coming = cursor.coming()) {
      CHECK(coming == next.beats);
      cuts.push_back({next.address, next.beats.count()});
      beats += next.beats.count();
    }
    INFO("round " << round << ", beats of " << beat << ", bursts of " << burst << ", most " << most << ", join "
                  << join);
    CHECK(cuts == cut_by_beats(transfers, base, beat, burst, most, join));
    CHECK(coming == Beats());
    CHECK(cursor.beats() == Beats(beats));
  }
}
