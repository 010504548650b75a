#include "tests/support/networks/random_graph.hpp"

#include "models/graph_builder.hpp"
#include "models/random.hpp"

#include <cmath>
#include <optional>

namespace macaw::test {
namespace {

using models::Rescale;
using models::Window;
using tosa::RoundingMode;
using tosa::ValueId;

class GraphGenerator {
 public:
  explicit GraphGenerator(std::uint64_t seed) : random_(seed) {}

  tosa::Graph run() {
    ValueId x = builder_.input("in0", DType::kINT8, {batch(), pick(1, 20), pick(1, 20), pick(1, 40)});
    for (auto left = pick(1, 5); left > 0; --left) x = layer(x);
    if (builder_.graph().main().operators.empty()) x = rescale(x);
    builder_.output(x, "out");
    return builder_.graph();
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) { return random_.between(low, high); }
  bool one_in(std::int64_t n) { return pick(1, n) == 1; }
  std::int64_t batch() { return one_in(6) ? pick(2, 3) : 1; }
  std::int8_t zero_point() { return static_cast<std::int8_t>(one_in(3) ? pick(-128, 127) : pick(-20, 20)); }

  ValueId layer(ValueId x) {
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2: return conv(x, false);
      case 3:
      case 4: return conv(x, true);
      case 5: return pool(x, true);
      case 6: return pool(x, false);
      case 7: return one_in(2) ? rescale(x) : reshape(x);
      default: return add(x);
    }
  }

  /// A window that fits the map and leaves no remainder; pooling wants padding below the kernel extent.
  std::optional<Window> window(const Shape& s, std::int64_t max_kernel, bool pooling) {
    Window w;
    const bool padded = one_in(2);
    for (std::size_t i = 0; i < 2; ++i) {
      w.kernel[i] = pick(1, max_kernel);
      w.stride[i] = one_in(8) ? pick(4, 6) : pick(1, 3);
      w.dilation[i] = !pooling && one_in(4) ? pick(2, 4) : 1;
      const auto extent = (w.kernel[i] - 1) * w.dilation[i] + 1;
      w.pad[2 * i] = padded ? pick(0, extent - 1) : 0;
      const auto span = s[1 + i] + w.pad[2 * i] - extent;
      auto& after = w.pad[2 * i + 1];
      after = span < 0 ? -span : (w.stride[i] - span % w.stride[i]) % w.stride[i];
      if (padded && after + w.stride[i] < extent && one_in(2)) after += w.stride[i];
      if (pooling && (after >= extent || w.pad[2 * i] >= extent)) return std::nullopt;
    }
    return w;
  }

  Tensor weights(Shape shape) {
    Tensor t(DType::kINT8, std::move(shape));
    const bool sparse = one_in(4);
    for (auto& v : t.data<std::int8_t>())
      v = static_cast<std::int8_t>(sparse && !one_in(5) ? 0 : one_in(50) ? pick(-128, 127) : random_.normal(40, 127));
    return t;
  }

  Tensor bias(std::int64_t n) {
    Tensor t(DType::kINT32, {n});
    for (auto& v : t.data<std::int32_t>()) v = static_cast<std::int32_t>(random_.normal(3000, 40000));
    return t;
  }

  RoundingMode rounding() { return one_in(2) ? RoundingMode::kSingleRound : RoundingMode::kDoubleRound; }

  /// Brings values of this deviation to int8, a little different per entry.
  Rescale to_int8(double deviation, std::int64_t entries) {
    Rescale r;
    for (std::int64_t i = 0; i < entries; ++i)
      models::append_scale(r, 45 / deviation * static_cast<double>(pick(500, 1500)) / 1000);
    r.output_zp = zero_point();
    r.rounding = rounding();
    return r;
  }

  ValueId maybe_clamp(ValueId x) {
    for (int i = 0; i < 2 && one_in(4); ++i) {
      const auto low = pick(-128, 40);
      x = builder_.clamp(x, static_cast<std::int8_t>(low), static_cast<std::int8_t>(pick(low, 127)));
    }
    return x;
  }

