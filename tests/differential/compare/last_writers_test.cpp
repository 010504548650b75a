#include "workflow/compare/trace/last_writers.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <optional>
#include <random>

using namespace macaw::compare;

TEST_CASE("bytes belong to their last writer") {
  constexpr std::size_t kBytes = 64;
  std::array<std::optional<std::size_t>, kBytes> plain;
  LastWriters owners;
  std::mt19937 random(3);
  for (std::size_t owner = 0; owner < 2000; ++owner) {
    const auto a = random() % kBytes, b = random() % kBytes;
    const Span span{1, std::min(a, b), std::max(a, b)};
    const bool gives = random() % 3 != 0;
    if (gives) owners.set(span, owner);
    else owners.clear(span);
    for (auto at = span.first; at <= span.last; ++at) plain[at] = gives ? std::optional(owner) : std::nullopt;

    std::array<std::optional<std::size_t>, kBytes> found;
    for (const auto& part : owners.parts({1, 0, kBytes - 1}))
      for (auto at = part.span.first; at <= part.span.last; ++at) found[at] = part.owner;
    REQUIRE(found == plain);
    REQUIRE(owners.parts({0, 0, kBytes - 1}).empty());
  }
}
