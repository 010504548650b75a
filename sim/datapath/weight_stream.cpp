#include "sim/datapath/weight_stream.hpp"
#include "sim/datapath/fast/weight_chunks.hpp"
#include "sim/datapath/weight_stream_bits.hpp"
#include "sim/datapath/weight_stream_steps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

using namespace weight_stream;

class Decoder {
 public:
  /// `out`: destination of the weights; null: they are only counted.
  Decoder(std::span<const std::uint8_t> stream, std::size_t max_weights, Uncleared<std::int16_t>* out)
      : bits_(stream), max_(max_weights), out_(out) {
    if (out_) out_->reserve(max_);
  }

  /// Returns the number of weights; chunks and slices only if weights are counted.
  Result<WeightStreamSize> run() {
    while (bits_.left() >= kZdivBits) {
      const unsigned zdiv = bits_.read(kZdivBits);
      if (zdiv == kZdivEndOfStream) {
        bits_.align();
        continue;
      }
      MACAW_CHECK(slice(static_cast<int>(zdiv)));
      ++slices_;
    }
    return WeightStreamSize{done_, chunks_, slices_};
  }

 private:
  tl::unexpected<Error> bad(std::string message) const {
    return fail(ErrorCode::kHardwareFault, "weight stream: " + std::move(message), {.byte_offset = bits_.byte()});
  }

  Result<void> header(int zdiv) {
    zdiv_ = zdiv;
    zero_runs_ = zdiv != kZdivNone;
    if (zero_runs_ && zdiv > kMaxZdiv) return bad(fmt::format("ZDIV {} is illegal", zdiv));
    weights_ = static_cast<int>(bits_.read(kSliceLengthBits)) + 1;
    wdiv_ = static_cast<int>(bits_.read(kWdivBits));
    raw_ = wdiv_ == kWdivRaw;
    if (!raw_ && wdiv_ > kMaxWdiv) return bad(fmt::format("WDIV {} is illegal", wdiv_));
    truncated_ = bits_.read(1) != 0;
    new_palette_ = bits_.read(1) != 0;
    if (new_palette_) {
      offset_ = static_cast<int>(bits_.read(kDirofsBits));
      palsize_ = static_cast<int>(bits_.read(kPalsizeBits));
      if (palsize_ > 0) ++palsize_;
      palbits_ = static_cast<int>(bits_.read(kPalbitsBits)) + kMinPalbits;
      for (int i = 0; i < palsize_; ++i) palette_[static_cast<std::size_t>(i)] = static_cast<int>(bits_.read(palbits_));
      fill_values();
    } else if (!have_palette_) {
      return bad("the first slice has no palette section");
    }
    have_palette_ = true;
    if (raw_) wdiv_ = raw_width(palsize_, palbits_);
    if (bits_.overrun()) return bad("ends inside a slice header");
    return {};
  }

  [[nodiscard]] int runs_in_slice() const { return zero_runs_ ? weights_ + (new_palette_ ? 1 : 0) : 0; }

  Result<void> slice(int zdiv) {
    MACAW_CHECK(header(zdiv));
    if (static_cast<std::size_t>(weights_) > max_ - done_) return too_many();
    if (zero_runs_ ? !out_ && pass_over_runs() : out_ ? take_over() : pass_over()) return {};
    return take_any();
  }

  /// Reading position in a slice.
  struct Progress {
    Chunk<std::uint16_t> weight_chunk = {};
    Chunk<unsigned> run_chunk = {};
    unsigned weight_quotient = 0, run_quotient = 0;
    int weights_left, runs_left;
    std::int16_t* weight;
    unsigned* run;
    int balance = 0;
  };

