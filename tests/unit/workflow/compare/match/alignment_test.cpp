#include "tests/unit/workflow/compare/hand_made.hpp"
#include "workflow/compare/judge/misread_operations.hpp"
#include "workflow/compare/match/candidates.hpp"

#include <catch2/catch.hpp>

// Conclusions from the tensors that records were found to have written.
using namespace macaw;
using namespace macaw::compare;
using namespace macaw::compare::hand_made;

namespace {

using Set = std::set<TensorId>;

/// input -> a -> b -> c, d from b and the input; records write a, nothing that is known, and c.
struct Chain : Graph {
  TensorId in = input(counted({8}, 90)), a = make(counted({8}, 1), {in}), b = make(counted({8}, 20), {a}),
           c = make(counted({8}, 40), {b}), d = make(counted({8}, 60), {b, in});
  std::vector<Record> records{whole(value(a)), whole(counted({8}, 100), 8), whole(value(c), 16)};

  Chain() {
    records[0].inputs = {0};
    records[1].producers = {0};
    records[2].producers = {1};
  }
  [[nodiscard]] const Tensor& value(TensorId id) const { return *reference.tensors[id].value; }
  [[nodiscard]] Alignment align(bool outputs_equal = false) {
    artifact.inputs.resize(1);
    artifact.outputs.resize(1);
    artifact.outputs[0].memory = 0;
    artifact.outputs[0].offset = 8;
    artifact.outputs[0].shape = {8};
    return {reference, artifact, records, {}, outputs_equal ? std::set<std::size_t>{0} : std::set<std::size_t>{}};
  }
  npu::Artifact artifact;
};

}  // namespace

TEST_CASE("records are right that wrote a tensor, and explained if one was made from what they wrote") {
  Chain chain;
  auto alignment = chain.align();
  CHECK((alignment.right(0) && !alignment.right(1) && alignment.right(2)));
  for (std::size_t i = 0; i < 3; ++i) CHECK(alignment.explained(i));
  CHECK((alignment.known(chain.in) && alignment.known(chain.a) && alignment.known(chain.c)));
  CHECK_FALSE((alignment.known(chain.b) || alignment.known(chain.d)));
  alignment.doubt({2});
  CHECK((alignment.explained(0) && !alignment.explained(1) && !alignment.explained(2)));
  alignment.confirm({1});
  CHECK((alignment.explained(0) && alignment.explained(1)));
  chain.records.pop_back();
  CHECK_FALSE(chain.align().explained(1));
  CHECK(chain.align(true).explained(1));  // an output that is right lies where it wrote
}

TEST_CASE("a tensor's cone reaches back to tensors that are known") {
  Chain chain;
  const auto alignment = chain.align();
  const auto d = alignment.cone(chain.d);
  CHECK(d.frontier == Set{chain.in, chain.a});
  CHECK(d.operators == std::set<std::size_t>{1, 3});
  CHECK(d.inside == Set{chain.b});
  const auto c = alignment.cone(chain.c);  // its own contents are known, and what it is made from is asked
  CHECK(c.frontier == Set{chain.a});
  CHECK(c.operators == std::set<std::size_t>{1, 2});
  chain.reference.tensors[chain.in].constant = true;
  CHECK(chain.align().cone(chain.d).frontier == Set{chain.a});
}

TEST_CASE("a record's sources are tensors and inputs that it was made from, through records that wrote none") {
  Chain chain;
  const auto alignment = chain.align();
  CHECK(alignment.sources(0) == Set{chain.in});
  CHECK(alignment.sources(1) == Set{chain.a});
  CHECK(alignment.sources(2) == Set{chain.a});
  CHECK(alignment.written(2) == std::vector<TensorId>{chain.c});
  CHECK(alignment.written(1).empty());
}

