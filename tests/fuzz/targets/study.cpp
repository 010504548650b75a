#include "workflow/sweep/study.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  macaw::fuzz::expect_message(macaw::sweep::parse_study(macaw::fuzz::text_of(data, size), "fuzz"));
  return 0;
}
