#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <macaw/npy.hpp>

#include <nlohmann/json.hpp>

#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

std::vector<Tensor> outputs_of(const Graph& graph, const Tensor& input) {
  const auto result = run(graph, {input});
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  INFO((result->verdict.first() ? result->verdict.first()->to_string() : std::string()));
  REQUIRE(result->verdict.status() == Status::kValid);
  return result->outputs;
}

}  // namespace

TEST_CASE("A graph written as 1.x reads back equal") {
  const auto graph = sample_graph();
  for (const auto& version : {kVersion1_0, kVersion1_1}) {
    const auto read = reread(graph, version);
    CHECK(read.version == version);
    CHECK(dump(read) == dump(graph));
  }
}

TEST_CASE("A graph written as 0.80 computes the same") {
  const auto graph = sample_graph();
  const auto read = reread(graph, kVersion0_80);
  CHECK(read.version == kVersion0_80);
  CHECK(outputs_of(read, sample_input()) == outputs_of(graph, sample_input()));
  // Graphs read from 0.80 can be written as 0.80 and as 1.x.
  CHECK(dump(reread(read, kVersion0_80)) == dump(read));
  CHECK(dump(reread(read, kVersion1_0)) == dump(read));
}

TEST_CASE("The flatbuffer compiler reads what is written") {
  const auto v1 = flatc_json(sample_graph(), kVersion1_0);
  const auto& operators = v1.at("regions").at(0).at("blocks").at(0).at("operators");
  REQUIRE(operators.size() == sample_graph().main().operators.size());
  for (const auto& op : operators)
    if (op.at("op") == "RESCALE") {
      CHECK(op.at("attribute_type") == "RescaleAttribute");
      CHECK(op.at("attribute").at("rounding_mode") == "DOUBLE_ROUND");
      CHECK(op.at("attribute").at("per_channel") == true);
      CHECK(op.at("inputs").size() == 5);
    }
  CHECK(v1.at("regions").at(0).at("blocks").at(0).at("shapes").size() == 4);

  const auto v0 = flatc_json(sample_graph(), kVersion0_80);
  for (const auto& op : v0.at("regions").at(0).at("blocks").at(0).at("operators")) {
    if (op.at("op") == "RESCALE") {
      CHECK(op.at("attribute").at("multiplier") == nlohmann::json({1 << 30, 1 << 29, 1 << 30}));
      CHECK(op.at("attribute").at("output_zp") == 5);
      CHECK(op.at("inputs").size() == 1);
    }
    if (op.at("op") == "PAD") CHECK(op.at("attribute").at("pad_const_int") == -3);
    CHECK(op.at("op") != "CONST_SHAPE");
  }
}

TEST_CASE("Constants of narrow and odd types are packed as files hold them") {
  GraphBuilder b;
  b.output(b.constant("nibbles", tensor<std::int8_t>(DType::kINT4, {5}, {-7, 7, 0, -1, 3})));
  b.output(b.constant(
      "wide", tensor<std::int64_t>(DType::kINT48, {3}, {-1, (std::int64_t{1} << 47) - 1, -(std::int64_t{1} << 47)})));
  b.output(b.constant("flags", tensor<bool>(DType::kBOOL, {3}, {true, false, true})));
  b.output(b.constant("scalar", tensor<std::int32_t>(DType::kINT32, {}, {42})));
  const auto graph = b.graph();
  CHECK(dump(reread(graph, kVersion1_0)) == dump(graph));
  CHECK(dump(reread(graph, kVersion0_80)) == dump(graph));
  const auto json = flatc_json(graph, kVersion1_0);
  const auto& data = json.at("regions").at(0).at("blocks").at(0).at("tensors").at(0).at("data");
  CHECK(data == nlohmann::json({0x79, 0xf0, 0x03, 0, 0, 0, 0, 0}));
}

