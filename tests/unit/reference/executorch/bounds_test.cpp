#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

#include <tuple>

// Operators at the ends of what they take: empty pieces, indices at an edge, values that have no result.
using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;
namespace fb = macaw::tflite::schema;

namespace {

using Words = std::vector<std::int32_t>;
using Octets = std::vector<std::int8_t>;

OneOperator& words(OneOperator& op, const Words& values) {
  return op.input({std::int64_t(values.size())}, DType::kINT32, values);
}

}  // namespace

TEST_CASE("SLICE takes pieces up to the end, also empty ones, and none beyond") {
  struct Row {
    std::int32_t begin, size;
    std::int64_t extent;  ///< of the result; -1: refused
  };
  for (const Row& row : {Row{0, 3, 3},
                         {0, -1, 3},
                         {1, 2, 2},
                         {2, 1, 1},
                         {2, -1, 1},
                         {3, 0, 0},
                         {3, -1, 0},
                         {0, 0, 0},
                         {1, 3, -1},
                         {3, 1, -1},
                         {4, 0, -1},
                         {-1, 1, -1},
                         {0, -2, -1}}) {
    OneOperator op("SLICE");
    op.input({3}, DType::kINT8, Octets{5, 6, 7});
    words(words(op, {row.begin}), {row.size}).output({std::max<std::int64_t>(row.extent, 0)}, DType::kINT8);
    CAPTURE(row.begin, row.size);
    REQUIRE(op.run().has_value() == (row.extent >= 0));
    if (row.extent < 0) continue;
    Octets expected;
    for (std::int64_t i = 0; i < row.extent; ++i) expected.push_back(static_cast<std::int8_t>(5 + row.begin + i));
    CHECK(op.out<std::int8_t>() == expected);
  }
}

TEST_CASE("SCATTER_ND adds what has the same place, wraps, and refuses places outside") {
  const auto scattered = [](const Words& places) {
    OneOperator op("SCATTER_ND");
    op.input({std::int64_t(places.size()), 1}, DType::kINT32, places)
        .input({std::int64_t(places.size())}, DType::kINT32, Words{5, 7, INT32_MAX});
    words(op, {3}).output({3}, DType::kINT32);
    return op.run() ? op.out<std::int32_t>() : Words{};
  };
  CHECK(scattered({1, 1, 0}) == Words{INT32_MAX, 12, 0});
  CHECK(scattered({2, 0, 2}) == Words{7, 0, INT32_MIN + 4});
  CHECK(scattered({0, 1, 3}).empty());
  CHECK(scattered({0, 1, -1}).empty());
}

TEST_CASE("GATHER_ND takes rows by as many indices as there are axes or fewer") {
  const auto gathered = [](const Shape& shape, const Words& indices, const Shape& out) {
    OneOperator op("GATHER_ND");
    op.input({2, 3}, DType::kINT32, Words{1, 2, 3, 4, 5, 6})
        .input(shape, DType::kINT32, indices)
        .output(out, DType::kINT32);
    return op.run() ? op.out<std::int32_t>() : Words{};
  };
  CHECK(gathered({2, 1}, {1, 0}, {2, 3}) == Words{4, 5, 6, 1, 2, 3});
  CHECK(gathered({2, 2}, {1, 2, 0, 1}, {2}) == Words{6, 2});
  CHECK(gathered({1, 2}, {1, 3}, {1}).empty());
  CHECK(gathered({1, 2}, {2, 0}, {1}).empty());
  CHECK(gathered({1, 2}, {0, -1}, {1}).empty());
  CHECK(gathered({1, 3}, {0, 0, 0}, {1}).empty());
}