  /// Reads any slice, or returns its error.
  Result<void> take_any() {
    values_read_.resize(static_cast<std::size_t>(weights_) + kSpareWeights);
    runs_.resize(static_cast<std::size_t>(runs_in_slice()));
    Progress at{
        .weights_left = weights_, .runs_left = runs_in_slice(), .weight = values_read_.data(), .run = runs_.data()};
    std::optional<unsigned> unknown;  // the first index that does not stand for a weight
    const int run_bits = zero_runs_ ? zero_unary_bits(zdiv_) : 0;
    for (;;) {
      if (out_ && zero_runs_ && !raw_ && !truncated_) take_known(at);
      const int balance = zero_runs_ ? at.balance : 0;
      const bool more_weights = at.weights_left > 0 && balance < kBalanceLimit;
      const bool more_runs = at.runs_left > 0 && balance >= 0;
      // At most 36 bits.
      const std::uint64_t window = bits_.peek();
      const int bits0 = more_weights && !raw_ ? kUnaryBits : 0, zero_bits = more_runs ? run_bits : 0;
      const auto unary0 = static_cast<unsigned>(window) & ((1u << bits0) - 1);
      const auto zero_unary = static_cast<unsigned>(window >> bits0) & ((1u << zero_bits) - 1);
      const auto unary1 = static_cast<unsigned>(window >> (bits0 + zero_bits)) & ((1u << kOnes[unary0]) - 1);
      bits_.skip(bits0 + zero_bits + kOnes[unary0]);
      bits_.read_remainders(at.weight_chunk.symbols(), wdiv_, [&](unsigned index) {
        *at.weight = value(index);
        if (*at.weight++ == kNoWeight && !unknown) unknown = index;
      });
      bits_.read_remainders(at.run_chunk.symbols(), zero_runs_ ? zdiv_ : 0, [&](unsigned read) { *at.run++ = read; });
      if (bits_.overrun()) return bad("ends inside a slice");
      at.weight_chunk.clear();
      at.run_chunk.clear();
      if (!more_weights && !more_runs) break;
      ++chunks_;
      if (more_weights && raw_) {
        at.weight_chunk.zeros(std::min(raw_chunk(wdiv_), at.weights_left));
      } else if (more_weights) {
        add_quotients(at.weight_chunk, kWeightSteps[truncated_ ? 1 : 0].data(), unary0, unary1, at.weight_quotient);
        at.weight_chunk.limit(at.weights_left);
      }
      if (more_runs) {
        for (int bit = 0; bit < run_bits; bit += 4)
          at.run_chunk.add(kRunSteps[zero_unary >> bit & 15], at.run_quotient);
        at.run_chunk.limit(at.runs_left);
      }
      at.weights_left -= at.weight_chunk.count();
      at.runs_left -= at.run_chunk.count();
      at.balance += at.weight_chunk.count() - at.run_chunk.count();
    }
    return emit(unknown);
  }

  /// The part of take_any() for most of a slice with zero runs. Reads chunks of known indices.
  void take_known(Progress& at) {
    WeightsRead weights{{}, at.weight_quotient, at.weights_left, at.weight};
    RunsRead runs{{}, at.run_quotient, at.runs_left, at.run, zdiv_, at.balance};
    const IndexCode code = index_code();
    if (!weights.quotients.assign(at.weight_chunk.symbols(), code.quotients_known) ||
        !runs.quotients.assign(at.run_chunk.symbols(), ByteChunk::kLimit))
      return;
    take_chunks(code, bits_, weights, runs);
    at.weight_chunk.assign(weights.quotients.symbols());
    at.run_chunk.assign(runs.quotients.symbols());
    at = {at.weight_chunk, at.run_chunk, weights.pending, runs.pending, weights.left,
          runs.left,       weights.next, runs.next,       runs.balance};
  }

  static void add_quotients(Chunk<std::uint16_t>& chunk, const Step* steps, unsigned codes, unsigned further,
                            unsigned& pending) {
    // No index exceeds the largest folded value, so larger quotients need not be distinguished.
    pending = std::min(pending, kHuge);
    for (int bit = 0; bit < kUnaryBits; bit += 4) {
      const unsigned four = codes >> bit & 15;
      chunk.add(steps[four | (further & 15) << 4], pending);
      further >>= kOnes[four];
    }
  }

