#include "sim/datapath/bits.hpp"
#include "sim/datapath/weight_stream.hpp"
#include "sim/datapath/weight_stream_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include <fmt/format.h>

// Encoding is a search in three steps. Weights are cut into sections, each with its own palette and its own choice of
// zero runs; a section is cut into slices, each with its own Golomb-Rice divisors; a slice is written chunk by chunk.
// The first two minimise the exact bit count of the symbols plus the headers.
namespace macaw::npu {
namespace {

using namespace weight_stream;

using Cost = std::uint64_t;
constexpr Cost kImpossible = std::numeric_limits<Cost>::max() / 4;
constexpr Cost kSliceHeader = kZdivBits + kSliceLengthBits + kWdivBits + 2;
constexpr Cost kPaletteHeader = kDirofsBits + kPalsizeBits + kPalbitsBits;
constexpr Cost kSliceOverhead = kSliceHeader + 12;  ///< with the unused positions of its last chunks, on average
constexpr std::size_t kSectionStep = 1024;          ///< weights per candidate of a section boundary
constexpr std::size_t kSliceStep = 64;              ///< coded weights per candidate of a slice boundary
constexpr int kMaxQuotient = 31;                    ///< what Arm's encoder allows itself
constexpr int kValues = kMaxFolded + 1;
constexpr std::size_t kIndices = kValues + kMaxPalette;
constexpr std::array<std::size_t, 10> kPaletteSizes = {0, 2, 3, 4, 6, 8, 12, 16, 24, 32};

struct WeightCoding {
  int wdiv = 0;
  bool truncated = false;
};
/// How one slice codes its weights and zero runs.
struct Coding : WeightCoding {
  int zdiv = kZdivNone;
};
constexpr auto kWeightCodings = [] {
  std::array<WeightCoding, 13> codings{};
  for (int i = 0; i < 12; ++i) codings[static_cast<std::size_t>(i)] = {i % 6, i >= 6};
  codings[12] = {kWdivRaw, false};
  return codings;
}();

/// Sums over symbols that tell what they take in any coding.
class SymbolSums {
 public:
  explicit SymbolSums(std::span<const int> indices) : count_(indices.size()) {
    for (const int index : indices) highest_ = std::max(highest_, index);
    for (std::size_t d = 0; d < kDivisors; ++d)
      for (const int index : indices) {
        quotients_[d] += static_cast<Cost>(index >> d);
        without_quotient_[d] += index >> d == 0;
      }
  }
  /// times[i]: how often index i is among them. Quotients of at least n are those of indices of at least n times the
  /// divisor.
  explicit SymbolSums(std::span<const std::uint32_t> times) {
    std::array<Cost, kIndices + 1> at_least{};
    for (std::size_t i = times.size(); i-- > 0;) {
      at_least[i] = at_least[i + 1] + times[i];
      if (times[i] > 0 && highest_ == 0) highest_ = static_cast<int>(i);
    }
    count_ = at_least[0];
    for (std::size_t d = 0; d < kDivisors; ++d) {
      for (std::size_t i = std::size_t{1} << d; i < times.size(); i += std::size_t{1} << d)
        quotients_[d] += at_least[i];
      without_quotient_[d] = count_ - at_least[std::size_t{1} << d];
    }
  }
  [[nodiscard]] int highest() const { return highest_; }
  [[nodiscard]] Cost cost(const WeightCoding& coding, int raw_bits) const {
    if (coding.wdiv == kWdivRaw) return highest_ < (1 << raw_bits) ? count_ * static_cast<Cost>(raw_bits) : kImpossible;
    const auto divisor = static_cast<std::size_t>(coding.wdiv);
    if (coding.truncated)
      return highest_ >> divisor > 2 ? kImpossible : count_ * (divisor + 2) - without_quotient_[divisor];
    return highest_ >> divisor > kMaxQuotient ? kImpossible : count_ * (divisor + 1) + quotients_[divisor];
  }

