#include <macaw/tosa/json_graph.hpp>

#include "tests/fuzz/file.hpp"

// The program that runs this stands in the project's folder, where the schema is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  macaw::fuzz::expect_message(
      macaw::tosa::load_json_graph(macaw::fuzz::file_of(data, size), "reference/tosa/schema/tosa_v1.fbs"));
  return 0;
}
