#include <catch2/catch.hpp>

#include "workflow/report/edges.hpp"

using namespace macaw;

namespace {

npu::Movement reads(std::uint64_t first, std::uint64_t last) {
  return {"ifm", 1, last - first + 1, first, last, false};
}
npu::Movement writes(std::uint64_t first, std::uint64_t last) {
  return {"ofm", 1, last - first + 1, first, last, true};
}
npu::Movement writes_parts(std::uint64_t first, std::uint64_t last) { return {"ofm", 1, 1, first, last, true}; }

/// Edges of operations that are a layer each.
std::vector<report::Edge> edges(const std::vector<std::vector<npu::Movement>>& operations) {
  npu::RunRecord run;
  std::vector<std::size_t> layer_of;
  for (const auto& memory : operations) {
    layer_of.push_back(layer_of.size());
    run.operations.emplace_back().memory = memory;
  }
  return report::edges_of(run, layer_of).all;
}

}  // namespace

TEST_CASE("a chain buffer joins the operation that fills it to those that read it") {
  npu::RunRecord run;
  run.operations.resize(4);
  run.operations[0].chain_write = 2;
  run.operations[1].chain_reads = {2};
  run.operations[1].chain_write = 3;
  run.operations[2].chain_reads = {2, 3};
  run.operations[3].chain_reads = {5};  // not filled
  CHECK(report::edges_of(run, {0, 1, 2, 3}).all == std::vector<report::Edge>{{0, 1, 0}, {0, 2, 0}, {1, 2, 0}});
  CHECK(report::edges_of(run, {0, 0, 1, 2}).all == std::vector<report::Edge>{{0, 1, 0}});
}

TEST_CASE("a layer is joined to the last that wrote what it reads") {
  CHECK(edges({{writes(0, 9)}, {writes(5, 14)}, {reads(0, 19)}}) == std::vector<report::Edge>{{0, 2, 5}, {1, 2, 10}});
  CHECK(edges({{writes(0, 9)}, {reads(0, 9), writes(0, 9)}, {reads(0, 9)}}) ==
        std::vector<report::Edge>{{0, 1, 10}, {1, 2, 10}});
  CHECK(edges({{writes(3, 9)}, {reads(0, 2)}}).empty());
}

TEST_CASE("a layer is not joined to itself") {
  npu::RunRecord run;
  run.operations.resize(3);
  run.operations[0].memory = {writes(0, 9)};
  run.operations[1].memory = {reads(0, 9)};
  run.operations[2].memory = {reads(5, 9)};
  CHECK(report::edges_of(run, {0, 0, 1}).all == std::vector<report::Edge>{{0, 1, 5}});
}

TEST_CASE("parts of a concatenation reach its reader, and not what lay there before") {
  CHECK(edges({{writes(0, 9)}, {reads(0, 9)}, {writes_parts(0, 8)}, {writes_parts(1, 9)}, {reads(4, 5)}}) ==
        std::vector<report::Edge>{{0, 1, 10}, {2, 4, 2}, {3, 4, 2}});
}

TEST_CASE("the last byte that a number can name has edges too") {
  CHECK(edges({{writes(0, UINT64_MAX)}, {reads(UINT64_MAX, UINT64_MAX)}}) == std::vector<report::Edge>{{0, 1, 1}});
}

TEST_CASE(
    "edges grow with the operations where each reads what all others wrote, and the layers without all are counted") {
  for (const bool with_gaps : {false, true}) {
    constexpr std::uint64_t kOperations = 4000;
    npu::RunRecord run;
    std::vector<std::size_t> layer_of;
    for (std::uint64_t i = 0; i < kOperations; ++i) {
      layer_of.push_back(i);
      const auto write = with_gaps ? writes_parts(i, kOperations + i) : writes(16 * i, 16 * i + 15);
      run.operations.emplace_back().memory = {reads(0, 16 * kOperations), write};
    }
    // Nothing is read before the last of the gaps is written.
    if (with_gaps)
      for (std::uint64_t i = 0; i < kOperations / 2; ++i)
        run.operations[i].memory.erase(run.operations[i].memory.begin());
    const auto found = report::edges_of(run, layer_of);
    CHECK(found.all.size() <= 4096 + 16 * kOperations);
    CHECK(found.all.size() >= 1024);
    CHECK(found.cut_layers > 0);
    CHECK(found.cut_layers < kOperations);
  }
}

TEST_CASE("a layer that reads hundreds of others has all of its edges") {
  std::vector<std::vector<npu::Movement>> operations;
  for (std::uint64_t i = 0; i < 600; ++i) operations.push_back({writes(i, i)});
  operations.push_back({reads(0, 599)});
  CHECK(edges(operations).size() == 600);
}
