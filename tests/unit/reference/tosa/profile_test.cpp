#include "tests/unit/reference/tosa/run_operator.hpp"

// Features that a graph may use when profiles and extensions are claimed (Options::profiles).

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

ProfileMask only(std::initializer_list<Profile> profiles) {
  ProfileMask all = 0;
  for (const auto profile : profiles) all |= mask(profile);
  return all;
}

std::string verdict(const Graph& graph, ProfileMask profiles) {
  Options options;
  options.profiles = profiles;
  const auto found = validate(graph, options);
  REQUIRE(found);
  const auto* first = found->first();
  return first ? first->rule + ": " + first->text : "valid";
}

Graph unary(Op op, DType dtype, const OperatorAttributes& attributes = {}) {
  GraphBuilder b;
  const auto x = b.input("x", dtype, {2}), y = b.value("y", dtype, {2});
  auto& node = b.add(op, {x}, {y});
  for (const auto& [name, value] : attributes) node.set(name, value);
  b.output(y);
  return b.graph();
}

/// SLICE whose start is `source`: an input of the graph or a constant.
Graph slice(bool constant) {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {4}), y = b.value("y", DType::kINT8, {2});
  const auto start = constant ? b.constant("start", shape_tensor({1})) : b.input("start", DType::kSHAPE, {1});
  b.add(Op::kSLICE, {x, start, b.constant("size", shape_tensor({2}))}, {y});
  b.output(y);
  return b.graph();
}

}  // namespace

TEST_CASE("Type rows outside the claimed profiles are named") {
  CHECK(verdict(unary(Op::kABS, DType::kINT32), only({Profile::kProInt})) == "valid");
  CHECK(verdict(unary(Op::kABS, DType::kFP32), only({Profile::kProInt})) == "ABS.profile: needs PRO-FP");
  CHECK(verdict(unary(Op::kABS, DType::kFP32), only({Profile::kProFp})) == "valid");
  CHECK(verdict(unary(Op::kABS, DType::kBF16), only({Profile::kProFp})) == "ABS.profile: needs EXT-BF16");
  CHECK(verdict(unary(Op::kABS, DType::kBF16), kAllProfiles) == "valid");
  // Types without any row stay what they are.
  CHECK(verdict(unary(Op::kABS, DType::kBOOL), only({Profile::kProInt})).starts_with("ABS.types"));
}

TEST_CASE("round of ARITHMETIC_RIGHT_SHIFT needs PRO-INT") {
  const auto shift = [](std::int64_t round, ProfileMask profiles) {
    GraphBuilder b;
    const auto x = b.input("x", DType::kINT64, {2}), y = b.value("y", DType::kINT64, {2});
    b.add(Op::kARITHMETIC_RIGHT_SHIFT, {x, x}, {y}).set(Attr::k_round, round);
    b.output(y);
    return verdict(b.graph(kVersion1_1), profiles);
  };
  const auto without = only({Profile::kProFp, Profile::kExtInt64});
  CHECK(shift(0, without) == "valid");
  CHECK(shift(1, without) == "ARITHMETIC_RIGHT_SHIFT.3: round needs PRO-INT");
  CHECK(shift(1, without | mask(Profile::kProInt)) == "valid");
}

TEST_CASE("Rounding modes need their extensions") {
  const auto rescale = [](RoundingMode mode, ProfileMask profiles) {
    auto graph = sample_graph();
    for (auto& op : graph.blocks[0].operators)
      if (op.op == Op::kRESCALE) op.set(Attr::k_rounding_mode, std::int64_t(mode));
    return verdict(graph, profiles);
  };
  const auto integer = only({Profile::kProInt});
  CHECK(rescale(RoundingMode::kSingleRound, integer) == "valid");
  CHECK(rescale(RoundingMode::kDoubleRound, integer) == "RESCALE.profile: this rounding mode needs EXT-DOUBLEROUND");
  CHECK(rescale(RoundingMode::kDoubleRound, integer | mask(Profile::kExtDoubleRound)) == "valid");
  CHECK(rescale(RoundingMode::kInexactRound, integer) == "RESCALE.profile: this rounding mode needs EXT-INEXACTROUND");
}

TEST_CASE("Compile-time constants must be constants unless EXT-DYNAMIC is claimed") {
  const auto integer = only({Profile::kProInt});
  CHECK(verdict(slice(true), integer) == "valid");
  CHECK(verdict(slice(false), integer) == "SLICE.constant: \"start\" must be a compile-time constant");
  CHECK(verdict(slice(false), integer | mask(Profile::kExtDynamic)) == "valid");

  // row_count of ROW_GATHER is constant with EXT-DYNAMIC too.
  GraphBuilder b;
  const auto values = b.input("values", DType::kINT8, {1, 4, 2}), indices = b.input("indices", DType::kINT32, {1, 2});
  const auto count = b.input("count", DType::kINT32, {1}), y = b.value("y", DType::kINT8, {1, 2, 2});
  b.add(Op::kROW_GATHER, {values, indices, count}, {y});
  b.output(y);
  CHECK(verdict(b.graph(kVersion1_1), kAllProfiles) ==
        "ROW_GATHER.constant: \"count\" must be a compile-time constant");
}

TEST_CASE("Profiles and extensions are found by name") {
  CHECK(profile_from_name("PRO-INT") == Profile::kProInt);
  CHECK(profile_from_name("tosa-pro-fp") == Profile::kProFp);
  CHECK(profile_from_name("bf16") == Profile::kExtBf16);
  CHECK(profile_from_name("ext-mx-common") == Profile::kExtMxCommon);
  CHECK_FALSE(profile_from_name("main"));
  CHECK_FALSE(profile_from_name(""));
}