 private:
  static constexpr std::size_t kDivisors = 6;
  int highest_ = 0;
  Cost count_ = 0;
  std::array<Cost, kDivisors> quotients_{}, without_quotient_{};
};
Cost run_cost(std::size_t run, int zdiv) { return (run >> zdiv) + 1 + static_cast<Cost>(zdiv); }

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

/// Occurrences of folded values, and the bits that zero runs take per divisor.
struct Statistics {
  std::array<std::uint32_t, kValues> count{};
  std::array<Cost, kMaxZdiv + 1> runs{};

  Statistics& operator+=(const Statistics& other) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += other.runs[i];
    return *this;
  }
};

/// A palette of the most frequent values; the rest is coded directly.
Palette make_palette(const PaletteHeader& header, std::span<const int> by_frequency) {
  Palette palette{header, {by_frequency.begin(), by_frequency.begin() + static_cast<std::ptrdiff_t>(header.size)}, {}};
  for (std::size_t v = 0; v < palette.index.size(); ++v)
    palette.index[v] = static_cast<int>(v + header.size) - header.offset;
  for (std::size_t i = 0; i < header.size; ++i)
    palette.index[static_cast<std::size_t>(palette.entries[i])] = static_cast<int>(i);
  return palette;
}

/// A section's palette, whether zeros are runs, and what it costs with one divisor throughout.
struct SectionPlan {
  Palette palette;
  bool zero_runs = false;
  Cost cost = kImpossible;
};

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
  auto direct = count;  // of the values that are not in the palette
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
    // The highest index that the format knows is 511.
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
  // A section of zeros alone still codes one weight.
  if (std::all_of(without_zeros.begin(), without_zeros.end(), [](auto n) { return n == 0; })) without_zeros[0] = 1;
  if (statistics.count[0] > 0)
    try_palettes(without_zeros, true, *std::min_element(statistics.runs.begin(), statistics.runs.end()), best);
  return best;
}

struct Section {
  std::size_t first = 0, count = 0;
  Statistics statistics;
  SectionPlan plan;
};

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

/// Joins neighbouring sections as long as that saves bits.
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

/// Coded weights of a section as palette indices, and the zero runs around them: runs[0] precedes the first weight.
struct Symbols {
  std::vector<int> indices;
  std::vector<std::size_t> runs;
};
Symbols section_symbols(std::span<const std::uint16_t> folded, const SectionPlan& plan) {
  Symbols symbols;
  const bool only_zeros = std::all_of(folded.begin(), folded.end(), [](auto v) { return v == 0; });
  std::size_t run = 0;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    if (plan.zero_runs && folded[i] == 0 && !(only_zeros && i == 0)) {
      ++run;
      continue;
    }
    if (plan.zero_runs) symbols.runs.push_back(run);
    run = 0;
    symbols.indices.push_back(plan.palette.index[folded[i]]);
  }
  if (plan.zero_runs) symbols.runs.push_back(run);
  return symbols;
}

struct Slice {
  std::size_t first = 0, count = 0;
  Coding coding;
};

