#include "workflow/compare/inputs.hpp"
#include "sim/datapath/weight_stream.hpp"
#include "tests/unit/workflow/compare/hand_made.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/compare/weight_streams.hpp"

#include <catch2/catch.hpp>

#include <cstring>

// Inputs of a comparison: inputs, constants, streams of weights, and maps that are read in parts.
using namespace macaw;
using namespace macaw::compare;
using namespace macaw::compare::hand_made;

namespace {

tosa::Graph graph_of(DType dtype, std::optional<Shape> shape) {
  tosa::Graph graph;
  tosa::Block block;
  tosa::Value value;
  value.name = "x";
  value.dtype = dtype;
  value.shape = std::move(shape);
  block.values.push_back(std::move(value));
  block.inputs = {0};
  graph.blocks.push_back(std::move(block));
  return graph;
}

template <class T>
std::pair<std::int64_t, std::int64_t> range_of(DType dtype) {
  const auto inputs = random_inputs(graph_of(dtype, Shape{64, 1024}), 3);
  REQUIRE(inputs);
  const auto values = inputs->at(0).data<T>();
  const auto [low, high] = std::ranges::minmax_element(values);
  return {static_cast<std::int64_t>(*low), static_cast<std::int64_t>(*high)};
}

bool takes(DType dtype, const Shape& shape, const Tensor& given) {
  const auto typed = graph_inputs(graph_of(dtype, shape), {given});
  if (typed) CHECK((typed->at(0).dtype() == dtype && typed->at(0).shape() == shape));
  if (typed) CHECK(std::ranges::equal(std::as_const(typed->at(0)).bytes(), given.bytes()));
  return typed.has_value();
}

}  // namespace

TEST_CASE("random inputs take the whole range of their type, and no more") {
  using Range = std::pair<std::int64_t, std::int64_t>;
  CHECK(range_of<std::int8_t>(DType::kINT8) == Range{-128, 127});
  CHECK(range_of<std::int8_t>(DType::kINT4) == Range{-8, 7});
  CHECK(range_of<std::uint8_t>(DType::kUINT8) == Range{0, 255});
  const auto [low16, high16] = range_of<std::int16_t>(DType::kINT16);
  CHECK((low16 < -32000 && high16 > 32000));
  const auto [low, high] = range_of<std::int64_t>(DType::kINT48);
  const auto limit = std::int64_t{1} << 47;
  CHECK((low >= -limit && low < -limit / 10 * 9 && high < limit && high > limit / 10 * 9));
  const auto truth = random_inputs(graph_of(DType::kBOOL, Shape{99}), 3);
  REQUIRE(truth);
  std::array<int, 256> seen{};
  for (const auto byte : truth->at(0).bytes()) ++seen[static_cast<std::size_t>(byte)];
  CHECK((seen[0] > 20 && seen[1] > 20 && seen[0] + seen[1] == 99));
  CHECK_FALSE(random_inputs(graph_of(DType::kINT8, std::nullopt), 3));
}

TEST_CASE("a seed gives the same bytes as ever, and another others") {
  const auto bytes = [](std::uint32_t seed) {
    const auto inputs = random_inputs(graph_of(DType::kUINT8, Shape{5}), seed);
    REQUIRE(inputs);
    const auto data = inputs->at(0).data<std::uint8_t>();
    return std::vector<int>(data.begin(), data.end());
  };
  // The first two numbers of the standard's mt19937 from seed 5489 are 3499211612 and 581869302.
  CHECK(bytes(5489) == std::vector<int>{3499211612u & 0xff, 3499211612u >> 8 & 0xff, 3499211612u >> 16 & 0xff,
                                        3499211612u >> 24, 581869302 & 0xff});
  CHECK(bytes(5489) != bytes(5490));
}

