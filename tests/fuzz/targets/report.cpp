#include "tests/fuzz/target.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/layers.hpp"
#include "workflow/report/render.hpp"
#include "workflow/run/record_json.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto run = run::parse_record(fuzz::text_of(data, size), "fuzz");
  fuzz::expect_message(run);
  if (!run) return 0;
  const auto summary = report::summarise(*run);
  if (report::render_csv(*run, summary).empty() || report::render_layers_csv(*run).empty() ||
      report::render_html(*run, summary).empty())
    __builtin_trap();
  return 0;
}
