#include "sim/datapath/weight_stream.hpp"
#include "tests/unit/sim/datapath/support.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

// Slices of every header with random symbols, written bit by bit after u55_u65 4.1.
using namespace macaw::npu;

namespace {

using Random = std::mt19937;
int draw(Random& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

class Bits {
 public:
  void write(unsigned value, int bits) {
    for (int i = 0; i < bits; ++i) bits_.push_back(value >> i & 1);
  }
  [[nodiscard]] std::size_t size() const { return bits_.size(); }
  /// A multiple of `unit` bytes, what is left of them of ones or zeros.
  [[nodiscard]] std::vector<std::uint8_t> bytes(std::size_t unit = 16, bool filler = true) const {
    std::vector<std::uint8_t> out((bits_.size() + 8 * unit - 1) / (8 * unit) * unit);
    for (std::size_t i = 0; i < 8 * out.size(); ++i)
      out[i / 8] |= static_cast<std::uint8_t>((i < bits_.size() ? bits_[i] : filler) << i % 8);
    return out;
  }

 private:
  std::vector<bool> bits_;
};

struct Palette {
  int dirofs, bits;
  std::vector<int> entries;
  [[nodiscard]] int size() const { return static_cast<int>(entries.size()); }
  [[nodiscard]] std::int16_t weight(int index) const {
    const int folded = index < size() ? entries[static_cast<std::size_t>(index)] : index - size() + dirofs;
    return static_cast<std::int16_t>(folded % 2 == 0 ? folded / 2 : -(folded / 2));
  }
  /// Slices of indices of fixed width.
  [[nodiscard]] int width() const {
    int width = 0;
    while (1 << width < size()) ++width;
    return size() == 0 ? bits : width;
  }
};

Palette random_palette(Random& random) {
  Palette palette{draw(random, 32), 2 + draw(random, 8), {}};
  const int size = std::array{0, 2 + draw(random, 31), 32}[static_cast<std::size_t>(draw(random, 3))];
  for (int i = 0; i < size; ++i) palette.entries.push_back(draw(random, 1 << palette.bits));
  return palette;
}

/// Symbols of which each has a quotient, perhaps of a chunk before, and a remainder.
struct Symbols {
  std::vector<int> values;
  int divisor;
  std::size_t complete = 0, written = 0;
  int sent = 0;  // of the quotient that is not complete

  [[nodiscard]] bool more() const { return complete < values.size(); }
  [[nodiscard]] int quotient_left() const { return (values[complete] >> divisor) - sent; }
  void write_remainders(Bits& out, std::size_t end) {
    for (; written < end; ++written) out.write(static_cast<unsigned>(values[written]) & ((1u << divisor) - 1), divisor);
  }
};

struct Slice {
  int zdiv, wdiv;
  bool truncated, new_palette;
  Symbols weights, runs;
};

void write_chunks(Slice& slice, Bits& out) {
  const bool runs = slice.zdiv != 6, raw = slice.wdiv == 7;
  Symbols &w = slice.weights, &z = slice.runs;
  for (bool last = false; !last;) {
    const auto balance = static_cast<std::int64_t>(w.complete) - static_cast<std::int64_t>(z.complete);
    const bool more_weights = w.more() && (!runs || balance < 8), more_runs = runs && z.more() && balance >= 0;
    const std::size_t weights_before = w.complete, runs_before = z.complete;
    std::vector<unsigned> further;
    if (more_weights && raw) w.complete = std::min(w.values.size(), w.complete + (w.divisor > 5 ? 8 : 12));
    for (int bit = 0; bit < 12 && more_weights && !raw; ++bit) {
      const int code = w.more() ? std::min(w.quotient_left(), 2) : 0;
      out.write(code > 0, 1);
      if (code > 0) further.push_back(code == 2);
      w.sent += code;
      if (!w.more() || (code == 2 && !slice.truncated)) continue;
      w.sent = 0;
      ++w.complete;
    }
    for (int bit = 0; bit < (slice.zdiv == 3 ? 8 : 12) && more_runs; ++bit) {
      const bool one = z.more() && z.quotient_left() > 0;
      out.write(one, 1);
      z.sent = one ? z.sent + 1 : 0;
      if (!one && z.more()) ++z.complete;
    }
    for (const unsigned bit : further) out.write(bit, 1);
    w.write_remainders(out, weights_before);
    z.write_remainders(out, runs_before);
    last = !more_weights && !more_runs;
  }
}

void write(Slice& slice, const Palette& palette, Bits& out) {
  out.write(static_cast<unsigned>(slice.zdiv), 3);
  out.write(static_cast<unsigned>(slice.weights.values.size() - 1), 15);
  out.write(static_cast<unsigned>(slice.wdiv), 3);
  out.write(slice.truncated, 1);
  out.write(slice.new_palette, 1);
  if (slice.new_palette) {
    out.write(static_cast<unsigned>(palette.dirofs), 5);
    out.write(palette.size() == 0 ? 0 : static_cast<unsigned>(palette.size() - 1), 5);
    out.write(static_cast<unsigned>(palette.bits - 2), 3);
    for (const int entry : palette.entries) out.write(static_cast<unsigned>(entry), palette.bits);
  }
  write_chunks(slice, out);
}

Slice random_slice(Random& random, const Palette& palette, bool first) {
  Slice slice{draw(random, 5), draw(random, 7), random() % 4 == 0, first || random() % 3 == 0, {}, {}};
  if (slice.zdiv == 4) slice.zdiv = 6;
  if (slice.wdiv == 6) slice.wdiv = 7;
  const bool raw = slice.wdiv == 7;
  slice.weights.divisor = raw ? palette.width() : slice.wdiv;
  int indices = std::min(512, 512 - palette.dirofs + palette.size());
  if (raw) indices = std::min(indices, palette.size() == 0 ? 1 << palette.bits : palette.size());
  else if (slice.truncated) indices = std::min(indices, 3 << slice.wdiv);
  // Few quotients above 2, or many.
  const int spread = 1 + draw(random, random() % 3 == 0 ? indices : std::min(indices, 4 << slice.weights.divisor));
  const int count = 1 + draw(random, 600);
  for (int i = 0; i < count; ++i) slice.weights.values.push_back(draw(random, spread));
  slice.runs.divisor = slice.zdiv % 6;
  const int longest = std::array{1, 4, 40, 900}[static_cast<std::size_t>(draw(random, 4))];
  for (int i = 0; i < count + slice.new_palette && slice.zdiv != 6; ++i)
    slice.runs.values.push_back(random() % 8 == 0 ? draw(random, longest) : draw(random, std::min(longest, 4)));
  return slice;
}

}  // namespace

TEST_CASE("an index that stands for no weight is named wherever it stands in its slice") {
  Random random(12);
  int named = 0;
  for (int round = 0; round < 1500; ++round) {
    const Palette palette{1 + draw(random, 31), 9, {}};
    Slice slice = random_slice(random, palette, true);
    if (slice.wdiv == 7 || slice.truncated) continue;
    // The least of them, or any.
    const int index = 512 - palette.dirofs + (random() % 2 == 0 ? 0 : draw(random, palette.dirofs));
    auto& indices = slice.weights.values;
    // Among short quotients its own is the reach of its chunk.
    if (random() % 2 == 0)
      for (int& other : indices) other %= 2 << slice.wdiv;
    indices[random() % indices.size()] = index;
    Bits out;
    write(slice, palette, out);
    const auto weights = decode_weight_stream(out.bytes(), std::size_t{1} << 20);
    REQUIRE_FALSE(weights);
    CHECK(weights.error().message.find("index " + std::to_string(index) + " stands for no weight") !=
          std::string::npos);
    CHECK_FALSE(count_weight_stream(out.bytes(), std::size_t{1} << 20));
    ++named;
  }
  CHECK(named > 500);
}

TEST_CASE("slices of every header decode to the weights that were written") {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    Palette palette = random_palette(random);
    Bits out;
    std::vector<std::int16_t> expected;
    for (int slices = 1 + draw(random, 3), s = 0; s < slices; ++s) {
      Slice slice = random_slice(random, palette, s == 0);
      const std::vector<int>&indices = slice.weights.values, &runs = slice.runs.values;
      std::size_t run = 0;
      const auto zeros = [&] {
        if (!runs.empty()) expected.resize(expected.size() + static_cast<std::size_t>(runs[run++]));
      };
      if (slice.new_palette) zeros();
      for (const int index : indices) {
        expected.push_back(palette.weight(index));
        zeros();
      }
      write(slice, palette, out);
    }
    const auto stream = out.bytes();
    const auto weights = decode_weight_stream(stream, expected.size());
    INFO("round " << round << (weights ? "" : ": " + weights.error().to_string()));
    REQUIRE(weights);
    REQUIRE(std::ranges::equal(*weights, expected));
    REQUIRE(count_weight_stream(stream, expected.size()).value() == expected.size());
    if (expected.size() > 1) REQUIRE_FALSE(decode_weight_stream(stream, expected.size() - 1));
  }
}