/// Best divisors for every stretch of kSliceStep weights, with the cost of a header for each change (a shortest path
/// over stretches and codings).
std::vector<Slice> cut_slices(const Symbols& symbols, const SectionPlan& plan) {
  const std::size_t steps = (symbols.indices.size() + kSliceStep - 1) / kSliceStep;
  const std::size_t zdivs = plan.zero_runs ? kMaxZdiv + 1 : 1, states = kWeightCodings.size() * zdivs;
  std::vector<std::vector<std::uint8_t>> from(steps, std::vector<std::uint8_t>(states));
  std::vector<Cost> cost(states, 0), next(states);
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t first = s * kSliceStep, last = std::min(first + kSliceStep, symbols.indices.size());
    std::array<Cost, kWeightCodings.size()> weight_cost{};
    std::array<Cost, kMaxZdiv + 1> zero_cost{};
    const SymbolSums sums(std::span(symbols.indices).subspan(first, last - first));
    for (std::size_t w = 0; w < kWeightCodings.size(); ++w)
      weight_cost[w] = sums.cost(kWeightCodings[w], plan.palette.raw_bits());
    if (plan.zero_runs)
      for (std::size_t z = 0; z < zdivs; ++z)
        for (std::size_t i = first; i < last; ++i) zero_cost[z] += run_cost(symbols.runs[i + 1], static_cast<int>(z));
    const auto cheapest = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    for (std::size_t state = 0; state < states; ++state) {
      const Cost change = cost[cheapest] + (s > 0 ? kSliceOverhead : 0);
      const bool stay = cost[state] <= change;
      from[s][state] = static_cast<std::uint8_t>(stay ? state : cheapest);
      next[state] =
          std::min(kImpossible, (stay ? cost[state] : change) + weight_cost[state / zdivs] + zero_cost[state % zdivs]);
    }
    std::swap(cost, next);
  }
  std::vector<std::size_t> chosen(steps);
  auto state = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  for (std::size_t s = steps; s-- > 0; state = from[s][state]) chosen[s] = state;
  std::vector<Slice> slices;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t first = s * kSliceStep, count = std::min(kSliceStep, symbols.indices.size() - first);
    const bool same = s > 0 && chosen[s] == chosen[s - 1] && slices.back().count + count <= kMaxSlice;
    if (same) {
      slices.back().count += count;
      continue;
    }
    const WeightCoding& w = kWeightCodings[chosen[s] / zdivs];
    slices.push_back({first, count, {w, plan.zero_runs ? static_cast<int>(chosen[s] % zdivs) : kZdivNone}});
  }
  return slices;
}

class BitWriter {
 public:
  void write(std::uint64_t value, int bits) {
    for (int i = 0; i < bits; ++i, ++count_) {
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | ((value >> i) & 1) << (count_ % 8));
    }
  }
  /// The end marker: ones up to a multiple of 16 bytes, at least three.
  std::vector<std::uint8_t> finish() {
    write(7, 3);
    while (count_ % 128 != 0) write(1, 1);
    return std::move(bytes_);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t count_ = 0;
};

/// Writes one slice; `runs` are those that it transmits.
class SliceWriter {
 public:
  SliceWriter(BitWriter& out, const Coding& coding, const Palette& palette, std::span<const int> indices,
              std::span<const std::size_t> runs)
      : out_(out),
        coding_(coding),
        palette_(palette),
        indices_(indices),
        runs_(runs),
        raw_(coding.wdiv == kWdivRaw),
        zero_runs_(coding.zdiv != kZdivNone) {}

  void write(bool new_palette) {
    header(new_palette);
    const int remainder_bits = raw_ ? palette_.raw_bits() : coding_.wdiv;
    std::size_t weights_done = 0, runs_done = 0;
    std::size_t weights_pending = 0, runs_pending = 0;  ///< first symbols whose remainders are not written yet
    for (;;) {
      const auto balance = static_cast<std::int64_t>(weights_done) - static_cast<std::int64_t>(runs_done);
      const bool more_weights = weights_done < indices_.size() && (!zero_runs_ || balance < kBalanceLimit);
      const bool more_runs = zero_runs_ && runs_done < runs_.size() && balance >= 0;
      const std::size_t weights_before = weights_done, runs_before = runs_done;
      Unary weight_unary;
      if (more_weights && raw_)
        weights_done = std::min(indices_.size(), weights_done + static_cast<std::size_t>(raw_chunk(remainder_bits)));
      else if (more_weights) weight_unary = weight_chunk(weights_done);
      if (more_weights && !raw_) out_.write(weight_unary.first, kUnaryBits);
      if (more_runs) out_.write(run_chunk(runs_done), zero_unary_bits(coding_.zdiv));
      if (more_weights && !raw_) out_.write(weight_unary.second, weight_unary.second_bits);
      for (; weights_pending < weights_before; ++weights_pending)
        out_.write(static_cast<std::uint64_t>(indices_[weights_pending]), remainder_bits);
      for (; runs_pending < runs_before; ++runs_pending) out_.write(runs_[runs_pending], coding_.zdiv);
      if (!more_weights && !more_runs) return;
    }
  }

