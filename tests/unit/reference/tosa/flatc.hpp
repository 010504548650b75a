#pragma once
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <macaw/tosa/graph.hpp>

#include "tests/support/temporary_folder.hpp"

namespace macaw::tosa::test {

inline std::string schema_of(const Version& version) {
  return version.major == 0 ? "reference/tosa/schema/tosa_v0_80.fbs" : "reference/tosa/schema/tosa_v1.fbs";
}

/// Flatbuffers' own compiler reads a written graph by the schema of its version, or another one.
inline nlohmann::json flatc_json(const Graph& graph, const Version& version, std::string schema = "") {
  if (schema.empty()) schema = schema_of(version);
  const auto bytes = write_graph(graph, version);
  INFO((bytes ? std::string() : bytes.error().to_string()));
  REQUIRE(bytes);
  const macaw::test::TemporaryFolder dir;
  std::ofstream(dir / "graph.tosa", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
  const auto command = "flatc --json --strict-json --raw-binary -o " + dir.path().string() + " " + schema + " -- " +
                       (dir / "graph.tosa").string();
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream in(dir / "graph.json");
  return nlohmann::json::parse(in);
}

/// The graph that flatc makes of JSON.
inline Graph flatc_graph(const nlohmann::json& json, const Version& version) {
  const macaw::test::TemporaryFolder dir;
  std::ofstream(dir / "source.json") << json.dump(1);
  const auto command =
      "flatc --binary -o " + dir.path().string() + " " + schema_of(version) + " " + (dir / "source.json").string();
  REQUIRE(std::system(command.c_str()) == 0);
  const auto graph = load_graph(dir / "source.tosa");
  INFO((graph ? std::string() : graph.error().to_string()));
  REQUIRE(graph);
  return *graph;
}

inline Graph reread(const Graph& graph, const Version& version) {
  const auto bytes = write_graph(graph, version);
  INFO((bytes ? std::string() : bytes.error().to_string()));
  REQUIRE(bytes);
  const auto read = parse_graph(*bytes, "test");
  INFO((read ? std::string() : read.error().to_string()));
  REQUIRE(read);
  return *read;
}

}  // namespace macaw::tosa::test
