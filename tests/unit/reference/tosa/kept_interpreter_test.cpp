#include <catch2/catch.hpp>

#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

TEST_CASE("A rule on a value that is an input is held against it in every run of a kept interpreter") {
  const auto int16s = [](std::int16_t value) { return tensor<std::int16_t>(DType::kINT16, {1}, {value}); };
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT16, {1}), zero_point = b.input("zero_point", DType::kINT16, {1});
  const auto y = b.value("y", DType::kINT16, {1});
  b.add(Op::kNEGATE, {x, zero_point, b.constant("output_zp", int16s(0))}, {y});
  b.output(y);
  Interpreter interpreter(b.graph());
  const auto findings = [&](std::int16_t value) {
    const auto result = interpreter.run({int16s(5), int16s(value)});
    REQUIRE(result);
    return result->verdict.findings.size();
  };
  CHECK(findings(0) == 0);
  CHECK(findings(1) == 1);
  CHECK(findings(0) == 0);
}
