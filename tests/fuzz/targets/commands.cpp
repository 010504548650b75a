#include "tests/fuzz/stream.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  macaw::fuzz::run(macaw::fuzz::stream_of(data, size), nullptr);
  return 0;
}
