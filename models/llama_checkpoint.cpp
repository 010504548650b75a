#include "models/llama_checkpoint.hpp"

#include <fmt/format.h>
#include <macaw/interruption.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace macaw::models {
namespace {

constexpr std::int64_t kMaxSize = 1 << 17, kMaxLayers = 256;
// Limits within which every ratio of two scales is a multiplier and a shift.
constexpr float kMostMagnitude = 1e4f;
constexpr double kLeastRange = 1e-6, kLeastShare = 1.0 / (1 << 20);
constexpr std::int64_t kTokens = 64;  // that choose the ranges

tl::unexpected<Error> invalid(const std::string& name, std::string what) {
  return fail(ErrorCode::kInvalidFile, "not a checkpoint of a Llama decoder: " + std::move(what), {.file = name});
}

}  // namespace

std::int64_t LlamaCheckpoint::rows(Matrix matrix) const {
  switch (matrix) {
    case kKey:
    case kValue: return kv_heads * head();
    case kGate:
    case kUp: return inside;
    default: return width;
  }
}

std::int64_t LlamaCheckpoint::columns(Matrix matrix) const { return matrix == kDown ? inside : width; }

std::span<const float> LlamaCheckpoint::matrix(Matrix which, std::int64_t layer) const {
  const auto count = rows(which) * columns(which);
  return values(matrices_[which] + static_cast<std::size_t>(layer * count), count);
}

std::span<const float> LlamaCheckpoint::attention_norm(std::int64_t layer) const {
  return values(attention_norms_ + static_cast<std::size_t>(layer * width), width);
}

std::span<const float> LlamaCheckpoint::feed_norm(std::int64_t layer) const {
  return values(feed_norms_ + static_cast<std::size_t>(layer * width), width);
}

void LlamaCheckpoint::reorder_heads(Matrix which, std::int64_t count) {
  const auto length = static_cast<std::size_t>(width), half = static_cast<std::size_t>(head()) / 2;
  std::vector<float> rows(2 * half * length);
  for (std::int64_t group = 0; group < layers * count; ++group) {
    float* const first = values_.data() + matrices_[which] + static_cast<std::size_t>(group) * rows.size();
    for (std::size_t i = 0; i < half; ++i)
      for (const std::size_t part : {0u, 1u})
        std::copy_n(first + (2 * i + part) * length, length, rows.data() + (i + part * half) * length);
    std::ranges::copy(rows, first);
  }
}

namespace {

using Row = std::vector<float>;

/// The decoder in floats, a token at a time; notes what each place holds.
class FloatDecoder {
 public:
  explicit FloatDecoder(const LlamaCheckpoint& checkpoint)
      : c_(checkpoint), keys_(static_cast<std::size_t>(c_.layers)), values_(static_cast<std::size_t>(c_.layers)) {}

  /// The likeliest token behind this one.
  std::int64_t step(std::int64_t token) {
    const auto width = static_cast<std::size_t>(c_.width);
    const auto row = c_.embedding().subspan(static_cast<std::size_t>(token) * width, width);
    Row x(row.begin(), row.end());
    see(LlamaSite::kEmbedding, 0, x);
    for (std::int64_t layer = 0; layer < c_.layers; ++layer) {
      accumulate(x, attention(normed(x, c_.attention_norm(layer), 2 * layer), layer));
      see(LlamaSite::kMiddle, layer, x);
      accumulate(x, feed_forward(normed(x, c_.feed_norm(layer), 2 * layer + 1), layer));
      see(LlamaSite::kSum, layer, x);
    }
    const auto logits = product(c_.classifier(), normed(x, c_.final_norm(), 2 * c_.layers));
    see(LlamaSite::kLogit, 0, logits);
    ++position_;
    return std::ranges::max_element(logits) - logits.begin();
  }

  [[nodiscard]] bool overflows() const { return overflows_; }
  [[nodiscard]] LlamaRanges ranges() const {
    double largest = 0;
    for (const auto& [place, range] : ranges_)
      if (place.first != LlamaSite::kMeanSquare) largest = std::max(largest, range);
    auto all = ranges_;
    for (auto& [place, range] : all) range = std::max({range, largest * kLeastShare, kLeastRange});
    return all;
  }

 private:
  void see(LlamaSite site, std::int64_t number, std::span<const float> row) {
    auto& most = ranges_[{site, number}];
    const float limit = site == LlamaSite::kMeanSquare ? kMostMagnitude * kMostMagnitude : kMostMagnitude;
    for (const float v : row) {
      overflows_ |= !(std::abs(v) < limit);  // nor is it a number then
      most = std::max(most, std::abs(static_cast<double>(v)));
    }
  }

