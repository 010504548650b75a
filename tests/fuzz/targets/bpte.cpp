#include <macaw/npu/artifact.hpp>
#include <macaw/npu/bundled_program.hpp>

#include "tests/fuzz/target.hpp"

using namespace macaw;

// A program with its tests; the program alone is another target's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bundle = npu::parse_bundled_program(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(bundle);
  fuzz::expect_message(npu::parse_artifact(fuzz::bytes_of(data, size), "fuzz"));
  return 0;
}
