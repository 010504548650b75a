#include <catch2/catch.hpp>

#include <cmath>

#include "reference/tosa/arith/float_tensor.hpp"
#include "tests/unit/reference/tosa/run_operator.hpp"

// Tests of block-scaled types that random graphs do not reach: precise runs, extensions, shapes that only the run
// knows.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

constexpr auto kFp4 = DType::kBS32_FP8UE8M0_FP4E2M1;

/// One block of 32 numbers, 0.1 to 3.2.
Tensor numbers() {
  Tensor tensor(DType::kFP32, {1, 32});
  for (std::size_t i = 0; i < 32; ++i) tensor.data<float>()[i] = static_cast<float>(i + 1) / 10;
  return tensor;
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  load_floats<double>(tensor, values);
  return values;
}

}  // namespace

TEST_CASE("A cast to blocks rounds to the value type, and not at all in a precise run") {
  const auto in = numbers();
  const auto rounded = run_on_constants(Op::kCAST, {in}, {kFp4, {1, 32}});
  REQUIRE(rounded.verdict == "valid");
  CHECK(rounded.output.dtype() == kFp4);
  CHECK(elements(rounded.output.scales()) == std::vector<double>{0.5});  // 3.2 / 0.5 is below 7, 3.2 / 0.25 above
  CHECK(elements(rounded.output)[31] == 3);
  CHECK(elements(rounded.output)[0] == 0);
  CHECK(elements(rounded.output)[1] == 0.25);

  Options precise;
  precise.precise = true;
  const auto exact = run_on_constants(Op::kCAST, {in}, {kFp4, {1, 32}}, {}, precise);
  REQUIRE(exact.verdict == "valid");
  CHECK(exact.output.dtype() == DType::kBS32_FP64_FP64);
  CHECK(elements(exact.output.scales()) == std::vector<double>{0.5});
  for (std::size_t i = 0; i < 32; ++i) CHECK(elements(exact.output)[i] == in.data<float>()[i]);

  const auto back = run_on_constants(Op::kCAST, {rounded.output}, {DType::kFP32, {1, 32}}, {}, precise);
  REQUIRE(back.verdict == "valid");
  CHECK(back.output.dtype() == DType::kFP64);
  CHECK(elements(back.output) == elements(rounded.output));
}

TEST_CASE("A block with NaN or infinity has a NaN scale, one of zeros the least") {
  auto in = numbers();
  for (const float special : {std::nanf(""), INFINITY, -INFINITY}) {
    in.data<float>()[7] = special;
    const auto made = run_on_constants(Op::kCAST, {in}, {kFp4, {1, 32}});
    REQUIRE(made.verdict == "valid");
    for (const auto value : elements(made.output)) CHECK(std::isnan(value));
  }
  const auto zeros = run_on_constants(Op::kCAST, {Tensor(DType::kFP16, {1, 32})}, {kFp4, {1, 32}});
  CHECK(zeros.output.scales().bytes()[0] == std::byte{0});
}

TEST_CASE("Operators move values and scales in a precise run too") {
  Options precise;
  precise.precise = true;
  Tensor in(kFp4, {2, 64});
  for (std::size_t i = 0; i < 128; ++i) in.bytes()[i] = static_cast<std::byte>(i % 16);
  for (std::size_t i = 0; i < 4; ++i) in.bytes()[128 + i] = static_cast<std::byte>(125 + i);
  const auto start = shape_tensor({1, 32}), size = shape_tensor({1, 32});
  const auto plain = run_on_constants(Op::kSLICE, {in, start, size}, {kFp4, {1, 32}});
  const auto exact = run_on_constants(Op::kSLICE, {in, start, size}, {kFp4, {1, 32}}, {}, precise);
  REQUIRE(exact.verdict == "valid");
  CHECK(exact.output == to_precise(plain.output));
  CHECK(plain.output.scales().bytes()[0] == std::byte{128});
}

TEST_CASE("Block-scaled types need EXT-MX-COMMON and the extension of their values") {
  for (const auto without : {Profile::kExtMxCommon, Profile::kExtMxFp4E2M1}) {
    Options options;
    options.profiles = kAllProfiles & ~mask(without);
    CHECK(run_on_constants(Op::kREVERSE, {Tensor(kFp4, {1, 32})}, {kFp4, {1, 32}}, {{Attr::k_axis, std::int64_t{0}}},
                           options)
              .verdict.starts_with("ERROR CONST.profile"));
  }
}

