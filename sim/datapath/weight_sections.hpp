#pragma once
#include "sim/datapath/weight_costs.hpp"

#include <vector>

namespace macaw::npu::weight_stream {

inline constexpr Cost kPaletteHeader = kDirofsBits + kPalsizeBits + kPalbitsBits;

struct PaletteHeader {
  std::size_t size = 0;    ///< entries, none or 2..32
  int offset = 0;          ///< DIROFS
  int bits = kMinPalbits;  ///< width of an entry; of a raw index if there is no palette

  [[nodiscard]] int raw_bits() const { return raw_width(static_cast<int>(size), bits); }
  [[nodiscard]] Cost cost() const { return kPaletteHeader + size * static_cast<Cost>(bits); }
};
struct Palette : PaletteHeader {
  std::vector<int> entries;          ///< folded values
  std::array<int, kValues> index{};  ///< of every folded value
};

/// Occurrences of folded values, and the size of zero runs in bits per divisor.
struct Statistics {
  std::array<std::uint32_t, kValues> count{};
  std::array<Cost, kMaxZdiv + 1> runs{};

  Statistics& operator+=(const Statistics& other) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += other.runs[i];
    return *this;
  }
};

/// A section's palette, whether zeros are coded as runs, and its cost with one divisor throughout.
struct SectionPlan {
  Palette palette;
  bool zero_runs = false;
  Cost cost = kImpossible;
};

struct Section {
  std::size_t first = 0, count = 0;
  Statistics statistics;
  SectionPlan plan;
};

/// Splits the folded weights into sections; adjacent sections are merged as long as that saves bits.
[[nodiscard]] std::vector<Section> cut_sections(std::span<const std::uint16_t> folded);

}  // namespace macaw::npu::weight_stream