TEST_CASE("a tensor's writers are the records before one, of any tensor with the same contents") {
  Graph graph;
  const Tensor value = counted({16}, 1);
  const auto in = graph.input(counted({8}, 90)), a = graph.make(value, {in}), again = graph.make(value, {a});
  const std::vector<Record> records{record_of(1, 1, 8, part(value, 0, 8)), whole(counted({8}, 60)),
                                    record_of(1, 1, 8, part(value, 8, 8), 8)};
  npu::Artifact artifact;
  const Alignment alignment(graph.reference, artifact, records, {}, {});
  CHECK(alignment.representative(again) == a);
  for (const auto tensor : {a, again}) {
    CHECK(alignment.writers(tensor, 3) == std::vector<std::size_t>{0, 2});
    CHECK(alignment.writers(tensor, 2) == std::vector<std::size_t>{0});
    CHECK(alignment.writers(tensor, 1) == std::vector<std::size_t>{0});
    CHECK(alignment.writers(tensor, 0).empty());
  }
}

TEST_CASE("a reader of other tensors than its own's is suspect, with those that wrote what it should read") {
  Chain chain;
  chain.records = {whole(chain.value(chain.a)), whole(counted({8}, 100), 8), whole(counted({8}, 110), 16)};
  auto &writer = chain.records[0], &other = chain.records[1], &reader = chain.records[2];
  writer.inputs = {0};
  other.inputs = {0};
  reader.producers = {0};
  writer.operation.ofm = {.region = 1, .h = 1, .w = 1, .c = 8};
  reader.operation.ifm = writer.operation.ofm;
  reader.read[0] = writer.written;
  const auto suspects = [&] {
    const auto alignment = chain.align();
    return find_misread_operations(alignment, chain.records, 2, alignment.cone(chain.b));
  };
  using Records = std::vector<std::size_t>;
  CHECK(suspects().empty());
  auto& map = reader.operation.ifm;
  for (auto* field : {&map.stride_x, &map.stride_y}) {
    *field = 64;
    CHECK(suspects() == Records{0, 2});
    *field = 0;
  }
  map.base[0] = 64;
  CHECK(suspects() == Records{0, 2});
  map.base[0] = 0;
  map.bits = 16;
  CHECK(suspects() == Records{0, 2});
  map.bits = 8;
  map.layout = npu::Layout::kNHCWB16;
  CHECK(suspects() == Records{0, 2});
  map.layout = npu::Layout::kNHWC;
  map.region = 2;
  CHECK(suspects() == Records{0, 2});
  map.region = 1;
  map.stride_c = 64;
  CHECK(suspects().empty());  // no stride of an NHWC map
  writer.operation.ofm.layout = map.layout = npu::Layout::kNHCWB16;
  CHECK(suspects() == Records{0, 2});
  map.stride_c = 0;
  CHECK(suspects().empty());
  map.c = 4;
  map.stride_x = 64;
  CHECK(suspects().empty());  // a part of the map may have other strides
  reader.producers = {1};
  CHECK(suspects() == Records{0, 2});
}

TEST_CASE("a map in several tiles is read in order only where the tiles lie as they were written") {
  Record writer = whole(counted({32}, 1)), reader;
  auto& written = writer.operation.ofm;
  written = {.base = {64, 0, 0, 0}, .stride_x = 8, .stride_y = 16, .width0 = 2, .height0 = 2, .height1 = 2};
  written.h = written.w = 2;
  written.c = 8;
  auto& read = reader.operation.ifm;
  read = written;
  reader.read[0] = writer.written;
  CHECK(reads_in_order(writer, reader));
  read.height0 = 1;  // the second row is in another tile
  read.base[2] = 96;
  CHECK_FALSE(reads_in_order(writer, reader));
  read.base[2] = 80;  // which follows the first without a gap
  CHECK(reads_in_order(writer, reader));
  written.height0 = 1;
  written.base[2] = read.base[2] = 96;
  CHECK(reads_in_order(writer, reader));
  read.h = 1;  // a part, in the first tile alone; that of the writer ends there
  CHECK_FALSE(reads_in_order(writer, reader));
  written.height0 = 2;
  CHECK(reads_in_order(writer, reader));
  read.h = 2;
  read.height0 = 2;
  read.width0 = 1;  // the second column
  read.base[1] = 72;
  CHECK(reads_in_order(writer, reader));
  read.base[1] = 128;
  CHECK_FALSE(reads_in_order(writer, reader));
  read.width0 = 2;
  read.storage = npu::Storage::kTile3x1;
  read.height0 = read.height1 = 1;
  read.base[1] = 80;
  CHECK(reads_in_order(writer, reader));
  read.base[1] = 128;
  CHECK_FALSE(reads_in_order(writer, reader));
}

