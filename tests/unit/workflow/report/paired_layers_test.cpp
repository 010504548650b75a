#include "workflow/report/forms/paired_layers.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "workflow/report/layers.hpp"

using namespace macaw;
using report::JoinedLayer;

namespace {

constexpr int kConstants = 0, kArena = 1;

/// A run that is written by hand, operation by operation.
struct HandMadeRun {
  npu::RunRecord run;

  npu::OperationTiming& add(const char* name, std::uint64_t macs = 0) {
    npu::OperationTiming operation;
    operation.name = name;
    operation.command = static_cast<std::uint32_t>(run.operations.size());
    operation.macs = macs;
    operation.exclusive.working = 10;
    run.operations.push_back(operation);
    run.cycles += 10;
    return run.operations.back();
  }
  void copy(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    add("NPU_OP_DMA_START").memory = {{"source", kConstants, bytes, from, from + bytes - 1, false},
                                      {"destination", kArena, bytes, to, to + bytes - 1, true}};
  }
  void block(const char* name, std::uint64_t macs, std::uint64_t read, std::uint64_t written, std::uint64_t bytes,
             std::uint64_t weights = 0) {
    auto& operation = add(name, macs);
    operation.memory = {{"ifm", kArena, bytes, read, read + bytes - 1, false},
                        {"ofm", kArena, bytes, written, written + bytes - 1, true}};
    if (weights != 0) operation.memory.push_back({"weights", kArena, 16, weights, weights + 15, false});
  }
  [[nodiscard]] std::vector<JoinedLayer> joined() const { return report::join_layers(run, report::summarise(run)); }
};

/// Two layers with weights and an addition between them, each in `stripes` parts that take turns.
HandMadeRun network(unsigned stripes, std::uint64_t macs = 6000) {
  HandMadeRun made;
  made.run.region_side = {};
  const std::uint64_t bytes = 600 / stripes;
  made.copy(0, 9000, 16);
  made.copy(16, 9016, 16);
  for (unsigned s = 0; s < stripes; ++s) {
    made.block("NPU_OP_CONV", macs / stripes, s * bytes, 1000 + s * bytes, bytes, 9000);
    made.block("NPU_OP_ELEMENTWISE", 0, 1000 + s * bytes, 2000 + s * bytes, bytes);
    made.block("NPU_OP_CONV", macs / stripes, 2000 + s * bytes, 3000 + s * bytes, bytes, 9016);
  }
  return made;
}

std::vector<std::pair<std::size_t, std::size_t>> counts(const std::vector<report::LayerPair>& pairs) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (const auto& pair : pairs) all.emplace_back(pair.then.size(), pair.now.size());
  return all;
}

JoinedLayer layer(const char* kind, std::uint64_t macs, std::uint64_t written, std::set<std::size_t> reads = {}) {
  JoinedLayer made;
  made.kind = kind;
  made.macs = macs;
  made.written = written;
  made.reads = std::move(reads);
  return made;
}

using Counts = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace

TEST_CASE("stripes that take turns are joined by their weights and by what they read") {
  for (const unsigned stripes : {1, 2, 3}) {
    INFO(stripes);
    const auto joined = network(stripes).joined();
    REQUIRE(joined.size() == 3);
    CHECK(joined[0].kind == "CONV");
    CHECK(joined[1].kind == "ELEMENTWISE");
    CHECK(joined[0].layers.size() == stripes);
    CHECK(joined[1].layers.size() == stripes);
    CHECK(joined[0].macs == 6000);
    CHECK(joined[1].written == 600);
    CHECK(joined[1].reads == std::set<std::size_t>{0});
    CHECK(joined[2].reads == std::set<std::size_t>{1});
  }
  CHECK(counts(report::pair_layers(network(3).joined(), network(2).joined())) == Counts{{1, 1}, {1, 1}, {1, 1}});
}

TEST_CASE("two operators that read the same, or write elsewhere, are not joined") {
  HandMadeRun made;
  made.copy(0, 9000, 16);
  made.block("NPU_OP_CONV", 10, 0, 1000, 100, 9000);
  made.block("NPU_OP_ELEMENTWISE", 0, 1000, 2000, 100);
  made.block("NPU_OP_ELEMENTWISE", 0, 1000, 2100, 100);
  CHECK(made.joined().size() == 3);
  made.block("NPU_OP_ELEMENTWISE", 0, 1000, 5000, 50);
  CHECK(made.joined().size() == 4);
}

TEST_CASE("weights that another layer's were copied over are other weights") {
  HandMadeRun made;
  made.copy(0, 9000, 16);
  made.block("NPU_OP_CONV", 10, 0, 1000, 100, 9000);
  made.copy(16, 9000, 16);
  made.block("NPU_OP_CONV", 10, 1000, 2000, 100, 9000);
  made.copy(0, 9100, 16);
  made.block("NPU_OP_CONV", 10, 100, 1100, 100, 9100);
  const auto joined = made.joined();
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].layers.size() == 2);
}

TEST_CASE("layers of other MACs are not paired") {
  CHECK(counts(report::pair_layers(network(1).joined(), network(1, 3000).joined())) ==
        Counts{{0, 1}, {1, 0}, {1, 1}, {0, 1}, {1, 0}});
}

TEST_CASE("of layers of the same work those are paired whose sources are") {
  // In the second run the branches are computed in another order.
  const std::vector then = {layer("CONV", 1, 8), layer("CONV", 2, 8), layer("POOL", 0, 4, {0}),
                            layer("POOL", 0, 4, {1})};
  const std::vector now = {layer("CONV", 2, 8), layer("CONV", 1, 8), layer("POOL", 0, 4, {0}),
                           layer("POOL", 0, 4, {1})};
  unsigned right = 0;
  for (const auto& pair : report::pair_layers(then, now)) {
    REQUIRE(pair.then.size() == 1);
    REQUIRE(pair.now.size() == 1);
    if (then[pair.then[0]].kind == "CONV") CHECK(then[pair.then[0]].macs == now[pair.now[0]].macs);
    else right += pair.then[0] != pair.now[0];
  }
  CHECK(right >= 1);
}

TEST_CASE("a layer that a run has in parts is paired with all of them") {
  const std::vector whole = {layer("POOL", 0, 4), layer("CONV", 90, 30), layer("POOL", 0, 5)};
  const std::vector parts = {layer("POOL", 0, 4), layer("CONV", 40, 10), layer("CONV", 30, 10), layer("CONV", 20, 10),
                             layer("POOL", 0, 5)};
  CHECK(counts(report::pair_layers(whole, parts)) == Counts{{1, 1}, {1, 3}, {1, 1}});
  CHECK(counts(report::pair_layers(parts, whole)) == Counts{{1, 1}, {3, 1}, {1, 1}});
  auto chained = whole;
  chained[1].written = 0;
  CHECK(counts(report::pair_layers(parts, chained)) == Counts{{1, 1}, {3, 1}, {1, 1}});
  const std::vector other = {layer("POOL", 0, 4), layer("CONV", 40, 10), layer("CONV", 30, 10), layer("POOL", 0, 5)};
  CHECK(counts(report::pair_layers(whole, other)).size() == 5);
}

TEST_CASE("a result that stays in the NPU is paired by its MACs") {
  const std::vector then = {layer("CONV", 7, 100), layer("ELEMENTWISE", 0, 3)};
  const std::vector now = {layer("CONV", 7, 0), layer("ELEMENTWISE", 0, 3)};
  CHECK(counts(report::pair_layers(then, now)) == Counts{{1, 1}, {1, 1}});
}
