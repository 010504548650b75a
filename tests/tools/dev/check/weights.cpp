#include <fmt/format.h>

#include <map>
#include <memory>

#include <macaw/npy.hpp>

#include "tests/tools/dev/check/json_access.hpp"
#include "workflow/compare/weight_streams.hpp"

// CORPUS/weights: encoded weight streams with their values. A stream must decode to the stored values, and the values
// must survive our own encoder. Fast streams come without values.

namespace macaw::app::check {
Result<Cases> load_weights(const std::filesystem::path& folder, const RunOptions&) {
  const auto file = folder / "meta.json";
  return with_json(file, [&](const nlohmann::json& meta) -> Result<Cases> {
    Cases cases;
    std::map<std::string, std::shared_ptr<const Npz>> archives;
    for (const auto& entry : meta) {
      const auto accelerator = entry.at("acc").get<std::string>();
      auto& archive = archives[accelerator];
      if (!archive) {
        MACAW_ASSIGN(auto npz, read_npz(folder / (accelerator + ".npz")));
        archive = std::make_shared<const Npz>(std::move(npz));
      }
      const auto stem = fmt::format("{}|{}|{}", entry.at("model").get<std::string>(), entry.at("op").get<int>(),
                                    entry.at("stream").get<int>());
      auto fields = string_fields(entry);
      fields["accelerator"] = accelerator;
      const bool fast = entry.value("fwd", false);
      fields["format"] = fast ? "fast" : "standard";
      cases.push_back({accelerator + "|" + stem, std::move(fields), "", [archive, stem, fast] {
                         return fast ? compare::check_fast_weight_stream(*archive, stem)
                                     : compare::check_weight_stream(*archive, stem);
                       }});
    }
    return cases;
  });
}

}  // namespace macaw::app::check
