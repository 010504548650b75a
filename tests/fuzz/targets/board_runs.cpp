#include "workflow/board/board_runs.hpp"
#include "tests/fuzz/file.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto cells = board::load_board_runs(fuzz::file_of(data, size));
  fuzz::expect_message(cells);
  if (!cells) return 0;
  for (const auto& cell : *cells)
    if (cell.accelerator != cells->front().accelerator || cell.network.empty()) __builtin_trap();
  return 0;
}
