#include <macaw/tflite/to_tosa.hpp>

#include "tests/fuzz/graph.hpp"
#include "tests/fuzz/network.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto network = tflite::parse_network(fuzz::bytes_of(data, size), "fuzz");
  // Inputs that the limits reject would run without them.
  if (!network || !fuzz::run(*network)) return 0;
  for (const auto floats : {tflite::Floats::kExact, tflite::Floats::kRounded}) {
    const auto graph = tflite::to_tosa(*network, floats);
    fuzz::expect_message(graph);
    if (graph) fuzz::run(*graph);
  }
  return 0;
}
