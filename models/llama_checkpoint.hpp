#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace macaw::models {

constexpr double kLlamaTheta = 10000;  ///< of the rotary positions

/// Places of a decoder whose scales are chosen by what they hold.
enum class LlamaSite {
  kEmbedding,
  kMeanSquare,  ///< of the two norms of a layer, and of the last; likewise the next three
  kInverse,     ///< 1 / sqrt(mean of squares)
  kNormal,
  kNormed,
  kQuery,
  kKey,
  kValue,
  kScore,
  kTotal,  ///< sum of exponentials, of which the largest is 1
  kMixed,
  kMerged,
  kMiddle,  ///< the sum behind the attention
  kGate,
  kGated,
  kUp,
  kProduct,
  kDown,
  kSum,  ///< the sum behind the layer
  kLogit
};

/// The largest magnitude at each place, by the number of the layer or norm, while the decoder writes up to 64 tokens
/// after token 1 in floats, always the likeliest; at least 2^-20 of the largest. kScore and kTotal
/// stand under layer 0 for all layers.
using LlamaRanges = std::map<std::pair<LlamaSite, std::int64_t>, double>;

/// Weights of a Llama decoder, of a checkpoint of llama2.c: 7 numbers of 32 bits and then floats (legacy_export() in
/// export.py of karpathy/llama2.c). Query and key rows are reordered so that the halves of a head are rotated against
/// each other, where the file has neighbours.
class LlamaCheckpoint {
 public:
  enum Matrix : std::size_t { kQuery, kKey, kValue, kMerge, kGate, kDown, kUp, kMatrices };

  std::int64_t width = 0, inside = 0, layers = 0, heads = 0, kv_heads = 0, vocabulary = 0, context = 0;

  /// kInvalidFile names what is not as expected: sizes, the length of the file, a weight that is
  /// not below 10,000; kUnsupported: an activation that is not.
  [[nodiscard]] static Result<LlamaCheckpoint> parse(std::span<const std::byte> bytes, const std::string& name);

  [[nodiscard]] std::int64_t head() const { return width / heads; }
  [[nodiscard]] std::int64_t rows(Matrix matrix) const;
  [[nodiscard]] std::int64_t columns(Matrix matrix) const;
  /// [rows][columns]
  [[nodiscard]] std::span<const float> matrix(Matrix matrix, std::int64_t layer) const;
  [[nodiscard]] std::span<const float> embedding() const { return values(0, vocabulary * width); }
  [[nodiscard]] std::span<const float> attention_norm(std::int64_t layer) const;
  [[nodiscard]] std::span<const float> feed_norm(std::int64_t layer) const;
  [[nodiscard]] std::span<const float> final_norm() const { return values(final_norm_, width); }
  [[nodiscard]] const LlamaRanges& ranges() const { return ranges_; }
  [[nodiscard]] std::span<const float> classifier() const { return values(classifier_, vocabulary * width); }

 private:
  [[nodiscard]] std::span<const float> values(std::size_t from, std::int64_t count) const {
    return std::span(values_).subspan(from, static_cast<std::size_t>(count));
  }
  void reorder_heads(Matrix matrix, std::int64_t count);

  std::vector<float> values_;
  LlamaRanges ranges_;
  std::size_t attention_norms_ = 0, feed_norms_ = 0, final_norm_ = 0, classifier_ = 0;
  std::size_t matrices_[kMatrices] = {};
};

}  // namespace macaw::models
