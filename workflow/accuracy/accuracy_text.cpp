#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "workflow/accuracy/accuracy.hpp"

namespace macaw::accuracy {
namespace {

constexpr std::size_t kNameWidth = 24, kMostFlips = 10, kMostOthers = 10, kMostAdvice = 10, kMostClasses = 12;
constexpr std::size_t kWidth = 80;

std::string grouped(std::size_t value) {
  auto digits = fmt::format("{}", value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string decibels(double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "exact" : "-inf";
  return fmt::format("{:.2f}", value);
}

/// The end of a name, which tells more than its beginning; of names that a converter has joined, the last.
std::string short_name(const std::string& name, std::size_t width) {
  const auto joined = name.rfind(';');
  const auto last = joined == name.npos || joined + 1 == name.size() ? name : name.substr(joined + 1);
  return last.size() <= width ? last : "..." + last.substr(last.size() - (width - 3));
}

std::string npu_word(const Layer& layer) {
  if (layer.npu.empty()) return "";
  if (std::ranges::any_of(layer.npu, [](auto sets) { return sets > 0; })) return "DIFFERS";
  return std::ranges::all_of(layer.npu, [](auto sets) { return sets < 0; }) ? "fused" : "equal";
}

std::string row(const Layer& layer) {
  const auto& sums = layer.sums;
  std::string steps = "-", clipped = "-";
  if (sums.step) {
    steps = fmt::format("{:.1f}", sums.accumulated.largest / sums.step->scale);
    clipped = fmt::format("{:.2f}", 100.0 * static_cast<double>(sums.below + sums.above) /
                                        static_cast<double>(std::max<std::int64_t>(sums.accumulated.count, 1)));
  }
  auto line = fmt::format("{:>4} {:17} {:24} {:>6} {:>6} {:>6} {:>6} {:>7}", layer.op, layer.kind.substr(0, 17),
                          short_name(layer.name, kNameWidth), decibels(sums.accumulated.sqnr()),
                          sums.alone.count ? decibels(sums.alone.sqnr()) : "-", steps, clipped, npu_word(layer));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Words on lines of at most 80 columns, those after the first indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      result += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    at = end + 1;
  }
  return result + line + "\n";
}

std::string confusion_text(const ClassCounts& counts, const ClassCounts::Confusion& confusion, const char* rows,
                           const char* columns) {
  if (counts.classes > kMostClasses) return "";
  auto text = fmt::format("\nConfusion matrix, rows: {}, columns: {}\n    ", rows, columns);
  for (std::size_t c = 0; c < counts.classes; ++c) text += fmt::format("{:>6}", c);
  text += "\n";
  for (std::size_t r = 0; r < counts.classes; ++r) {
    text += fmt::format("{:>4}", r);
    for (std::size_t c = 0; c < counts.classes; ++c) {
      const auto found = confusion.find({static_cast<std::int64_t>(r), static_cast<std::int64_t>(c)});
      text += fmt::format("{:>6}", found == confusion.end() ? 0 : found->second);
    }
    text += "\n";
  }
  return text;
}

std::string classes_text(const ClassCounts& counts) {
  std::string text = "\n";
  const auto line = [&](const char* network, std::size_t top1, std::size_t top5) {
    text += fmt::format("{:10} top-1 {:.2f} % ({}), top-5 {:.2f} % ({})\n", network, 100 * counts.share(top1),
                        grouped(top1), 100 * counts.share(top5), grouped(top5));
  };
  if (counts.has_labels) {
    line("float", counts.top1_reference, counts.top5_reference);
    line("quantised", counts.top1, counts.top5);
  }
  text += fmt::format("The networks agree on {:.2f} % of the sets ({} of {}).\n", 100 * counts.share(counts.agree),
                      grouped(counts.agree), grouped(counts.sets));
  text += confusion_text(counts, counts.confusion, counts.has_labels ? "right class" : "class of the float network",
                         "class of the quantised network");
  if (counts.flips.empty()) return text;
  text += "\nSets whose class changed (float -> quantised):\n";
  for (std::size_t i = 0; i < std::min(counts.flips.size(), kMostFlips); ++i) {
    const auto& flip = counts.flips[i];
    text += fmt::format("  set {}: {} -> {}", flip.set, flip.reference, flip.quantised);
    if (flip.label) text += fmt::format(", right: {}", *flip.label);
    text += "\n";
  }
  const auto flips = counts.sets - counts.agree;
  if (flips > kMostFlips) text += fmt::format("  ... {} more (--json, --html)\n", grouped(flips - kMostFlips));
  return text;
}

std::string others_text(const std::vector<std::string>& names, const char* network) {
  if (names.empty()) return "";
  auto text = fmt::format("\nTensors of the {} network without a partner: {}\n", network, names.size());
  for (std::size_t i = 0; i < std::min(names.size(), kMostOthers); ++i)
    text += "  " + short_name(names[i], kWidth - 2) + "\n";
  if (names.size() > kMostOthers) text += fmt::format("  ... {} more (--json)\n", names.size() - kMostOthers);
  return text;
}

std::string advice_text(const Accuracy& accuracy) {
  const auto ranking = accuracy.ranking();
  if (ranking.empty()) return "";
  std::string text = "\nLayers that lose most by themselves:\n";
  constexpr std::size_t kMostRanked = 5;
  for (std::size_t i = 0; i < std::min(ranking.size(), kMostRanked); ++i) {
    const auto& layer = accuracy.layers[ranking[i]];
    text += fmt::format("  {:>6} dB  operator {} ({}) {}\n", decibels(layer.own_sqnr()), layer.op, layer.kind,
                        short_name(layer.name, 36));
  }
  if (accuracy.advice.empty()) return text;
  text += "\nAdvice:\n";
  for (std::size_t i = 0; i < std::min(accuracy.advice.size(), kMostAdvice); ++i) {
    const auto& advice = accuracy.advice[i];
    const auto& layer = accuracy.layers[advice.layer];
    text += wrapped(
        fmt::format("{:>2}. Operator {} ({}): {}: {}.", i + 1, layer.op, layer.kind, advice.what, advice.evidence), 4);
  }
  if (accuracy.advice.size() > kMostAdvice)
    text += fmt::format("  ... {} more (--json)\n", accuracy.advice.size() - kMostAdvice);
  return text;
}

std::string npu_text(const Accuracy& accuracy) {
  std::string text;
  for (const auto& npu : accuracy.npus)
    text += npu.sets_different == 0 ? fmt::format("\n{} ({}): outputs equal in all sets\n", npu.file, npu.accelerator)
                                    : fmt::format("\n{} ({}): outputs differ in {} of {} sets\n", npu.file,
                                                  npu.accelerator, grouped(npu.sets_different), grouped(accuracy.sets));
  return text;
}

}  // namespace

std::string to_text(const Accuracy& accuracy) {
  auto text = fmt::format("float      {}\nquantised  {}\nsets       {}\n\n", accuracy.reference_file,
                          accuracy.quantised_file, grouped(accuracy.sets));
  text += fmt::format("{:>4} {:17} {:24} {:>6} {:>6} {:>6} {:>6}{}\n", "op", "kind", "output", "SQNR", "alone", "error",
                      "clip", accuracy.npus.empty() ? "" : "     NPU");
  text += fmt::format("{:47} {:>6} {:>6} {:>6} {:>6}\n", "", "dB", "dB", "steps", "%");
  for (const auto& layer : accuracy.layers) text += row(layer);
  if (accuracy.fitted_scales)
    text += "\nTOSA graphs state no scales: they are fitted to the values of the first sets.\n";
  text += npu_text(accuracy);
  if (accuracy.classes) text += classes_text(*accuracy.classes);
  text += others_text(accuracy.only_float, "float");
  text += others_text(accuracy.only_quantised, "quantised");
  for (const auto& layer : accuracy.layers)
    if (!layer.not_alone.empty())
      text += wrapped(fmt::format("operator {} ({}) was not run alone: {}", layer.op, layer.kind, layer.not_alone), 2);
  return text + advice_text(accuracy);
}

}  // namespace macaw::accuracy
