#include "workflow/reduce/search.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/threads.hpp"

namespace macaw::reduce {
namespace {

using Numbers = std::vector<std::size_t>;

/// The numbers in `count` parts of about the same size, in order.
std::vector<Numbers> split(const Numbers& numbers, std::size_t count) {
  std::vector<Numbers> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t part) {
      return numbers.begin() + static_cast<std::ptrdiff_t>(part * numbers.size() / count);
    };
    parts.emplace_back(at(i), at(i + 1));
  }
  return parts;
}

Numbers without(const Numbers& numbers, const Numbers& dropped) {
  Numbers rest;
  std::ranges::set_difference(numbers, dropped, std::back_inserter(rest));
  return rest;
}

}  // namespace

Result<std::optional<Search::Found>> Search::first(const std::vector<Candidate>& candidates) {
  std::mutex mutex;
  std::atomic<std::size_t> best{candidates.size()};  // no candidate behind it matters any longer
  std::size_t next = 0;
  std::optional<Found> found;
  std::optional<Error> error;
  const auto work = [&] {
    for (;;) {
      std::size_t index = 0;
      {
        const std::lock_guard lock(mutex);
        if (next >= best || error || stop_()) return;
        index = next++;
      }
      auto network = candidates[index]();
      if (!network) continue;
      const auto fails = still_fails_(*network, [&] { return best < index || stop_(); });
      const std::lock_guard lock(mutex);
      if (!fails && !error) error = fails.error();
      if (!fails || !*fails || index >= best) continue;
      best = index;
      found = Found{index, std::move(network)};
    }
  };
  {
    const auto threads = start_threads(jobs_ - 1, work);
    work();
  }
  if (error) return tl::unexpected(*error);
  return found;
}

Result<bool> Search::drop_operators(NetworkPtr& network) {
  bool changed = false;
  for (std::size_t parts = 2; network->operators() > 1;) {
    Numbers all(network->operators());
    std::iota(all.begin(), all.end(), std::size_t{0});
    parts = std::min(parts, all.size());
    const auto pieces = split(all, parts);
    std::vector<Candidate> candidates;
    for (const auto& piece : pieces) candidates.push_back([&] { return network->keep(piece); });
    // With two parts, each is the complement of the other.
    if (parts > 2)
      for (const auto& piece : pieces) candidates.push_back([&] { return network->keep(without(all, piece)); });
    MACAW_ASSIGN(auto found, first(candidates));
    if (!found) {
      if (parts >= all.size() || stop_()) return changed;
      parts *= 2;
      continue;
    }
    parts = found->index < pieces.size() ? 2 : std::max<std::size_t>(parts - 1, 2);
    network = std::move(found->network);
    changed = true;
    improved_(*network);
  }
  return changed;
}

Result<bool> Search::simplify(NetworkPtr& network) {
  bool changed = false;
  for (std::size_t from = 0;;) {
    auto candidates = network->simplifications();
    // Earlier candidates are retried once none of the later ones helps.
    from = std::min(from, candidates.size());
    candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(from));
    MACAW_ASSIGN(auto found, first(candidates));
    if (!found) {
      if (from == 0 || stop_()) return changed;
      from = 0;
      continue;
    }
    from += found->index;
    network = std::move(found->network);
    changed = true;
    improved_(*network);
  }
}

Result<NetworkPtr> Search::run(NetworkPtr network) {
  for (bool simpler = true; simpler && !stop_();) {
    MACAW_CHECK(drop_operators(network));
    MACAW_ASSIGN(simpler, simplify(network));
  }
  return network;
}

}  // namespace macaw::reduce
