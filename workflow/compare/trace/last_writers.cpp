#include "workflow/compare/trace/last_writers.hpp"

#include <algorithm>

namespace macaw::compare {

void LastWriters::set(const Span& span, std::size_t owner) {
  if (span.memory < 0) return;
  clear(span);
  memories_[span.memory][span.first] = {span.last, owner};
}

void LastWriters::clear(const Span& span) {
  for (const auto& [part, owner] : parts(span)) {
    auto& runs = memories_[span.memory];
    const auto run = std::prev(runs.upper_bound(part.first));
    const auto first = run->first, last = run->second.last;
    runs.erase(run);
    if (first < part.first) runs[first] = {part.first - 1, owner};
    if (part.last < last) runs[part.last + 1] = {last, owner};
  }
}

std::vector<LastWriters::Part> LastWriters::parts(const Span& span) const {
  const auto found = memories_.find(span.memory);
  if (found == memories_.end()) return {};
  std::vector<Part> parts;
  auto run = found->second.upper_bound(span.first);
  if (run != found->second.begin() && std::prev(run)->second.last >= span.first) --run;
  for (; run != found->second.end() && run->first <= span.last; ++run)
    parts.push_back(
        {{span.memory, std::max(run->first, span.first), std::min(run->second.last, span.last)}, run->second.owner});
  return parts;
}

std::vector<LastWriters::Part> LastWriters::all() const {
  std::vector<Part> parts;
  for (const auto& [memory, runs] : memories_)
    for (const auto& [first, run] : runs) parts.push_back({{memory, first, run.last}, run.owner});
  return parts;
}

}  // namespace macaw::compare
