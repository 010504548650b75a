#pragma once
#include <unistd.h>

#include <catch2/catch.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace macaw::tosa::test {

/// Result of a run: its status, and bytes, types and shapes of the outputs.
struct Ending {
  std::string status;
  std::vector<Tensor> outputs;
};
inline Ending ending(const Graph& graph, std::vector<Tensor> inputs) {
  auto result = run(graph, std::move(inputs));
  if (!result) return {result.error().to_string(), {}};
  return {std::string(to_string(result->verdict.status())), std::move(result->outputs)};
}

inline Graph parsed(const Result<std::vector<std::byte>>& bytes) {
  INFO((bytes ? std::string() : bytes.error().to_string()));
  REQUIRE(bytes);
  auto graph = parse_graph(*bytes, "test");
  INFO((graph ? std::string() : graph.error().to_string()));
  REQUIRE(graph);
  return *std::move(graph);
}

inline void check_same(const Graph& graph, const Graph& other, const std::vector<Tensor>& inputs) {
  const auto expected = ending(graph, inputs), found = ending(other, inputs);
  CHECK(found.status == expected.status);
  REQUIRE(found.outputs.size() == expected.outputs.size());
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) CHECK(found.outputs[i] == expected.outputs[i]);
}

/// Asks the program that MACAW_SPIRV_VAL names, SPIRV-Tools' validator; false if it names none.
inline bool check_valid(std::span<const std::byte> module) {
  const char* program = std::getenv("MACAW_SPIRV_VAL");
  if (program == nullptr) return false;
  const macaw::test::TemporaryFolder folder;
  const auto file = folder / "module.spv";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(module.data()), static_cast<std::streamsize>(module.size()));
  CHECK(std::system((std::string(program) + " --target-env spv1.6 " + file.string()).c_str()) == 0);
  return true;
}

}  // namespace macaw::tosa::test