TEST_CASE("a view of a view of a known tensor is one, however long the chain is") {
  Graph graph;
  auto last = graph.input(counted({1}, 1));
  for (int i = 0; i < 300'000; ++i) last = graph.make(counted({1}, 2), {last}, "RESHAPE");
  const auto sum = graph.make(counted({1}, 3), {last}), of_sum = graph.make(counted({1}, 4), {sum}, "IDENTITY"),
             alone = graph.make(counted({1}, 5), {}, "RESHAPE");
  const std::vector<Record> records;
  const npu::Artifact artifact;
  const Alignment alignment(graph.reference, artifact, records, {}, {});
  CHECK(alignment.is_view(last));
  for (const auto tensor : {graph.reference.inputs[0], sum, of_sum, alone}) CHECK_FALSE(alignment.is_view(tensor));
}

TEST_CASE("half of a tensor's elements tell what a record was meant to write") {
  for (const std::size_t right : {3u, 4u, 5u, 8u}) {
    Graph graph;
    const auto in = graph.input(counted({8}, 90)), a = graph.make(counted({8}, 1), {in});
    auto contents = part(*graph.reference.tensors[a].value, 0, 8);
    std::fill(contents.begin() + static_cast<std::ptrdiff_t>(right), contents.end(), std::byte{0});
    std::vector<Record> records{record_of(1, 1, 8, contents)};
    records[0].inputs = {0};
    npu::Artifact artifact;
    artifact.inputs.resize(1);
    const Alignment alignment(graph.reference, artifact, records, {}, {});
    const ConstantCheck constants;
    const auto places = CandidateFinder(graph.reference, alignment, constants, records).of(0);
    INFO(right);
    REQUIRE(places.size() == (right == 8 ? 0 : 1));
    if (right == 8) continue;
    CHECK(places[0].similarity == static_cast<double>(right) / 8);
    CHECK((places[0].whole && places[0].extents && places[0].reads_all && !places[0].larger));
    CHECK(places[0].sources == 1);
  }
}

TEST_CASE("a record is placed by rows, channels or what it has in common with a tensor of other extents") {
  Graph graph;
  const auto in = graph.input(int8({1}, {0}));
  const Tensor value = counted({1, 4, 4, 16}, 1);
  graph.make(value, {in});
  const auto placed = [&](int h, int w, int c, auto element) {
    std::vector<std::byte> contents;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int z = 0; z < c; ++z) contents.push_back(element(y, x, z));
    std::vector<Record> records{record_of(h, w, c, std::move(contents))};
    npu::Artifact artifact;
    const Alignment alignment(graph.reference, artifact, records, {}, {});
    const ConstantCheck constants;
    return CandidateFinder(graph.reference, alignment, constants, records).of(0);
  };
  const auto at = [&](int y, int x, int z) {
    const bool inside = y >= 0 && y < 4 && x >= 0 && x < 4 && z >= 0 && z < 16;
    return inside ? value.bytes()[static_cast<std::size_t>((y * 4 + x) * 16 + z)] : std::byte{0};
  };
  const auto rows = placed(2, 4, 16, [&](int y, int x, int z) { return at(y + 2, x, z); });
  REQUIRE(rows.size() == 1);
  CHECK((rows[0].similarity == 1 && !rows[0].whole && !rows[0].larger && rows[0].contents.empty()));
  const auto channels = placed(4, 4, 8, [&](int y, int x, int z) { return at(y, x, z + 8); });
  REQUIRE(channels.size() == 1);
  CHECK((channels[0].similarity == 1 && !channels[0].whole && !channels[0].larger));
  const auto larger = placed(5, 4, 16, at);
  REQUIRE(larger.size() == 1);
  CHECK((larger[0].similarity == 1 && !larger[0].whole && larger[0].larger));
  // Wider, but of half of the rows only: that is not most of it, and three rows of four are.
  CHECK(placed(2, 5, 16, at).empty());
  CHECK(placed(3, 5, 16, at).size() == 1);
  CHECK(placed(2, 3, 16, [](int, int, int) { return std::byte{0}; }).empty());
}