  static void accumulate(Row& x, const Row& more) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
  }

  static Row product(std::span<const float> matrix, const Row& x) {
    Row out(matrix.size() / x.size());
    for (std::size_t r = 0; r < out.size(); ++r) {
      const float* row = matrix.data() + r * x.size();
      float sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
      out[r] = sum;
    }
    return out;
  }

  Row normed(const Row& x, std::span<const float> weight, std::int64_t number) {
    float square = 0;
    for (const float v : x) square += v * v / static_cast<float>(x.size());
    see(LlamaSite::kMeanSquare, number, std::array{square});
    const float inverse = 1 / std::sqrt(square + static_cast<float>(c_.epsilon));
    see(LlamaSite::kInverse, number, std::array{inverse});
    Row out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * inverse;
    see(LlamaSite::kNormal, number, out);
    for (std::size_t i = 0; i < x.size(); ++i) out[i] *= weight[i];
    see(LlamaSite::kNormed, number, out);
    return out;
  }

  void rotate(Row& x) const {
    const auto head = static_cast<std::size_t>(c_.head()), half = head / 2;
    for (std::size_t first = 0; first < x.size(); first += head) {
      for (std::size_t i = 0; i < half; ++i) {
        const double angle =
            static_cast<double>(position_) * std::pow(c_.theta, -static_cast<double>(i) / static_cast<double>(half));
        const auto cosine = static_cast<float>(std::cos(angle)), sine = static_cast<float>(std::sin(angle));
        float &a = x[first + i], &b = x[first + half + i];
        const float turned = a * cosine - b * sine;
        b = a * sine + b * cosine;
        a = turned;
      }
    }
  }

  Row attention(const Row& x, std::int64_t layer) {
    const auto head = static_cast<std::size_t>(c_.head()), at = static_cast<std::size_t>(layer);
    Row query = product(c_.matrix(LlamaCheckpoint::kQuery, layer), x);
    Row key = product(c_.matrix(LlamaCheckpoint::kKey, layer), x);
    Row value = product(c_.matrix(LlamaCheckpoint::kValue, layer), x);
    for (auto [site, row] : {std::pair{LlamaSite::kQuery, &query}, {LlamaSite::kKey, &key}}) {
      see(site, layer, *row);
      rotate(*row);
      see(site, layer, *row);
    }
    see(LlamaSite::kValue, layer, value);
    keys_[at].push_back(std::move(key));
    values_[at].push_back(std::move(value));
    Row mixed(static_cast<std::size_t>(c_.width));
    Row weights(keys_[at].size());
    for (std::size_t h = 0; h < static_cast<std::size_t>(c_.heads); ++h) {
      const std::size_t shared = h / static_cast<std::size_t>(c_.heads / c_.kv_heads) * head;
      for (std::size_t t = 0; t < weights.size(); ++t) {
        float score = 0;
        for (std::size_t i = 0; i < head; ++i) score += query[h * head + i] * keys_[at][t][shared + i];
        weights[t] = score / std::sqrt(static_cast<float>(head));
      }
      see(LlamaSite::kScore, 0, weights);
      const float most = *std::ranges::max_element(weights);
      float total = 0;
      for (auto& w : weights) total += w = std::exp(w - most);
      see(LlamaSite::kTotal, 0, std::array{total});
      for (std::size_t t = 0; t < weights.size(); ++t)
        for (std::size_t i = 0; i < head; ++i) mixed[h * head + i] += weights[t] / total * values_[at][t][shared + i];
    }
    see(LlamaSite::kMixed, layer, mixed);
    Row merged = product(c_.matrix(LlamaCheckpoint::kMerge, layer), mixed);
    see(LlamaSite::kMerged, layer, merged);
    return merged;
  }

  Row feed_forward(const Row& x, std::int64_t layer) {
    Row gate = product(c_.matrix(LlamaCheckpoint::kGate, layer), x);
    const Row up = product(c_.matrix(LlamaCheckpoint::kUp, layer), x);
    see(LlamaSite::kGate, layer, gate);
    see(LlamaSite::kUp, layer, up);
    for (auto& g : gate) g /= 1 + std::exp(-g);
    see(LlamaSite::kGated, layer, gate);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i];
    see(LlamaSite::kProduct, layer, gate);
    Row down = product(c_.matrix(LlamaCheckpoint::kDown, layer), gate);
    see(LlamaSite::kDown, layer, down);
    return down;
  }

  const LlamaCheckpoint& c_;
  std::int64_t position_ = 0;
  std::vector<std::vector<Row>> keys_, values_;  // by layer and position
  LlamaRanges ranges_;
  bool overflows_ = false;
};

}  // namespace

