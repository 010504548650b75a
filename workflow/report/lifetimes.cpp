#include "workflow/report/lifetimes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace macaw::report {
namespace {

using npu::Movement;
using npu::RunRecord;

/// Bytes of a region that are in none of its pieces.
class Gaps {
 public:
  using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< first and last

  /// Those from `first` to `last`, which from then on are not gaps.
  std::vector<Range> take(std::uint64_t first, std::uint64_t last) {
    std::vector<Range> taken;
    auto gap = gaps_.upper_bound(first);
    if (gap != gaps_.begin() && std::prev(gap)->second >= first) --gap;
    while (gap != gaps_.end() && gap->first <= last) {
      const auto [begin, end] = *gap;
      gap = gaps_.erase(gap);
      taken.emplace_back(std::max(begin, first), std::min(end, last));
      if (begin < first) gaps_[begin] = first - 1;
      if (end > last) gaps_[last + 1] = end;
    }
    return taken;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> gaps_{{0, UINT64_MAX}};
};

/// When the bytes of a region were last read since they were written. Where reads follow each other in time, a read of
/// many pieces leaves one range, so that the next one does not visit each of them again.
class Reads {
 public:
  void read(std::uint64_t first, std::uint64_t last, std::uint64_t now) {
    split(first);
    if (last != UINT64_MAX) split(last + 1);
    auto next = first;
    for (auto range = ranges_.lower_bound(first); range != ranges_.end() && range->first <= last;) {
      const auto [last_read, end] = range->second;
      if (end > now) {
        if (range->first > next) ranges_[next] = {range->first - 1, now};
        if (last_read == UINT64_MAX) return;
        next = last_read + 1;
        ++range;
      } else {
        range = ranges_.erase(range);
      }
    }
    if (next <= last) ranges_[next] = {last, now};
  }

  /// The latest read of any of the bytes; absent if nothing has read them.
  std::optional<std::uint64_t> latest(std::uint64_t first, std::uint64_t last) const {
    std::optional<std::uint64_t> found;
    auto range = ranges_.upper_bound(first);
    if (range != ranges_.begin() && std::prev(range)->second.last >= first) --range;
    for (; range != ranges_.end() && range->first <= last; ++range)
      found = std::max(found.value_or(0), range->second.end);
    return found;
  }

  void write(std::uint64_t first, std::uint64_t last) {
    split(first);
    if (last != UINT64_MAX) split(last + 1);
    ranges_.erase(ranges_.lower_bound(first), ranges_.upper_bound(last));
  }

 private:
  struct Range {
    std::uint64_t last = 0, end = 0;
  };

  void split(std::uint64_t at) {
    auto range = ranges_.lower_bound(at);
    if (range == ranges_.begin() || (--range)->second.last < at) return;
    ranges_[at] = range->second;
    range->second.last = at - 1;
  }

  std::map<std::uint64_t, Range> ranges_;  ///< by first byte
};

/// Contents of a region over the sequence of operations; pieces do not overlap.
class Region {
 public:
  Region(int region, std::vector<Lifetime>& ended) : region_(region), ended_(ended) {}

  void read(const Movement& m, std::size_t operation, std::uint64_t start, std::uint64_t now) {
    for (const auto& [first, last] : gaps_.take(m.first, m.last))
      open_[first] = {{region_, first, last, start, now, operation, false}, true};
    reads_.read(m.first, m.last, now);
  }

  void write(const Movement& m, std::size_t operation, std::uint64_t start, std::uint64_t end) {
    for (auto piece = from(m.first); piece != open_.end() && piece->first <= m.last;) {
      const auto [old, was_read] = as_read(piece->second);
      piece = open_.erase(piece);
      auto gone = old;
      gone.first = std::max(old.first, m.first);
      gone.last = std::min(old.last, m.last);
      // Operations overlap, but what is overwritten has been read.
      gone.end = std::max(gone.start, std::min(gone.end, start));
      ended_.push_back(gone);
      if (old.first < m.first) keep(old, old.first, m.first - 1, was_read);
      if (old.last > m.last) keep(old, m.last + 1, old.last, was_read);
    }
    gaps_.take(m.first, m.last);
    reads_.write(m.first, m.last);
    open_[m.first] = {{region_, m.first, m.last, start, end, operation, true}, false};
  }

