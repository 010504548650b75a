#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "models/llama_checkpoint.hpp"
#include "models/models.hpp"
#include "models/step_layers.hpp"

namespace macaw::models {
namespace {

/// Sizes of the checkpoints of llama2.c (karpathy/llama2.c, README.md and the headers of the checkpoints): the stories
/// of 260 thousand, 15 million and 42 million parameters.
struct Size {
  std::string_view name;
  std::int64_t width, layers, heads, kv_heads, inside, vocabulary, context;

  [[nodiscard]] std::int64_t head() const { return width / heads; }
};
constexpr std::array kSizes{Size{"tiny", 16, 2, 4, 2, 32, 32, 16}, Size{"260k", 64, 5, 8, 4, 172, 512, 512},
                            Size{"15m", 288, 6, 6, 6, 768, 32000, 256}, Size{"42m", 512, 8, 8, 8, 1376, 32000, 1024}};

constexpr double kResidual = 1.0 / 16, kHidden = 1.0 / 32, kScore = 1.0 / 16, kLogit = 1.0 / 16;
// How far int16 activations may exceed what the checkpoint's own tokens reach.
constexpr double kMargin = 2;
constexpr double kNormEpsilon = 1e-5;  // of the norms, without a checkpoint

/// One decode step over a cache of key and value rows, or without a cache the whole context at once.
class Decoder {
 public:
  /// With a checkpoint its weights, and scales for what they give; otherwise both are made up.
  Decoder(const Size& size, const BuildOptions& options)
      : checkpoint_(options.weights),
        scales_(options.scales),
        size_(size),
        whole_(options.form == "whole"),
        rows_(whole_ ? size.context : 1),
        net_(options.seed, options.form == "variable", options.activations == "int16" ? DType::kINT16 : DType::kINT8),
        score_(scale(LlamaSite::kScore, 0, kScore)),
        sign_(1.0 / net_.top()) {}

  tosa::Graph build() {
    auto& builder = net_.builder();
    const auto token = builder.input("token", DType::kINT32, {1, rows_});
    if (!whole_) position_ = builder.input("position", DType::kINT32, {1, 1});
    if (!whole_) position_of_heads_ = builder.tile(position_, {size_.kv_heads, 1});
    constants();
    const auto embedding =
        checkpoint_ ? net_.rows(size_.width, checkpoint_->embedding(), scale(LlamaSite::kEmbedding, 0, kResidual))
                    : net_.random_rows(size_.vocabulary, size_.width, 1, scale(LlamaSite::kEmbedding, 0, kResidual));
    auto x = net_.reshape(net_.gather(embedding, token), {1, 1, rows_, size_.width});
    for (std::int64_t layer = 0; layer < size_.layers; ++layer) {
      x = sum(x, attention(norm(x, 2 * layer), layer), scale(LlamaSite::kMiddle, layer, kResidual));
      x = sum(x, feed_forward(norm(x, 2 * layer + 1), layer), scale(LlamaSite::kSum, layer, kResidual));
    }
    const auto normed = norm(x, 2 * size_.layers);
    const auto logits = checkpoint_
                            ? net_.linear(normed, checkpoint_->classifier(), scale(LlamaSite::kLogit, 0, kLogit))
                            : net_.linear(normed, size_.vocabulary, 1.5, scale(LlamaSite::kLogit, 0, kLogit));
    net_.output(logits, "logits");
    const auto next = builder.argmax(builder.reshape(logits.value, {rows_, size_.vocabulary}), 1);
    builder.output(builder.reshape(next, {1, rows_}), "next");
    return net_.finish(scales_);
  }

 private:
  /// The scale under which the largest magnitude of a place is 127 steps of int8. `made_up` is that without a
  /// checkpoint.
  [[nodiscard]] double scale(LlamaSite site, std::int64_t number, double made_up) const {
    const double margin = net_.is_int16() ? kMargin : 1;
    return checkpoint_ ? margin * checkpoint_->ranges().at({site, number}) / net_.top() : made_up * 127 / net_.top();
  }

