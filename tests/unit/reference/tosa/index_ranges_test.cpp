#include <macaw/tosa/index_ranges.hpp>

#include <catch2/catch.hpp>

#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

/// A graph that picks from five rows with indices that `kind` computes from an input and a constant, in this order or
/// the other one.
Graph picked_by(Op kind, std::int64_t constant, bool constant_first = false) {
  GraphBuilder b;
  const auto rows = b.input("rows", DType::kINT8, {1, 5, 2}), x = b.input("x", DType::kINT64, {1, 3});
  const auto c = b.constant("c", tensor<std::int64_t>(DType::kINT64, {1, 1}, {constant}));
  const auto indices = b.value("indices", DType::kINT64, {1, 3}), out = b.value("out", DType::kINT8, {1, 3, 2});
  b.add(kind, constant_first ? std::vector{c, x} : std::vector{x, c}, {indices});
  b.add(Op::kGATHER, {rows, indices}, {out});
  b.output(out);
  return b.graph();
}

std::optional<std::pair<std::int64_t, std::int64_t>> range_of_x(const Graph& graph) {
  const auto range = index_ranges(graph).at(1);
  if (!range) return {};
  return std::pair{range->least, range->most};
}

}  // namespace

TEST_CASE("operators without operands or results have no ranges") {
  for (const Op op : all_ops())
    for (const std::size_t operands : {0, 1}) {
      GraphBuilder b;
      const auto x = b.input("x", DType::kINT32, {1, 3}), rows = b.input("rows", DType::kINT8, {1, 5, 2});
      const auto y = b.value("y", DType::kINT32, {1, 3}), out = b.value("out", DType::kINT8, {1, 3, 2});
      b.add(op, std::vector(operands, x), {y});
      b.add(Op::kGATHER, {rows, y}, {out});
      b.add(op, std::vector(operands, x), {});
      CHECK(index_ranges(b.graph()).size() == 2);
    }
}

TEST_CASE("a constant moves the range of an index, up to the ends of its type") {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();
  using Range = std::pair<std::int64_t, std::int64_t>;
  CHECK(range_of_x(picked_by(Op::kADD, 7)) == Range{-7, -3});
  CHECK(range_of_x(picked_by(Op::kSUB, 7)) == Range{7, 11});
  CHECK(range_of_x(picked_by(Op::kSUB, 7, true)) == Range{3, 7});
  // x + least = 0 to 4 has no solution in 64 bits.
  CHECK_FALSE(range_of_x(picked_by(Op::kADD, kLeast)));
  CHECK(range_of_x(picked_by(Op::kADD, kMost)) == Range{-kMost, -kMost + 4});
  CHECK(range_of_x(picked_by(Op::kSUB, kMost)) == Range{kMost, kMost});
  CHECK(range_of_x(picked_by(Op::kSUB, kLeast)) == Range{kLeast, kLeast + 4});
  CHECK(range_of_x(picked_by(Op::kSUB, kLeast, true)) == Range{kLeast, kLeast});
}
