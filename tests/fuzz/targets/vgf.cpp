#include "tests/fuzz/graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  macaw::fuzz::run_graph(macaw::fuzz::bytes_of(data, size));
  return 0;
}
