#include "workflow/compare/judge/graph_constants.hpp"

#include <catch2/catch.hpp>

// Constants of operators in the form of the NPU's streams, from references that are written out by hand.
using namespace macaw;
using namespace macaw::compare;

namespace {

template <class T>
Tensor tensor(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor made(dtype, std::move(shape));
  std::ranges::copy(values, made.data<T>().begin());
  return made;
}

Tensor bytes_of(Shape shape, const std::vector<std::int8_t>& values) {
  return tensor<std::int8_t>(DType::kINT8, std::move(shape), values);
}

/// An operator of one result, whose operands are constants but the first.
Reference with_operator(const char* kind, std::vector<Tensor> constants) {
  Reference reference;
  reference.tensors.push_back({.name = "in", .value = bytes_of({1, 1, 1, 2}, {0, 0})});
  reference.operators.push_back({.kind = kind, .text = kind, .inputs = {0}, .outputs = {}});
  for (auto& constant : constants) {
    reference.operators[0].inputs.push_back(reference.tensors.size());
    reference.tensors.push_back(
        {.name = "c" + std::to_string(reference.tensors.size()), .constant = true, .value = std::move(constant)});
  }
  reference.operators[0].outputs = {reference.tensors.size()};
  reference.tensors.push_back({.name = "out", .value = tensor<std::int32_t>(DType::kINT32, {1, 1, 1, 2}, {0, 0})});
  reference.inputs = {0};
  return reference;
}

const std::vector<std::int8_t> kWeights = {-128, 0, 5, 127};

Reference convolution(std::int8_t zero_point, std::vector<std::int32_t> bias = {7, 8}) {
  const auto count = static_cast<std::int64_t>(bias.size());
  return with_operator("CONV2D", {bytes_of({2, 1, 1, 2}, kWeights), tensor(DType::kINT32, {count}, bias),
                                  bytes_of({1}, {0}), bytes_of({1}, {zero_point})});
}

OperatorConstants only(const Reference& reference) {
  auto all = graph_constants(reference);
  REQUIRE(all.size() == 1);
  return all[0];
}

using Filters = std::vector<std::vector<std::int16_t>>;
using Biases = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the zero point of the weights is subtracted from each, in 16 bits") {
  CHECK(only(convolution(0)).filters == Filters{{-128, 0}, {5, 127}});
  CHECK(only(convolution(3)).filters == Filters{{-131, -3}, {2, 124}});
  CHECK(only(convolution(-128)).filters == Filters{{0, 128}, {133, 255}});
  auto computed = convolution(3);
  computed.tensors[4].constant = false;
  CHECK(only(computed).filters == Filters{{-128, 0}, {5, 127}});
}

TEST_CASE("a network's weights have the zero point of their tensor, if it is one for all channels") {
  auto network =
      with_operator("CONV_2D", {bytes_of({2, 1, 1, 2}, kWeights), tensor<std::int32_t>(DType::kINT32, {2}, {1, 2})});
  CHECK(only(network).filters == Filters{{-128, 0}, {5, 127}});
  network.tensors[1].quantization = std::make_shared<Quantization>(Quantization{{1}, {-2}});
  CHECK(only(network).filters == Filters{{-126, 2}, {7, 129}});
  network.tensors[1].quantization = std::make_shared<Quantization>(Quantization{{1, 1}, {-2, -2}});
  CHECK(only(network).filters == Filters{{-128, 0}, {5, 127}});
}

