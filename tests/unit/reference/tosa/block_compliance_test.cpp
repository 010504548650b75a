#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include <macaw/tosa/verify.hpp>

#include "reference/tosa/arith/float_tensor.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "tests/unit/reference/tosa/out.hpp"

// Normal runs of the operators on blocks are judged by the checks of the specification against precise runs.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

struct Runs {
  std::vector<Tensor> result, reference, bounds;
};

Runs run_all(Op kind, const std::vector<Tensor>& inputs, const std::vector<Out>& outs,
             const std::vector<std::pair<Attr, AttributeValue>>& attributes = {}) {
  GraphBuilder b;
  std::vector<ValueId> ids, results;
  for (const auto& input : inputs) ids.push_back(b.constant("in" + std::to_string(ids.size()), input));
  for (const auto& out : outs) {
    results.push_back(b.value("out" + std::to_string(results.size()), out.dtype, out.shape));
    b.output(results.back());
  }
  b.add(kind, ids, results).attributes = attributes;
  const auto run_with = [&](bool precise, bool bounds) {
    Options options;
    options.precise = precise;
    options.bounds = bounds;
    const auto run = tosa::run(b.graph(kVersion1_1), {}, options);
    REQUIRE(run);
    REQUIRE(run->verdict.status() == Status::kValid);
    return run->outputs;
  };
  return {run_with(false, false), run_with(true, false), run_with(true, true)};
}

using Random = std::mt19937_64;

/// Numbers of many magnitudes, with zeros.
Tensor numbers(Random& random, DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  std::normal_distribution<double> normal;
  for (auto& value : values)
    value = random() % 9 == 0 ? 0 : std::ldexp(normal(random), static_cast<int>(random() % 12) - 8);
  store_floats<double>(values, tensor);
  return tensor;
}

Tensor any_blocks(Random& random, DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  const auto values = tensor.bytes().first(static_cast<std::size_t>(tensor.size()));
  for (auto& byte : values) byte = static_cast<std::byte>(random() & ((1U << info(dtype).bits) - 1));
  for (auto& byte : tensor.bytes().subspan(values.size())) byte = static_cast<std::byte>(random());
  return tensor;
}

Judgement judged(const Tensor& result, const Tensor& reference, const Mode& mode, const Tensor* bounds = nullptr) {
  const auto judgement = judge(result, reference, bounds, {mode, result.dtype()});
  INFO((judgement ? judgement->text : judgement.error().to_string()));
  REQUIRE(judgement);
  return *judgement;
}

/// Every block with its last scale changed by `factor` steps must be found.
void check_planted(Tensor result, const Tensor& reference, int steps) {
  auto& scale = result.bytes().back();
  if (std::to_integer<int>(scale) + steps > 254) return;
  scale = static_cast<std::byte>(std::to_integer<int>(scale) + steps);
  CHECK_FALSE(judged(result, reference, mode::ToBlock{}).compliant);
}

constexpr DType kPlain[] = {DType::kFP8E4M3, DType::kFP8E5M2, DType::kFP16, DType::kBF16, DType::kFP32};
const Shape kShape{3, 64};
const Shape kScaleShape{3, 2};

}  // namespace

TEST_CASE("Casts to blocks comply") {
  Random random(1);
  for (const auto& type : kBlockScales) {
    if (type.value == DType::kFP64) continue;
    for (const auto plain : kPlain) {
      INFO(to_string(plain) << " to " << to_string(type.dtype));
      const auto in = numbers(random, plain, kShape);
      const auto cast = run_all(Op::kCAST, {in}, {{type.dtype, kShape}});
      const auto judgement = judged(cast.result[0], cast.reference[0], mode::ToBlock{});
      INFO(judgement.text);
      CHECK(judgement.compliant);
      check_planted(cast.result[0], cast.reference[0], 2);
      if (plain != DType::kBF16 && plain != DType::kFP32) continue;
      const auto pair = run_all(Op::kCAST_TO_BLOCK_SCALED, {in}, {{type.value, kShape}, {type.scale, kScaleShape}},
                                {{Attr::k_block_size, std::int64_t{32}}});
      const auto joined = join_blocks(pair.result[0], pair.result[1]);
      const auto reference = join_blocks(pair.reference[0], pair.reference[1]);
      REQUIRE(joined);
      REQUIRE(reference);
      CHECK(*joined == cast.result[0]);
      CHECK(judged(*joined, *reference, mode::ToBlock{}).compliant);
      CHECK(judged(pair.result[1], pair.reference[1], mode::Ulp{1, 1}).compliant);
    }
  }
}

TEST_CASE("Casts from blocks comply") {
  Random random(2);
  for (const auto& type : kBlockScales) {
    if (type.value == DType::kFP64) continue;
    for (const auto plain : kPlain) {
      INFO(to_string(type.dtype) << " to " << to_string(plain));
      const auto in = any_blocks(random, type.dtype, kShape);
      const auto cast = run_all(Op::kCAST, {in}, {{plain, kShape}});
      const auto judgement = judged(cast.result[0], cast.reference[0], mode::FromBlock{}, &cast.bounds[0]);
      INFO(judgement.text);
      CHECK(judgement.compliant);
      auto wrong = cast.result[0];
      const auto top = size_of(plain) - 1;
      wrong.bytes()[top] ^= std::byte{0x80};
      if (const auto reference = cast.reference[0].data<double>()[0]; reference > 1 && reference < 400)
        CHECK_FALSE(judged(wrong, cast.reference[0], mode::FromBlock{}, &cast.bounds[0]).compliant);
      if (plain != DType::kBF16 && plain != DType::kFP32) continue;
      const auto pair = run_all(Op::kCAST_FROM_BLOCK_SCALED, {in.values(), in.scales()}, {{plain, kShape}},
                                {{Attr::k_block_size, std::int64_t{32}}});
      CHECK(pair.result[0] == cast.result[0]);
      CHECK(pair.bounds[0] == cast.bounds[0]);
      CHECK(judged(pair.result[0], pair.reference[0], mode::FromBlock{}, &pair.bounds[0]).compliant);
    }
  }
}

TEST_CASE("Blocks that are only moved comply exactly, resized ones with a unit to spare") {
  Random random(3);
  for (const auto& type : kBlockScales) {
    if (type.value == DType::kFP64) continue;
    INFO(to_string(type.dtype));
    const Shape image{1, 2, 2, 32};
    const auto in = any_blocks(random, type.dtype, image);
    const auto resized =
        run_all(Op::kRESIZE, {in, shape_tensor({2, 1, 2, 1}), shape_tensor({0, 0}), shape_tensor({1, 1})},
                {{type.dtype, {1, 4, 4, 32}}}, {{Attr::k_mode, std::int64_t{0}}});
    CHECK(judged(resized.result[0], resized.reference[0], mode::Exact{}).compliant);
    CHECK(judged(resized.result[0], resized.reference[0], mode::ToBlock{}).compliant);
    check_planted(resized.result[0], resized.reference[0], 2);
  }
}
