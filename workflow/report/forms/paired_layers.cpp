#include "workflow/report/forms/paired_layers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "workflow/report/forms/align.hpp"

namespace macaw::report {
namespace {

using Layers = std::vector<JoinedLayer>;
using Key = std::string;

/// The tensor in quotes, which compilers and graphs call alike; of a layer without one, its name without the number of
/// its command.
std::string stable_name(const std::string& name) {
  const auto open = name.find('\''), close = name.rfind('\'');
  if (open < close && close != name.npos && close > open + 1) return name.substr(open + 1, close - open - 1);
  const auto at = name.rfind(" (");
  return at == 0 || at == name.npos ? name : name.substr(0, at);
}

Key work_of(const JoinedLayer& layer) { return fmt::format("{} {} {}", layer.kind, layer.macs, layer.written); }

/// Whether it has a property that distinguishes it from others.
bool has_work(const JoinedLayer& layer) { return layer.macs != 0 || layer.written != 0; }

bool same_amount(const JoinedLayer& a, const JoinedLayer& b) {
  // A result in a chain buffer has no bytes on the bus.
  return a.macs == b.macs && (a.written == b.written || (a.macs != 0 && (a.written == 0 || b.written == 0)));
}

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

/// The longest part of the pairs in which the first places rise.
Places longest_rise(const Places& pairs) {
  std::vector<std::size_t> ends;  // by length less one: the pair with the least first place that ends such a part
  std::vector<std::optional<std::size_t>> before(pairs.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto at = std::ranges::lower_bound(ends, pairs[p].first, {}, [&](std::size_t e) { return pairs[e].first; });
    if (at != ends.begin()) before[p] = *std::prev(at);
    if (at == ends.end()) ends.push_back(p);
    else *at = p;
  }
  Places rise;
  for (auto p = ends.empty() ? std::nullopt : std::optional(ends.back()); p; p = before[*p]) rise.push_back(pairs[*p]);
  std::ranges::reverse(rise);
  return rise;
}

class Pairing {
 public:
  Pairing(const Layers& then, const Layers& now)
      : then_(then), now_(now), partner_(now.size()), used_(then.size()), gone_(now.size()) {}

  std::vector<LayerPair> run() {
    pair_by_name();
    pair_in_order([](const Layers& all, const JoinedLayer& l) { return with_sources(all, l); });
    pair_in_order([](const Layers&, const JoinedLayer& l) { return work_of(l); });
    pair_by_flow();
    pair_neighbours();
    pair_sums();
    return pairs();
  }

 private:
  void pair(std::size_t then, std::size_t now) {
    partner_[now] = then;
    used_[then] = true;
  }

  /// Aligns what has no partner yet and is wanted, by a key.
  template <class Wanted, class KeyOf>
  Aligned aligned(Wanted&& wanted, KeyOf&& key_of, std::vector<std::size_t>& then,
                  std::vector<std::size_t>& now) const {
    std::vector<Key> then_keys, now_keys;
    for (std::size_t i = 0; i < then_.size(); ++i)
      if (!used_[i] && wanted(then_[i])) then.push_back(i), then_keys.push_back(key_of(then_, then_[i]));
    for (std::size_t j = 0; j < now_.size(); ++j)
      if (!partner_[j] && wanted(now_[j])) now.push_back(j), now_keys.push_back(key_of(now_, now_[j]));
    return align(then_keys, now_keys);
  }

  void pair_by_name() {
    std::vector<std::size_t> then, now;
    for (const auto& [i, j] :
         aligned([](const JoinedLayer& l) { return l.is_named; },
                 [](const Layers&, const JoinedLayer& l) { return stable_name(l.name); }, then, now))
      if (i && j) pair(then[*i], now[*j]);
  }

  /// Its work and that of the layers that wrote what it reads.
  [[nodiscard]] static Key with_sources(const Layers& all, const JoinedLayer& layer) {
    std::vector<Key> sources;
    for (const auto source : layer.reads)
      if (source < all.size()) sources.push_back(work_of(all[source]));
    std::ranges::sort(sources);
    return fmt::format("{} <- {}", work_of(layer), fmt::join(sources, ", "));
  }

  /// The longest sequence of layers of the same key in both.
  template <class KeyOf>
  void pair_in_order(KeyOf&& key_of) {
    std::vector<std::size_t> then, now;
    Places same;
    for (const auto& [i, j] : aligned(has_work, key_of, then, now))
      if (i && j) same.emplace_back(then[*i], now[*j]);
    // Layers out of order are matched later, after their neighbours.
    for (const auto& [i, j] : longest_rise(same)) pair(i, j);
  }