  /// Where terms cancel, the scale stays within what an addition can be rescaled by.
  Fixed sum(const Fixed& a, const Fixed& b, double scale) {
    constexpr double kMostRatio = 256;
    return net_.add(a, b, std::max({scale, a.scale / kMostRatio, b.scale / kMostRatio}));
  }

  Fixed norm(const Fixed& x, std::int64_t number) {
    if (!checkpoint_ && !net_.is_int16()) return rms_norm(net_, x);
    if (!checkpoint_)
      return rms_norm_int16(net_, x, drawn_norm_weights(net_, size_.width), kNormEpsilon,
                            scale(LlamaSite::kNormal, number, kHidden), scale(LlamaSite::kNormed, number, kHidden));
    const auto layer = number / 2;
    const auto weights = layer == size_.layers ? checkpoint_->final_norm()
                         : number % 2 == 0     ? checkpoint_->attention_norm(layer)
                                               : checkpoint_->feed_norm(layer);
    if (net_.is_int16())
      return rms_norm_int16(net_, x, std::vector<double>(weights.begin(), weights.end()), checkpoint_->epsilon,
                            scale(LlamaSite::kNormal, number, 0), scale(LlamaSite::kNormed, number, 0));
    return rms_norm(net_, x, weights,
                    {scale(LlamaSite::kMeanSquare, number, 0), scale(LlamaSite::kInverse, number, 0),
                     scale(LlamaSite::kNormal, number, 0), scale(LlamaSite::kNormed, number, 0)});
  }

  /// A matrix of a layer applied to rows.
  Fixed project(const Fixed& x, LlamaCheckpoint::Matrix matrix, std::int64_t layer, std::int64_t channels,
                LlamaSite site, double made_up) {
    if (checkpoint_) return net_.linear(x, checkpoint_->matrix(matrix, layer), scale(site, layer, made_up));
    return net_.linear(x, channels, 1, scale(site, layer, made_up));
  }

  /// A table with a row for each position, or the rows of this step's.
  Fixed at_position(const std::vector<double>& values, std::int64_t width, double scale) {
    const auto rows = net_.constant({1, size_.context, width}, values, scale);
    return whole_ ? rows : net_.gather(rows, position_);
  }

  void constants() {
    const auto head = size_.head(), half = head / 2;
    const double theta = checkpoint_ ? checkpoint_->theta : kLlamaTheta;
    std::vector<double> cosines, sines, bias, mask;
    for (std::int64_t t = 0; t < size_.context; ++t) {
      for (std::int64_t i = 0; i < head; ++i) {
        const double angle =
            static_cast<double>(t) * std::pow(theta, -static_cast<double>(i % half) / static_cast<double>(half));
        cosines.push_back(std::cos(angle));
        sines.push_back(i < half ? -std::sin(angle) : std::sin(angle));
      }
      for (std::int64_t s = 0; s < size_.context; ++s) {
        bias.push_back(s > t ? -(net_.top() + 1) * 2 * score_ : 0);
        mask.push_back(s > t ? 0 : 1);
      }
    }
    cosine_ = at_position(cosines, head, sign_);
    sine_ = at_position(sines, head, sign_);
    bias_ = at_position(bias, size_.context, 2 * score_);
    mask_ = at_position(mask, size_.context, sign_);
  }

  Fixed heads(const Fixed& x, std::int64_t count) {
    return net_.transpose(net_.reshape(x, {rows_, count, size_.head()}), {1, 0, 2});
  }

  /// Rotary position embedding of [N,R,D], halves rotated against each other.
  Fixed rotate(const Fixed& x) {
    const auto shape = net_.shape(x);
    const auto half = shape[2] / 2;
    const auto swapped = net_.concat(
        {net_.slice(x, {0, 0, half}, {shape[0], shape[1], half}), net_.slice(x, {0, 0, 0}, {shape[0], shape[1], half})},
        2);
    return net_.add(net_.mul(x, cosine_, x.scale), net_.mul(swapped, sine_, x.scale), x.scale);
  }