  /// Data that is never read is a result of the network.
  void finish(std::uint64_t end) {
    for (const auto& [first, open] : open_) {
      auto [piece, was_read] = as_read(open);
      if (!was_read) piece.end = end;
      ended_.push_back(piece);
    }
  }

 private:
  struct Piece {
    Lifetime life;
    bool was_read = false;
  };

  std::map<std::uint64_t, Piece>::iterator from(std::uint64_t first) {
    auto piece = open_.upper_bound(first);
    if (piece != open_.begin() && std::prev(piece)->second.life.last >= first) --piece;
    return piece;
  }
  /// With what has read it since it was put there.
  Piece as_read(Piece piece) const {
    if (const auto latest = reads_.latest(piece.life.first, piece.life.last)) {
      piece.life.end = std::max(piece.life.end, *latest);
      piece.was_read = true;
    }
    return piece;
  }
  void keep(Lifetime piece, std::uint64_t first, std::uint64_t last, bool was_read) {
    piece.first = first;
    piece.last = last;
    open_[first] = {piece, was_read};
  }

  int region_;
  std::vector<Lifetime>& ended_;
  std::map<std::uint64_t, Piece> open_;  ///< by first byte
  Gaps gaps_;
  Reads reads_;
};

}  // namespace

std::vector<Lifetime> lifetimes_of(const RunRecord& run) {
  std::vector<Lifetime> ended;
  std::vector<Region> regions;
  for (int region = 0; region < 8; ++region) regions.emplace_back(region, ended);
  std::uint64_t stream_start = 0;
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& o = run.operations[i];
    if (i != 0 && o.step != run.operations[i - 1].step) stream_start = o.start;
    for (const bool write : {false, true})
      for (const auto& m : o.memory) {
        if (m.write != write || m.last < m.first) continue;
        auto& region = regions[static_cast<std::size_t>(m.region)];
        if (write) region.write(m, i, o.start, o.end);
        else region.read(m, i, std::min(stream_start, o.start), o.end);
      }
  }
  for (auto& region : regions) region.finish(run.cycles);
  std::ranges::stable_sort(ended, {}, &Lifetime::end);
  return ended;
}

MemoryUse memory_use(const RunRecord& run, const std::vector<Lifetime>& lifetimes, int side) {
  MemoryUse use;
  std::map<std::uint64_t, std::uint64_t> changes;  // modulo 2^64, as files may say anything
  const auto is_here = [&](int region) { return run.region_side[static_cast<std::size_t>(region)] == side; };
  for (const auto& life : lifetimes) {
    if (!is_here(life.region)) continue;
    auto& extent = use.extent[static_cast<std::size_t>(life.region)];
    extent = std::max(extent, life.last + 1);
    changes[life.start] += life.bytes();
    changes[std::max(life.end, life.start)] -= life.bytes();
  }
  for (const auto extent : use.extent) use.reach += extent;
  std::uint64_t alive = 0;
  for (const auto& [cycle, change] : changes) {
    alive += change;
    use.curve.emplace_back(cycle, alive);
    if (alive <= use.peak) continue;
    use.peak = alive;
    use.peak_cycle = cycle;
  }
  for (const auto& life : lifetimes)
    if (is_here(life.region) && life.start <= use.peak_cycle && use.peak_cycle < life.end) use.at_peak.push_back(life);
  std::ranges::stable_sort(use.at_peak, std::greater{}, &Lifetime::bytes);
  return use;
}

}  // namespace macaw::report
