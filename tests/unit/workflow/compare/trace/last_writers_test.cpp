#include "workflow/compare/trace/last_writers.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <optional>
#include <random>

// Owners of bytes beside a list that holds one for each byte.
using namespace macaw::compare;

namespace {

constexpr std::size_t kBytes = 40;
using Plain = std::array<std::array<std::optional<std::size_t>, kBytes>, 2>;

/// Runs of a list's owners within a span. Two runs of one owner that were set apart may stand side by side.
std::vector<std::optional<std::size_t>> told(const std::vector<LastWriters::Part>& parts, const Span& span) {
  std::vector<std::optional<std::size_t>> bytes(span.last - span.first + 1);
  std::uint64_t next = span.first;
  for (const auto& [part, owner] : parts) {
    CHECK(part.memory == span.memory);
    CHECK(part.first >= next);
    CHECK(part.last >= part.first);
    REQUIRE(part.last <= span.last);
    for (auto at = part.first; at <= part.last; ++at) bytes[at - span.first] = owner;
    next = part.last + 1;
  }
  return bytes;
}

}  // namespace

TEST_CASE("bytes belong to their last writer, until they are taken back") {
  std::mt19937 random(7);
  LastWriters owners;
  Plain plain;
  const auto any_span = [&] {
    const auto a = random() % kBytes, b = random() % kBytes;
    return Span{static_cast<int>(random() % 2), std::min(a, b), std::max(a, b)};
  };
  for (std::size_t step = 0; step < 2000; ++step) {
    const Span span = any_span();
    const bool sets = random() % 3 != 0;
    if (sets) owners.set(span, step);
    else owners.clear(span);
    for (auto at = span.first; at <= span.last; ++at)
      plain[static_cast<std::size_t>(span.memory)][at] = sets ? std::optional(step) : std::nullopt;
    const Span asked = any_span();
    const auto& row = plain[static_cast<std::size_t>(asked.memory)];
    const auto expected = std::vector(row.begin() + static_cast<std::ptrdiff_t>(asked.first),
                                      row.begin() + static_cast<std::ptrdiff_t>(asked.last) + 1);
    if (told(owners.parts(asked), asked) != expected) FAIL("step " << step);
  }
  std::size_t owned = 0, listed = 0;
  for (const auto& row : plain)
    for (const auto& owner : row) owned += owner.has_value();
  for (const auto& part : owners.all()) listed += part.span.last - part.span.first + 1;
  CHECK(listed == owned);
  owners.set({-1, 0, 5}, 1);
  CHECK(owners.parts({-1, 0, 5}).empty());
}