 private:
  struct Unary {
    std::uint32_t first = 0, second = 0;
    int second_bits = 0;
  };

  void header(bool new_palette) {
    out_.write(static_cast<std::uint64_t>(coding_.zdiv), kZdivBits);
    out_.write(indices_.size() - 1, kSliceLengthBits);
    out_.write(static_cast<std::uint64_t>(coding_.wdiv), kWdivBits);
    out_.write(coding_.truncated, 1);
    out_.write(new_palette, 1);
    if (!new_palette) return;
    out_.write(static_cast<std::uint64_t>(palette_.offset), kDirofsBits);
    out_.write(palette_.entries.empty() ? 0 : palette_.entries.size() - 1, kPalsizeBits);
    out_.write(static_cast<std::uint64_t>(palette_.bits - kMinPalbits), kPalbitsBits);
    for (const int entry : palette_.entries) out_.write(static_cast<std::uint64_t>(entry), palette_.bits);
  }

  Unary weight_chunk(std::size_t& done) {
    Unary u;
    for (int i = 0; i < kUnaryBits && done < indices_.size(); ++i) {
      const int left = (indices_[done] >> coding_.wdiv) - weight_sent_;
      const int code = std::min(left, 2);
      if (code > 0) {
        u.first |= 1u << i;
        u.second |= static_cast<std::uint32_t>(code - 1) << u.second_bits++;
      }
      if (code == 2 && !coding_.truncated) {
        weight_sent_ += 2;
      } else {
        weight_sent_ = 0;
        ++done;
      }
    }
    return u;
  }

  std::uint32_t run_chunk(std::size_t& done) {
    std::uint32_t unary = 0;
    for (int i = 0; i < zero_unary_bits(coding_.zdiv) && done < runs_.size(); ++i) {
      if (run_sent_ < runs_[done] >> coding_.zdiv) {
        unary |= 1u << i;
        ++run_sent_;
      } else {
        run_sent_ = 0;
        ++done;
      }
    }
    return unary;
  }

  BitWriter& out_;
  Coding coding_;
  const Palette& palette_;
  std::span<const int> indices_;
  std::span<const std::size_t> runs_;
  bool raw_, zero_runs_;
  int weight_sent_ = 0;
  std::size_t run_sent_ = 0;
};

}  // namespace

Result<std::vector<std::uint8_t>> encode_weight_stream(std::span<const std::int16_t> weights) {
  std::vector<std::uint16_t> folded;
  folded.reserve(weights.size());
  for (const int weight : weights) {
    if (weight < -255 || weight > 255)
      return fail(ErrorCode::kUsage, fmt::format("weight {} is outside -255..255", weight));
    folded.push_back(static_cast<std::uint16_t>(fold(weight)));
  }
  BitWriter out;
  for (const Section& section : cut_sections(folded)) {
    const Symbols symbols = section_symbols(std::span(folded).subspan(section.first, section.count), section.plan);
    const auto slices = cut_slices(symbols, section.plan);
    for (const Slice& slice : slices) {
      const bool first = slice.first == 0;
      std::span<const std::size_t> runs;
      if (section.plan.zero_runs)
        runs = std::span(symbols.runs).subspan(first ? 0 : slice.first + 1, slice.count + (first ? 1 : 0));
      SliceWriter(out, slice.coding, section.plan.palette, std::span(symbols.indices).subspan(slice.first, slice.count),
                  runs)
          .write(first);
    }
  }
  return out.finish();
}

}  // namespace macaw::npu