TEST_CASE("SPLIT_V gives an open size what the others leave") {
  struct Row {
    Words sizes;
    std::int64_t first, second;
    bool holds;
  };
  for (const Row& row : {Row{{2, 3}, 2, 3, true},
                         {{-1, 3}, 2, 3, true},
                         {{2, -1}, 2, 3, true},
                         {{5, -1}, 5, 0, true},
                         {{0, 5}, 0, 5, true},
                         {{2, 2}, 2, 2, false},
                         {{3, 3}, 3, 3, false},
                         {{-1, -1}, 2, 3, false},
                         {{6, -1}, 5, 0, false},
                         {{-2, 5}, 0, 5, false}}) {
    OneOperator op("SPLIT_V");
    words(words(op.input({5}, DType::kINT8, Octets{1, 2, 3, 4, 5}), row.sizes), {0});
    op.output({row.first}, DType::kINT8).output({row.second}, DType::kINT8);
    CAPTURE(row.sizes);
    REQUIRE(op.run().has_value() == row.holds);
    if (!row.holds) continue;
    auto all = op.out<std::int8_t>(0), rest = op.out<std::int8_t>(1);
    all.insert(all.end(), rest.begin(), rest.end());
    CHECK(all == Octets{1, 2, 3, 4, 5});
  }
}

TEST_CASE("blocks need a depth of whole blocks and batches of whole images") {
  struct Row {
    const char* name;
    Shape in, out;
    std::int32_t block;
    bool holds;
  };
  for (const Row& row : {Row{"DEPTH_TO_SPACE", {1, 1, 1, 4}, {1, 2, 2, 1}, 2, true},
                         {"DEPTH_TO_SPACE", {1, 1, 1, 6}, {1, 2, 2, 1}, 2, false},
                         {"DEPTH_TO_SPACE", {1, 1, 1, 5}, {1, 2, 2, 1}, 2, false},
                         {"DEPTH_TO_SPACE", {1, 1, 1, 8}, {1, 2, 2, 1}, 2, false},
                         {"DEPTH_TO_SPACE", {1, 1, 1, 3}, {1, 1, 1, 3}, 1, true},
                         {"DEPTH_TO_SPACE", {1, 1, 1, 4}, {1, 2, 2, 1}, 0, false}}) {
    OneOperator op(row.name);
    fb::DepthToSpaceOptionsT options;
    options.block_size = row.block;
    const auto count = static_cast<std::size_t>(*element_count(row.in));
    Octets values(count, 3);
    op.input(row.in, DType::kINT8, values).output(row.out, DType::kINT8).options(options);
    CAPTURE(row.in, row.block);
    CHECK(op.run().has_value() == row.holds);
  }
  for (const auto& [batches, height, width, holds] :
       {std::tuple(4, 1, 2, true), {3, 1, 2, false}, {8, 1, 2, false}, {4, 2, 2, false}, {4, 1, 1, false}}) {
    OneOperator op("SPACE_TO_BATCH_ND");
    op.input({1, 2, 3, 1}, DType::kINT8, Octets{1, 2, 3, 4, 5, 6}, 1.0F, 9);
    words(op, {2, 2}).input({2, 2}, DType::kINT32, Words{0, 0, 1, 0});
    op.output({batches, height, width, 1}, DType::kINT8, 1.0F, 9);
    CAPTURE(batches, height, width);
    REQUIRE(op.run().has_value() == holds);
    // A column of the zero point comes first.
    if (holds) CHECK(op.out<std::int8_t>() == Octets{9, 2, 1, 3, 9, 5, 4, 6});
  }
}

TEST_CASE("LOG has the least value where there is no logarithm, whatever the zero point") {
  for (const int zero : {-20, 0, 10}) {
    OneOperator op("LOG");
    op.input({4}, DType::kINT8, Octets{-4, 0, 2, 4}, 0.5F).output({4}, DType::kINT8, 0.5F, zero);
    REQUIRE(op.run());
    // log(1) is 0, log(2) 0.69.
    CHECK(op.out<std::int8_t>() ==
          Octets{-128, -128, static_cast<std::int8_t>(zero), static_cast<std::int8_t>(zero + 1)});
  }
}

