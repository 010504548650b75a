#include "workflow/prove/elementwise.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "models/graph_builder.hpp"

// Operations on one operand, laid beside a table of a graph or beside nothing.
using namespace macaw;

namespace {

const npu::Accelerator& small_u55() { return *npu::find_accelerator("ethos-u55-128"); }

/// A pool of one tap that gives every value back.
compare::Record identity(int bits, bool is_signed = true) {
  compare::Record record;
  auto& op = record.operation;
  op.kind = npu::OpKind::kPool;
  op.pool = npu::PoolMode::kAverage;
  op.ofm_scale.rounding = npu::Rounding::kNatural;
  op.block = {8, 8, 16};
  for (auto* map : {&op.ifm, &op.ofm}) {
    map->is_signed = is_signed;
    map->bits = bits;
    map->c = map->h = map->w = 1;
  }
  op.activation.min = static_cast<std::uint16_t>(is_signed ? -(std::int64_t{1} << (bits - 1)) : 0);
  op.activation.max = static_cast<std::uint16_t>((std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  return record;
}

/// Why the operation is not the table of the graph, and the first value for which it is not.
std::pair<std::string, std::vector<std::int64_t>> beside_table(const std::vector<std::int8_t>& entries,
                                                               const compare::Record& record) {
  models::GraphBuilder net;
  const auto input = net.input("x", DType::kINT8, {1, 1, 1, 1});
  net.output(net.table(input, entries), "out");
  const auto& operators = net.graph().main().operators;
  const auto table = std::ranges::find(operators, tosa::Op::kTABLE, &tosa::Operator::op);
  const prove::Chain chain{{input}, {static_cast<std::size_t>(table - operators.begin())}};
  std::vector<std::int64_t> example;
  auto reason = prove::compare_pairs(net.graph(), chain, record, small_u55(), false, example);
  return {std::move(reason), std::move(example)};
}

}  // namespace

TEST_CASE("an operation is a copy if it gives every value back, the least and the greatest as well") {
  for (const int bits : {8, 16}) {
    const auto record = identity(bits);
    CHECK(prove::is_copy(record, small_u55()));
    auto clipped = record;
    clipped.operation.activation.max -= 1;
    CHECK_FALSE(prove::is_copy(clipped, small_u55()));
    clipped = record;
    clipped.operation.activation.min += 1;
    CHECK_FALSE(prove::is_copy(clipped, small_u55()));
    auto moved = record;
    moved.operation.ofm.zero_point = 1;
    CHECK_FALSE(prove::is_copy(moved, small_u55()));
  }
  CHECK(prove::is_copy(identity(8, false), small_u55()));
}

TEST_CASE("an operation between maps of different signs, widths or axes is not a copy") {
  const auto is_copy = [](auto change) {
    auto record = identity(8);
    change(record.operation);
    return prove::is_copy(record, small_u55());
  };
  CHECK_FALSE(is_copy([](auto& op) { op.ofm.is_signed = false, op.activation.min = 0, op.activation.max = 255; }));
  CHECK_FALSE(is_copy([](auto& op) { op.ifm.is_signed = false; }));
  CHECK_FALSE(is_copy([](auto& op) { op.ofm.bits = 16; }));
  CHECK_FALSE(is_copy([](auto& op) { op.reverse = 1; }));
  CHECK_FALSE(prove::is_copy(identity(32), small_u55()));
}

TEST_CASE("an operation is laid beside the graph for every value of its operand") {
  std::vector<std::int8_t> entries;
  for (int i = -128; i < 128; ++i) entries.push_back(static_cast<std::int8_t>(i));
  CHECK(beside_table(entries, identity(8)).first.empty());
  for (const int at : {-128, 0, 127}) {
    auto wrong = entries;
    wrong[static_cast<std::size_t>(at + 128)] = 5;
    const auto [reason, example] = beside_table(wrong, identity(8));
    CHECK_THAT(reason, Catch::EndsWith("give 5 in the graph, " + std::to_string(at) + " in the stream"));
    CHECK(example == std::vector<std::int64_t>{at});
  }
  CHECK(beside_table(entries, identity(16)).first == "operands of another width");
  CHECK(beside_table(entries, identity(8, false)).first == "maps that are not signed");
}