TEST_CASE("Constants of block-scaled types are values and then scales") {
  for (const auto& type : kBlockScales) {
    if (type.dtype == DType::kBS32_FP64_FP64) continue;
    INFO(to_string(type.dtype));
    Tensor blocks(type.dtype, {2, 32});
    for (std::size_t i = 0; i < blocks.bytes().size(); ++i) blocks.bytes()[i] = static_cast<std::byte>(i);
    GraphBuilder b;
    b.output(b.constant("blocks", blocks));
    const auto graph = b.graph(kVersion1_1);
    const auto read = reread(graph, kVersion1_1);
    REQUIRE(read.main().values[0].data);
    CHECK(*read.main().values[0].data == blocks);
    CHECK(write_graph(graph, kVersion0_80).error().code == ErrorCode::kUnsupported);
    const auto json = flatc_json(graph, kVersion1_1);
    const auto& tensor = json.at("regions").at(0).at("blocks").at(0).at("tensors").at(0);
    CHECK(tensor.at("type") == std::string(to_string(type.dtype)));
    CHECK(tensor.at("data").size() == 72);
    CHECK(tensor.at("data").at(65) == 65);
  }
}

TEST_CASE("A version that cannot express a graph says so") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kFP32, {2});
  const auto y = b.value("y", DType::kFP32, {2});
  b.add(Op::kCOS, {x}, {y});
  b.output(y);
  const auto written = write_graph(b.graph(), kVersion0_80);
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::kUnsupported);
  CHECK(written.error().message == "TOSA 0.80 has no COS");
  CHECK(write_graph(b.graph(), kVersion1_0));
  CHECK_FALSE(write_graph(b.graph(), Version{2, 0, 0, false}));
}

TEST_CASE("A value that a file's field cannot hold is refused") {
  const auto message = [](const Graph& graph, const Version& version) {
    const auto bytes = write_graph(graph, version);
    return bytes ? std::string("written") : bytes.error().message;
  };
  const std::int64_t large = std::int64_t{1} << 32;
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {4});
  SECTION("extent") {
    b.value("y", DType::kINT8, {large + 1});
    b.output(1);
    CHECK(message(b.graph(), kVersion1_0) ==
          "shape of \"y\": 4294967297 does not fit the 32 bits that the file has for it");
    CHECK(message(b.graph(), kVersion0_80) ==
          "shape of \"y\": 4294967297 does not fit the 32 bits that the file has for it");
  }
  SECTION("attribute") {
    const auto y = b.value("y", DType::kINT8, {4});
    b.add(Op::kREVERSE, {x}, {y}).set(Attr::k_axis, large);
    b.output(y);
    for (const auto& version : {kVersion1_0, kVersion0_80})
      CHECK(message(b.graph(), version) == "4294967296 does not fit the 32 bits that the file has for it");
  }
  SECTION("shape operand, which is an attribute in 0.80 only") {
    const auto start = b.constant("start", shape_tensor({large})), size = b.constant("size", shape_tensor({1}));
    const auto y = b.value("y", DType::kINT8, {1});
    b.add(Op::kSLICE, {x, start, size}, {y});
    b.output(y);
    CHECK(message(b.graph(), kVersion1_0) == "written");
    CHECK(message(b.graph(), kVersion0_80) == "4294967296 does not fit the 32 bits that the file has for it");
  }
}

TEST_CASE("Broken graphs are refused with the reason") {
  const auto message = [](const Graph& graph) {
    const auto bytes = write_graph(graph, kVersion1_0);
    REQUIRE(bytes);
    const auto read = parse_graph(*bytes, "test");
    return read ? std::string("read") : read.error().message;
  };
  auto graph = sample_graph();
  SECTION("two tensors of one name") {
    graph.blocks[0].values[1].name = "x";
    CHECK(message(graph) == "block main has two tensors named \"x\"");
  }
  SECTION("assigned twice") {
    graph.blocks[0].operators.push_back(graph.blocks[0].operators.back());
    CHECK(message(graph) == "\"y\" is assigned twice");
  }
  SECTION("never produced") {
    graph.blocks[0].operators.erase(graph.blocks[0].operators.begin());
    CHECK(message(graph) == "\"padding\" is used and never produced");
  }
  SECTION("cycle") {
    auto& ops = graph.blocks[0].operators;
    std::ranges::find(ops, Op::kTRANSPOSE, &Operator::op)->inputs[0] =
        std::ranges::find(ops, Op::kSLICE, &Operator::op)->outputs[0];
    CHECK(message(graph) == "block main has a cycle");
  }
  SECTION("operators out of order are put in order") {
    std::ranges::reverse(graph.blocks[0].operators);
    const auto bytes = write_graph(graph, kVersion1_0);
    REQUIRE(bytes);
    const auto read = parse_graph(*bytes, "test");
    REQUIRE(read);
    CHECK(outputs_of(*read, sample_input()) == outputs_of(sample_graph(), sample_input()));
  }
}