  /// Reads the weights of a slice without zero runs if every index stands for one; otherwise returns false and reads
  /// nothing.
  [[nodiscard]] bool take_over() {
    out_->resize(done_ + static_cast<std::size_t>(weights_));
    std::int16_t* next = out_->data() + done_;
    std::int16_t least = INT16_MAX;
    // The loop modifies local copies, which can stay in registers.
    BitReader bits = bits_;
    const int wdiv = wdiv_;
    const std::size_t quotients_known = known_ >> wdiv;
    const Step* const steps = kWeightSteps[truncated_ ? 1 : 0].data();
    const std::int16_t* const values = values_.data();
    std::array<Chunk<std::uint16_t>, 2> chunks;
    auto *chunk = chunks.data(), *before = chunk + 1;
    unsigned pending = 0;
    bool known = known_indices();  // of the chunk, for any remainders
    for (int left = weights_;; left -= chunk->count()) {
      if (known && !truncated_ && !raw_) take_known(bits, *chunk, pending, left, next);
      std::swap(chunk, before);  // whose remainders are read now
      chunk->clear();
      const bool known_before = known;
      if (left > 0 && raw_) {
        chunk->zeros(std::min(raw_chunk(wdiv), left));
      } else if (left > 0) {
        const auto window = static_cast<unsigned>(bits.peek());
        const unsigned codes = window & ((1u << kUnaryBits) - 1);
        const unsigned further = (window >> kUnaryBits) & ((1u << kOnes[codes]) - 1);
        bits.skip(kUnaryBits + kOnes[codes]);
        if (!truncated_) known = pending + 2 * kOnes[further] + 1 < quotients_known;
        add_quotients(*chunk, steps, codes, further, pending);
        chunk->limit(left);
      }
      if (known_before) bits.read_remainders(before->symbols(), wdiv, [&](unsigned index) { *next++ = values[index]; });
      else
        bits.read_remainders(before->symbols(), wdiv, [&](unsigned index) {
          *next = value(index);
          least = std::min(least, *next++);
        });
      if (left == 0) break;
    }
    if (least == kNoWeight || bits.overrun()) {
      out_->resize(done_);
      return false;
    }
    bits_ = bits;
    done_ += static_cast<std::size_t>(weights_);
    return true;
  }

  /// The part of take_over() for most weights. `chunk` is the one whose remainders are next; weights are written to
  /// `next`.
  void take_known(BitReader& bits, Chunk<std::uint16_t>& chunk, unsigned& pending, int& left,
                  std::int16_t*& next) const {
    WeightsRead weights{{}, pending, left, next};
    const IndexCode code = index_code();
    if (left < kSpareWeights || !weights.quotients.assign(chunk.symbols(), code.quotients_known)) return;
    take_chunks(code, bits, weights);
    chunk.assign(weights.quotients.symbols());
    pending = weights.pending;
    left = weights.left;
    next = weights.next;
  }

  [[nodiscard]] IndexCode index_code() const {
    return {wdiv_, std::min(known_ >> wdiv_, ByteChunk::kLimit), palsize_, offset_ - palsize_, values_.data()};
  }

  /// Whether each index of fixed width or with a truncated quotient stands for a weight; for other indices, whether one
  /// with the quotient 0 does.
  [[nodiscard]] bool known_indices() const { return known_ >> wdiv_ > (truncated_ && !raw_ ? 2u : 0u); }

  /// Counts the weights of a slice without zero runs from its unary parts alone, if these show that each index stands
  /// for a weight; otherwise returns false and reads nothing.
  [[nodiscard]] bool pass_over() {
    // The loop modifies local copies, which can stay in registers.
    BitReader bits = bits_;
    const int wdiv = wdiv_;
    unsigned pending = 0;  // partial count of a quotient that is not complete
    bool all = known_indices();
    std::uint64_t chunks = 0;
    for (int left = weights_, chunk = 0; all; left -= chunk) {
      const int before = chunk * wdiv;  // remainders arrive a chunk later
      if (left == 0) {
        bits.skip(before);
        break;
      }
      ++chunks;
      if (raw_) {
        bits.skip(before);
        chunk = std::min(raw_chunk(wdiv), left);
        continue;
      }
      const std::uint64_t window = bits.peek();
      const unsigned codes = window & ((1u << kUnaryBits) - 1);
      const unsigned further = (window >> kUnaryBits) & ((1u << kOnes[codes]) - 1);
      bits.skip(kUnaryBits + kOnes[codes] + before);
      chunk = std::min(pass_codes(codes, further, pending, all), left);
    }
    if (!all || bits.overrun()) return false;
    bits_ = bits;
    done_ += static_cast<std::size_t>(weights_);
    chunks_ += chunks;
    return true;
  }