Result<std::uint64_t> LlamaCheckpoint::lay_out(bool shares_classifier, const std::string& name) {
  struct Limit {
    const char* name;
    std::int64_t value, most;
  };
  for (const auto& [field, value, most] : {Limit{"dim", width, kMaxSize},
                                           {"hidden_dim", inside, kMaxSize},
                                           {"n_layers", layers, kMaxLayers},
                                           {"n_heads", heads, kMaxSize},
                                           {"n_kv_heads", kv_heads, kMaxSize},
                                           {"vocab_size", vocabulary, kMaxSize},
                                           {"seq_len", context, kMaxSize}})
    if (value < 1 || value > most) return invalid(name, fmt::format("{} is {}, not 1 to {}", field, value, most));
  if (width % heads != 0 || head() % 2 != 0 || heads % kv_heads != 0)
    return invalid(name, fmt::format("{} heads of {} columns with {} key heads", heads, width, kv_heads));
  std::uint64_t at = 0;
  const auto take = [&](std::int64_t count) {
    const auto from = static_cast<std::size_t>(at);
    at = std::min(at + static_cast<std::uint64_t>(count), kMaxValues);
    return from;
  };
  const auto take_matrix = [&](Matrix which) {
    matrices_[which] = take(std::min(layers * rows(which) * columns(which), std::int64_t{kMaxValues}));
  };
  take(vocabulary * width);
  attention_norms_ = take(layers * width);
  for (const auto which : {kQuery, kKey, kValue, kMerge}) take_matrix(which);
  feed_norms_ = take(layers * width);
  for (const auto which : {kGate, kDown, kUp}) take_matrix(which);
  final_norm_ = take(width);
  take(context * head());  // cosines and sines, which follow from the position
  classifier_ = shares_classifier ? 0 : take(vocabulary * width);
  return at;
}

Result<void> LlamaCheckpoint::finish(const std::string& name) {
  const auto bad = std::ranges::find_if(values_, [](float v) { return !(std::abs(v) < kMostMagnitude); });
  if (bad != values_.end())
    return invalid(name, fmt::format("weight {} is {}, expected a magnitude below {}", bad - values_.begin(),
                                     static_cast<double>(*bad), kMostMagnitude));
  FloatDecoder decoder(*this);
  std::int64_t token = std::min<std::int64_t>(1, vocabulary - 1);
  for (std::int64_t n = 0; n < std::min(kTokens, context); ++n) {
    MACAW_CHECK(Interruption::check());
    token = decoder.step(token);
  }
  if (decoder.overflows())
    return fail(ErrorCode::kUnsupported,
                fmt::format("an activation of the decoder in floats is not below {}, up to which its scales reach",
                            kMostMagnitude),
                {.file = name});
  ranges_ = decoder.ranges();
  return {};
}

Result<LlamaCheckpoint> LlamaCheckpoint::parse(std::span<const std::byte> bytes, const std::string& name) {
  std::array<std::int32_t, 7> header{};
  if (bytes.size() < sizeof header) return invalid(name, fmt::format("{} bytes, the header has 28", bytes.size()));
  std::memcpy(header.data(), bytes.data(), sizeof header);
  LlamaCheckpoint c;
  c.width = header[0];
  c.inside = header[1];
  c.layers = header[2];
  c.heads = header[3];
  c.kv_heads = header[4];
  c.vocabulary = std::abs(std::int64_t{header[5]});
  c.context = header[6];
  // A negative vocabulary states that the classifier has weights of its own.
  MACAW_ASSIGN(const auto values, c.lay_out(header[5] > 0, name));
  if (values >= kMaxValues || bytes.size() != sizeof header + values * sizeof(float))
    return invalid(name, fmt::format("{} bytes, sizes in its header call for {}{}", bytes.size(),
                                     values >= kMaxValues ? "at least " : "", sizeof header + values * sizeof(float)));
  c.values_.resize(static_cast<std::size_t>(values));
  std::memcpy(c.values_.data(), bytes.data() + sizeof header, c.values_.size() * sizeof(float));
  c.reorder_heads(kQuery, c.heads);
  c.reorder_heads(kKey, c.kv_heads);
  MACAW_CHECK(c.finish(name));
  return c;
}

}  // namespace macaw::models
