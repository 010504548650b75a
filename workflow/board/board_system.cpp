#include "workflow/board/board_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "sim/config/system_config.hpp"

namespace macaw::board {
namespace {

/// A basic string of TOML, which JSON's are.
std::string text_of(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

FitError error_of(const MemoryFit& fit) {
  FitError error;
  for (const auto& run : fit.runs) {
    error.mean += std::abs(run.error) / static_cast<double>(fit.runs.size());
    error.worst = std::max(error.worst, std::abs(run.error));
  }
  return error;
}

Result<std::string> to_toml(const MemoryFit& fit, std::optional<double> clock_hz, const std::string& file) {
  const auto& cell = *fit.runs.front().cell;
  if (!clock_hz) {
    MACAW_ASSIGN(const auto usual, npu::load_system_config(npu::default_system(*cell.accelerator)));
    clock_hz = usual.clock_hz;
  }
  const auto [mean, worst] = error_of(fit);
  std::string text = fmt::format(
      "description = {}\nsource = {}\nconfidence = \"fitted\"\n"
      "checked_against = \"{} runs that it was fitted to: {:.1f} % off on average, {:.1f} % at most\"\n"
      "accelerators = [\"{}\"]\nclock_hz = {}\ndefault_memory_mode = {}\n",
      text_of(fmt::format("{} on a board", cell.accelerator->name)), text_of("macaw fit " + file), fit.runs.size(),
      100 * mean, 100 * worst, cell.accelerator->name, *clock_hz, text_of(cell.options.memory_mode));
  for (const std::string port : {"axi0", "axi1"}) {
    text += fmt::format("\n[{}]\n", port);
    for (const auto& field : fit.fields) {
      if (!field.name.starts_with(port + ".") || field.value == 0) continue;
      text += fmt::format("{} = {:.4g}{}\n", field.name.substr(port.size() + 1), field.value,
                          field.known ? fmt::format("  # 90 % interval {:.3g} to {:.3g}", field.low, field.high)
                                      : "  # not determined by the runs");
    }
  }
  return text;
}

std::string to_text(const MemoryFit& fit) {
  std::string text = fmt::format("{:<22} {:>9}  90 % interval\n", "property", "value");
  for (const auto& field : fit.fields) {
    const auto value = field.value == 0 ? std::string("no limit") : fmt::format("{:.4g}", field.value);
    if (field.known) {
      text += fmt::format("{:<22} {:>9}  {:.4g} to {:.4g}\n", field.name, value, field.low, field.high);
      continue;
    }
    text += fmt::format("{:<22} {:>9}  undetermined: {}", field.name, value,
                        field.indistinguishable_from.empty()
                            ? "the runs depend on it too little"
                            : fmt::format("cannot be separated from {}", field.indistinguishable_from));
    text += field.suggested_run.empty() ? "\n" : fmt::format("; add the run {}\n", field.suggested_run);
  }
  text += fmt::format("\n{:<44} {:>12} {:>12}   error\n", "run", "measured", "computed");
  for (const auto& run : fit.runs)
    text += fmt::format("{:<44} {:>12.0f} {:>12}  {:+.1f} %\n", run.cell->describe, run.cell->cycles->value, run.cycles,
                        100 * run.error);
  const auto [mean, worst] = error_of(fit);
  return text +
         fmt::format("{} runs, {:.1f} % off on average, {:.1f} % at most\n", fit.runs.size(), 100 * mean, 100 * worst);
}

std::string to_json(const MemoryFit& fit) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& field : fit.fields) {
    auto& entry = json["fields"][field.name];
    entry["value"] = field.value;
    if (field.known) entry["low"] = field.low, entry["high"] = field.high;
    entry["known"] = field.known;
    if (!field.indistinguishable_from.empty()) entry["alike"] = field.indistinguishable_from;
    if (!field.suggested_run.empty()) entry["ask"] = field.suggested_run;
  }
  for (const auto& run : fit.runs)
    json["runs"].push_back({{"network", run.cell->network},
                            {"memory_mode", run.cell->options.memory_mode},
                            {"measured", run.cell->cycles->value},
                            {"computed", run.cycles},
                            {"error", run.error}});
  return io::json_text(json, 1) + "\n";
}

}  // namespace macaw::board