  /// The rows of all positions up to this one.
  Fixed cached(const Fixed& row, const std::string& name) {
    if (whole_) return row;
    return net_.update_rows(name, {size_.kv_heads, size_.context, size_.head()}, position_of_heads_, row);
  }

  Fixed attention(const Fixed& x, std::int64_t layer) {
    const auto head = size_.head(), kv = size_.kv_heads;
    const auto q =
        rotate(heads(project(x, LlamaCheckpoint::kQuery, layer, size_.width, LlamaSite::kQuery, kHidden), size_.heads));
    const auto k = rotate(heads(project(x, LlamaCheckpoint::kKey, layer, kv * head, LlamaSite::kKey, kHidden), kv));
    const auto v = heads(project(x, LlamaCheckpoint::kValue, layer, kv * head, LlamaSite::kValue, kHidden), kv);
    const auto number = std::to_string(layer);
    const auto keys = cached(k, "k" + number), values = cached(v, "v" + number);
    // The query heads that share a key and value head become rows of one matrix.
    const auto grouped = net_.reshape(q, {kv, size_.heads / kv * rows_, head});
    auto products =
        net_.matmul(grouped, net_.transpose(keys, {0, 2, 1}), score_ * std::sqrt(static_cast<double>(head)));
    products.scale = score_;
    const auto scores = net_.reshape(products, {size_.heads, rows_, size_.context});
    // exp(-8) is less than a step of the weights.
    const auto inside =
        checkpoint_ ? std::optional(SoftmaxScales{8.0 / 127, scale(LlamaSite::kTotal, 0, 0)}) : std::nullopt;
    const auto mixed =
        net_.reshape(attend(net_, scores, values, &bias_, &mask_, scale(LlamaSite::kMixed, layer, kHidden), inside),
                     {size_.heads, rows_, head});
    const auto merged = net_.reshape(net_.transpose(mixed, {1, 0, 2}), {1, 1, rows_, size_.width});
    return project(merged, LlamaCheckpoint::kMerge, layer, size_.width, LlamaSite::kMerged, kResidual);
  }

  /// SwiGLU.
  Fixed feed_forward(const Fixed& x, std::int64_t layer) {
    const auto gate = net_.table(
        project(x, LlamaCheckpoint::kGate, layer, size_.inside, LlamaSite::kGate, kHidden),
        [](double v) { return v / (1 + std::exp(-v)); }, scale(LlamaSite::kGated, layer, kHidden));
    const auto up = project(x, LlamaCheckpoint::kUp, layer, size_.inside, LlamaSite::kUp, kHidden);
    return project(net_.mul(gate, up, scale(LlamaSite::kProduct, layer, kHidden)), LlamaCheckpoint::kDown, layer,
                   size_.width, LlamaSite::kDown, kResidual);
  }

  const LlamaCheckpoint* checkpoint_;
  std::map<std::string, double>* scales_;
  const Size& size_;
  const bool whole_;
  const std::int64_t rows_;  ///< positions that a run computes
  StepLayers net_;
  const double score_, sign_;  ///< scales of scores, and of what lies between -1 and 1
  tosa::ValueId position_ = 0, position_of_heads_ = 0;
  Fixed cosine_, sine_, bias_, mask_;
};

}  // namespace

/// Touvron et al., "LLaMA: Open and Efficient Foundation Language Models", 2023, in the form of llama2.c: RMSNorm,
/// rotary positions, grouped-query attention, SwiGLU.
tosa::Graph llama_decoder(const BuildOptions& options) {
  if (const auto* c = options.weights) {
    const Size own{"", c->width, c->layers, c->heads, c->kv_heads, c->inside, c->vocabulary, c->context};
    return Decoder(own, options).build();
  }
  const auto name = options.tiny ? "tiny" : options.size.empty() ? "15m" : options.size;
  const auto* size = std::ranges::find(kSizes, name, &Size::name);
  return Decoder(*size, options).build();
}

}  // namespace macaw::models
