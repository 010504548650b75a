#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/tflite/interpreter.hpp>
#include <macaw/tflite/to_tosa.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "tests/differential/tflite/maker.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"

using namespace macaw;
using namespace macaw::test;

namespace {

/// Networks per operator, and twice as many of several; MACAW_TFLITE_GRAPHS asks for more.
std::uint64_t network_count() {
  const char* text = std::getenv("MACAW_TFLITE_GRAPHS");
  return text ? std::strtoull(text, nullptr, 10) : 12;
}

/// Statistics of random networks.
struct Tally {
  int equal = 0, refused = 0;
  std::map<std::string, int> compiled, reasons;

  [[nodiscard]] std::string to_string() const {
    std::string text = fmt::format("{} equal, {} refused", equal, refused);
    for (const auto& [accelerator, count] : compiled) text += fmt::format("; {} compiled for {}", count, accelerator);
    for (const auto& [reason, count] : reasons) text += fmt::format("\n  {} x {}", count, reason);
    return text;
  }
};

void require_equal(const std::vector<Tensor>& expected, const std::vector<Tensor>& got) {
  REQUIRE(expected.size() == got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("output " << i);
    REQUIRE(std::ranges::equal(expected[i].bytes(), got[i].bytes()));
  }
}

/// The same bytes as the graph types them.
std::vector<Tensor> as_graph_inputs(const tosa::Graph& graph, const std::vector<Tensor>& given) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& value = graph.main().values[graph.main().inputs[i]];
    inputs.emplace_back(value.dtype, *value.shape);
    std::ranges::copy(given[i].bytes(), inputs.back().bytes().begin());
  }
  return inputs;
}

std::vector<Tensor> interpret(const tosa::Graph& graph, const std::vector<Tensor>& inputs) {
  const auto run = checked(tosa::run(graph, inputs));
  if (const auto* finding = run.verdict.first()) FAIL(finding->to_string());
  return run.outputs;
}

void compile_and_compare(const tosa::Graph& graph, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& expected, Tally& tally) {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto compiled = npu::compile(graph, *npu::find_accelerator(name));
    if (!compiled) {
      REQUIRE(compiled.error().code == ErrorCode::kUnsupported);
      continue;
    }
    INFO("compiled for " << name);
    std::vector<npu::NamedTensor> named;
    for (const auto& tensor : inputs) named.push_back({"", tensor});
    const auto run = checked(npu::run_functional(npu::to_artifact(*compiled), *compiled->network.accelerator, named));
    require_equal(expected, run.outputs);
    ++tally.compiled[name];
  }
}

void check(const std::vector<std::byte>& bytes, std::uint64_t seed, Tally& tally) {
  const auto network = checked(tflite::parse_network(bytes, "random"));
  const auto graph = tflite::to_tosa(network);
  if (!graph) {
    INFO(graph.error().to_string());
    REQUIRE(graph.error().code == ErrorCode::kUnsupported);
    ++tally.refused;
    ++tally.reasons[graph.error().place.op + ": " + graph.error().message];
    return;
  }
  const auto inputs = random_inputs(bytes, seed);
  tflite::State state;
  const auto expected = checked(tflite::run(network, inputs, state)).outputs;
  const auto typed = as_graph_inputs(*graph, inputs);
  require_equal(expected, interpret(*graph, typed));
  ++tally.equal;
  compile_and_compare(*graph, typed, expected, tally);
}

}  // namespace

TEST_CASE("an operator in TOSA gives what its kernel gives") {
  const auto taken = tflite::operators_in_tosa();
  for (const auto& maker : operator_makers()) {
    Tally tally;
    for (std::uint64_t seed = 0; seed < network_count(); ++seed) {
      INFO(maker.name << ", seed " << seed);
      Maker m(seed * 1009 + static_cast<std::uint64_t>(maker.builtin));
      maker.make(m, maker.builtin);
      check(m.finish(), seed, tally);
    }
    INFO(maker.name << ": " << tally.to_string());
    if (std::getenv("MACAW_TFLITE_GRAPHS")) fmt::print("{}: {}\n", maker.name, tally.to_string());
    if (std::ranges::find(taken, maker.name) != taken.end()) CHECK(tally.equal > 0);
  }
}

