#include "tests/fuzz/target.hpp"
#include "workflow/report/render.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto run = trace::parse_saved_run(fuzz::text_of(data, size), "fuzz");
  fuzz::expect_message(run);
  if (!run) return 0;
  if (report::render_csv(*run).empty() || report::render_html(*run).empty()) __builtin_trap();
  return 0;
}
