#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

// Every operator that 0.80 spells differently: written as 0.80, read by flatc, imported, run, and compared with a loop
// written here.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

using Json = nlohmann::json;
using Ints = std::vector<std::int64_t>;
using Int8s = std::vector<std::int8_t>;
using Int32s = std::vector<std::int32_t>;

Tensor int8s(Shape shape, const Int8s& values) { return tensor(DType::kINT8, std::move(shape), values); }
Tensor int32_tensor(Shape shape, const Int32s& values) { return tensor(DType::kINT32, std::move(shape), values); }
Tensor zero_point(std::int8_t value) { return int8s({1}, {value}); }

Tensor random_int8s(unsigned seed, Shape shape) {
  std::mt19937 random(seed);
  Tensor x(DType::kINT8, std::move(shape));
  for (auto& value : x.data<std::int8_t>()) value = static_cast<std::int8_t>(random());
  return x;
}

/// One operator on a graph input and constants, in a file of 0.80.
struct Case {
  Op op;
  std::vector<Tensor> inputs;  ///< the first `graph_inputs` are inputs of the graph
  DType dtype;
  Shape shape;
  std::vector<std::pair<Attr, AttributeValue>> attributes;
  std::size_t graph_inputs = 1;
};

struct Outcome {
  Json op;  ///< as flatc prints it
  Tensor output;
};

Tensor run_graph(const Graph& graph, std::vector<Tensor> inputs) {
  const auto result = run(graph, std::move(inputs));
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  INFO((result->verdict.first() ? result->verdict.first()->to_string() : std::string()));
  REQUIRE(result->outputs.size() == 1);
  return result->outputs[0];
}

Outcome through_0_80(Case c) {
  INFO(to_string(c.op));
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const auto name = "in" + std::to_string(i);
    ids.push_back(i < c.graph_inputs ? b.input(name, c.inputs[i].dtype(), c.inputs[i].shape())
                                     : b.constant(name, c.inputs[i]));
  }
  const auto y = b.value("y", c.dtype, c.shape);
  auto& op = b.add(c.op, ids, {y});
  for (auto& [name, value] : c.attributes) op.set(name, std::move(value));
  b.output(y);
  const auto json = flatc_json(b.graph(), kVersion0_80);
  Outcome outcome;
  for (const auto& written : json.at("regions")[0].at("blocks")[0].at("operators"))
    if (written.at("op") == std::string(to_string(c.op))) outcome.op = written;
  REQUIRE_FALSE(outcome.op.is_null());
  c.inputs.resize(c.graph_inputs);
  outcome.output = run_graph(reread(b.graph(), kVersion0_80), c.inputs);
  return outcome;
}

std::int64_t at(const Tensor& x, std::int64_t n, std::int64_t y, std::int64_t column, std::int64_t c) {
  const auto& s = x.shape();
  return x.data<std::int8_t>()[static_cast<std::size_t>(((n * s[1] + y) * s[2] + column) * s[3] + c)];
}

}  // namespace

