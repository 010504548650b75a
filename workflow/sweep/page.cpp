#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/json_text.hpp"
#include "workflow/sweep/show.hpp"

namespace macaw::sweep {
namespace {

constexpr std::string_view kHead = R"(<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Macaw: study</title><style>
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{margin:2rem auto;max-width:75rem;padding:0 1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.2rem .6rem;text-align:right}
td:first-child,th:first-child{text-align:left}.scroll{overflow-x:auto}svg{max-width:100%;height:auto}
svg text{fill:currentColor;font-size:12px}.axis{stroke:currentColor;opacity:.4}.run{fill:#2a78d6;opacity:.7}
.front{fill:none;stroke:#e07b39;stroke-width:2}.heat{color:#000}</style><h1>Study</h1>
)";

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : io::valid_utf8(text)) switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  return safe;
}

std::string configuration(const Row& run) {
  auto text = run.accelerator + ", " + run.system + ", " + run.memory_mode;
  if (run.params != "{}") text += ", " + run.params;
  return text;
}

/// Milliseconds against multiply-accumulates per cycle, both in logarithms.
class Scatter {
 public:
  Scatter(const Database& database, const std::string& network) : runs_(database.runs) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].network != network || !runs_[i].milliseconds || !runs_[i].macs_per_cycle) continue;
      shown_.push_back(i);
      const auto [x, y] = logs(i);
      left_ = std::min(left_, x), right_ = std::max(right_, x);
      low_ = std::min(low_, y), high_ = std::max(high_, y);
    }
    front_ = pareto_front(runs_, network);
  }

  [[nodiscard]] std::string svg() const {
    if (shown_.empty()) return "<p>No run came to its end.</p>";
    std::string text = fmt::format(
        "<svg viewBox=\"0 0 640 320\" width=\"640\" role=\"img\" aria-label=\"milliseconds against MACs per cycle\">"
        "<path class=\"axis\" d=\"M60 10V280H620\" fill=\"none\"/><text x=\"60\" y=\"305\">MACs per cycle (log)</text>"
        "<text x=\"4\" y=\"20\">{:.3g} ms</text><text x=\"4\" y=\"280\">{:.3g} ms</text>",
        std::exp(high_), std::exp(low_));
    std::string line;
    for (const auto i : front_)
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", at(i).first, at(i).second);
    text += fmt::format("<path class=\"front\" d=\"{}\"/>", line);
    for (const auto i : shown_)
      text +=
          fmt::format("<circle class=\"run\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {:.3f} ms</title></circle>",
                      at(i).first, at(i).second, escaped(configuration(runs_[i])), *runs_[i].milliseconds);
    return text + "</svg>";
  }

 private:
  [[nodiscard]] std::pair<double, double> logs(std::size_t i) const {
    return {std::log(static_cast<double>(*runs_[i].macs_per_cycle)), std::log(std::max(*runs_[i].milliseconds, 1e-6))};
  }
  [[nodiscard]] std::pair<double, double> at(std::size_t i) const {
    const auto [x, y] = logs(i);
    return {80 + 520 * (x - left_) / std::max(right_ - left_, 1e-9),
            270 - 250 * (y - low_) / std::max(high_ - low_, 1e-9)};
  }

  const std::vector<Row>& runs_;
  std::vector<std::size_t> shown_, front_;
  double left_ = 1e9, right_ = -1e9, low_ = 1e9, high_ = -1e9;
};

/// Exclusive cycles of the layers, a column a run; the darker, the greater their share of the run.
std::string heat_map(const Database& database, const std::string& network) {
  std::vector<std::string> names;
  std::map<std::string, std::map<std::string, std::int64_t>> cycles;  // by layer, by run
  std::map<std::string, const Row*> runs;
  for (const auto& run : database.runs)
    if (run.network == network && run.cycles) runs[run.id] = &run;
  for (const auto& layer : database.layers) {
    if (!runs.contains(layer.run)) continue;
    if (!cycles.contains(layer.name)) names.push_back(layer.name);
    cycles[layer.name][layer.run] += layer.exclusive;
  }
  std::string text = "<div class=\"scroll\"><table><tr><th>layer</th>";
  for (const auto& run : database.runs)
    if (runs.contains(run.id)) text += fmt::format("<th>{}</th>", escaped(configuration(run)));
  text += "</tr>";
  for (const auto& name : names) {
    text += fmt::format("<tr><td>{}</td>", escaped(name));
    for (const auto& run : database.runs) {
      if (!runs.contains(run.id)) continue;
      const auto found = cycles[name].find(run.id);
      if (found == cycles[name].end()) {
        text += "<td></td>";
        continue;
      }
      const auto share =
          static_cast<double>(found->second) / static_cast<double>(std::max<std::int64_t>(*run.cycles, 1));
      text += fmt::format("<td class=\"heat\" style=\"background:hsl(28 80% {:.0f}%)\">{}</td>",
                          97 - 45 * std::min(1.0, 4 * share), found->second);
    }
    text += "</tr>";
  }
  return text + "</table></div>";
}

}  // namespace

std::string show_html(const Database& database) {
  std::string text(kHead);
  std::vector<std::string> networks;
  for (const auto& run : database.runs)
    if (std::ranges::count(networks, run.network) == 0) networks.push_back(run.network);
  for (const auto& network : networks) {
    text += fmt::format("<h2>{}</h2>{}<ul>", escaped(network), Scatter(database, network).svg());
    for (const auto i : pareto_front(database.runs, network))
      text += fmt::format("<li>{}: {:.3f} ms</li>", escaped(configuration(database.runs[i])),
                          *database.runs[i].milliseconds);
    for (const auto& run : database.runs)
      if (run.network == network && !run.error.empty())
        text += fmt::format("<li>{}: {}</li>", escaped(configuration(run)), escaped(run.error));
    text += "</ul>" + heat_map(database, network);
  }
  return text + "</html>\n";
}

}  // namespace macaw::sweep
