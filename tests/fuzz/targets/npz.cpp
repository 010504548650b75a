#include <macaw/npy.hpp>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  macaw::fuzz::expect_message(macaw::parse_npz(macaw::fuzz::bytes_of(data, size), "fuzz"));
  return 0;
}
