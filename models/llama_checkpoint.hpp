#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace macaw::models {

constexpr double kLlamaTheta = 10000;  ///< default base of the rotary position embedding

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

/// Weights of a Llama decoder. Rotary embedding pairs the two halves of a head.
class LlamaCheckpoint {
 public:
  static constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 31;  ///< of all weights together

  enum Matrix : std::size_t { kQuery, kKey, kValue, kMerge, kGate, kDown, kUp, kMatrices };

  std::int64_t width = 0, inside = 0, layers = 0, heads = 0, kv_heads = 0, vocabulary = 0, context = 0;
  double theta = kLlamaTheta;  ///< base of the rotary position embedding
  double epsilon = 1e-5;       ///< added to the mean square by the norms

  /// Reads a checkpoint of llama2.c: 7 integers of 32 bits, then floats (legacy_export() in export.py of
  /// karpathy/llama2.c). Its query and key rows pair neighbours and are reordered. kInvalidFile names the fault: sizes,
  /// the length of the file, a weight with a magnitude of 10,000 or more; kUnsupported: an activation of that
  /// magnitude.
  [[nodiscard]] static Result<LlamaCheckpoint> parse(std::span<const std::byte> bytes, const std::string& name);
  /// Reads a safetensors file of F32, F16 or BF16 with the tensor names of Hugging Face's LlamaForCausalLM, and
  /// `config`, the text of the model's config.json. Errors: those of parse(), and kUnsupported for settings other than
  /// a plain Llama's (scaled positions, biases, another activation).
  [[nodiscard]] static Result<LlamaCheckpoint> parse_safetensors(std::span<const std::byte> bytes,
                                                                 std::string_view config, const std::string& name);

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
  /// Checks the sizes, and sets the places of all weights in the order of llama2.c. Returns the number of values.
  [[nodiscard]] Result<std::uint64_t> lay_out(bool shares_classifier, const std::string& name);
  /// Checks the weights and measures the ranges.
  [[nodiscard]] Result<void> finish(const std::string& name);

  std::vector<float> values_;
  LlamaRanges ranges_;
  std::size_t attention_norms_ = 0, feed_norms_ = 0, final_norm_ = 0, classifier_ = 0;
  std::size_t matrices_[kMatrices] = {};
};

}  // namespace macaw::models
