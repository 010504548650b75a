#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "models/llama_checkpoint.hpp"

// The format of safetensors: a length of 64 bits, JSON of that many bytes, and the tensors
// (github.com/huggingface/safetensors, README.md, "Format"). Names and settings are those of Hugging Face's
// transformers, models/llama/modeling_llama.py and configuration_llama.py.
namespace macaw::models {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostHeader = 100'000'000;  // the limit of the safetensors library

tl::unexpected<Error> malformed(const std::string& name, std::string what) {
  return fail(ErrorCode::kInvalidFile, "not weights of a Llama decoder: " + std::move(what), {.file = name});
}

/// A number of `bits` bits of a float with 8 exponent bits more significant (BF16), or of IEEE half precision (F16).
float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31, exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

/// The tensors of a file.
class Tensors {
 public:
  static Result<Tensors> open(std::span<const std::byte> bytes, const std::string& name) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length) return malformed(name, fmt::format("{} bytes", bytes.size()));
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length > std::min<std::uint64_t>(bytes.size() - sizeof length, kMostHeader))
      return malformed(name, fmt::format("a header of {} bytes in a file of {}", length, bytes.size()));
    const auto* text = reinterpret_cast<const char*>(bytes.data()) + sizeof length;
    Tensors tensors(name);
    tensors.header_ = json::parse(text, text + length, nullptr, false);
    if (!tensors.header_.is_object()) return malformed(name, "its header is not a JSON object");
    tensors.data_ = bytes.subspan(sizeof length + static_cast<std::size_t>(length));
    return tensors;
  }

  [[nodiscard]] bool has(const std::string& tensor) const { return header_.contains(tensor); }

  /// Copies a tensor of this shape to `out`, which has as many elements.
  [[nodiscard]] Result<void> read(const std::string& tensor, const std::vector<std::int64_t>& shape,
                                  std::span<float> out) const {
    if (!has(tensor)) return malformed(name_, fmt::format("it has no tensor '{}'", tensor));
    const auto& entry = header_[tensor];
    if (!entry.is_object() || entry.value("shape", json()) != json(shape))
      return malformed(
          name_, fmt::format("the shape of '{}' is {}, expected {}", tensor,
                             entry.is_object() ? entry.value("shape", json()).dump() : "missing", json(shape).dump()));
    const auto type = entry.value("dtype", json());
    const std::size_t size = type == "F32" ? 4 : type == "F16" || type == "BF16" ? 2 : 0;
    if (size == 0)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("tensor '{}' has type {}; supported: F32, F16, BF16", tensor, type.dump()),
                  {.file = name_});
    const auto range = entry.value("data_offsets", json());
    const bool is_range =
        range.is_array() && range.size() == 2 && range[0].is_number_unsigned() && range[1].is_number_unsigned();
    const auto from = is_range ? range[0].get<std::uint64_t>() : 1, to = is_range ? range[1].get<std::uint64_t>() : 0;
    if (from > to || to > data_.size() || to - from != out.size() * size)
      return malformed(name_, fmt::format("the data offsets of '{}' are {}, expected {} bytes inside {}", tensor,
                                          range.dump(), out.size() * size, data_.size()));
    const auto* data = data_.data() + from;
    if (size == 4) {
      std::memcpy(out.data(), data, out.size_bytes());
      return {};
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, data + 2 * i, sizeof bits);
      out[i] = type == "F16" ? from_half(bits) : from_bfloat(bits);
    }
    return {};
  }

 private:
  explicit Tensors(std::string name) : name_(std::move(name)) {}

  std::string name_;
  json header_;
  std::span<const std::byte> data_;
};

/// Reads settings of config.json.
class Config {
 public:
  Config(std::string_view text, const std::string& name) : name_(name), json_(json::parse(text, nullptr, false)) {}

  [[nodiscard]] bool is_object() const { return json_.is_object(); }
  [[nodiscard]] Result<std::int64_t> size(const char* key, std::optional<std::int64_t> otherwise = {}) const {
    const auto found = json_.find(key);
    if ((found == json_.end() || found->is_null()) && otherwise) return *otherwise;
    if (found == json_.end() || !found->is_number_integer())
      return malformed(name_, fmt::format("config.json does not state the integer \"{}\"", key));
    return found->get<std::int64_t>();
  }
  [[nodiscard]] Result<double> positive(const char* key, double otherwise) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return otherwise;
    const double value = found->is_number() ? found->get<double>() : 0;
    if (!(value > 0 && value < 1e12))
      return malformed(name_, fmt::format("\"{}\" of config.json is {}, not a positive number", key, found->dump()));
    return value;
  }
  /// kUnsupported unless the setting is absent or one of these values.
  [[nodiscard]] Result<void> expect(const char* key, std::initializer_list<json> values) const {
    const auto found = json_.find(key);
    if (found == json_.end() || std::ranges::find(values, *found) != values.end()) return {};
    return fail(ErrorCode::kUnsupported, fmt::format("\"{}\" of config.json is {}", key, found->dump()),
                {.file = name_});
  }
  [[nodiscard]] bool flag(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && found->is_boolean() && found->get<bool>();
  }

 private:
  const std::string& name_;
  json json_;
};

}  // namespace