TEST_CASE("a compiled network's inputs are random bytes of the width that it says") {
  npu::Artifact artifact;
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    artifact.inputs.emplace_back();
    artifact.inputs.back().element_size = size;
    artifact.inputs.back().shape = {3};
  }
  artifact.inputs.push_back(artifact.inputs[0]);
  artifact.inputs.back().dtype = DType::kUINT8;
  const auto inputs = random_inputs(artifact, 1);
  REQUIRE(inputs);
  std::vector<DType> types;
  for (const auto& input : *inputs) types.push_back(input.dtype());
  CHECK(types == std::vector{DType::kINT8, DType::kINT16, DType::kINT32, DType::kINT64, DType::kUINT8});
  artifact.inputs.back().element_size = 2;
  CHECK_FALSE(random_inputs(artifact, 1));
}

TEST_CASE("a stated range has fewer than 2^32 values, all of them of the input's type") {
  const auto parsed = [](const std::string& text) { return parse_ranges({text}).has_value(); };
  CHECK(parsed("x=0:4294967295"));
  CHECK(parsed("x=-2147483648:2147483647"));
  CHECK(parsed("x=9223372036854775800:9223372036854775807"));
  CHECK_FALSE(parsed("x=0:4294967296"));
  CHECK_FALSE(parsed("x=-9223372036854775808:9223372036854775807"));
  CHECK_FALSE(parsed("x=1:0"));
  const auto drawn = [](DType dtype, const std::string& text) -> std::string {
    const auto inputs = random_inputs(graph_of(dtype, Shape{64}), 3, *parse_ranges({text}));
    return inputs ? "drawn" : inputs.error().message;
  };
  CHECK(drawn(DType::kINT8, "x=-128:127") == "drawn");
  CHECK(drawn(DType::kINT8, "x=0:128") == "--range x=0:128: the input is INT8, which has values from -128 to 127");
  CHECK(drawn(DType::kUINT8, "x=0:255") == "drawn");
  CHECK(drawn(DType::kUINT8, "x=-1:0") == "--range x=-1:0: the input is UINT8, which has values from 0 to 255");
  CHECK(drawn(DType::kINT64, "x=1099511627776:1099511627777") == "drawn");
  CHECK(drawn(DType::kFP32, "x=0:1") == "--range x=0:1: the input is FP32, which does not hold integers");
  CHECK(drawn(DType::kBOOL, "x=0:1") == "--range x=0:1: the input is BOOL, which does not hold integers");
  // A raw npz does not state whether bytes have a sign.
  npu::Artifact artifact;
  artifact.inputs.push_back({.name = "x", .shape = {64}, .element_size = 1, .dtype = {}});
  CHECK(random_inputs(artifact, 1, *parse_ranges({"x=200:255"})));
  CHECK_FALSE(random_inputs(artifact, 1, *parse_ranges({"x=200:256"})));
}

