#include "workflow/energy/accelergy.hpp"
#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto picojoules = energy::parse_accelergy(fuzz::text_of(data, size), "fuzz");
  fuzz::expect_message(picojoules);
  if (!picojoules) return 0;
  for (const auto& [name, each] : *picojoules)
    if (!(each >= 0)) __builtin_trap();
  return 0;
}