  /// The same for a slice with zero runs, whose remainders are counted as well.
  [[nodiscard]] bool pass_over_runs() {
    const BitReader begin = bits_;
    const int runs = runs_in_slice();
    std::size_t zeros = 0;
    unsigned pending = 0;  // partial count of a quotient that is not complete
    bool all = known_indices();
    std::uint64_t chunks = 0;
    int passed = 0, passed_runs = 0;
    for (int chunk = 0, run_chunk = 0; all;) {
      const int balance = passed - passed_runs;
      const bool more_weights = passed < weights_ && balance < kBalanceLimit;
      const bool more_runs = passed_runs < runs && balance >= 0;
      const int code_bits = more_weights && !raw_ ? kUnaryBits : 0, run_bits = more_runs ? zero_unary_bits(zdiv_) : 0;
      std::uint64_t window = bits_.peek();
      const auto take = [&window](int bits) {
        const auto taken = static_cast<unsigned>(window) & ((1u << bits) - 1);
        window >>= bits;
        return taken;
      };
      const unsigned codes = take(code_bits), ones = take(run_bits), further = take(kOnes[codes]);
      // Remainders arrive a chunk later.
      bits_.skip(code_bits + run_bits + kOnes[codes] + chunk * wdiv_);
      zeros += sum_of_remainders(run_chunk);
      chunk = run_chunk = 0;
      if (!more_weights && !more_runs) break;
      ++chunks;
      if (more_weights) {
        chunk = std::min(raw_ ? raw_chunk(wdiv_) : pass_codes(codes, further, pending, all), weights_ - passed);
        passed += chunk;
      }
      if (more_runs) {
        run_chunk = std::min(run_bits - kOnes[ones], runs - passed_runs);
        passed_runs += run_chunk;
        const unsigned counted = passed_runs < runs ? kOnes[ones] : ones_before(ones, run_chunk);
        zeros += std::size_t{counted} << zdiv_;
      }
    }
    const std::size_t total = static_cast<std::size_t>(weights_) + zeros;
    if (!all || bits_.overrun() || total > max_ - done_) {
      bits_ = begin;
      return false;
    }
    done_ += total;
    chunks_ += chunks;
    return true;
  }

  /// Returns the number of quotients that a chunk completes. Clears `all` if indices with one of them may not stand for
  /// weights.
  [[nodiscard]] int pass_codes(unsigned codes, unsigned further, unsigned& pending, bool& all) const {
    if (truncated_) return kUnaryBits;
    const std::size_t quotients = known_ >> wdiv_;  // smaller quotients stand for weights, for any remainder
    const unsigned open = kOnes[further];
    if (pending + 2 * open + 1 < quotients)
      pending = 2 * unfinished(codes, further) + (open == kUnaryBits ? pending : 0);
    else all = reach(codes, further, pending) < quotients;
    return kUnaryBits - static_cast<int>(open);
  }

  /// Ones before the zero number `zero`, counted from 1; all bits above the highest one are zeros.
  [[nodiscard]] static unsigned ones_before(unsigned ones, int zero) {
    unsigned zeros = ~ones;
    for (int i = 1; i < zero; ++i) zeros &= zeros - 1;
    return kOnes[ones & ((zeros & -zeros) - 1)];
  }

  /// Reads the remainders of `runs` zero runs.
  [[nodiscard]] std::size_t sum_of_remainders(int runs) {
    if (runs == 0 || zdiv_ == 0) return 0;
    std::size_t sum = 0;
    std::uint64_t window = bits_.peek();
    for (int i = 0; i < runs; ++i, window >>= zdiv_) sum += window & ((1u << zdiv_) - 1);
    bits_.skip(runs * zdiv_);
    return sum;
  }

