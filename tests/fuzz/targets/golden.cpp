#include <algorithm>

#include "tests/fuzz/target.hpp"
#include "workflow/golden/diff.hpp"

using namespace macaw;

// A manifest, what was recorded and what is now, with a zero byte between.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto first = std::min(text.find('\0'), text.size()), second = std::min(text.find('\0', first + 1), text.size());
  const auto manifest = golden::parse_manifest(text.substr(0, first), "fuzz");
  fuzz::expect_message(manifest);
  if (first >= second) return 0;
  const auto then = nlohmann::json::parse(text.substr(first + 1, second - first - 1), nullptr, false);
  const auto now = second < text.size() ? nlohmann::json::parse(text.substr(second + 1), nullptr, false) : then;
  if (!then.is_object() || !now.is_object()) return 0;
  fuzz::expect_message(golden::diff(then, now, manifest ? *manifest : golden::Manifest{}));
  return 0;
}
