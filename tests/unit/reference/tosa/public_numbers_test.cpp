#include <flatbuffers/flatbuffers.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "base/file.hpp"
#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

// Contents of 1.1 files that 1.0 lacks.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

nlohmann::json tensor_json(const char* name, const char* type, std::vector<int> shape) {
  return {{"name", name}, {"type", type}, {"shape", shape}};
}

/// x [4] int8, c [4] int8 at `offset` of the file; y = x ^ c. The file is filled up to `size` with its own positions.
Result<Graph> graph_with_data_at(std::uint64_t offset, std::size_t size,
                                 const nlohmann::json& more = nlohmann::json::object()) {
  auto c = tensor_json("c", "INT8", {4});
  c["offset"] = offset;
  c["size"] = 4;
  c.update(more);
  const nlohmann::json block = {{"name", "main"},
                                {"inputs", {"x"}},
                                {"outputs", {"y"}},
                                {"tensors", {tensor_json("x", "INT8", {4}), c, tensor_json("y", "INT8", {4})}},
                                {"operators",
                                 {{{"op", "CONST"},
                                   {"attribute_type", "ConstAttribute"},
                                   {"attribute", nlohmann::json::object()},
                                   {"outputs", {"c"}}},
                                  {{"op", "BITWISE_XOR"},
                                   {"attribute_type", "BitwiseXorAttribute"},
                                   {"attribute", nlohmann::json::object()},
                                   {"inputs", {"x", "c"}},
                                   {"outputs", {"y"}}}}}};
  const nlohmann::json graph = {{"version", {{"_major", 1}, {"_minor", 1}, {"_patch", 0}, {"_draft", false}}},
                                {"regions", {{{"name", "main"}, {"blocks", {block}}}}}};
  const macaw::test::TemporaryFolder dir;
  std::ofstream(dir / "beside.json") << graph.dump();
  const auto command = "flatc --binary -o " + dir.path().string() + " reference/tosa/schema/tosa_v1.fbs " +
                       (dir / "beside.json").string();
  REQUIRE(std::system(command.c_str()) == 0);
  auto bytes = *io::read_file(dir / "beside.tosa");
  REQUIRE(bytes.size() < 1024);
  for (auto i = bytes.size(); i < size; ++i) bytes.push_back(static_cast<std::byte>(i));
  return parse_graph(bytes, "beside");
}

}  // namespace

TEST_CASE("A constant may lie behind the flatbuffer") {
  const auto graph = graph_with_data_at(1026, 1030);
  INFO((graph ? std::string() : graph.error().to_string()));
  REQUIRE(graph);
  const auto result = run(*graph, {Tensor(DType::kINT8, {4})});
  REQUIRE(result);
  REQUIRE(result->outputs.size() == 1);
  CHECK(result->outputs[0] == tensor<std::int8_t>(DType::kINT8, {4}, {2, 3, 4, 5}));
  CHECK(graph_with_data_at(1027, 1030).error().code == ErrorCode::kInvalidFile);
  CHECK(graph_with_data_at(~std::uint64_t{0} - 1, 1030).error().code == ErrorCode::kInvalidFile);
  CHECK(graph_with_data_at(1024, 1030, {{"size", ~std::uint64_t{0}}}).error().code == ErrorCode::kInvalidFile);
  CHECK(graph_with_data_at(1024, 1030, {{"data", {1, 2, 3, 4}}}).error().code == ErrorCode::kInvalidFile);
}

TEST_CASE("Files with the numbers that Macaw had of its own are refused") {
  // MUL_SHAPE of [2] and [3] as shape of RESHAPE, when MUL_SHAPE was 98, which is RESHAPE_BLOCK_SCALED today.
  const auto old = load_graph("tests/unit/reference/tosa/old_numbers.tosa");
  REQUIRE_FALSE(old);
  CHECK(old.error().code == ErrorCode::kUnsupported);
  CHECK(old.error().message.find("before Arm's were public") != std::string::npos);
}

