#include "sim/datapath/weight_sections.hpp"

#include <bit>

namespace macaw::npu::weight_stream {
namespace {

constexpr std::size_t kSectionStep = 1024;  ///< weights between candidates for section boundaries
constexpr std::array<std::size_t, 10> kPaletteSizes = {0, 2, 3, 4, 6, 8, 12, 16, 24, 32};

/// A palette of the most frequent values; the others are coded directly.
Palette make_palette(const PaletteHeader& header, std::span<const int> by_frequency) {
  Palette palette{header, {by_frequency.begin(), by_frequency.begin() + static_cast<std::ptrdiff_t>(header.size)}, {}};
  for (std::size_t v = 0; v < palette.index.size(); ++v)
    palette.index[v] = static_cast<int>(v + header.size) - header.offset;
  for (std::size_t i = 0; i < header.size; ++i)
    palette.index[static_cast<std::size_t>(palette.entries[i])] = static_cast<int>(i);
  return palette;
}

void try_palettes(const std::array<std::uint32_t, kValues>& count, bool zero_runs, Cost runs, SectionPlan& best) {
  std::vector<int> values;
  for (int v = 0; v < kValues; ++v)
    if (count[static_cast<std::size_t>(v)] > 0) values.push_back(v);
  if (values.empty()) values.push_back(0);
  const auto most = static_cast<std::ptrdiff_t>(std::min(values.size(), kPaletteSizes.back()));
  const int highest = values.back();
  std::partial_sort(values.begin(), values.begin() + most, values.end(), [&](int a, int b) {
    const auto of_a = count[static_cast<std::size_t>(a)], of_b = count[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  auto direct = count;  // occurrences of the values that are not in the palette
  std::array<std::uint32_t, kIndices> times{};
  int widest = 0, lowest = 0;
  std::size_t entries = 0;
  for (const std::size_t size : kPaletteSizes) {
    if (size > values.size()) break;
    for (; entries < size; ++entries) {
      times[entries] = count[static_cast<std::size_t>(values[entries])];
      direct[static_cast<std::size_t>(values[entries])] = 0;
      widest = std::max(widest, values[entries]);
    }
    while (lowest < highest && direct[static_cast<std::size_t>(lowest)] == 0) ++lowest;
    const bool any_direct = size < values.size();
    PaletteHeader header{size, any_direct ? std::min(lowest, (1 << kDirofsBits) - 1) : 0};
    const int widest_field = size > 0 ? widest : highest - header.offset;
    header.bits = std::max(kMinPalbits, static_cast<int>(std::bit_width(static_cast<unsigned>(widest_field))));
    const auto first = std::span(direct).subspan(static_cast<std::size_t>(header.offset),
                                                 static_cast<std::size_t>(highest - header.offset) + 1);
    std::ranges::copy(first, times.begin() + static_cast<std::ptrdiff_t>(size));
    // The maximum index of the format is 511.
    const SymbolSums sums(std::span<const std::uint32_t>(times).first(size + first.size()));
    if (sums.highest() > kMaxFolded) continue;
    Cost symbols = kImpossible;
    for (const auto& coding : kWeightCodings) symbols = std::min(symbols, sums.cost(coding, header.raw_bits()));
    const Cost total = kSliceOverhead + header.cost() + symbols + runs;
    if (total < best.cost) best = {make_palette(header, values), zero_runs, total};
  }
}

SectionPlan plan_section(const Statistics& statistics) {
  SectionPlan best;
  try_palettes(statistics.count, false, 0, best);
  auto without_zeros = statistics.count;
  without_zeros[0] = 0;
  // A section of only zeros still codes one weight.
  if (std::all_of(without_zeros.begin(), without_zeros.end(), [](auto n) { return n == 0; })) without_zeros[0] = 1;
  if (statistics.count[0] > 0)
    try_palettes(without_zeros, true, *std::min_element(statistics.runs.begin(), statistics.runs.end()), best);
  return best;
}

Statistics measure(std::span<const std::uint16_t> folded) {
  Statistics s;
  std::size_t run = 0;
  const auto end_run = [&] {
    for (int z = 0; z <= kMaxZdiv; ++z) s.runs[static_cast<std::size_t>(z)] += run_cost(run, z);
    run = 0;
  };
  for (const auto value : folded) {
    ++s.count[value];
    if (value == 0) {
      ++run;
    } else {
      end_run();
    }
  }
  end_run();
  return s;
}

}  // namespace

std::vector<Section> cut_sections(std::span<const std::uint16_t> folded) {
  std::vector<Section> sections;
  for (std::size_t first = 0; first < folded.size(); first += kSectionStep) {
    Section s;
    s.first = first;
    s.count = std::min(kSectionStep, folded.size() - first);
    s.statistics = measure(folded.subspan(first, s.count));
    s.plan = plan_section(s.statistics);
    sections.push_back(std::move(s));
  }
  for (bool joined = true; joined;) {
    joined = false;
    std::vector<Section> next;
    for (auto& section : sections) {
      if (!next.empty()) {
        Statistics both = next.back().statistics;
        both += section.statistics;
        SectionPlan plan = plan_section(both);
        if (plan.cost <= next.back().plan.cost + section.plan.cost) {
          next.back().count += section.count;
          next.back().statistics = both;
          next.back().plan = std::move(plan);
          joined = true;
          continue;
        }
      }
      next.push_back(std::move(section));
    }
    sections = std::move(next);
  }
  return sections;
}

}  // namespace macaw::npu::weight_stream
