#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "workflow/prove/prove.hpp"

namespace macaw::prove {

std::string to_text(const Proof& proof) {
  std::string text;
  std::map<std::string, std::map<Verdict, std::size_t>> kinds;
  for (const auto& t : proof.tensors) {
    text += fmt::format("{}: {}{}: tensor '{}'{}{}\n", to_string(t.verdict), t.candidates ? "candidates: " : "",
                        fmt::join(t.operators, t.candidates ? " or " : ", "), t.tensor, t.reason.empty() ? "" : ": ",
                        t.reason);
    ++kinds[t.kind][t.verdict];
  }
  for (auto& [kind, counts] : kinds)
    text += fmt::format("{}: {} proved, {} refuted, {} not proved\n", kind, counts[Verdict::kProved],
                        counts[Verdict::kRefuted], counts[Verdict::kNotProved]);
  text +=
      fmt::format("{} sets of inputs were run{}\n", proof.tried,
                  proof.undefined == 0 ? "" : fmt::format("; for {} more the graph has no result", proof.undefined));
  return text;
}

nlohmann::json to_json(const Proof& proof) {
  auto tensors = nlohmann::json::array();
  for (const auto& t : proof.tensors)
    tensors.push_back({{"tensor", t.tensor},
                       {"operators", t.operators},
                       {"kind", t.kind},
                       {"candidates", t.candidates},
                       {"verdict", to_string(t.verdict)},
                       {"inputs", t.shown_by},
                       {"reason", t.reason}});
  return {{"schema_version", 1},
          {"refuted", proof.refuted()},
          {"inputs_tried", proof.tried},
          {"inputs_undefined", proof.undefined},
          {"tensors", std::move(tensors)}};
}

}  // namespace macaw::prove