TEST_CASE("Only files of the draft of 1.1.0 have numbers of Macaw's own") {
  std::ifstream file("tests/unit/reference/tosa/old_numbers.tosa", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  struct Row {
    std::int32_t major, minor, patch, draft;
    bool old;
  };
  for (const Row& row : {Row{1, 1, 0, 1, true}, {1, 1, 0, 0, false}, {1, 1, 1, 1, false}, {1, 0, 0, 1, false}}) {
    // Another version behind the end: its vtable with the places of four fields, then the table.
    auto changed = bytes;
    changed.resize((changed.size() + 3) / 4 * 4);
    const std::array<std::uint16_t, 6> places = {12, 20, 4, 8, 12, 16};
    const std::array<std::int32_t, 5> version = {12, row.major, row.minor, row.patch, row.draft};
    const auto at = changed.size() + sizeof places;
    changed.resize(at + sizeof version);
    std::memcpy(changed.data() + at - sizeof places, places.data(), sizeof places);
    std::memcpy(changed.data() + at, version.data(), sizeof version);
    // It is the first field of the graph.
    auto* field = flatbuffers::GetMutableRoot<flatbuffers::Table>(changed.data())->GetAddressOf(4);
    REQUIRE(field);
    const auto place = reinterpret_cast<const char*>(field) - changed.data();
    const auto distance = static_cast<std::uint32_t>(at - static_cast<std::size_t>(place));
    std::memcpy(changed.data() + place, &distance, sizeof distance);
    const auto graph = parse_graph(std::as_bytes(std::span(changed)), "changed.tosa");
    CAPTURE(row.major, row.minor, row.patch, row.draft);
    CHECK((!graph && graph.error().message.find("before Arm's were public") != std::string::npos) == row.old);
  }
}

TEST_CASE("Files of 1.1 say which software wrote them, files of 1.0 do not") {
  CHECK(flatc_json(sample_graph(), kVersion1_1).at("software_version").at("_modifier") == "macaw");
  CHECK_FALSE(flatc_json(sample_graph(), kVersion1_0).contains("software_version"));
}

TEST_CASE("Constants of FP4E2M1 hold two values in a byte") {
  GraphBuilder b;
  b.output(b.constant("c", tensor<std::uint8_t>(DType::kFP4E2M1, {3}, {1, 2, 15})));
  const auto graph = b.graph(kVersion1_1);
  CHECK(dump(reread(graph, kVersion1_1)) == dump(graph));
  const auto json = flatc_json(graph, kVersion1_1);
  CHECK(json.at("regions")[0].at("blocks")[0].at("tensors")[0].at("data") ==
        nlohmann::json({0x21, 0x0f, 0, 0, 0, 0, 0, 0}));
}

TEST_CASE("The shape of a scalar has no data, or one extent's that counts for nothing") {
  for (const std::size_t size : {0, 8, 16}) {
    GraphBuilder b;
    const auto x = b.input("x", DType::kINT8, {1});
    const auto shape = b.constant("shape", shape_tensor({}));
    const auto y = b.value("y", DType::kINT8, {});
    b.add(Op::kRESHAPE, {x, shape}, {y});
    b.output(y);
    auto json = flatc_json(b.graph(), kVersion1_0);
    json["regions"][0]["blocks"][0]["shapes"][0]["data"] = std::vector<int>(size);
    const macaw::test::TemporaryFolder dir;
    std::ofstream(dir / "source.json") << json.dump();
    const auto command = "flatc --binary -o " + dir.path().string() + " reference/tosa/schema/tosa_v1.fbs " +
                         (dir / "source.json").string();
    REQUIRE(std::system(command.c_str()) == 0);
    const auto graph = load_graph(dir / "source.tosa");
    if (size > 8) {
      CHECK(graph.error().code == ErrorCode::kInvalidGraph);
      continue;
    }
    REQUIRE(graph);
    const auto result = run(*graph, {tensor<std::int8_t>(DType::kINT8, {1}, {7})});
    REQUIRE(result);
    REQUIRE(result->outputs.size() == 1);
    CHECK(result->outputs[0].shape().empty());
  }
}
