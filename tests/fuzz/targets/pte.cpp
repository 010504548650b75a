#include "tests/fuzz/artifact.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto artifact = npu::parse_artifact(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(artifact);
  if (artifact) fuzz::run(*artifact, &tflite::host_operators());
  return 0;
}