  /// Among several layers of the same work the one that reads what the partners of this one's sources wrote.
  void pair_by_flow() {
    std::map<Key, std::vector<std::size_t>> free;
    for (std::size_t i = 0; i < then_.size(); ++i)
      if (!used_[i] && has_work(then_[i])) free[work_of(then_[i])].push_back(i);
    for (std::size_t j = 0; j < now_.size(); ++j) {
      if (partner_[j]) continue;
      const auto found = free.find(work_of(now_[j]));
      if (found == free.end() || found->second.empty()) continue;
      auto& candidates = found->second;
      const auto common = [&](std::size_t i) {
        return std::ranges::count_if(now_[j].reads, [&](std::size_t source) {
          return partner_[source] && then_[i].reads.contains(*partner_[source]);
        });
      };
      const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), kMostCandidates));
      const auto best = std::max_element(candidates.begin(), end,
                                         [&](std::size_t a, std::size_t b) { return common(a) < common(b); });
      pair(*best, j);
      candidates.erase(best);
    }
  }

  /// Layers without a partner, between two pairs that are neighbours.
  struct Gap {
    std::vector<std::size_t> then, now;
  };

  [[nodiscard]] std::vector<Gap> gaps() const {
    std::vector<Gap> all(1);
    std::size_t next = 0;
    const auto take = [&](std::size_t end) {
      for (; next < end; ++next)
        if (!used_[next]) all.back().then.push_back(next);
    };
    for (std::size_t j = 0; j < now_.size(); ++j) {
      if (!partner_[j]) {
        all.back().now.push_back(j);
      } else if (*partner_[j] >= next) {
        take(*partner_[j]);
        all.emplace_back();
      }
    }
    take(then_.size());
    return all;
  }

  void pair_neighbours() {
    for (const auto& gap : gaps())
      for (const auto j : gap.now) {
        const auto found = std::ranges::find_if(gap.then, [&](std::size_t i) {
          return !used_[i] && has_work(then_[i]) && then_[i].kind == now_[j].kind && same_amount(then_[i], now_[j]);
        });
        if (found != gap.then.end()) pair(*found, j);
      }
  }

  /// Several layers that do together what one does.
  void pair_sums() {
    for (const auto& gap : gaps()) {
      for (const auto j : gap.now) {
        if (partner_[j] || gone_[j]) continue;
        const auto parts = parts_of(now_[j], then_, gap.then, [&](std::size_t i) { return used_[i]; });
        if (parts.empty()) continue;
        pair(parts.front(), j);
        for (const auto part : parts) used_[part] = true;
        then_parts_[j] = parts;
      }
      for (const auto i : gap.then) {
        if (used_[i]) continue;
        const auto parts = parts_of(then_[i], now_, gap.now, [&](std::size_t j) { return partner_[j] || gone_[j]; });
        if (parts.empty()) continue;
        pair(i, parts.front());
        for (std::size_t k = 1; k < parts.size(); ++k) gone_[parts[k]] = true;
        now_parts_[parts.front()] = parts;
      }
    }
  }

  /// Free layers of a gap, one behind the other among those of the kind, whose work adds up to that of `whole`.
  template <class Taken>
  [[nodiscard]] static std::vector<std::size_t> parts_of(const JoinedLayer& whole, const Layers& layers,
                                                         const std::vector<std::size_t>& gap, Taken&& taken) {
    if (whole.macs == 0 && whole.written == 0) return {};
    std::vector<std::size_t> same;
    for (const auto i : gap)
      if (!taken(i) && layers[i].kind == whole.kind && !layers[i].is_named) same.push_back(i);
    JoinedLayer sum;
    const auto short_of = [&] { return whole.macs != 0 ? sum.macs < whole.macs : sum.written < whole.written; };
    for (std::size_t first = 0, end = 0; first < same.size(); ++first) {
      for (; end < same.size() && short_of(); ++end) {
        sum.macs += layers[same[end]].macs;
        sum.written += layers[same[end]].written;
      }
      if (same_amount(sum, whole) && end > first + 1)
        return {same.begin() + static_cast<std::ptrdiff_t>(first), same.begin() + static_cast<std::ptrdiff_t>(end)};
      sum.macs -= layers[same[first]].macs;
      sum.written -= layers[same[first]].written;
    }
    return {};
  }

  [[nodiscard]] std::vector<LayerPair> pairs() const {
    std::vector<LayerPair> all;
    std::size_t next = 0;
    const auto add_then = [&](std::size_t end) {
      for (; next < end; ++next)
        if (!used_[next]) all.push_back({{next}, {}});
    };
    for (std::size_t j = 0; j < now_.size(); ++j) {
      if (gone_[j]) continue;
      if (partner_[j]) add_then(*partner_[j]);
      auto& added = all.emplace_back();
      added.now = {j};
      if (partner_[j]) added.then = {*partner_[j]};
      if (const auto parts = now_parts_.find(j); parts != now_parts_.end()) added.now = parts->second;
      if (const auto parts = then_parts_.find(j); parts != then_parts_.end()) added.then = parts->second;
    }
    add_then(then_.size());
    return all;
  }

  static constexpr std::size_t kMostCandidates = 64;

  const Layers &then_, &now_;
  std::vector<std::optional<std::size_t>> partner_;                         ///< of each of now_
  std::vector<bool> used_;                                                  ///< of then_, also as a part of another
  std::vector<bool> gone_;                                                  ///< of now_, as a part of another
  std::map<std::size_t, std::vector<std::size_t>> then_parts_, now_parts_;  ///< by layer of now_: all parts of it
};

}  // namespace

std::vector<LayerPair> pair_layers(const Layers& then, const Layers& now) { return Pairing(then, now).run(); }

}  // namespace macaw::report
