#include "sim/datapath/bits.hpp"
#include "sim/datapath/weight_sections.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

// Encoding is a search in three steps. Weights are split into sections, each with its own palette and its own choice of
// zero runs; a section is split into slices, each with its own Golomb-Rice divisors; a slice is written chunk by chunk.
// The first two steps minimise the exact bit count of the symbols plus the headers.
namespace macaw::npu {
namespace {

using namespace weight_stream;

constexpr std::size_t kSliceStep = 64;  ///< coded weights between candidates for slice boundaries

/// How one slice codes its weights and zero runs.
struct Coding : WeightCoding {
  int zdiv = kZdivNone;
};
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

/// Finds the best divisors for every kSliceStep weights, with the cost of a header for each change (a shortest path
/// over groups of weights and codings).
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

/// Writes one slice; `runs` are the zero runs that it contains.
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
    std::size_t weights_pending = 0, runs_pending = 0;  ///< first symbols whose remainders are still to be written
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
