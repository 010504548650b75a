#include "tests/fuzz/network.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto network = tflite::parse_network(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(network);
  if (network) fuzz::run(*network);
  return 0;
}