  ValueId conv(ValueId x, bool depthwise) {
    const Shape s = builder_.shape(x);
    if (s.size() != 4) return rescale(x);
    const auto w = window(s, one_in(6) ? 9 : 4, false);
    const auto [kh, kw] = w->kernel;
    const auto zp = zero_point();
    const auto weight_zp = static_cast<std::int8_t>(one_in(5) ? pick(-20, 20) : 0);
    if (depthwise) {
      const auto multiplier = one_in(5) ? pick(2, 3) : 1;
      const auto channels = s[3] * multiplier;
      const auto added = bias(channels);
      const auto acc = builder_.depthwise_conv2d(x, weights({kh, kw, s[3], multiplier}), added, *w, zp, weight_zp);
      const double deviation = 45 * 40 * std::sqrt(static_cast<double>(kh * kw));
      return maybe_clamp(builder_.rescale(acc, DType::kINT8, to_int8(deviation, one_in(2) ? channels : 1)));
    }
    const auto channels = one_in(8) ? pick(60, 200) : pick(1, 40);
    const auto added = bias(one_in(6) ? 1 : channels);
    const auto acc = builder_.conv2d(x, weights({channels, kh, kw, s[3]}), added, *w, zp, weight_zp);
    const double deviation = 45 * 40 * std::sqrt(static_cast<double>(kh * kw * s[3]));
    return maybe_clamp(builder_.rescale(acc, DType::kINT8, to_int8(deviation, one_in(2) ? channels : 1)));
  }

  ValueId pool(ValueId x, bool average) {
    const Shape s = builder_.shape(x);
    if (s.size() != 4) return rescale(x);
    const auto w = window(s, one_in(4) ? 14 : 8, true);
    if (!w) return x;
    if (!average) return maybe_clamp(builder_.max_pool2d(x, *w));
    const auto output_zp = zero_point();
    return maybe_clamp(builder_.avg_pool2d(x, *w, zero_point(), output_zp));
  }

  ValueId rescale(ValueId x) {
    auto r = to_int8(static_cast<double>(pick(20, 90)), 1);
    r.input_zp = zero_point();
    return maybe_clamp(builder_.rescale(x, DType::kINT8, r));
  }

  ValueId reshape(ValueId x) {
    const Shape s = builder_.shape(x);
    std::int64_t elements = 1;
    for (const auto e : s) elements *= e;
    if (elements <= 512 && one_in(2)) return builder_.reshape(x, {1, 1, 1, elements});
    const auto rows = elements % 4 == 0 ? 4 : elements % 3 == 0 ? 3 : 1;
    return builder_.reshape(x, one_in(2) ? Shape{1, rows, 1, elements / rows} : Shape{rows, elements / rows});
  }

  /// TFLite's addition (20 bits of headroom, the coarser operand by 2^19) or whole factors.
  ValueId add(ValueId x) {
    const Shape s = builder_.shape(x);
    ValueId y = x;
    if (!one_in(3)) {
      Shape other = s;
      if (one_in(3))
        for (std::size_t i = s.size() == 4 ? 1 : 0; i < s.size(); ++i)
          if (one_in(2)) other[i] = 1;
      y = builder_.input("in" + std::to_string(++inputs_), DType::kINT8, other);
    }
    Rescale a, b, out;
    if (one_in(3)) {
      const auto shift = static_cast<std::int8_t>(pick(10, 15));  // TOSA wants values below 2^(shift-1)
      for (auto* r : {&a, &b}) {
        r->multiplier = {static_cast<std::int32_t>(pick(600, 1500) << shift)};
        r->shift = {shift};
      }
      out = to_int8(45 * 1000 * 1.5, 1);
    } else {
      const double ratio = one_in(4) ? 1 : static_cast<double>(pick(100, 1000)) / 1000;
      models::append_scale(a, 0.5 * (1 << 20));
      models::append_scale(b, 0.5 * ratio * (1 << 20));
      if (one_in(2)) std::swap(a, b);
      out = to_int8(45 * 1.4 * (1 << 19), 1);
    }
    a.input_zp = zero_point();
    b.input_zp = zero_point();
    if (one_in(2)) {
      a.rounding = b.rounding = RoundingMode::kDoubleRound;
      out.rounding = RoundingMode::kDoubleRound;
    }
    const auto left = builder_.rescale(x, DType::kINT32, a), right = builder_.rescale(y, DType::kINT32, b);
    const auto sum = one_in(2) ? builder_.add(left, right) : builder_.add(right, left);
    return maybe_clamp(builder_.rescale(sum, DType::kINT8, out));
  }

  models::GraphBuilder builder_;
  models::Random random_;
  int inputs_ = 0;
};

}  // namespace

tosa::Graph random_graph(std::uint64_t seed) { return GraphGenerator(seed).run(); }

}  // namespace macaw::test