TEST_CASE("0.80: CONV2D and DEPTHWISE_CONV2D have zero points as attributes") {
  const auto x = random_int8s(1, {1, 4, 5, 2});
  const std::vector<std::pair<Attr, AttributeValue>> attributes{{Attr::k_pad, Ints{1, 0, 0, 1}},
                                                                {Attr::k_stride, Ints{1, 1}},
                                                                {Attr::k_dilation, Ints{1, 2}},
                                                                {Attr::k_local_bound, std::int64_t{0}},
                                                                {Attr::k_acc_type, std::int64_t(DType::kINT32)}};
  const auto padded = [&](std::int64_t y, std::int64_t column, std::int64_t c) -> std::int64_t {
    if (y < 0 || y >= 4 || column < 0 || column >= 5) return 0;  // of the padding, after the zero point
    return at(x, 0, y, column, c) + 7;
  };
  SECTION("CONV2D") {
    const auto w = random_int8s(2, {3, 2, 2, 2});
    const auto got = through_0_80({Op::kCONV2D,
                                   {x, w, int32_tensor({3}, {10, -20, 30}), zero_point(-7), zero_point(0)},
                                   DType::kINT32,
                                   {1, 4, 4, 3},
                                   attributes});
    CHECK(got.op.at("inputs").size() == 3);
    CHECK(got.op.at("attribute").at("input_zp") == -7);
    CHECK(got.op.at("attribute").at("dilation") == Json({1, 2}));
    Int32s expected;
    for (std::int64_t oy = 0; oy < 4; ++oy)
      for (std::int64_t ox = 0; ox < 4; ++ox)
        for (std::int64_t oc = 0; oc < 3; ++oc) {
          std::int64_t sum = oc == 0 ? 10 : oc == 1 ? -20 : 30;
          for (std::int64_t k = 0; k < 8; ++k)
            sum += padded(oy - 1 + k / 4, ox + k / 2 % 2 * 2, k % 2) * at(w, oc, k / 4, k / 2 % 2, k % 2);
          expected.push_back(static_cast<std::int32_t>(sum));
        }
    CHECK(got.output == int32_tensor({1, 4, 4, 3}, expected));
  }
  SECTION("DEPTHWISE_CONV2D") {
    const auto w = random_int8s(3, {2, 2, 2, 2});  // [KH, KW, C, M]
    const auto got = through_0_80({Op::kDEPTHWISE_CONV2D,
                                   {x, w, int32_tensor({1}, {5}), zero_point(-7), zero_point(3)},
                                   DType::kINT32,
                                   {1, 4, 4, 4},
                                   attributes});
    CHECK(got.op.at("attribute").at("weight_zp") == 3);
    Int32s expected;
    for (std::int64_t oy = 0; oy < 4; ++oy)
      for (std::int64_t ox = 0; ox < 4; ++ox)
        for (std::int64_t oc = 0; oc < 4; ++oc) {
          std::int64_t sum = 5;
          for (std::int64_t k = 0; k < 4; ++k)
            sum += padded(oy - 1 + k / 2, ox + k % 2 * 2, oc / 2) * (at(w, k / 2, k % 2, oc / 2, oc % 2) - 3);
          expected.push_back(static_cast<std::int32_t>(sum));
        }
    CHECK(got.output == int32_tensor({1, 4, 4, 4}, expected));
  }
}

TEST_CASE("0.80: CONV3D and TRANSPOSE_CONV2D") {
  const auto x = random_int8s(4, {1, 3, 3, 2});
  SECTION("CONV3D") {
    Tensor deep = x;
    deep.reshape({1, 1, 3, 3, 2});
    auto w = random_int8s(5, {1, 2, 2, 2});
    w.reshape({1, 1, 2, 2, 2});
    const auto got = through_0_80({Op::kCONV3D,
                                   {deep, w, int32_tensor({1}, {1}), zero_point(2), zero_point(0)},
                                   DType::kINT32,
                                   {1, 1, 2, 2, 1},
                                   {{Attr::k_pad, Ints(6, 0)},
                                    {Attr::k_stride, Ints(3, 1)},
                                    {Attr::k_dilation, Ints(3, 1)},
                                    {Attr::k_local_bound, std::int64_t{0}},
                                    {Attr::k_acc_type, std::int64_t(DType::kINT32)}}});
    CHECK(got.op.at("attribute").at("pad").size() == 6);
    Int32s expected;
    for (std::int64_t oy = 0; oy < 2; ++oy)
      for (std::int64_t ox = 0; ox < 2; ++ox) {
        std::int64_t sum = 1;
        for (std::int64_t k = 0; k < 8; ++k)
          sum += (at(x, 0, oy + k / 4, ox + k / 2 % 2, k % 2) - 2) * w.data<std::int8_t>()[static_cast<std::size_t>(k)];
        expected.push_back(static_cast<std::int32_t>(sum));
      }
    CHECK(got.output == int32_tensor({1, 1, 2, 2, 1}, expected));
  }
  SECTION("TRANSPOSE_CONV2D") {
    const auto w = random_int8s(6, {1, 2, 2, 2});
    const auto got = through_0_80({Op::kTRANSPOSE_CONV2D,
                                   {x, w, int32_tensor({1}, {4}), zero_point(1), zero_point(0)},
                                   DType::kINT32,
                                   {1, 6, 6, 1},
                                   {{Attr::k_out_pad, Ints(4, 0)},
                                    {Attr::k_stride, Ints{2, 2}},
                                    {Attr::k_local_bound, std::int64_t{0}},
                                    {Attr::k_acc_type, std::int64_t(DType::kINT32)}}});
    CHECK(got.op.at("attribute").at("output_shape") == Json({1, 6, 6, 1}));
    Int32s expected(36, 4);
    for (std::int64_t y = 0; y < 3; ++y)
      for (std::int64_t column = 0; column < 3; ++column)
        for (std::int64_t k = 0; k < 8; ++k)
          expected[static_cast<std::size_t>((y * 2 + k / 4) * 6 + column * 2 + k / 2 % 2)] +=
              static_cast<std::int32_t>((at(x, 0, y, column, k % 2) - 1) * at(w, 0, k / 4, k / 2 % 2, k % 2));
    CHECK(got.output == int32_tensor({1, 6, 6, 1}, expected));
  }
}