TEST_CASE("an operator of uint8 in TOSA gives what its kernel gives") {
  // Those whose makers keep the type of their operand.
  const std::vector<std::string_view> names = {"ADD",
                                               "SUB",
                                               "MUL",
                                               "MAXIMUM",
                                               "MINIMUM",
                                               "EQUAL",
                                               "GREATER",
                                               "LESS_EQUAL",
                                               "SELECT_V2",
                                               "PRELU",
                                               "HARD_SWISH",
                                               "LEAKY_RELU",
                                               "RELU",
                                               "RELU_N1_TO_1",
                                               "QUANTIZE",
                                               "DEQUANTIZE",
                                               "MEAN",
                                               "SUM",
                                               "REDUCE_MAX",
                                               "ARG_MAX",
                                               "ARG_MIN",
                                               "MAX_POOL_2D",
                                               "CONCATENATION",
                                               "PACK",
                                               "UNPACK",
                                               "PAD",
                                               "PADV2",
                                               "MIRROR_PAD",
                                               "REVERSE_V2",
                                               "SLICE",
                                               "TILE",
                                               "STRIDED_SLICE",
                                               "TRANSPOSE",
                                               "GATHER",
                                               "GATHER_ND",
                                               "EXPAND_DIMS",
                                               "RESHAPE",
                                               "AVERAGE_POOL_2D",
                                               "SQUARED_DIFFERENCE",
                                               "RESIZE_NEAREST_NEIGHBOR"};
  for (const auto& maker : operator_makers()) {
    if (std::ranges::find(names, maker.name) == names.end()) continue;
    Tally tally;
    for (std::uint64_t seed = 0; seed < network_count(); ++seed) {
      INFO(maker.name << ", seed " << seed);
      Maker m(seed * 3001 + static_cast<std::uint64_t>(maker.builtin), UINT8);
      maker.make(m, maker.builtin);
      check(m.finish(), seed, tally);
    }
    INFO(maker.name << ": " << tally.to_string());
    CHECK(tally.equal > 0);
  }
}

TEST_CASE("a network of several operators gives in TOSA and on the NPU what the kernels give") {
  Tally tally;
  const auto& makers = operator_makers();
  const auto taken = tflite::operators_in_tosa();
  for (std::uint64_t seed = 0; seed < 2 * network_count(); ++seed) {
    INFO("seed " << seed);
    Maker m(seed + (std::uint64_t{1} << 32));
    for (int left = m.pick(2, 6); left > 0;) {
      const auto& maker = makers[static_cast<std::size_t>(m.pick(0, static_cast<int>(makers.size()) - 1))];
      if (std::ranges::find(taken, maker.name) == taken.end()) continue;
      maker.make(m, maker.builtin);
      --left;
    }
    check(m.finish(), seed, tally);
  }
  INFO(tally.to_string());
  if (std::getenv("MACAW_TFLITE_GRAPHS")) fmt::print("networks: {}\n", tally.to_string());
  CHECK(tally.equal > static_cast<int>(network_count()) / 2);
}

TEST_CASE("channels of a scale that is zero in fixed point take any sum") {
  constexpr int kConv2d = 3;
  TfliteFile file;
  const int in = file.input(INT8, {1, 2, 2, 4}, {0.5F}, {-3});
  const int filter = file.constant<std::int8_t>(INT8, {2, 1, 1, 4}, {1, -2, 3, 4, 5, -6, 7, 8}, {1e-12F, 0.25F});
  const int bias = file.constant<std::int32_t>(INT32, {2}, {2000000000, -7}, {5e-13F, 0.125F});
  const int out = file.tensor(INT8, {1, 2, 2, 2}, {8.0F}, {5});
  fb::Conv2DOptionsT options;
  options.padding = fb::Padding::VALID;
  options.stride_w = options.stride_h = 1;
  file.op(kConv2d, {in, filter, bias}, {out}, options).output(out);
  Tally tally;
  check(file.bytes(), 1, tally);
  INFO(tally.to_string());
  CHECK(tally.equal == 1);
}

TEST_CASE("SOFTMAX of many classes, whose kernel takes no row of equal ones") {
  constexpr int kSoftmax = 25;
  TfliteFile file;
  const int in = file.input(INT8, {1, 1001}, {0.25F}, {0});
  const int out = file.tensor(INT8, {1, 1001}, {1.0F / 256}, {-128});
  fb::SoftmaxOptionsT options;
  options.beta = 1;
  file.op(kSoftmax, {in}, {out}, options).output(out);
  Tally tally;
  check(file.bytes(), 1, tally);
  INFO(tally.to_string());
  CHECK(tally.equal == 1);
  tflite::State state;
  const auto equal =
      tflite::run(checked(tflite::parse_network(file.bytes(), "net")), {Tensor(DType::kINT8, {1, 1001})}, state);
  REQUIRE_FALSE(equal);
  CHECK(equal.error().code == ErrorCode::kUnpredictable);
}

TEST_CASE("what has no exact form in TOSA is refused by operator, index and reason") {
  Maker m(1);
  constexpr int kAbs = 101, kLog = 73;
  const Value in = m.input(FLOAT32, {2, 3});
  const Value between = m.result(FLOAT32, {2, 3}), out = m.result(FLOAT32, {2, 3});
  m.op(kAbs, {in.id}, {between});
  m.op(kLog, {between.id}, {out});
  const auto graph = tflite::to_tosa(checked(tflite::parse_network(m.finish(), "net.tflite")));
  REQUIRE(!graph);
  CHECK(graph.error().code == ErrorCode::kUnsupported);
  CHECK(graph.error().to_string() == "net.tflite: operator 0 (ABS, version 1): elements of type FP32");
}
