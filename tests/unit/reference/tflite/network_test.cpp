#include <sys/resource.h>
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;
using Catch::Matchers::Contains;

namespace {

TfliteFile sum_of_inputs() {
  TfliteFile file;
  const int a = file.input(INT32, {2, 2}), b = file.input(INT32, {2, 2}), c = file.tensor(INT32, {2, 2});
  file.op(kAdd, {a, b}, {c}, fb::AddOptionsT{}).output(c);
  return file;
}

Tensor four(std::vector<std::int32_t> values, Shape shape = {2, 2}) {
  return tensor_of(DType::kINT32, std::move(shape), values);
}

}  // namespace

TEST_CASE("every prefix of a .tflite is an error, never a crash") {
  const auto bytes = sum_of_inputs().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto network = tflite::parse_network(std::span(bytes).first(size), "prefix");
    if (network) CHECK(network->subgraphs.size() == 1);  // padding at the end is not part of it
    else CHECK(network.error().code == ErrorCode::kInvalidFile);
  }
}

TEST_CASE("a .tflite with any one byte changed loads or is an error") {
  const auto bytes = sum_of_inputs().bytes();
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      auto changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      const auto network = tflite::parse_network(changed, "changed");
      if (!network) continue;
      tflite::State state;
      CHECK_NOTHROW(tflite::run(*network, {four({1, 2, 3, 4}), four({1, 2, 3, 4})}, state, {.max_memory = 1 << 20}));
    }
}

TEST_CASE("a tensor that is read before it is written is named with its operator") {
  TfliteFile file;
  const int a = file.input(INT32, {1}), b = file.tensor(INT32, {1}), c = file.tensor(INT32, {1});
  file.op(kAdd, {a, b}, {c}, fb::AddOptionsT{}).output(c);
  const auto network = tflite::parse_network(file.bytes(), "test");
  REQUIRE_FALSE(network);
  CHECK(network.error().place.op == "operator 0 (ADD, version 1)");
  CHECK_THAT(network.error().message, Contains("tensor 1 is read before"));
}

TEST_CASE("elements of a type that is not there are named by it") {
  TfliteFile file;
  const int a = file.input(VARIANT, {1});
  file.output(a);
  const auto network = tflite::parse_network(file.bytes(), "test");
  REQUIRE_FALSE(network);
  CHECK(network.error().code == ErrorCode::kUnsupported);
  CHECK(network.error().message == "elements of type VARIANT are not supported");
}

TEST_CASE("an operator that is not there is named with index and version") {
  TfliteFile file;
  const int a = file.input(FLOAT32, {4}), b = file.tensor(FLOAT32, {4}), c = file.tensor(INT32, {4});
  file.op(kReshape, {a}, {b}).op(kTopKV2, {b}, {c}, 2).output(c);
  const auto done = run_file(file, {Tensor(DType::kFP32, {4})});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kUnsupported);
  CHECK(done.error().place.op == "operator 1 (TOPK_V2, version 2)");
  CHECK(done.error().message == "Macaw does not have this operator");
}

TEST_CASE("inputs may drop axes of extent 1 and be flat, and are refused otherwise") {
  const auto file = sum_of_inputs();
  const auto expected = std::vector<std::int32_t>{2, 4, 6, 8};
  const auto sum = [&](Tensor other) { return run_file(file, {four({1, 2, 3, 4}), std::move(other)}); };
  CHECK(values_of<std::int32_t>(checked(sum(four({1, 2, 3, 4}, {1, 2, 1, 2}))).outputs[0]) == expected);
  CHECK(values_of<std::int32_t>(checked(sum(four({1, 2, 3, 4}, {4}))).outputs[0]) == expected);
  CHECK(sum(four({1, 2, 3, 4}, {4, 1})).has_value() == false);
  CHECK(sum(Tensor(DType::kFP32, {2, 2})).error().code == ErrorCode::kMismatch);
  CHECK(run_file(file, {four({1, 2, 3, 4})}).error().code == ErrorCode::kMismatch);
}

TEST_CASE("any byte of a BOOL tensor that is not 0 is true, wherever it comes from") {
  constexpr int kLogicalAnd = 86;
  TfliteFile file;
  const int in = file.input(BOOL, {4});
  const int constant = file.constant<std::uint8_t>(BOOL, {4}, {8, 0, 255, 1});
  const int out = file.tensor(BOOL, {4});
  file.op(kLogicalAnd, {in, constant}, {out}).output(out);
  Tensor given(DType::kBOOL, {4});
  std::ranges::fill(given.bytes(), std::byte{2});
  CHECK(values_of<bool>(checked(run_file(file, {given})).outputs[0]) == std::vector{true, false, true, true});
}

TEST_CASE("a constant without elements may have a buffer with bytes") {
  TfliteFile file;
  const int in = file.input(INT8, {0}, {1.0F}), constant = file.constant<std::int8_t>(INT8, {0}, {7}, {1.0F});
  const int out = file.tensor(INT8, {0}, {1.0F});
  file.op(kAdd, {in, constant}, {out}, fb::AddOptionsT{}).output(out);
  CHECK(checked(run_file(file, {Tensor(DType::kINT8, {0})})).outputs[0].size() == 0);
}

TEST_CASE("the limits of work and memory end a run") {
  const auto network = checked(tflite::parse_network(sum_of_inputs().bytes(), "test"));
  const std::vector<Tensor> inputs = {four({1, 2, 3, 4}), four({1, 2, 3, 4})};
  tflite::State state;
  CHECK_THAT(tflite::run(network, inputs, state, {.max_work = (1 << 19) + 3}).error().message,
             Contains("limit of 524291"));
  CHECK_THAT(tflite::run(network, inputs, state, {.max_memory = 40}).error().message, Contains("40 bytes"));
  CHECK(tflite::run(network, inputs, state, {.max_work = (1 << 19) + 4, .max_memory = 48}));
}

TEST_CASE("a tensor above the limit of memory is refused before it is made") {
  const auto peak_kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  TfliteFile file;
  const int in = file.input(FLOAT32, {1});
  const int out = file.tensor(FLOAT32, {1 << 8, 1 << 20});
  file.op(kRelu, {in}, {out}).output(out);
  const auto before = peak_kilobytes();
  tflite::State state;
  const auto run = run_file(file, {Tensor(DType::kFP32, {1})}, state, {.max_memory = 1 << 20});
  REQUIRE_FALSE(run);
  CHECK_THAT(run.error().message, Contains("more memory than the limit"));
  CHECK(peak_kilobytes() - before < 1 << 18);
}
