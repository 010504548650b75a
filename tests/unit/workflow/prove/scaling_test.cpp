#include "workflow/prove/scaling.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "models/graph_builder.hpp"
#include "workflow/prove/steps.hpp"

using namespace macaw;
using prove::Values;

namespace {

/// A step function of each accumulator.
template <class F>
prove::Function of_each(F f) {
  return [f](const Values& accumulators) -> Result<Values> {
    Values results;
    for (const auto a : accumulators) results.push_back(f(a));
    return results;
  };
}

/// RESCALE of one channel laid beside an operation that scales by hand-written entries.
struct HandMadeScaling {
  tosa::Graph graph;
  prove::Chain chain;
  compare::Record record;

  explicit HandMadeScaling(DType accumulators) {
    models::GraphBuilder net;
    const models::Rescale rescale{.multiplier = {1 << 30}, .shift = {40}};
    const auto input = net.input("sums", accumulators, {1, 1, 1, 1});
    net.output(net.rescale(input, DType::kINT8, rescale), "out");
    graph = net.graph();
    const auto& operators = graph.main().operators;
    const auto found = std::ranges::find(operators, tosa::Op::kRESCALE, &tosa::Operator::op);
    chain = {{input}, {static_cast<std::size_t>(found - operators.begin())}};
    record.operation.ofm.bits = 8;
    record.operation.ofm.is_signed = true;
    record.operation.ofm.c = 1;
    record.operation.activation.min = static_cast<std::uint16_t>(-128);
    record.operation.activation.max = 127;
    record.operation.scale_per_channel = true;
    record.operation.ofm_scale.rounding = npu::Rounding::kNatural;
    record.operation.acc_format = accumulators == DType::kINT48 ? npu::AccFormat::kI40 : npu::AccFormat::kI32;
    record.constants.scales = {{0, static_cast<std::uint32_t>(rescale.multiplier[0]), rescale.shift[0]}};
  }
  [[nodiscard]] std::string compare(prove::AccumulatorRange range) const {
    return prove::compare_scaling(graph, chain, record, *npu::find_accelerator("ethos-u55-128"), 0, 1, {range});
  }
};

}  // namespace

TEST_CASE("functions are equal where every result is reached at the same accumulator, below zero too") {
  const auto clamp = [](std::int64_t a, int bits) {
    const auto limit = std::int64_t{1} << (bits - 1);
    return std::clamp<std::int64_t>(a, -limit, limit - 1);
  };
  for (const int bits : {8, 16}) {
    const auto whole = of_each([&](std::int64_t a) { return clamp(a, bits); });
    const std::vector<prove::AccumulatorRange> ranges(2, {-40000, 40000});
    CHECK(prove::compare_steps(whole, whole, ranges, 0, bits).empty());
    for (const std::int64_t off : {-127, -1, 1, 127}) {
      const auto other = of_each([&](std::int64_t a) { return clamp(a == off ? a - 1 : a, bits); });
      INFO(off);
      CHECK_FALSE(prove::compare_steps(whole, other, ranges, 0, bits).empty());
    }
  }
}

TEST_CASE("results that are clipped to another range than their type's do not reach all of it") {
  npu::BlockOperation op;
  op.ofm.bits = 8;
  op.ofm.is_signed = true;
  using enum npu::ClipRange;
  for (const auto clip : {kOfmPrecision, kForceInt8}) {
    op.activation.clip = clip;
    CHECK(prove::not_monotone(op).empty());
  }
  for (const auto clip : {kForceUint8, kForceInt16, kNone}) {
    op.activation.clip = clip;
    CHECK_FALSE(prove::not_monotone(op).empty());
  }
}

TEST_CASE("a scaling is proved over the accumulators that both hold") {
  const HandMadeScaling narrow(DType::kINT32), wide(DType::kINT48);
  CHECK(narrow.compare({-1'000'000, 1'000'000}) == "");
  CHECK(narrow.compare({INT32_MIN, INT32_MAX}) == "");
  auto other = narrow;
  other.record.constants.scales[0].scale += 1 << 20;
  CHECK_THAT(other.compare({-1'000'000, 1'000'000}), Catch::Contains("is reached at accumulator"));
  constexpr const char* kOverflow = "accumulators that may overflow";
  CHECK(narrow.compare({std::int64_t{INT32_MIN} - 1, 0}) == kOverflow);
  CHECK(narrow.compare({0, std::int64_t{INT32_MAX} + 1}) == kOverflow);
  CHECK(wide.compare({0, std::int64_t{1} << 39}) == kOverflow);
}
