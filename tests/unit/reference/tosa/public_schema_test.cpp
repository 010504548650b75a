#include <flatbuffers/idl.h>
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include <macaw/tosa/json_graph.hpp>

#include "base/file.hpp"
#include "reference/tosa/op/def.hpp"
#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

// reference/tosa/schema/tosa_v1.fbs beside the schema of TOSA 1.1 that Arm publishes. MACAW_TOSA_FBS names that file:
// backends/arm/tosa/schemas/tosa_1.1.fbs of pytorch/executorch.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

void parse(flatbuffers::Parser& parser, const std::string& file) {
  const auto bytes = io::read_file(file);
  REQUIRE(bytes);
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  INFO(parser.error_);
  REQUIRE(parser.Parse(text.c_str()));
}

std::string public_schema() {
  const char* file = std::getenv("MACAW_TOSA_FBS");
  if (!file) std::cout << "MACAW_TOSA_FBS is not set: nothing is compared with the published schema\n";
  return file ? file : "";
}

/// "INT8 = 3, ..." of an enumeration, "axis: int, ..." of a table.
std::set<std::string> parts(const flatbuffers::EnumDef& definition) {
  std::set<std::string> all;
  for (const auto* value : definition.Vals()) all.insert(value->name + " = " + definition.ToString(*value));
  return all;
}

std::string type_name(const flatbuffers::Type& type) {
  using namespace flatbuffers;
  if (IsVector(type)) return "[" + type_name(type.VectorType()) + "]";
  if (type.struct_def) return type.struct_def->name;
  if (type.enum_def) return type.enum_def->name;
  return "type " + std::to_string(type.base_type);
}

std::set<std::string> parts(const flatbuffers::StructDef& definition) {
  std::set<std::string> all;
  for (const auto* field : definition.fields.vec)
    all.insert(fmt::format("{}: {} = {} at {}", field->name, type_name(field->value.type), field->value.constant,
                           field->value.offset));
  return all;
}

/// Entries of the first that the second lacks, "Op: MATMUL_T = 97".
template <class Definition>
std::set<std::string> missing(const flatbuffers::SymbolTable<Definition>& from,
                              const flatbuffers::SymbolTable<Definition>& in) {
  std::set<std::string> all;
  for (const auto* definition : from.vec) {
    const auto other = std::ranges::find(in.vec, definition->name, &Definition::name);
    const auto theirs = other == in.vec.end() ? std::set<std::string>() : parts(**other);
    if (other == in.vec.end()) all.insert(definition->name);
    else
      for (const auto& part : parts(*definition))
        if (!theirs.contains(part)) all.insert(definition->name + ": " + part);
  }
  return all;
}

}  // namespace

TEST_CASE("Every number and field of the published schema is ours, and what we add stands behind") {
  const auto file = public_schema();
  if (file.empty()) return;
  flatbuffers::Parser published, own;
  parse(published, file);
  parse(own, "reference/tosa/schema/tosa_v1.fbs");
  CHECK(published.structs_.vec.size() > 100);
  CHECK(missing(published.enums_, own.enums_).empty());
  CHECK(missing(published.structs_, own.structs_).empty());
  CHECK(missing(own.enums_, published.enums_) ==
        std::set<std::string>{"Attribute: MatMulTAttribute = 97", "Attribute: ReshapeBlockScaledAttribute = 98",
                              "Attribute: RowGatherAttribute = 99", "Attribute: RowGatherBlockScaledAttribute = 100",
                              "BlockSize: BLOCK_SIZE_1 = 1", "DType: BS32_FP8UE8M0_FP4E2M1 = 23",
                              "DType: BS32_FP8UE8M0_FP6E2M3 = 22", "DType: BS32_FP8UE8M0_FP6E3M2 = 21",
                              "DType: BS32_FP8UE8M0_FP8E4M3 = 19", "DType: BS32_FP8UE8M0_FP8E5M2 = 20",
                              "DType: BS32_FP8UE8M0_MXINT8 = 24", "Op: MATMUL_T = 97", "Op: RESHAPE_BLOCK_SCALED = 98",
                              "Op: ROW_GATHER = 99", "Op: ROW_GATHER_BLOCK_SCALED = 100"});
  CHECK(missing(own.structs_, published.structs_) ==
        std::set<std::string>{"CastAttribute: input_unsigned: type 2 = 0 at 4", "MatMulTAttribute",
                              "ReshapeBlockScaledAttribute", "RowGatherAttribute", "RowGatherBlockScaledAttribute"});
}

TEST_CASE("A graph that the published schema makes runs") {
  const auto schema = public_schema();
  if (schema.empty()) return;
  const macaw::test::TemporaryFolder dir;
  const auto tensor = [](const char* name, const char* type, std::vector<int> shape) {
    return nlohmann::json{{"name", name}, {"type", type}, {"shape", shape}};
  };
  nlohmann::json block = {
      {"name", "main"},
      {"inputs", {"x"}},
      {"outputs", {"y", "s"}},
      {"tensors", {tensor("x", "FP32", {1, 32}), tensor("y", "FP4E2M1", {1, 32}), tensor("s", "FP8UE8M0", {1, 1})}},
      {"operators",
       {{{"op", "CAST_TO_BLOCK_SCALED"},
         {"attribute_type", "CastToBlockScaledAttribute"},
         {"attribute", {{"block_size", "BLOCK_SIZE_32"}}},
         {"inputs", {"x"}},
         {"outputs", {"y", "s"}}}}}};
  const nlohmann::json graph = {{"version", {{"_major", 1}, {"_minor", 1}, {"_patch", 0}, {"_draft", true}}},
                                {"regions", {{{"name", "main"}, {"blocks", {block}}}}}};
  std::ofstream(dir / "published.json") << graph.dump();
  const auto read = load_json_graph(dir / "published.json", schema);
  INFO((read ? std::string() : read.error().to_string()));
  REQUIRE(read);
  Tensor x(DType::kFP32, {1, 32});
  x.data<float>()[3] = 6.0f;
  const auto result = run(*read, {x});
  REQUIRE(result);
  INFO((result->verdict.first() ? result->verdict.first()->to_string() : std::string()));
  REQUIRE(result->outputs.size() == 2);
  CHECK(result->outputs[0].bytes()[3] == std::byte{7});    // 6.0, the greatest e2m1
  CHECK(result->outputs[1].bytes()[0] == std::byte{127});  // 2^0
}

TEST_CASE("The published schema reads what is written of every operator and type that it has") {
  const auto schema = public_schema();
  if (schema.empty()) return;
  flatbuffers::Parser published;
  parse(published, schema);
  std::size_t read = 0;
  for (const auto* row : published.enums_.Lookup("tosa.DType")->Vals()) {
    const auto dtype = dtype_from_name(row->name);
    if (!dtype || *dtype == DType::kSHAPE) continue;
    INFO(row->name);
    GraphBuilder b;
    b.output(b.constant("c", Tensor(*dtype, {4})));
    const auto json = flatc_json(b.graph(kVersion1_1), kVersion1_1, schema);
    CHECK(json.at("regions")[0].at("blocks")[0].at("tensors")[0].at("type") == row->name);
    ++read;
  }
  CHECK(read == 17);  // all but UNKNOWN and SHAPE
}
