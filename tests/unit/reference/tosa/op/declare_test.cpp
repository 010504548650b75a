#include "reference/tosa/op/declare.hpp"

#include <catch2/catch.hpp>

namespace macaw::tosa {
namespace {

constexpr Argument kConvolution[] = {
    input("input").type("in_t").shape("[N,IH,IW,IC]").rank(4),
    input("weight").type("weight_t").shape("[OC,KH,KW,IC]").rank(4),
    input("input_zp").type("in_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("pad").type("i32_t").shape("[4]"),
    output("output").type("out_t").shape("[N,OH,OW/2 + 1,OC]").rank(4),
};
constexpr Argument kGather[] = {
    input("values").type("in_t").list_with_scales("scale_t"),
    input("indices").type("index_t"),
    input("row_count").type("i32_t").rank(1).always_compile_time_constant(),
    output("output").type("in_t").least_rank(1).list(),
};

/// One value each for the inputs and the output.
struct Operands {
  std::vector<Shape> in, out;
  std::vector<Tensor> values;
  Operator op{};

  template <class V, class F>
  auto seen(F f) {
    std::vector<Operand> inputs, outputs;
    for (const auto& shape : in) inputs.push_back({DType::kINT8, &shape, nullptr});
    for (std::size_t i = 0; i < values.size(); ++i) inputs[i].value = &values[i];
    for (const auto& shape : out) outputs.push_back({DType::kINT32, &shape, nullptr});
    return f(V(View{op, inputs, outputs, kLevelNone}));
  }
};

TEST_CASE("an argument has what its words say and nothing else") {
  constexpr Argument zero_point = kConvolution[2], list = kGather[0], count = kGather[2];
  STATIC_REQUIRE(zero_point.category == Category::kInput);
  CHECK(zero_point.name == "input_zp");
  CHECK(zero_point.type == "in_t");
  CHECK(zero_point.shape == "[1]");
  STATIC_REQUIRE((zero_point.min_rank == 1 && zero_point.max_rank == 1));
  STATIC_REQUIRE((zero_point.ctc && !zero_point.always_ctc && !zero_point.list && !zero_point.optional));
  STATIC_REQUIRE((list.list && list.scale_type == "scale_t" && list.max_rank == Argument::kMaxRank));
  STATIC_REQUIRE((count.ctc && count.always_ctc));
}

TEST_CASE("a row says its types, what has them, since when and the kernel") {
  constexpr TypeRow one = row({kINT8, kINT4}).in(kExtInt4, kProInt).since(1, 1).by(nullptr);
  STATIC_REQUIRE((one.types[0] == kINT8 && one.types[1] == kINT4));
  STATIC_REQUIRE((one.support.any[0] == (mask(kExtInt4) | mask(kProInt)) && one.since_minor == 1));
  STATIC_REQUIRE(row({kINT8}).in(kProIntOrFp).by(nullptr).since_minor == 0);
}

TEST_CASE("a dimension is that of the first operand that spells it, inputs before outputs") {
  using V = ViewOf<kConvolution>;
  Operands operands{{{1, 20, 30, 4}, {5, 6, 7, 4}, {1}}, {{1, 50, 60, 70}}, {}};
  operands.seen<V>([](const V& v) {
    CHECK(v.dim("IH") == 20);
    CHECK(v.dim("KW") == 7);
    CHECK(v.dim("OC") == 5);
    CHECK(v.dim("OH") == 50);
    CHECK(v.dim("OW/2 + 1") == 60);
  });
}

TEST_CASE("a name that the arguments lack is none of their operands or dimensions") {
  STATIC_REQUIRE(!find_extent(kConvolution, "OW"));
  STATIC_REQUIRE(!find_extent(kConvolution, "I"));
  STATIC_REQUIRE(!find_extent(kGather, "N"));
  STATIC_REQUIRE(!find_operand(kConvolution, "bias"));
  STATIC_REQUIRE(!find_operand(kConvolution, "pad"));
}

TEST_CASE("operands behind a tensor list are counted from the end") {
  using V = ViewOf<kGather>;
  for (const std::size_t members : {1, 2}) {
    Operands operands{std::vector<Shape>(members, Shape{9}), {{8}}, {}};
    operands.in.push_back({2, 3});
    operands.in.push_back({1});
    operands.seen<V>([](const V& v) {
      CHECK(v.shape("values") == Shape{9});
      CHECK(v.shape("indices") == Shape{2, 3});
      CHECK(v.rank("row_count") == 1);
      CHECK(v.shape("output") == Shape{8});
    });
  }
}

TEST_CASE("a rule is broken by its ERROR_IF, or where its REQUIRE or LEVEL_CHECK does not hold") {
  using V = ViewOf<kConvolution>;
  constexpr Check error = error_if("input", "", [](const V& v) { return v.dim("N") == 1; });
  constexpr Check require = require_that("input", "", [](const V& v) { return v.dim("N") == 1; });
  constexpr Check at_level = level("input", "", [](const V& v) { return v.dim("N") <= v.level.max_kernel; });
  CHECK((error.rule == Rule::kErrorIf && require.rule == Rule::kRequire && at_level.rule == Rule::kLevel));
  Operands operands{{{1, 1, 1, 1}, {1, 1, 1, 1}, {1}}, {{1, 1, 1, 1}}, {}};
  operands.seen<V>([&](const V& v) {
    CHECK(error.broken(v));
    CHECK(!require.broken(v));
    CHECK(!at_level.broken(v));
  });
}

TEST_CASE("a rule needs the values of the inputs that it says it reads") {
  using V = ViewOf<kConvolution>;
  constexpr Check rule =
      error_if("input_zp", "", [](const V& v) { return v.integer("input_zp") != 3; }).reads("input_zp", "weight");
  STATIC_REQUIRE(rule.needs == (value_of(2) | value_of(1)));
  STATIC_REQUIRE(V::reads("input") == value_of(0));
}

}  // namespace
}  // namespace macaw::tosa
