#include "tests/unit/workflow/compare/hand_made.hpp"
#include "workflow/compare/judge/wrong_operator.hpp"

#include <catch2/catch.hpp>

// Which tensors of a graph records are found to have written.
using namespace macaw;
using namespace macaw::compare;
using namespace macaw::compare::hand_made;

namespace {

struct Found {
  TensorId tensor;
  MatchMethod method;
  std::vector<std::size_t> records;
  bool operator==(const Found&) const = default;
};

std::vector<Found> found(const Graph& graph, const std::vector<Record>& records) {
  std::vector<Found> all;
  for (const auto& match : match_by_contents(graph.reference, records)) {
    const auto bytes = std::as_const(*graph.reference.tensors[match.tensor].value).bytes();
    CHECK(std::ranges::equal(match.contents, bytes));
    all.push_back({match.tensor, match.method, match.records});
  }
  return all;
}

/// One tensor of 4x2 pixels and four channels.
struct Sliced : Graph {
  Tensor value = counted({1, 4, 2, 4}, 1);
  TensorId id = make(value, {input(int8({1}, {0}))});

  [[nodiscard]] Record slice(int first, int count, std::uint64_t place) const {
    std::vector<std::byte> contents;
    for (std::size_t pixel = 0; pixel < 8; ++pixel)
      for (int c = first; c < first + count; ++c)
        contents.push_back(value.bytes()[pixel * 4 + static_cast<std::size_t>(c)]);
    return record_of(4, 2, count, std::move(contents), place);
  }
  [[nodiscard]] Record rows(std::size_t first, std::size_t count, std::uint64_t place) const {
    return record_of(static_cast<int>(count), 2, 4, part(value, 8 * first, 8 * count), place);
  }
};

}  // namespace

TEST_CASE("a tensor is found where a record holds its elements, of its width") {
  Graph graph;
  const auto in = graph.input(counted({8}, 90));
  const auto a = graph.make(counted({8}, 1), {in}), b = graph.make(counted({2, 4}, 1), {a});
  const auto c = graph.make(counted({8}, 2), {b});
  const auto& tensors = graph.reference.tensors;
  std::vector<Record> records{whole(*tensors[in].value), whole(*tensors[c].value), whole(*tensors[a].value),
                              whole(*tensors[a].value)};
  CHECK(found(graph, records).size() == 3);  // both tensors of the same contents, each once, and no input
  CHECK(found(graph, records).front() == Found{c, MatchMethod::kContents, {1}});
  for (auto& record : records) record.bytes = 2;
  CHECK(found(graph, records).empty());
}

TEST_CASE("a tensor is found in parts that follow one another to its end") {
  const Sliced s;
  CHECK(found(s, {s.rows(0, 1, 0), s.rows(1, 3, 8)}) == std::vector<Found>{{s.id, MatchMethod::kRows, {0, 1}}});
  CHECK(found(s, {s.rows(0, 2, 0), s.rows(0, 1, 50), s.rows(2, 1, 16), s.rows(3, 1, 24)}) ==
        std::vector<Found>{{s.id, MatchMethod::kRows, {0, 2, 3}}});
  CHECK(found(s, {s.rows(0, 1, 0), s.rows(1, 2, 8)}).empty());
  CHECK(found(s, {s.rows(1, 3, 8), s.rows(0, 1, 0)}).empty());
  auto wrong = s.rows(1, 3, 8);
  wrong.contents.back() = std::byte{0};
  CHECK(found(s, {s.rows(0, 1, 0), wrong}).empty());
}

TEST_CASE("a tensor is found in slices of its channels, all of them and from the first") {
  const Sliced s;
  CHECK(found(s, {s.slice(0, 1, 0), s.slice(1, 3, 1)}) == std::vector<Found>{{s.id, MatchMethod::kSlices, {0, 1}}});
  CHECK(found(s, {s.slice(0, 2, 0), s.slice(2, 1, 2), s.slice(3, 1, 3)}).size() == 1);
  CHECK(found(s, {s.slice(0, 2, 0), s.slice(2, 1, 2)}).empty());
  CHECK(found(s, {s.slice(2, 2, 2), s.slice(0, 2, 0)}).empty());
  CHECK(found(s, {s.slice(1, 3, 0)}).empty());
  auto wrong = s.slice(1, 3, 1);
  wrong.contents.back() = std::byte{0};
  CHECK(found(s, {s.slice(0, 1, 0), wrong}).empty());
}

TEST_CASE("a piece of few bytes belongs to a tensor if it lies behind its beginning, within its reach") {
  Graph graph;
  const Tensor value = counted({12}, 1);
  const auto id = graph.make(value, {graph.input(int8({1}, {0}))});
  const auto pieces = [&](std::uint64_t place, npu::Layout layout, int memory = 0) {
    std::vector<Record> records{record_of(1, 1, 6, part(value, 0, 6), 100),
                                record_of(1, 1, 6, part(value, 6, 6), place)};
    records[0].operation.ofm.layout = layout;
    records[1].written.memory = memory;
    return found(graph, records) == std::vector<Found>{{id, MatchMethod::kRows, {0, 1}}};
  };
  using enum npu::Layout;
  CHECK(pieces(106, kNHWC));
  CHECK(pieces(101, kNHWC));
  CHECK_FALSE(pieces(100, kNHWC));
  CHECK_FALSE(pieces(90, kNHWC));
  CHECK(pieces(111, kNHWC));
  CHECK_FALSE(pieces(112, kNHWC));
  CHECK_FALSE(pieces(106, kNHWC, 1));
  // Bricks of 16 channels, of which one may be used.
  CHECK(pieces(100 + 12 * 16 - 1, kNHCWB16));
  CHECK_FALSE(pieces(100 + 12 * 16, kNHCWB16));
}

TEST_CASE("eight bytes tell a piece wherever it lies") {
  Graph graph;
  const Tensor value = counted({16}, 1);
  graph.make(value, {graph.input(int8({1}, {0}))});
  CHECK(
      found(graph, {record_of(1, 1, 8, part(value, 0, 8), 100), record_of(1, 1, 8, part(value, 8, 8), 5000)}).size() ==
      1);
  CHECK(
      found(graph, {record_of(1, 1, 9, part(value, 0, 9), 100), record_of(1, 1, 7, part(value, 9, 7), 5000)}).empty());
}

TEST_CASE("what was written is described by its elements that differ, or by its size") {
  const Tensor expected = counted({2, 3}, 10);
  CHECK_FALSE(reinterpret_as(expected, part(expected, 0, 5)));
  CHECK(*reinterpret_as(expected, part(expected, 0, 6)) == expected);
  WrongOperator wrong;
  describe_difference(wrong, expected, part(expected, 0, 5));
  CHECK(wrong.other_size);
  CHECK((wrong.elements == 6 && wrong.different == 6));
  auto contents = part(expected, 0, 6);
  contents[4] = std::byte{0xf0};
  contents[5] = std::byte{0xf1};
  describe_difference(wrong, expected, contents);
  CHECK_FALSE(wrong.other_size);
  CHECK((wrong.elements == 6 && wrong.different == 2));
  CHECK(wrong.position == std::vector<std::int64_t>{1, 1});
  CHECK((wrong.expected == 14 && wrong.actual == -16));
}
