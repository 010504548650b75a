#include <catch2/catch.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/npu/timed_simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "tests/unit/reference/tflite/support.hpp"

// Networks that leave IF and WHILE to the CPU, beside the interpreter.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;
using Catch::Matchers::Contains;

namespace {

constexpr int kSub = 41, kLess = 58, kIf = 118, kWhile = 119;

Tensor word(std::int32_t value) { return tensor_of<std::int32_t>(DType::kINT32, {1}, {value}); }
Tensor flag(bool value) { return tensor_of<bool>(DType::kBOOL, {1}, {value}); }

Result<npu::FunctionalResult> simulate(const TfliteFile& file, const std::vector<Tensor>& inputs,
                                       std::int64_t max_work = std::int64_t{1} << 38) {
  MACAW_ASSIGN(const auto artifact, npu::parse_artifact(file.bytes(), "net.tflite"));
  npu::FunctionalOptions options;
  options.host = &tflite::host_operators();
  options.max_work = max_work;
  std::vector<npu::NamedTensor> named;
  for (const auto& input : inputs) named.push_back({"", input});
  return npu::run_functional(artifact, *npu::find_accelerator("ethos-u55-128"), named, options);
}

/// a + b, or a - b, by the first input; the second branch calls the first for its result again.
TfliteFile choice() {
  TfliteFile file;
  const int c = file.input(BOOL, {1}), a = file.input(INT32, {1}), b = file.input(INT32, {1});
  const int out = file.tensor(INT32, {1}), twice = file.tensor(INT32, {1});
  fb::IfOptionsT options;
  options.then_subgraph_index = 1;
  options.else_subgraph_index = 2;
  file.op(kIf, {c, a, b}, {out}, options);
  file.op(kIf, {c, out, b}, {twice}, options).output(twice);
  for (const bool adds : {true, false}) {
    file.begin_subgraph();
    const int x = file.input(INT32, {1}), y = file.input(INT32, {1}), z = file.tensor(INT32, {1});
    if (adds) file.op(kAdd, {x, y}, {z}, fb::AddOptionsT{});
    else file.op(kSub, {x, y}, {z}, fb::SubOptionsT{});
    file.output(z);
  }
  return file;
}

/// while (x < limit) { x = x + step; limit = limit }
TfliteFile loop(bool ends = true) {
  TfliteFile file;
  const int x = file.input(INT32, {1}), limit = file.input(INT32, {1}), step = file.input(INT32, {1});
  const int last = file.tensor(INT32, {1}), limits = file.tensor(INT32, {1}), steps = file.tensor(INT32, {1});
  fb::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 2;
  file.op(kWhile, {x, limit, step}, {last, limits, steps}, options).output(last).output(steps);
  for (const bool is_condition : {true, false}) {
    file.begin_subgraph();
    const int a = file.input(INT32, {1}), b = file.input(INT32, {1}), c = file.input(INT32, {1});
    const int result = file.tensor(is_condition ? BOOL : INT32, {1});
    if (is_condition) file.op(kLess, {ends ? a : c, b}, {result}).output(result);
    else file.op(kAdd, {a, c}, {result}, fb::AddOptionsT{}).output(result).output(b).output(c);
  }
  return file;
}

void check_same(const TfliteFile& file, const std::vector<Tensor>& inputs) {
  const auto expected = checked(run_file(file, inputs)).outputs;
  const auto done = checked(simulate(file, inputs)).outputs;
  REQUIRE(done.size() == expected.size());
  for (std::size_t i = 0; i < done.size(); ++i)
    CHECK(values_of<std::int32_t>(done[i]) == values_of<std::int32_t>(expected[i]));
}

}  // namespace

TEST_CASE("IF runs one of two subgraphs, each as often as it is called") {
  for (const bool condition : {false, true}) {
    check_same(choice(), {flag(condition), word(7), word(3)});
    CHECK(values_of<std::int32_t>(checked(simulate(choice(), {flag(condition), word(7), word(3)})).outputs[0]) ==
          std::vector<std::int32_t>{condition ? 13 : 1});
  }
}

TEST_CASE("WHILE runs its body as long as the condition holds, also never") {
  for (const std::int32_t start : {0, 9, 10, 11}) check_same(loop(), {word(start), word(10), word(3)});
}

TEST_CASE("a loop that does not end ends at the limit of work") {
  const auto done = simulate(loop(false), {word(0), word(10), word(3)}, std::int64_t{1} << 30);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("subgraphs that are not there, run themselves or take other operands are errors") {
  const auto message = [](const TfliteFile& file) {
    const auto done = simulate(file, {flag(true), word(1)});
    return done ? "done" : done.error().to_string();
  };
  const auto with = [](int subgraph, fb::TensorType type, int extent) {
    TfliteFile file;
    const int c = file.input(BOOL, {1}), a = file.input(INT32, {1}), out = file.tensor(INT32, {1});
    fb::IfOptionsT options;
    options.then_subgraph_index = options.else_subgraph_index = subgraph;
    file.op(kIf, {c, a}, {out}, options).output(out);
    file.begin_subgraph();
    file.output(file.input(type, {extent}));
    return file;
  };
  CHECK(message(with(1, INT32, 1)) == "done");
  CHECK_THAT(message(with(2, INT32, 1)), Contains("there is no subgraph 2"));
  CHECK_THAT(message(with(-1, INT32, 1)), Contains("there is no subgraph -1"));
  CHECK_THAT(message(with(1, INT32, 2)), Contains("does not fit"));
  CHECK_THAT(message(with(1, FLOAT32, 1)), Contains("does not fit"));
  TfliteFile file;
  const int c = file.input(BOOL, {1}), a = file.input(INT32, {1}), out = file.tensor(INT32, {1});
  fb::IfOptionsT options;
  options.then_subgraph_index = options.else_subgraph_index = 1;
  file.op(kIf, {c, a}, {out}, options).output(out);
  file.begin_subgraph();
  const int x = file.input(INT32, {1}), yes = file.constant<std::uint8_t>(BOOL, {1}, {1}), y = file.tensor(INT32, {1});
  file.op(kIf, {yes, x}, {y}, options).output(y);
  CHECK_THAT(message(file), Contains("subgraphs 32 deep in each other"));
}
