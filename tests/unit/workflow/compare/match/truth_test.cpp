#include <macaw/npu/artifact.hpp>
#include <macaw/npu/debug_database.hpp>

#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"
#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/match/alignment.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"

// U85 computes with -1 and 0 where a graph has 1 and 0.
using namespace macaw;
using Bytes = std::vector<std::byte>;

namespace {

constexpr std::byte kFalse{0}, kTrue{1}, kMask{0xFF};

/// A database whose command at byte 100 of the first stream writes "t".
std::shared_ptr<const npu::DebugDatabase> database() {
  const std::string text = R"(<?xml version='1.0'?><debug source='net'>
<table name='source'><![CDATA["id","operator","ofm_w","ofm_h","ofm_d"
1,"Greater",1,1,3
]]></table>
<table name='optimised'><![CDATA["id","source_id","operator","ofm_w","ofm_h","ofm_d"
7,1,"Greater",1,1,3
]]></table>
<table name='cmdstream'><![CDATA["id"
5
]]></table>
<table name='queue'><![CDATA["offset","cmdstream_id","optimised_id"
100,5,7
]]></table>
<table name='perf'><![CDATA["source_id","optimised_id","name"
1,7,"t"
]]></table>
</debug>)";
  return std::make_shared<npu::DebugDatabase>(
      test::checked(npu::DebugDatabase::parse(std::as_bytes(std::span(text)), "net_debug.xml")));
}

}  // namespace

TEST_CASE("masks are truth, other bytes what they are") {
  CHECK(compare::truth({kMask, kFalse, kMask}) == Bytes{kTrue, kFalse, kTrue});
  CHECK(compare::truth({kTrue, kFalse}) == Bytes{kTrue, kFalse});
  CHECK(compare::truth({kMask, kFalse, kTrue}) == Bytes{kMask, kFalse, kTrue});
}

TEST_CASE("a tensor of truth that the debug database names holds what its masks say") {
  compare::Reference reference;
  Tensor expected(DType::kBOOL, {3});
  std::ranges::copy(Bytes{kTrue, kFalse, kTrue}, expected.bytes().begin());
  reference.tensors.push_back({.name = "t", .value = expected});
  npu::Artifact artifact;
  artifact.steps.emplace_back(npu::CommandStream{});
  artifact.debug = database();
  compare::Record record;
  record.offset = 100;
  record.contents = {kMask, kFalse, kMask};
  auto matches = compare::match_by_database(reference, artifact, {record});
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].contents == Bytes{kTrue, kFalse, kTrue});
  record.contents = {kMask, kFalse, kFalse};
  matches = compare::match_by_database(reference, artifact, {record});
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].contents == Bytes{kTrue, kFalse, kFalse});
}

TEST_CASE("pieces that lie side by side in a middle axis are put together by their addresses") {
  // [2][3][2]: columns 0 and 1 of both rows are written after column 2.
  Tensor expected(DType::kINT8, {2, 3, 2});
  for (std::size_t i = 0; i < 12; ++i) expected.bytes()[i] = static_cast<std::byte>(i + 1);
  compare::Reference reference;
  reference.tensors.push_back({.name = "t", .value = expected});
  npu::Artifact artifact;
  artifact.steps.emplace_back(npu::CommandStream{});
  artifact.debug = database();
  const auto piece = [&](int first, int columns) {
    compare::Record record;
    record.offset = 100;
    record.h = 2;
    record.w = columns;
    record.c = 2;
    auto& map = record.operation.ofm;
    map.h = map.height0 = 2;
    map.w = map.width0 = columns;
    map.c = 2;
    map.stride_x = 2;
    map.stride_y = 6;
    for (int y = 0; y < 2; ++y)
      for (int i = 0; i < 2 * columns; ++i)
        record.contents.push_back(expected.bytes()[static_cast<std::size_t>(6 * y + 2 * first + i)]);
    const auto place = 100 + 2 * static_cast<std::uint64_t>(first);
    record.written = {0, place, place + 6 + 2 * static_cast<std::uint64_t>(columns) - 1};
    return record;
  };
  const auto matches = compare::match_by_database(reference, artifact, {piece(2, 1), piece(0, 2)});
  REQUIRE(matches.size() == 1);
  CHECK(std::ranges::equal(matches[0].contents, expected.bytes()));
}

TEST_CASE(
    "a tensor that is right by half is wrong, though one made from it is right, and another one is not the tensor") {
  compare::Reference reference;
  const auto add = [&](const char* name, const Bytes& bytes) {
    Tensor tensor(DType::kINT8, {static_cast<std::int64_t>(bytes.size())});
    std::ranges::copy(bytes, tensor.bytes().begin());
    reference.tensors.push_back({.name = name, .value = tensor});
  };
  add("t", Bytes(8, kTrue));
  add("u", Bytes(5, kMask));
  npu::Artifact artifact;
  artifact.steps.emplace_back(npu::CommandStream{});
  artifact.debug = database();
  for (const std::size_t right : {3, 4, 7}) {
    std::vector<compare::Record> records(2);
    records[0].offset = 100;
    records[0].contents.assign(8, kFalse);
    std::fill_n(records[0].contents.begin(), right, kTrue);
    records[1].offset = 104;
    records[1].contents.assign(5, kMask);
    records[1].producers = {0};
    const compare::Alignment alignment(reference, artifact, records, {}, {});
    INFO(right << " of 8 are right");
    CHECK(alignment.explained(1));
    CHECK(alignment.explained(0) == (right < 4));
  }
}

TEST_CASE("what makes up another tensor is the one that the database names if half of its elements are right") {
  for (std::size_t right = 0; right < 8; ++right) {
    compare::Reference reference;
    Tensor named(DType::kINT8, {8}), other(DType::kINT8, {8});
    for (std::size_t i = 0; i < 8; ++i) {
      named.bytes()[i] = static_cast<std::byte>(20 + i);
      other.bytes()[i] = static_cast<std::byte>((i < right ? 20 : 60) + i);
    }
    reference.tensors = {{.name = "in", .value = Tensor(DType::kINT8, {8})},
                         {.name = "t", .value = named},
                         {.name = "u", .value = other}};
    reference.operators = {{.kind = "ADD", .text = "operator 0", .inputs = {0}, .outputs = {1}},
                           {.kind = "ADD", .text = "operator 1", .inputs = {1}, .outputs = {2}}};
    reference.inputs = {0};
    reference.outputs = {2};
    npu::Artifact artifact;
    artifact.steps.emplace_back(npu::CommandStream{});
    artifact.inputs.resize(1);
    artifact.inputs[0].name = "in";
    artifact.debug = database();
    std::vector<compare::Record> records(1);
    records[0].offset = 100;
    records[0].h = records[0].w = 1;
    records[0].c = 8;
    records[0].contents.assign(other.bytes().begin(), other.bytes().end());
    records[0].inputs = {0};
    const std::vector<compare::OutputComparison> outputs{{.name = "u", .elements = 8, .index = {}}};
    const compare::IntermediateMatches intermediate(reference);
    const auto wrong = compare::locate(reference, artifact, *npu::find_accelerator("ethos-u85-256"),
                                       {records, intermediate, outputs, {}}, {})
                           .wrong;
    INFO(right << " of 8 are right");
    CHECK(wrong.has_value() == (right >= 4));
    if (wrong) CHECK((wrong->tensor == "t" && wrong->different == static_cast<std::int64_t>(8 - right)));
  }
}
