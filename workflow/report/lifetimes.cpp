#include "workflow/report/lifetimes.hpp"

#include <algorithm>
#include <map>

namespace macaw::report {
namespace {

using trace::Movement;
using trace::SavedRun;

/// What a region holds while operations follow each other; no two pieces overlap.
class Region {
 public:
  Region(int region, std::vector<Lifetime>& ended) : region_(region), ended_(ended) {}

  void read(const Movement& m, std::size_t operation, std::uint64_t start, std::uint64_t now) {
    auto gap = m.first;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
    for (auto piece = from(m.first); piece != open_.end() && piece->second.first <= m.last; ++piece) {
      if (piece->second.first > gap) gaps.emplace_back(gap, piece->second.first - 1);
      piece->second.end = std::max(piece->second.end, now);
      read_[piece->first] = true;
      gap = piece->second.last + 1;
    }
    if (gap <= m.last) gaps.emplace_back(gap, m.last);
    for (const auto& [first, last] : gaps) {
      open_[first] = {region_, first, last, start, now, operation, false};
      read_[first] = true;
    }
  }

  void write(const Movement& m, std::size_t operation, std::uint64_t start, std::uint64_t end) {
    for (auto piece = from(m.first); piece != open_.end() && piece->second.first <= m.last;) {
      const auto old = piece->second;
      const bool was_read = read_[piece->first];
      read_.erase(piece->first);
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
    open_[m.first] = {region_, m.first, m.last, start, end, operation, true};
    read_[m.first] = false;
  }

  /// What was never read is a result of the network.
  void finish(std::uint64_t end) {
    for (auto& [first, piece] : open_) {
      if (!read_[first]) piece.end = end;
      ended_.push_back(piece);
    }
  }

 private:
  std::map<std::uint64_t, Lifetime>::iterator from(std::uint64_t first) {
    auto piece = open_.upper_bound(first);
    if (piece != open_.begin() && std::prev(piece)->second.last >= first) --piece;
    return piece;
  }
  void keep(Lifetime piece, std::uint64_t first, std::uint64_t last, bool was_read) {
    piece.first = first;
    piece.last = last;
    open_[first] = piece;
    read_[first] = was_read;
  }

  int region_;
  std::vector<Lifetime>& ended_;
  std::map<std::uint64_t, Lifetime> open_;  ///< by first byte
  std::map<std::uint64_t, bool> read_;
};

}  // namespace

std::vector<Lifetime> lifetimes_of(const SavedRun& run) {
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

MemoryUse memory_use(const SavedRun& run, const std::vector<Lifetime>& lifetimes, int side) {
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
