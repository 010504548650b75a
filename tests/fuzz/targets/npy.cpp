#include <macaw/npy.hpp>

#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = parse_npy(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(array);
  if (!array) return 0;
  for (const auto dtype : {DType::kINT8, DType::kBF16, DType::kINT48, DType::kFP8E4M3, DType::kBOOL, DType::kINT4})
    fuzz::expect_message(to_tensor(*array, dtype, "fuzz"));
  fuzz::expect_message(to_tensor(*array, {}, "fuzz"));
  return 0;
}