Result<LlamaCheckpoint> LlamaCheckpoint::parse_safetensors(std::span<const std::byte> bytes, std::string_view text,
                                                           const std::string& name) {
  const Config config(text, name);
  if (!config.is_object()) return malformed(name, "config.json is not a JSON object");
  LlamaCheckpoint c;
  MACAW_ASSIGN(c.width, config.size("hidden_size"));
  MACAW_ASSIGN(c.inside, config.size("intermediate_size"));
  MACAW_ASSIGN(c.layers, config.size("num_hidden_layers"));
  MACAW_ASSIGN(c.heads, config.size("num_attention_heads"));
  MACAW_ASSIGN(c.kv_heads, config.size("num_key_value_heads", c.heads));
  MACAW_ASSIGN(c.vocabulary, config.size("vocab_size"));
  MACAW_ASSIGN(c.context, config.size("max_position_embeddings"));
  MACAW_ASSIGN(c.theta, config.positive("rope_theta", kLlamaTheta));
  MACAW_ASSIGN(c.epsilon, config.positive("rms_norm_eps", 1e-6));
  MACAW_CHECK(config.expect("hidden_act", {"silu"}));
  MACAW_CHECK(config.expect("rope_scaling", {nullptr}));
  MACAW_CHECK(config.expect("attention_bias", {false}));
  MACAW_CHECK(config.expect("mlp_bias", {false}));
  MACAW_ASSIGN(const auto tensors, Tensors::open(bytes, name));
  const bool shares = config.flag("tie_word_embeddings") || !tensors.has("lm_head.weight");
  MACAW_ASSIGN(const auto values, c.lay_out(shares, name));
  // Each weight takes two bytes at least, so that a small file cannot claim much memory.
  const auto unstored = static_cast<std::uint64_t>(c.context * c.head());
  if (values >= LlamaCheckpoint::kMaxValues || (values - unstored) * 2 > bytes.size())
    return malformed(name, fmt::format("{} bytes, fewer than its sizes need", bytes.size()));
  MACAW_CHECK(config.expect("head_dim", {nullptr, c.head()}));
  c.values_.resize(static_cast<std::size_t>(values));
  const auto read = [&](const std::string& tensor, std::size_t at, const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const auto extent : shape) count *= extent;
    return tensors.read(tensor, shape, std::span(c.values_).subspan(at, static_cast<std::size_t>(count)));
  };
  constexpr std::pair<Matrix, const char*> kNames[] = {{kQuery, "self_attn.q_proj"}, {kKey, "self_attn.k_proj"},
                                                       {kValue, "self_attn.v_proj"}, {kMerge, "self_attn.o_proj"},
                                                       {kGate, "mlp.gate_proj"},     {kDown, "mlp.down_proj"},
                                                       {kUp, "mlp.up_proj"}};
  MACAW_CHECK(read("model.embed_tokens.weight", 0, {c.vocabulary, c.width}));
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    const auto prefix = fmt::format("model.layers.{}.", layer);
    const auto norm = static_cast<std::size_t>(layer * c.width);
    MACAW_CHECK(read(prefix + "input_layernorm.weight", c.attention_norms_ + norm, {c.width}));
    MACAW_CHECK(read(prefix + "post_attention_layernorm.weight", c.feed_norms_ + norm, {c.width}));
    for (const auto& [which, tensor] : kNames) {
      const auto count = static_cast<std::size_t>(layer * c.rows(which) * c.columns(which));
      MACAW_CHECK(read(prefix + tensor + ".weight", c.matrices_[which] + count, {c.rows(which), c.columns(which)}));
    }
  }
  MACAW_CHECK(read("model.norm.weight", c.final_norm_, {c.width}));
  if (!shares) MACAW_CHECK(read("lm_head.weight", c.classifier_, {c.vocabulary, c.width}));
  MACAW_CHECK(c.finish(name));
  return c;
}

}  // namespace macaw::models