TEST_CASE("filters are taken from each layout, channel by channel") {
  const std::vector<std::int8_t> values{1, 2, 3, 4, 5, 6, 7, 8};
  const auto filters = [&](const char* kind, Shape shape) {
    return only(with_operator(kind, {bytes_of(std::move(shape), values)}));
  };
  const auto conv = filters("CONV2D", {2, 2, 1, 2});
  CHECK(conv.filters == Filters{{1, 2, 3, 4}, {5, 6, 7, 8}});
  CHECK(conv.window == std::array{2, 1, 2});
  CHECK(filters("TRANSPOSE_CONV2D", {2, 2, 1, 2}).filters == Filters{{3, 4, 1, 2}, {7, 8, 5, 6}});
  const auto depthwise = filters("DEPTHWISE_CONV2D", {1, 2, 2, 2});
  CHECK(depthwise.filters == Filters{{1, 5}, {2, 6}, {3, 7}, {4, 8}});
  CHECK(depthwise.window == std::array{1, 2, 1});
  const auto network = filters("DEPTHWISE_CONV_2D", {1, 2, 1, 4});
  CHECK(network.filters == Filters{{1, 5}, {2, 6}, {3, 7}, {4, 8}});
  CHECK(network.window == std::array{2, 1, 1});
  const auto connected = filters("FULLY_CONNECTED", {4, 2});
  CHECK(connected.filters == Filters{{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  CHECK(connected.window == std::array{1, 1, 2});
}

TEST_CASE("a bias is one for each channel or one for all; another number of them is not known") {
  CHECK(only(convolution(0)).biases == Biases{7, 8});
  CHECK(only(convolution(0, {-9})).biases == Biases{-9, -9});
  CHECK(only(convolution(0, {1, 2, 3})).biases.empty());
}

TEST_CASE("factors are those of the RESCALE that alone reads the accumulators") {
  auto reference = convolution(0);
  const TensorId accumulators = reference.tensors.size() - 1, multiplier = accumulators + 1, shift = accumulators + 2,
                 scaled = accumulators + 3;
  reference.tensors.push_back(
      {.name = "m", .constant = true, .value = tensor<std::int32_t>(DType::kINT32, {2}, {1 << 30, 3})});
  reference.tensors.push_back({.name = "s", .constant = true, .value = bytes_of({2}, {40, 9})});
  reference.tensors.push_back({.name = "scaled", .value = bytes_of({1, 1, 1, 2}, {0, 0})});
  reference.operators.push_back(
      {.kind = "RESCALE", .text = "RESCALE", .inputs = {accumulators, multiplier, shift}, .outputs = {scaled}});
  const auto factors = [&] {
    std::vector<std::pair<std::int64_t, int>> all;
    const auto constants = only(reference);
    for (const auto& scale : constants.scales) all.emplace_back(scale.multiplier, scale.shift);
    return all;
  };
  using Factors = std::vector<std::pair<std::int64_t, int>>;
  CHECK(factors() == Factors{{1 << 30, 40}, {3, 9}});
  reference.tensors[multiplier].value = tensor<std::int32_t>(DType::kINT32, {1}, {5});
  CHECK(factors().empty());  // one multiplier and two shifts
  reference.tensors[shift].value = bytes_of({1}, {6});
  CHECK(factors() == Factors{{5, 6}, {5, 6}});
  reference.outputs = {accumulators};
  CHECK(factors().empty());
  reference.outputs = {scaled};
  reference.operators.push_back({.kind = "ABS", .text = "ABS", .inputs = {accumulators}, .outputs = {}});
  CHECK(factors().empty());
}

TEST_CASE("a table of bytes is kept as it is, one of words as pairs of a word and the slope to the next") {
  std::vector<std::int8_t> bytes(256, 3);
  bytes[255] = -1;
  const auto of_bytes = only(with_operator("TABLE", {bytes_of({256}, bytes)})).table;
  REQUIRE(of_bytes.size() == 256);
  CHECK((of_bytes[0] == std::byte{3} && of_bytes[255] == std::byte{0xFF}));

  std::vector<std::int16_t> words(513, 0);
  words[0] = 0x1234;
  words[1] = 0x1000;  // a slope of -0x234
  words[2] = 0x1203;  // of 0x203
  words[511] = -1;
  words[512] = 300;  // of 301
  const auto of_words = only(with_operator("TABLE", {tensor(DType::kINT16, {513}, words)})).table;
  REQUIRE(of_words.size() == 2048);
  const auto word = [&](std::size_t at) {
    return static_cast<std::int16_t>(std::to_integer<int>(of_words[2 * at]) | std::to_integer<int>(of_words[2 * at + 1])
                                                                                  << 8);
  };
  CHECK((word(0) == 0x1234 && word(1) == -0x234));
  CHECK((word(2) == 0x1000 && word(3) == 0x203));
  CHECK((word(1020) == 0 && word(1021) == -1 && word(1022) == -1 && word(1023) == 301));
}

TEST_CASE("the table of an operator's function is kept, and operators without constants are left out") {
  auto reference = with_operator("LOGISTIC", {});
  CHECK(graph_constants(reference).empty());
  reference.operators[0].table = {std::byte{1}, std::byte{2}};
  CHECK(only(reference).table == reference.operators[0].table);
  auto computed = convolution(0);
  computed.tensors[1].constant = false;
  CHECK(graph_constants(computed).empty());
}