  /// Number of codes of 2 at the end of a chunk, which complete no quotient.
  [[nodiscard]] static unsigned unfinished(unsigned codes, unsigned further) {
    constexpr unsigned kTop = 32 - kUnaryBits;
    const int ones = std::countl_one(codes << kTop);
    if (ones == 0) return 0;
    // Each code with a one has a further bit; that of the last code is the highest.
    return static_cast<unsigned>(std::min(ones, std::countl_one(further << (32 - kOnes[codes]))));
  }

  /// Fills in the values of the indices in the current palette section.
  void fill_values() {
    for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
      const int index = static_cast<int>(i);
      const int folded = index < palsize_ ? palette_[i] : index - palsize_ + offset_;
      values_[i] = static_cast<std::int16_t>(folded > kMaxFolded ? kNoWeight : unfold(folded));
    }
    values_.back() = kNoWeight;
    known_ = static_cast<std::size_t>(std::ranges::find(values_, kNoWeight) - values_.begin());
  }

  Result<void> emit(std::optional<unsigned> unknown) {
    const std::uint64_t zeros = std::accumulate(runs_.begin(), runs_.end(), std::uint64_t{0});
    const std::size_t total = static_cast<std::size_t>(weights_) + zeros;
    if (total > max_ - done_) return too_many();
    if (unknown) return bad(fmt::format("index {} stands for no weight in -255..255", *unknown));
    if (out_) place(total);
    done_ += total;
    return {};
  }

  /// Writes the weights of a slice with the zeros between them.
  void place(std::size_t total) {
    out_->resize(done_ + total);
    std::int16_t* next = out_->data() + done_;
    const auto weights = std::span(values_read_).first(static_cast<std::size_t>(weights_));
    if (!zero_runs_) {
      std::ranges::copy(weights, next);
      return;
    }
    std::fill_n(next, total, std::int16_t{0});
    const unsigned* run = runs_.data();
    if (new_palette_) next += *run++;
    for (const std::int16_t weight : weights) {
      *next++ = weight;
      next += *run++;
    }
  }

  [[nodiscard]] std::int16_t value(unsigned index) const {
    return values_[std::min<std::size_t>(index, values_.size() - 1)];
  }

  tl::unexpected<Error> too_many() const {
    return bad(fmt::format("holds more than the {} weights that the operation consumes", max_));
  }

  static constexpr unsigned kHuge = 4096;
  static constexpr std::int16_t kNoWeight = INT16_MIN;

  BitReader bits_;
  std::size_t max_;
  Uncleared<std::int16_t>* out_;
  std::size_t done_ = 0;
  std::uint64_t chunks_ = 0, slices_ = 0;
  Uncleared<std::int16_t> values_read_;  ///< of a slice, without the zeros of zero runs
  Uncleared<unsigned> runs_;
  int zdiv_ = 0, wdiv_ = 0, weights_ = 0, offset_ = 0, palsize_ = 0, palbits_ = 0;
  std::size_t known_ = 0;  ///< indices below it stand for weights
  bool zero_runs_ = false, raw_ = false, truncated_ = false, new_palette_ = false, have_palette_ = false;
  std::array<int, kMaxPalette> palette_{};
  std::array<std::int16_t, kMaxFolded + 2> values_{};  ///< the last one, for all larger indices, is kNoWeight
};

}  // namespace

Result<Uncleared<std::int16_t>> decode_weight_stream(std::span<const std::uint8_t> stream, std::size_t max_weights) {
  Uncleared<std::int16_t> weights;
  MACAW_CHECK(Decoder(stream, max_weights, &weights).run());
  return weights;
}

Result<WeightStreamSize> measure_weight_stream(std::span<const std::uint8_t> stream, std::size_t max_weights) {
  return Decoder(stream, max_weights, nullptr).run();
}

Result<std::size_t> count_weight_stream(std::span<const std::uint8_t> stream, std::size_t max_weights) {
  MACAW_ASSIGN(const WeightStreamSize size, measure_weight_stream(stream, max_weights));
  return size.weights;
}

}  // namespace macaw::npu