TEST_CASE("the range of an index ends where the input's type does") {
  npu::Artifact artifact;
  artifact.inputs.push_back({.name = "x", .shape = {2}, .element_size = 2, .dtype = DType::kINT16, .memory = 0});
  artifact.steps.push_back(
      npu::HostOperator{.name = "EMBEDDING_LOOKUP",
                        .inputs = {{.name = "", .shape = {2}, .element_size = 2, .dtype = {}, .memory = 0},
                                   {.name = "", .shape = {100'000, 4}, .dtype = {}, .memory = 1}},
                        .outputs = {}});
  const auto most = [&] { return index_ranges(artifact).at(0).value().most; };
  CHECK(most() == 32767);
  artifact.inputs[0].dtype = DType::kINT32;
  CHECK(most() == 99'999);
}

TEST_CASE("a given input has as many elements of the same width, in any shape") {
  CHECK(takes(DType::kINT8, {2, 3}, Tensor(DType::kINT8, {6})));
  CHECK(takes(DType::kINT8, {2, 3}, Tensor(DType::kUINT8, {3, 2})));
  CHECK_FALSE(takes(DType::kINT8, {2, 3}, Tensor(DType::kINT8, {5})));
  CHECK_FALSE(takes(DType::kINT8, {2, 3}, Tensor(DType::kINT8, {7})));
  CHECK_FALSE(takes(DType::kINT8, {2, 3}, Tensor(DType::kINT16, {3})));
  CHECK_FALSE(takes(DType::kINT16, {3}, Tensor(DType::kINT8, {6})));
  CHECK_FALSE(takes(DType::kINT16, {3}, Tensor(DType::kINT32, {3})));
  CHECK_FALSE(graph_inputs(graph_of(DType::kINT8, Shape{1}), {}));
}

TEST_CASE("what is made from constants alone is constant, and so is a shape") {
  Graph graph;
  const auto in = graph.input(int8({1}, {1})), weights = graph.make(int8({1}, {2}), {}, "CONST");
  graph.reference.operators.clear();
  graph.reference.tensors[weights].constant = true;
  const auto a = graph.make(int8({1}, {3}), {weights}), b = graph.make(int8({1}, {4}), {a, weights}),
             c = graph.make(int8({1}, {5}), {b, in}), d = graph.make(int8({1}, {6}), {in}, "SHAPE"),
             e = graph.make(int8({1}, {7}), {}, "VARIABLE_READ");
  mark_constants(graph.reference);
  std::vector<bool> constant, computed;
  for (const auto id : {in, weights, a, b, c, d, e}) {
    constant.push_back(graph.reference.tensors[id].constant);
    computed.push_back(graph.reference.is_computed(id));
  }
  CHECK(constant == std::vector{false, true, true, true, false, true, false});
  CHECK(computed == std::vector{false, false, false, false, true, false, true});
  graph.reference.tensors[c].value.reset();
  CHECK_FALSE(graph.reference.is_computed(c));
  CHECK(graph.reference.find("t3") == TensorId{3});
  CHECK_FALSE(graph.reference.find("t33"));
}

TEST_CASE("a stream's weights are those that are stored beside it, in number and value") {
  const std::vector<std::int16_t> weights{0, 1, -1, 255, -255, 7};
  const auto check = [&](std::vector<std::int16_t> stored, const char* type = "<i2") {
    const auto stream = npu::encode_weight_stream(weights);
    REQUIRE(stream);
    Npz npz;
    const auto bytes = std::as_bytes(std::span(*stream)), expected = std::as_bytes(std::span(stored));
    npz.arrays["w|enc"] = {"|u1", {static_cast<std::int64_t>(bytes.size())}, {bytes.begin(), bytes.end()}};
    npz.arrays["w|dec"] = {type, {static_cast<std::int64_t>(stored.size())}, {expected.begin(), expected.end()}};
    return check_weight_stream(npz, "w");
  };
  CHECK(check(weights));
  CHECK_FALSE(check(weights, "<u2"));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto wrong = weights;
    wrong[i] = static_cast<std::int16_t>(wrong[i] + 1);
    const auto done = check(wrong);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::kMismatch);
  }
  auto more = weights;
  more.resize(600);
  CHECK_FALSE(check(more));
  Npz none;
  CHECK(check_weight_stream(none, "w").error().code == ErrorCode::kInvalidFile);
}

TEST_CASE("a tensor is seen where its rows are read in parts, but for two at the end that no window reaches") {
  const auto seen = [](int rows_read, int rows, int pad_top = 0) {
    Reference reference;
    Tensor value(DType::kINT8, {1, rows + pad_top, 2, 1});
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < 2; ++x)
        value.data<std::int8_t>()[static_cast<std::size_t>((y + pad_top) * 2 + x)] = static_cast<std::int8_t>(y + 1);
    reference.tensors.push_back({.name = "t", .value = value});
    IntermediateMatches intermediate(reference);
    for (int y = 0; y < rows_read; ++y) {
      const std::vector<std::int64_t> row(2, y + 1);
      IntermediateValues map{IntermediateValues::Kind::kRead, row, 1, 2, 1};
      map.pad_top = y == 0 ? pad_top : 0;
      intermediate.record(static_cast<std::size_t>(y), map);
    }
    return !intermediate.all().empty();
  };
  CHECK(seen(4, 4));
  CHECK_FALSE(seen(3, 4));  // a row is not padding
  CHECK(seen(3, 3, 1));
  const auto with_unread = [](int unread) {
    Reference reference;
    Tensor value(DType::kINT8, {1, 3 + unread, 2, 1});
    for (std::size_t i = 0; i < 6; ++i) value.data<std::int8_t>()[i] = static_cast<std::int8_t>(i + 1);
    reference.tensors.push_back({.name = "t", .value = value});
    IntermediateMatches intermediate(reference);
    const std::vector<std::int64_t> map{1, 2, 3, 4, 5, 6};
    intermediate.record(0, {IntermediateValues::Kind::kRead, map, 3, 2, 1});
    return !intermediate.all().empty();
  };
  CHECK(with_unread(0));
  CHECK(with_unread(1));
  CHECK(with_unread(2));
  CHECK_FALSE(with_unread(3));
}

TEST_CASE("a clamp's bounds are those of its attributes, the lower first, and no other operator has any") {
  auto graph = graph_of(DType::kINT8, Shape{3});
  auto& block = graph.blocks[0];
  for (const char* name : {"y", "z"}) {
    block.values.push_back(block.values[0]);
    block.values.back().name = name;
  }
  block.outputs = {2};
  tosa::Operator clamp, copy;
  clamp.op = tosa::Op::kCLAMP;
  clamp.inputs = {0};
  clamp.outputs = {1};
  clamp.set(tosa::Attr::k_min_val, std::vector<std::byte>{static_cast<std::byte>(-5)});
  clamp.set(tosa::Attr::k_max_val, std::vector<std::byte>{std::byte{7}});
  copy.op = tosa::Op::kIDENTITY;
  copy.inputs = {1};
  copy.outputs = {2};
  block.operators = {clamp, copy};
  const auto reference = reference_of(graph, {int8({3}, {-128, 3, 127})});
  if (!reference) FAIL(reference.error().to_string());
  CHECK(reference->operators.at(0).bounds == std::pair<std::int64_t, std::int64_t>{-5, 7});
  CHECK_FALSE(reference->operators.at(1).bounds);
  CHECK(reference->operators[0].kind == "CLAMP");
  CHECK((reference->inputs == std::vector<TensorId>{0} && reference->outputs == std::vector<TensorId>{2}));
  CHECK(*reference->tensors[1].value == int8({3}, {-5, 3, 7}));
  CHECK(*reference->tensors[2].value == int8({3}, {-5, 3, 7}));
  CHECK((reference->is_computed(1) && !reference->is_computed(0)));
}

TEST_CASE("a comparison is equal in outputs, or in tensors as well") {
  Comparison comparison;
  CHECK(comparison.equal());
  comparison.runs.push_back({"seed 1", {{.name = "y", .elements = 4, .index = {}}}, {}});
  auto& run = comparison.runs[0];
  const auto verdicts = [&] {
    std::vector<bool> all;
    for (const bool outputs_only : {false, true}) {
      comparison.outputs_only = outputs_only;
      all.push_back(comparison.equal(run));
      all.push_back(comparison.equal());
    }
    return all;
  };
  CHECK(verdicts() == std::vector{true, true, true, true});
  run.location.wrong.emplace();
  CHECK(verdicts() == std::vector{false, false, true, true});
  run.location.wrong.reset();
  // A constant alone is a note: nothing shows that an output depends on it.
  comparison.constants.differences.emplace_back();
  CHECK(verdicts() == std::vector{true, true, true, true});
  comparison.constants.differences.clear();
  run.outputs.push_back({.name = "z", .elements = 4, .different = 1, .index = {0}});
  CHECK(verdicts() == std::vector{false, false, false, false});
}
