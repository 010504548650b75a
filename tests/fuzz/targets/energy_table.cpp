#include "tests/fuzz/target.hpp"
#include "workflow/energy/table.hpp"

using namespace macaw;

// Accelergy's figures are another target's: there is no such folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = energy::parse_table(fuzz::text_of(data, size), "fuzz", "/nonexistent");
  fuzz::expect_message(table);
  if (!table) return 0;
  for (const auto& cost : table->costs)
    if (!(cost.picojoules.low >= 0 && cost.picojoules.low < cost.picojoules.high)) __builtin_trap();
  return 0;
}