TEST_CASE("LOGISTIC of int16 rounds halves of negative numbers down and of others up") {
  // In units of 1 / 24 of the table: 2^16 / (1 + exp(-3 / 24)) is 34813, which is odd, and of 6 / 24 36843.
  OneOperator op("LOGISTIC");
  op.input<std::int16_t>({5}, DType::kINT16, {-512, 512, -1024, 1024, 0}, 1.0F / 4096)
      .output({5}, DType::kINT16, 1.0F / 32768);
  REQUIRE(op.run());
  CHECK(op.out<std::int16_t>() == std::vector<std::int16_t>{32768 - 17407, 17407, 32768 - 18422, 18422, 16384});
}

TEST_CASE("ExecuTorch's slices may be empty, and begin and end behind the last element") {
  struct Row {
    std::int64_t start, end, step;
    Octets expected;
  };
  for (const Row& row : {Row{1, 3, 1, {2, 3}},
                         {-3, -1, 1, {3, 4}},
                         {-9, 9, 2, {1, 3, 5}},
                         {3, 1, 1, {}},
                         {5, 5, 1, {}},
                         {9, 99, 1, {}},
                         {-1, -2, 3, {}},
                         {0, 4, 3, {1, 4}},
                         {0, 3, 3, {1}}}) {
    OneOperator op("aten::slice_copy.Tensor_out");
    op.input({5}, DType::kINT8, Octets{1, 2, 3, 4, 5});
    for (const std::int64_t argument : {std::int64_t{0}, row.start, row.end, row.step})
      op.input({1}, DType::kINT64, std::vector<std::int64_t>{argument});
    op.output({std::int64_t(row.expected.size())}, DType::kINT8);
    CAPTURE(row.start, row.end, row.step);
    REQUIRE(op.run());
    CHECK(op.out<std::int8_t>() == row.expected);
  }
}

TEST_CASE("ExecuTorch quantises a channel to a range of one value, and to none that is empty or too wide") {
  for (const auto& [low, high, holds] :
       {std::tuple(5, 5, true), {-128, 127, true}, {6, 5, false}, {-129, 127, false}, {-128, 128, false}}) {
    OneOperator op("quantized_decomposed::quantize_per_channel");
    op.input({2}, DType::kFP32, std::vector<float>{-300, 300})
        .input({2}, DType::kFP32, std::vector<float>{1, 1})
        .absent();
    for (const std::int64_t argument : {std::int64_t{0}, std::int64_t{low}, std::int64_t{high}, std::int64_t{1}})
      op.input({1}, DType::kINT64, std::vector<std::int64_t>{argument});
    op.output({2}, DType::kINT8);
    CAPTURE(low, high);
    REQUIRE(op.run().has_value() == holds);
    if (holds) CHECK(op.out<std::int8_t>() == Octets{static_cast<std::int8_t>(low), static_cast<std::int8_t>(high)});
  }
}

TEST_CASE("an axis is one of the tensor's, from either end") {
  for (const auto& [axis, holds] : {std::pair(0, true), {1, true}, {2, false}, {-1, true}, {-2, true}, {-3, false}}) {
    OneOperator op("REVERSE_V2");
    words(op.input({2, 3}, DType::kINT8, Octets{1, 2, 3, 4, 5, 6}), {axis}).output({2, 3}, DType::kINT8);
    CAPTURE(axis);
    REQUIRE(op.run().has_value() == holds);
    if (holds) CHECK(op.out<std::int8_t>() == (axis % 2 == 0 ? Octets{4, 5, 6, 1, 2, 3} : Octets{3, 2, 1, 6, 5, 4}));
  }
  OneOperator both("REVERSE_V2");
  words(both.input({2, 3}, DType::kINT8, Octets{1, 2, 3, 4, 5, 6}), {1, -2}).output({2, 3}, DType::kINT8);
  REQUIRE(both.run());
  CHECK(both.out<std::int8_t>() == Octets{6, 5, 4, 3, 2, 1});
  OneOperator twice("REVERSE_V2");
  words(twice.input({2, 3}, DType::kINT8, Octets{1, 2, 3, 4, 5, 6}), {1, -1}).output({2, 3}, DType::kINT8);
  CHECK_FALSE(twice.run());
}