TEST_CASE("Truncated and altered files end in an error or a graph, never in a crash") {
  for (const auto& version : {kVersion1_0, kVersion0_80}) {
    const auto bytes = write_graph(sample_graph(), version);
    REQUIRE(bytes);
    int refused = 0;
    for (std::size_t size = 0; size < bytes->size(); size += 3)
      if (!parse_graph(std::span(*bytes).first(size), "cut")) ++refused;
    CHECK(refused > 0);
    std::uint32_t state = 1;
    for (int round = 0; round < 6000; ++round) {
      auto altered = *bytes;
      for (int k = 0; k < 1 + round % 3; ++k) {
        state = state * 1664525u + 1013904223u;
        const auto at = (state >> 8) % altered.size();
        altered[at] = round % 2 ? std::byte(state >> 24) : altered[at] ^ std::byte(1u << (state & 7));
      }
      const auto read = parse_graph(altered, "altered");
      if (!read) continue;
      const auto verdict = validate(*read);
      if (verdict && verdict->status() == Status::kValid && !read->main().inputs.empty())
        (void)run(*read, {sample_input()});
    }
  }
}

TEST_CASE("Graphs of the corpus survive being written in both schemas", "[corpus]") {
  const char* variable = std::getenv("MACAW_CORPUS");
  const std::filesystem::path corpus = std::filesystem::path(variable ? variable : "build/corpus") / "npu";
  if (!std::filesystem::exists(corpus)) {
    std::printf("skipped: no corpus at %s\n", corpus.c_str());
    return;
  }
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::directory_iterator(corpus))
    if (std::filesystem::exists(entry.path() / "model.tosa")) models.push_back(entry.path());
  std::ranges::sort(models);
  REQUIRE(models.size() > 400);
  for (const auto& dir : models) {
    INFO(dir.filename().string());
    const auto graph = load_graph(dir / "model.tosa");
    REQUIRE(graph);
    REQUIRE(dump(reread(*graph, kVersion1_0)) == dump(*graph));

    std::ifstream in(dir / "cases.json");
    const auto cases = nlohmann::json::parse(in);
    const auto& first = cases.at("cases").at(0);
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < graph->main().inputs.size(); ++i) {
      const auto& value = graph->main().values[graph->main().inputs[i]];
      auto input = read_tensor(dir / first.at("inputs").at(i).at("file").get<std::string>(), value.dtype);
      REQUIRE(input);
      input->reshape(*value.shape);
      inputs.push_back(*input);
    }
    std::vector<Graph> versions{*graph};
    if (write_graph(*graph, kVersion0_80)) versions.push_back(reread(*graph, kVersion0_80));
    for (const auto& version : versions) {
      const auto result = run(version, inputs);
      INFO((result ? std::string() : result.error().to_string()));
      REQUIRE(result);
      REQUIRE(result->verdict.status() == Status::kValid);
      for (std::size_t i = 0; i < result->outputs.size(); ++i) {
        auto expected =
            read_tensor(dir / first.at("outputs").at(i).at("file").get<std::string>(), result->outputs[i].dtype());
        REQUIRE(expected);
        REQUIRE(std::ranges::equal(expected->bytes(), result->outputs[i].bytes()));
      }
    }
  }
}
