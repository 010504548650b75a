#include "tests/unit/workflow/compare/hand_made.hpp"
#include "workflow/compare/judge/misread_operations.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/compare/match/match.hpp"

#include <catch2/catch.hpp>

// Data that CPU operators read and wrote, compared with a graph that is written out here.
using namespace macaw;
using namespace macaw::compare;
using namespace macaw::compare::hand_made;

namespace {

/// in -> a -> b = a * a -> c, of which the CPU does the product.
struct ProductOnCpu : Graph {
  TensorId in = input(counted({4}, 90)), a = make(counted({4}, 1), {in}), b = make(counted({4}, 20), {a, a}, "MUL"),
           c = make(counted({4}, 40), {b});
  npu::Artifact artifact;
  HostCall call;

  ProductOnCpu() {
    npu::HostOperator host;
    host.name = "MUL";
    artifact.steps = {npu::CommandStream{}, host};
    call.step = 1;
    call.inputs = {value(a), value(a)};
    call.outputs = {value(b)};
    call.writers = {{0}, {0}};
  }
  [[nodiscard]] const Tensor& value(TensorId id) const { return *reference.tensors[id].value; }
  [[nodiscard]] std::vector<Match> reads() const { return match_host_reads(reference, artifact, {call}); }
};

}  // namespace

TEST_CASE("a tensor that an operator of the CPU reads twice is one match, with what was read") {
  ProductOnCpu graph;
  const auto matches = graph.reads();
  REQUIRE(matches.size() == 1);
  CHECK((matches[0].tensor == graph.a && matches[0].method == MatchMethod::kHostRead));
  CHECK(matches[0].records == std::vector<std::size_t>{0});
  graph.call.inputs[0] = counted({4}, 77);
  CHECK(graph.reads().at(0).contents.front() == std::byte{77});
}

TEST_CASE("an operator of the CPU is not laid beside one with other operands, types or numbers of its kind") {
  ProductOnCpu graph;
  graph.call.inputs = {graph.value(graph.a)};
  graph.call.writers = {{0}};
  CHECK(graph.reads().empty());
  graph.call.inputs = {graph.value(graph.a), std::nullopt, graph.value(graph.a)};
  graph.call.writers = {{0}, {}, {0}};
  CHECK(graph.reads().size() == 1);
  graph.call.inputs = {Tensor(DType::kUINT8, {4}), Tensor(DType::kUINT8, {4})};
  CHECK(graph.reads().empty());
  graph.call.inputs = {Tensor(DType::kINT8, {5}), Tensor(DType::kINT8, {5})};
  CHECK(graph.reads().empty());
  ProductOnCpu twice;
  twice.make(counted({4}, 60), {twice.c, twice.c}, "MUL");
  CHECK(twice.reads().empty());
}

TEST_CASE("what an operator of the CPU wrote is a tensor with its contents and its type") {
  ProductOnCpu graph;
  Record reader = whole(graph.value(graph.c));
  reader.host_outputs = {0};
  const auto known = [&](const Tensor& output) {
    graph.call.outputs = {output};
    const std::vector<Record> records{reader};
    const Alignment alignment(graph.reference, graph.artifact, records, {graph.call}, {});
    CHECK(alignment.sources(0) == (alignment.known(graph.b) ? std::set<TensorId>{graph.b} : std::set<TensorId>{}));
    return alignment.known(graph.b);
  };
  CHECK(known(graph.value(graph.b)));
  CHECK_FALSE(known(counted({4}, 21)));
  Tensor other(DType::kUINT8, {4});
  std::ranges::copy(graph.value(graph.b).bytes(), other.bytes().begin());
  CHECK_FALSE(known(other));
}

TEST_CASE("a matrix is found in slices of its columns, and a list is not") {
  const auto sliced = [](Shape shape, int w) {
    Graph graph;
    const Tensor value = counted(std::move(shape), 1);
    graph.make(value, {graph.input(int8({1}, {0}))});
    std::vector<std::byte> left, right;
    for (std::size_t row = 0; row < 8; ++row)
      for (std::size_t c = 0; c < 4; ++c) (c < 1 ? left : right).push_back(value.bytes()[row * 4 + c]);
    const std::vector<Record> records{record_of(8 / w, w, 1, left), record_of(8 / w, w, 3, right, 1)};
    return match_by_contents(graph.reference, records);
  };
  for (const int w : {1, 2, 8}) {
    REQUIRE(sliced({8, 4}, w).size() == 1);
    CHECK(sliced({8, 4}, w)[0].method == MatchMethod::kSlices);
    CHECK(sliced({2, 4, 4}, w).size() == 1);
    CHECK(sliced({32}, w).empty());
  }
}

TEST_CASE("rows are seen of a map of one image") {
  for (const std::int64_t images : {1, 2}) {
    Reference reference;
    Tensor value(DType::kINT8, {images, 3, 2, 1});
    for (std::size_t i = 0; i < 6; ++i) value.data<std::int8_t>()[i] = static_cast<std::int8_t>(i + 1);
    reference.tensors.push_back({.name = "t", .value = value});
    IntermediateMatches intermediate(reference);
    for (const std::int64_t first : {1, 3, 5}) {
      const std::vector<std::int64_t> row{first, first + 1};
      intermediate.record(0, {IntermediateValues::Kind::kRead, row, 1, 2, 1});
    }
    CHECK(intermediate.all().empty() == (images == 2));
  }
}
