#include "sim/timed/activity.hpp"

#include <algorithm>

namespace macaw::npu::timed {
namespace {

/// Merges `next` into `span` if it continues the operation after a pause of at most `pause`.
bool join(Activity::Span& span, const Activity::Span& next, Ticks pause) {
  if (span.command != next.command || next.start > span.end + pause) return false;
  span.end = next.end;
  span.busy += next.busy;
  return true;
}

}  // namespace

void Activity::begin(std::size_t command, Ticks at) {
  end(at);
  operation_ = static_cast<std::uint32_t>(command);
  busy_ = true;
  since_ = at;
}

void Activity::end(Ticks at) {
  if (busy_ && limit_ != 0 && at > since_) keep({operation_, since_, at, at - since_});
  busy_ = false;
}

void Activity::record(std::size_t most) {
  limit_ = 2 * most;
  spans_.clear();
}

void Activity::keep(const Span& span) {
  if (!spans_.empty() && join(spans_.back(), span, resolution_)) return;
  spans_.push_back(span);
  if (spans_.size() > limit_) thin_out();
}

void Activity::thin_out() {
  const std::size_t most = limit_ / 2;
  while (spans_.size() > most) {
    Ticks shortest{UINT64_MAX};
    for (std::size_t i = 1; i < spans_.size(); ++i)
      if (spans_[i].command == spans_[i - 1].command)
        shortest = std::min(shortest, spans_[i].start - spans_[i - 1].end);
    if (shortest == Ticks(UINT64_MAX)) {
      limit_ = 2 * spans_.size();
      return;
    }
    resolution_ = std::max({2 * resolution_, shortest, kCycle});
    auto last = spans_.begin();
    for (auto next = last + 1; next != spans_.end(); ++next)
      if (!join(*last, *next, resolution_)) *++last = *next;
    spans_.erase(last + 1, spans_.end());
  }
}

void Activity::trace(sc_core::sc_trace_file* file) const {
  const std::string unit = get_parent_object()->name();
  sc_core::sc_trace(file, busy_, unit + ".busy");
  sc_core::sc_trace(file, operation_, unit + ".operation");
}

std::vector<Activity*> activities(const sc_core::sc_object& object) {
  std::vector<Activity*> found;
  for (sc_core::sc_object* child : object.get_child_objects()) {
    if (auto* activity = dynamic_cast<Activity*>(child)) found.push_back(activity);
    std::ranges::copy(activities(*child), std::back_inserter(found));
  }
  return found;
}

}  // namespace macaw::npu::timed
