#include "sim/datapath/weight_stream.hpp"
#include "sim/datapath/weight_stream_format.hpp"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

using namespace weight_stream;

/// Bits of a byte string, least significant first. Reading past the end gives zeros and is remembered.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes), size_(bytes.size() * 8) {}

  unsigned read(int bits) {  // bits <= 16
    const std::size_t at = position_ >> 3;
    std::uint32_t window = 0;
    if (at + 4 <= bytes_.size()) {
      std::memcpy(&window, bytes_.data() + at, 4);
      if constexpr (std::endian::native == std::endian::big) window = __builtin_bswap32(window);
    } else {
      for (std::size_t i = at; i < bytes_.size(); ++i) window |= std::uint32_t{bytes_[i]} << (8 * (i - at));
    }
    window >>= position_ & 7;
    position_ += static_cast<std::size_t>(bits);
    return window & ((1u << bits) - 1);
  }
  void align() { position_ = (position_ + 7) & ~std::size_t{7}; }
  [[nodiscard]] std::size_t left() const { return position_ < size_ ? size_ - position_ : 0; }
  [[nodiscard]] bool overrun() const { return position_ > size_; }
  [[nodiscard]] std::size_t byte() const { return position_ >> 3; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t size_, position_ = 0;
};

/// Quotients completed in one chunk; their remainders arrive one chunk later.
struct Chunk {
  std::array<unsigned, kUnaryBits> quotient{};
  int count = 0;
};

class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> stream, std::size_t max_weights) : bits_(stream), max_(max_weights) {}

  Result<std::vector<std::int16_t>> run() {
    while (bits_.left() >= kZdivBits) {
      const unsigned zdiv = bits_.read(kZdivBits);
      if (zdiv == kZdivEndOfStream) {
        bits_.align();
        continue;
      }
      MACAW_CHECK(slice(static_cast<int>(zdiv)));
    }
    return std::move(out_);
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
    } else if (!have_palette_) {
      return bad("the first slice has no palette section");
    }
    have_palette_ = true;
    if (raw_) wdiv_ = raw_width(palsize_, palbits_);
    if (bits_.overrun()) return bad("ends inside a slice header");
    return {};
  }

  Result<void> slice(int zdiv) {
    MACAW_CHECK(header(zdiv));
    if (static_cast<std::size_t>(weights_) > max_ - out_.size()) return too_many();
    indices_.clear();
    runs_.clear();
    const int runs = zero_runs_ ? weights_ + (new_palette_ ? 1 : 0) : 0;
    int weights_done = 0, runs_done = 0;
    unsigned weight_quotient = 0, run_quotient = 0;
    Chunk weight_chunk, run_chunk;
    for (;;) {
      const int balance = zero_runs_ ? weights_done - runs_done : 0;
      const bool more_weights = weights_done < weights_ && balance < kBalanceLimit;
      const bool more_runs = runs_done < runs && balance >= 0;
      const unsigned unary0 = more_weights && !raw_ ? bits_.read(kUnaryBits) : 0;
      const unsigned zero_unary = more_runs ? bits_.read(zero_unary_bits(zdiv_)) : 0;
      unsigned unary1 = more_weights && !raw_ ? bits_.read(std::popcount(unary0)) : 0;
      for (int i = 0; i < weight_chunk.count; ++i)
        indices_.push_back((weight_chunk.quotient[static_cast<std::size_t>(i)] << wdiv_) + bits_.read(wdiv_));
      for (int i = 0; i < run_chunk.count; ++i)
        runs_.push_back((run_chunk.quotient[static_cast<std::size_t>(i)] << zdiv_) + bits_.read(zdiv_));
      if (bits_.overrun()) return bad("ends inside a slice");
      weight_chunk.count = run_chunk.count = 0;
      if (!more_weights && !more_runs) break;
      if (more_weights && raw_) {
        weight_chunk.quotient.fill(0);
        weight_chunk.count = std::min(raw_chunk(wdiv_), weights_ - weights_done);
        weights_done += weight_chunk.count;
      } else if (more_weights) {
        for (int i = 0; i < kUnaryBits && weights_done < weights_; ++i) {
          unsigned code = 0;
          if ((unary0 >> i) & 1) {
            code = 1 + (unary1 & 1);
            unary1 >>= 1;
          }
          weight_quotient += code;
          if (code == 2 && !truncated_) continue;
          // No index above the largest folded value exists, so larger quotients need not be told apart.
          weight_chunk.quotient[static_cast<std::size_t>(weight_chunk.count++)] = std::min(weight_quotient, kHuge);
          weight_quotient = 0;
          ++weights_done;
        }
        weight_quotient = std::min(weight_quotient, kHuge);
      }
      if (more_runs) {
        for (int i = 0; i < zero_unary_bits(zdiv_) && runs_done < runs; ++i) {
          if ((zero_unary >> i) & 1) {
            ++run_quotient;
          } else {
            run_chunk.quotient[static_cast<std::size_t>(run_chunk.count++)] = run_quotient;
            run_quotient = 0;
            ++runs_done;
          }
        }
      }
    }
    return emit();
  }

  Result<void> emit() {
    std::size_t run = 0;
    if (zero_runs_ && new_palette_) MACAW_CHECK(zeros(runs_[run++]));
    for (const unsigned index : indices_) {
      if (index > kMaxFolded) return bad(fmt::format("index {} is out of range", index));
      const int i = static_cast<int>(index);
      const int folded = i < palsize_ ? palette_[index] : i - palsize_ + offset_;
      if (folded > kMaxFolded) return bad(fmt::format("weight index {} decodes outside -255..255", i));
      if (out_.size() == max_) return too_many();
      out_.push_back(static_cast<std::int16_t>(unfold(folded)));
      if (zero_runs_) MACAW_CHECK(zeros(runs_[run++]));
    }
    return {};
  }

  Result<void> zeros(unsigned count) {
    if (count > max_ - out_.size()) return too_many();
    out_.resize(out_.size() + count);
    return {};
  }

  tl::unexpected<Error> too_many() const {
    return bad(fmt::format("holds more than the {} weights that the operation consumes", max_));
  }

  static constexpr unsigned kHuge = 4096;

  BitReader bits_;
  std::size_t max_;
  std::vector<std::int16_t> out_;
  std::vector<unsigned> indices_, runs_;
  int zdiv_ = 0, wdiv_ = 0, weights_ = 0, offset_ = 0, palsize_ = 0, palbits_ = 0;
  bool zero_runs_ = false, raw_ = false, truncated_ = false, new_palette_ = false, have_palette_ = false;
  std::array<int, kMaxPalette> palette_{};
};

}  // namespace

Result<std::vector<std::int16_t>> decode_weight_stream(std::span<const std::uint8_t> stream, std::size_t max_weights) {
  return Decoder(stream, max_weights).run();
}

}  // namespace macaw::npu