TEST_CASE("Blocks that an input of unknown shape splits are found in the run") {
  GraphBuilder b;
  const auto x = b.input("x", kFp4, {-1, -1}), y = b.value("y", kFp4, {-1, -1});
  b.add(Op::kREVERSE, {x}, {y}).set(Attr::k_axis, std::int64_t{0});
  b.output(y);
  const auto graph = b.graph(kVersion1_1);
  const auto valid = run(graph, {Tensor(kFp4, {2, 64})});
  REQUIRE(valid);
  CHECK(valid->verdict.status() == Status::kValid);
  for (const auto extent : {1, 31, 33, 65}) {
    const auto found = run(graph, {Tensor(kFp4, {2, extent})});
    REQUIRE(found);
    REQUIRE(found->verdict.first());
    CHECK(found->verdict.first()->rule == "REVERSE.2");
  }
  CHECK(run(graph, {Tensor(DType::kFP4E2M1, {2, 64})}).error().code == ErrorCode::kMismatch);
}

namespace {

/// Most of the operators that take blocks, in one graph.
Graph graph_of_blocks() {
  GraphBuilder b;
  const auto x = b.input("x", kFp4, {1, 3, 64}), c = b.constant("c", Tensor(kFp4, {1, 2, 64}));
  const auto value = [&](const char* name, Shape shape) { return b.value(name, kFp4, std::move(shape)); };
  const auto joined = value("joined", {1, 5, 64}), sliced = value("sliced", {1, 4, 32}),
             tiled = value("tiled", {1, 4, 64}), turned = value("turned", {4, 1, 64}),
             shaped = value("shaped", {1, 4, 64}), reversed = value("reversed", {1, 4, 64}),
             gathered = value("gathered", {1, 4, 64}), kept = value("kept", {1, 4, 64});
  const auto wide = b.value("wide", DType::kFP32, {1, 4, 64});
  b.add(Op::kCONCAT, {x, c}, {joined}).set(Attr::k_axis, std::int64_t{1});
  b.add(Op::kSLICE,
        {joined, b.constant("start", shape_tensor({0, 1, 32})), b.constant("size", shape_tensor({1, 4, 32}))},
        {sliced});
  b.add(Op::kTILE, {sliced, b.constant("multiples", shape_tensor({1, 1, 2}))}, {tiled});
  b.add(Op::kTRANSPOSE, {tiled}, {turned}).set(Attr::k_perms, std::vector<std::int64_t>{1, 0, 2});
  b.add(Op::kRESHAPE, {turned, b.constant("shape", shape_tensor({1, 4, 64}))}, {shaped});
  b.add(Op::kREVERSE, {shaped}, {reversed}).set(Attr::k_axis, std::int64_t{2});
  b.add(Op::kROW_GATHER,
        {reversed, b.constant("indices", tensor<std::int32_t>(DType::kINT32, {1, 2}, {2, 0})),
         b.constant("row_count", tensor<std::int32_t>(DType::kINT32, {1}, {2}))},
        {gathered});
  b.add(Op::kCAST, {gathered}, {wide});
  b.add(Op::kCAST, {wide}, {kept});
  b.output(kept);
  return b.graph(kVersion1_1);
}

}  // namespace

TEST_CASE("Altered graphs of blocks end in a verdict or an error") {
  const auto file = write_graph(graph_of_blocks(), kVersion1_1);
  REQUIRE(file);
  const auto read_and_run = [](std::span<const std::byte> bytes) {
    const auto graph = parse_graph(bytes, "altered");
    if (!graph || validate(*graph).value_or(Verdict{}).status() != Status::kValid) return false;
    std::vector<Tensor> inputs;
    for (const auto id : graph->main().inputs) {
      const auto& value = graph->main().values[id];
      const auto tensor =
          value.is_static() ? Tensor::create(value.dtype, *value.shape) : Tensor(value.dtype, {1, 3, 64});
      if (!tensor || tensor->bytes().size() > 1 << 20) return false;
      inputs.push_back(*tensor);
    }
    const auto result = run(*graph, inputs);
    return result && result->verdict.status() == Status::kValid;
  };
  REQUIRE(read_and_run(*file));
  unsigned valid = 0;
  for (std::size_t at = 0; at < file->size(); ++at)
    for (const int change : {1, 3, 32, 0x80, 0xFF}) {
      auto bytes = *file;
      bytes[at] ^= static_cast<std::byte>(change);
      valid += read_and_run(bytes);
    }
  CHECK(valid > 0);
}