TEST_CASE("a header takes every ZDIV and WDIV that there is, and no other") {
  const Palette palette{0, 4, {}};
  const std::vector<int> indices{1, 0, 2, 3, 0};
  for (int zdiv = 0; zdiv <= 6; ++zdiv)
    for (int wdiv = 0; wdiv <= 7; ++wdiv) {
      Slice slice{zdiv, wdiv, false, true, {indices, wdiv == 7 ? palette.width() : wdiv}, {}};
      slice.runs.divisor = zdiv % 6;
      if (zdiv != 6) slice.runs.values = {0, 1, 0, 5, 0, 2};
      Bits out;
      write(slice, palette, out);
      INFO("ZDIV " << zdiv << ", WDIV " << wdiv);
      const auto weights = decode_weight_stream(out.bytes(), 100);
      const auto count = count_weight_stream(out.bytes(), 100);
      const std::string problem = zdiv == 4 || zdiv == 5 ? "ZDIV" : wdiv == 6 ? "WDIV" : "";
      REQUIRE(weights.has_value() == problem.empty());
      REQUIRE(count.has_value() == problem.empty());
      if (!weights) {
        CHECK(weights.error().message.find(problem) != std::string::npos);
        CHECK(count.error().message == weights.error().message);
        continue;
      }
      CHECK(*count == weights->size());
      if (zdiv == 6) CHECK(std::ranges::equal(*weights, std::vector<int>{0, 0, 1, -1, 0}));
      else CHECK(std::ranges::equal(*weights, std::vector<int>{0, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0}));
    }
}

TEST_CASE("three bits behind a slice begin a header, and fewer are nothing") {
  const Palette palette{0, 4, {}};
  unsigned seen = 0;
  for (int weights = 1; weights <= 40; ++weights)
    for (const bool filler : {true, false}) {
      Slice slice{6, 1, false, true, {std::vector<int>(static_cast<std::size_t>(weights), 1), 1}, {}};
      Bits out;
      write(slice, palette, out);
      const auto bytes = out.bytes(1, filler);
      const auto left = 8 * bytes.size() - out.size();
      INFO(left << " bits of " << filler);
      const bool holds = filler || left < 3;
      CHECK(decode_weight_stream(bytes, 100).has_value() == holds);
      CHECK(count_weight_stream(bytes, 100).has_value() == holds);
      seen |= 1u << left;
    }
  CHECK((seen & 0b1100) == 0b1100);
}