TEST_CASE("0.80: MATMUL, NEGATE and MUL") {
  SECTION("MATMUL") {
    const auto a = random_int8s(7, {1, 3, 4}), b = random_int8s(8, {1, 4, 2});
    const auto got =
        through_0_80({Op::kMATMUL, {a, b, zero_point(5), zero_point(-6)}, DType::kINT32, {1, 3, 2}, {}, 2});
    CHECK(got.op.at("attribute") == Json({{"a_zp", 5}, {"b_zp", -6}}));
    Int32s expected;
    for (std::size_t h = 0; h < 3; ++h)
      for (std::size_t w = 0; w < 2; ++w) {
        std::int32_t sum = 0;
        for (std::size_t c = 0; c < 4; ++c)
          sum += (a.data<std::int8_t>()[h * 4 + c] - 5) * (b.data<std::int8_t>()[c * 2 + w] + 6);
        expected.push_back(sum);
      }
    CHECK(got.output == int32_tensor({1, 3, 2}, expected));
  }
  SECTION("NEGATE") {
    const Int8s in{-128, -1, 0, 1, 100, 127};
    const auto got =
        through_0_80({Op::kNEGATE, {int8s({6}, in), zero_point(-2), zero_point(3)}, DType::kINT8, {6}, {}});
    CHECK(got.op.at("attribute") == Json({{"input1_zp", -2}, {"output_zp", 3}}));
    Int8s expected;
    for (const auto value : in) expected.push_back(static_cast<std::int8_t>(std::clamp(-(value + 2) + 3, -128, 127)));
    CHECK(got.output == int8s({6}, expected));
  }
  SECTION("MUL") {
    const Int32s a{1000, -1000, 7, -7}, b{3000, 3000, 3, 3};
    const auto got = through_0_80(
        {Op::kMUL, {int32_tensor({4}, a), int32_tensor({4}, b), zero_point(3)}, DType::kINT32, {4}, {}, 2});
    CHECK(got.op.at("attribute").at("shift") == 3);
    Int32s expected;
    for (std::size_t i = 0; i < 4; ++i)
      expected.push_back(static_cast<std::int32_t>(std::floor((double(a[i]) * b[i] + 4) / 8)));
    CHECK(got.output == int32_tensor({4}, expected));
  }
}

TEST_CASE("0.80: pooling") {
  const auto x = random_int8s(9, {1, 4, 4, 1});
  const std::vector<std::pair<Attr, AttributeValue>> window{
      {Attr::k_kernel, Ints{2, 2}}, {Attr::k_stride, Ints{2, 2}}, {Attr::k_pad, Ints(4, 0)}};
  SECTION("AVG_POOL2D") {
    auto attributes = window;
    attributes.emplace_back(Attr::k_acc_type, std::int64_t(DType::kINT32));
    const auto got =
        through_0_80({Op::kAVG_POOL2D, {x, zero_point(-4), zero_point(6)}, DType::kINT8, {1, 2, 2, 1}, attributes});
    CHECK(got.op.at("attribute").at("accum_dtype") == "INT32");
    CHECK(got.op.at("attribute").at("output_zp") == 6);
    Int8s expected;
    for (std::int64_t i = 0; i < 4; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < 4; ++k) sum += at(x, 0, i / 2 * 2 + k / 2, i % 2 * 2 + k % 2, 0) + 4;
      const auto mean = static_cast<std::int64_t>(std::floor(static_cast<double>(sum) / 4 + 0.5));
      expected.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(mean + 6, -128, 127)));
    }
    CHECK(got.output == int8s({1, 2, 2, 1}, expected));
  }
  SECTION("MAX_POOL2D") {
    const auto got = through_0_80({Op::kMAX_POOL2D, {x}, DType::kINT8, {1, 2, 2, 1}, window});
    Int8s expected;
    for (std::int64_t i = 0; i < 4; ++i) {
      std::int64_t best = -128;
      for (std::int64_t k = 0; k < 4; ++k) best = std::max(best, at(x, 0, i / 2 * 2 + k / 2, i % 2 * 2 + k % 2, 0));
      expected.push_back(static_cast<std::int8_t>(best));
    }
    CHECK(got.output == int8s({1, 2, 2, 1}, expected));
  }
}

