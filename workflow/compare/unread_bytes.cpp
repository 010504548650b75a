#include "workflow/compare/unread_bytes.hpp"

#include <utility>

namespace macaw::compare {

void UnreadBytes::read(const Span& span) {
  std::vector<Part> kept;
  for (const auto& part : open_) {
    if (!part.span.overlaps(span)) {
      kept.push_back(part);
      continue;
    }
    const auto& [memory, first, last] = part.span;
    if (first < span.first) kept.push_back({{memory, first, span.first - 1}, part.record});
    if (span.last < last) kept.push_back({{memory, span.last + 1, last}, part.record});
  }
  open_ = std::move(kept);
}

void UnreadBytes::write(const Span& span, std::size_t record) {
  if (span.memory < 0) return;
  read(span);
  open_.push_back({span, record});
}

std::vector<std::uint64_t> UnreadBytes::left(std::size_t records) const {
  std::vector<std::uint64_t> bytes(records, 0);
  for (const auto& part : open_)
    if (part.record < records) bytes[part.record] += part.span.last - part.span.first + 1;
  return bytes;
}

}  // namespace macaw::compare