TEST_CASE("0.80: data layout operators have their shapes as attributes") {
  const auto x = int8s({2, 3}, {1, 2, 3, 4, 5, 6});
  SECTION("PAD") {
    const auto got = through_0_80({Op::kPAD, {x, shape_tensor({1, 0, 0, 2}), zero_point(9)}, DType::kINT8, {3, 5}, {}});
    CHECK(got.op.at("attribute") == Json({{"padding", {1, 0, 0, 2}}, {"pad_const_int", 9}}));
    CHECK(got.output == int8s({3, 5}, {9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9}));
  }
  SECTION("PAD of floats") {
    const auto got = through_0_80(
        {Op::kPAD,
         {tensor<float>(DType::kFP32, {1}, {2.5f}), shape_tensor({1, 1}), tensor<float>(DType::kFP32, {1}, {-0.75f})},
         DType::kFP32,
         {3},
         {}});
    CHECK(got.op.at("attribute").at("pad_const_fp") == Json({0, 0, 0x40, 0xbf}));
    CHECK(got.output == tensor<float>(DType::kFP32, {3}, {-0.75f, 2.5f, -0.75f}));
  }
  SECTION("RESHAPE") {
    const auto got = through_0_80({Op::kRESHAPE, {x, shape_tensor({3, 2})}, DType::kINT8, {3, 2}, {}});
    CHECK(got.op.at("attribute").at("new_shape") == Json({3, 2}));
    CHECK(got.output == int8s({3, 2}, {1, 2, 3, 4, 5, 6}));
  }
  SECTION("SLICE") {
    const auto got =
        through_0_80({Op::kSLICE, {x, shape_tensor({0, 1}), shape_tensor({2, 2})}, DType::kINT8, {2, 2}, {}});
    CHECK(got.op.at("attribute") == Json({{"start", {0, 1}}, {"size", {2, 2}}}));
    CHECK(got.output == int8s({2, 2}, {2, 3, 5, 6}));
  }
  SECTION("TILE") {
    const auto got = through_0_80({Op::kTILE, {x, shape_tensor({1, 2})}, DType::kINT8, {2, 6}, {}});
    CHECK(got.op.at("attribute").at("multiples") == Json({1, 2}));
    CHECK(got.output == int8s({2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  }
  SECTION("TRANSPOSE") {
    const auto got = through_0_80({Op::kTRANSPOSE, {x}, DType::kINT8, {3, 2}, {{Attr::k_perms, Ints{1, 0}}}});
    CHECK(got.op.at("attribute").at("perms") == Json({1, 0}));
    CHECK(got.output == int8s({3, 2}, {1, 4, 2, 5, 3, 6}));
  }
}

TEST_CASE("0.80: CLAMP has integer and float bounds side by side") {
  const auto bytes = [](auto value) {
    std::vector<std::byte> out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
  };
  const auto got =
      through_0_80({Op::kCLAMP,
                    {int8s({4}, {-100, -5, 5, 100})},
                    DType::kINT8,
                    {4},
                    {{Attr::k_min_val, bytes(std::int8_t{-10})}, {Attr::k_max_val, bytes(std::int8_t{50})}}});
  CHECK(got.op.at("attribute").at("min_int") == -10);
  CHECK(got.op.at("attribute").at("max_int") == 50);
  CHECK(got.output == int8s({4}, {-10, -5, 5, 50}));
  const auto floats = through_0_80({Op::kCLAMP,
                                    {tensor<float>(DType::kFP32, {3}, {-2, 0.25f, 2})},
                                    DType::kFP32,
                                    {3},
                                    {{Attr::k_min_val, bytes(-1.0f)}, {Attr::k_max_val, bytes(0.5f)}}});
  CHECK(floats.op.at("attribute").at("max_fp") == Json({0, 0, 0, 0x3f}));
  CHECK(floats.output == tensor<float>(DType::kFP32, {3}, {-1, 0.25f, 0.5f}));
}

TEST_CASE("0.80: RESIZE") {
  // Nearest neighbour, twice as large: scale 2/1, offset 0.
  const auto got = through_0_80(
      {Op::kRESIZE,
       {int8s({1, 2, 2, 1}, {1, 2, 3, 4}), shape_tensor({2, 1, 2, 1}), shape_tensor({0, 0}), shape_tensor({1, 1})},
       DType::kINT8,
       {1, 4, 4, 1},
       {{Attr::k_mode, std::int64_t(ResizeMode::kNearestNeighbor)}}});
  CHECK(got.op.at("attribute") ==
        Json({{"scale", {2, 1, 2, 1}}, {"offset", {0, 0}}, {"border", {1, 1}}, {"mode", "NEAREST"}}));
  Int8s expected;
  for (int y = 0; y < 4; ++y)
    for (int column = 0; column < 4; ++column) {
      // Half way rounds up: (2 * remainder >= scale).
      const int iy = std::min(y / 2 + y % 2, 1), ix = std::min(column / 2 + column % 2, 1);
      expected.push_back(static_cast<std::int8_t>(1 + iy * 2 + ix));
    }
  CHECK(got.output == int8s({1, 4, 4, 1}, expected));
}

TEST_CASE("0.80: RESCALE has flags, zero points and scales as attributes") {
  const auto scale = [](std::int64_t value, std::int64_t multiplier, int shift) {
    return (value * multiplier + (std::int64_t{1} << (shift - 1))) >> shift;
  };
  const Int32s in{-100000, -777, 0, 31, 4096, 99999};
  const std::vector<std::pair<Attr, AttributeValue>> attributes{
      {Attr::k_scale32, std::int64_t{1}},
      {Attr::k_rounding_mode, std::int64_t(RoundingMode::kSingleRound)},
      {Attr::k_per_channel, std::int64_t{1}},
      {Attr::k_input_unsigned, std::int64_t{0}},
      {Attr::k_output_unsigned, std::int64_t{0}}};
  const Int32s multipliers{1 << 30, (1 << 30) + 12345, 1 << 29};
  const auto got = through_0_80({Op::kRESCALE,
                                 {int32_tensor({2, 3}, in), int32_tensor({3}, multipliers), int8s({3}, {40, 38, 41}),
                                  int32_tensor({1}, {0}), zero_point(-9)},
                                 DType::kINT8,
                                 {2, 3},
                                 attributes});
  CHECK(got.op.at("attribute").at("shift") == Json({40, 38, 41}));
  CHECK_FALSE(got.op.at("attribute").contains("double_round"));  // flatc leaves out what is false
  CHECK(got.op.at("attribute").at("output_zp") == -9);
  Int8s expected;
  for (std::size_t i = 0; i < 6; ++i) {
    const int shift = i % 3 == 0 ? 40 : i % 3 == 1 ? 38 : 41;
    expected.push_back(
        static_cast<std::int8_t>(std::clamp<std::int64_t>(scale(in[i], multipliers[i % 3], shift) - 9, -128, 127)));
  }
  CHECK(got.output == int8s({2, 3}, expected));

  // uint8 tensors are a type of 0.80, which need not say so again; 1.x has int8 with a flag.
  for (const bool said : {true, false}) {
    auto unsigned_attributes = attributes;
    unsigned_attributes[2].second = std::int64_t{0};
    unsigned_attributes[3].second = std::int64_t{said};
    const auto bytes =
        through_0_80({Op::kRESCALE,
                      {tensor<std::uint8_t>(DType::kUINT8, {3}, {0, 128, 255}), int32_tensor({1}, {1 << 30}),
                       int8s({1}, {30}), tensor<std::uint8_t>(DType::kUINT8, {1}, {128}), zero_point(0)},
                      DType::kINT8,
                      {3},
                      unsigned_attributes});
    CHECK(bytes.op.at("attribute").at("input_zp") == 128);
    CHECK(bytes.op.at("attribute").contains("input_unsigned") == said);
    CHECK(bytes.output == int8s({3}, {-128, 0, 127}));
  }
}

TEST_CASE("0.80: TABLE has its entries as an attribute") {
  Int8s entries(256);
  for (std::size_t i = 0; i < 256; ++i) entries[i] = static_cast<std::int8_t>(i * 5);
  const auto got =
      through_0_80({Op::kTABLE, {int8s({3}, {-128, 0, 127}), int8s({256}, entries)}, DType::kINT8, {3}, {}});
  CHECK(got.op.at("attribute").at("table").size() == 256);
  CHECK(got.output == int8s({3}, {entries[0], entries[128], entries[255]}));
}

TEST_CASE("0.80: FULLY_CONNECTED is read as a convolution") {
  const auto x = random_int8s(12, {3, 4}), w = random_int8s(13, {2, 4});
  const auto values = [](const Tensor& t) {
    Json list = Json::array();
    for (const auto byte : t.bytes()) list.push_back(std::to_integer<int>(byte));
    while (list.size() % 8 != 0) list.push_back(0);
    return list;
  };
  const Json tensors = {
      {{"name", "x"}, {"shape", {3, 4}}, {"type", "INT8"}},
      {{"name", "w"}, {"shape", {2, 4}}, {"type", "INT8"}, {"data", values(w)}},
      {{"name", "b"}, {"shape", {2}}, {"type", "INT32"}, {"data", values(int32_tensor({2}, {50, -60}))}},
      {{"name", "y"}, {"shape", {3, 2}}, {"type", "INT32"}}};
  const auto constant = [](const char* name) {
    return Json{{"op", "CONST"}, {"inputs", Json::array()}, {"outputs", {name}}};
  };
  const Json operators = {constant("w"),
                          constant("b"),
                          {{"op", "FULLY_CONNECTED"},
                           {"attribute_type", "FullyConnectedAttribute"},
                           {"attribute", {{"input_zp", 11}, {"weight_zp", -2}}},
                           {"inputs", {"x", "w", "b"}},
                           {"outputs", {"y"}}}};
  Json block = {{"name", "main"}, {"operators", operators}, {"tensors", tensors}};
  block["inputs"] = Json::array({"x"});
  block["outputs"] = Json::array({"y"});
  Json graph = {{"version", {{"_major", 0}, {"_minor", 80}, {"_patch", 1}, {"_draft", false}}}};
  graph["regions"] = Json::array({{{"name", "main"}, {"blocks", Json::array({block})}}});
  const auto output = run_graph(flatc_graph(graph, kVersion0_80), {x});
  Int32s expected;
  for (std::size_t n = 0; n < 3; ++n)
    for (std::size_t c = 0; c < 2; ++c) {
      std::int32_t sum = c == 0 ? 50 : -60;
      for (std::size_t i = 0; i < 4; ++i)
        sum += (x.data<std::int8_t>()[n * 4 + i] - 11) * (w.data<std::int8_t>()[c * 4 + i] + 2);
      expected.push_back(sum);
    }
  CHECK(output == int32_tensor({3, 2}, expected));

  const auto refusal = [](const Json& source) {
    const macaw::test::TemporaryFolder dir;
    std::ofstream(dir / "source.json") << source.dump();
    const auto folder = dir.path().string();
    const auto call = "flatc -b -o " + folder + " reference/tosa/schema/tosa_v0_80.fbs " + folder + "/source.json";
    REQUIRE(std::system(call.c_str()) == 0);
    const auto loaded = load_graph(dir / "source.tosa");
    return loaded ? "" : loaded.error().message;
  };
  auto& main = graph["regions"][0]["blocks"][0];
  main["operators"][2]["attribute"]["input_zp"] = 200;
  CHECK(refusal(graph) == "input_zp 200 does not fit INT8");
  main["tensors"][0]["shape"] = {3, 4, 1};
  CHECK(refusal(graph) == "\"x\" must have rank 2 and a known shape");
}
