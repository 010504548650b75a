#include "reference/fast/gemm/block_scaled_product.hpp"
#include "reference/fast/window/blocks.hpp"
#include "reference/fast/window/dot_product.hpp"
#include "reference/fast/workers.hpp"
#include "reference/op/block_scaled.hpp"
#include "reference/op/declare.hpp"
#include "reference/op/tensor/window.hpp"

// CONV2D_BLOCK_SCALED: CONV2D of values with scales along the channels. Padding, stride and dilation are inputs.

namespace macaw::tosa {
namespace {

enum Input : std::size_t { kData, kDataScale, kWeight, kWeightScale, kBias, kPad, kStride, kDilation };

/// Extents of the operands, in elements; padding, stride and dilation by axis, y first.
struct Geometry {
  std::int64_t in[2], kernel[2], out[2], pad[2], stride[2], dilation[2];
  std::int64_t batches;
  std::size_t channels, block, out_channels;

  [[nodiscard]] std::size_t positions() const { return static_cast<std::size_t>(batches * out[0] * out[1]); }
  [[nodiscard]] std::size_t blocks() const { return channels / block; }
  [[nodiscard]] std::size_t taps() const { return static_cast<std::size_t>(kernel[0] * kernel[1]); }
};

Geometry geometry_of(const Call& call) {
  const auto &in = call.in(kData).shape(), &weight = call.in(kWeight).shape(), &out = call.out(0).shape();
  const auto pad = call.in_data<std::int64_t>(kPad), stride = call.in_data<std::int64_t>(kStride),
             dilation = call.in_data<std::int64_t>(kDilation);
  return {{in[1], in[2]},
          {weight[1], weight[2]},
          {out[1], out[2]},
          {pad[0], pad[2]},
          {stride[0], stride[1]},
          {dilation[0], dilation[1]},
          in[0],
          static_cast<std::size_t>(in[3]),
          static_cast<std::size_t>(call.attr(Attr::k_block_size)),
          static_cast<std::size_t>(weight[0])};
}

template <class T>
struct Operands {
  explicit Operands(const Call& call)
      : data(call.in(kData), magnitudes_of_input(call)),
        data_scale(call.in(kDataScale), magnitudes_of_operand(call)),
        weight(call.in(kWeight), magnitudes_of_operand(call)),
        weight_scale(call.in(kWeightScale), magnitudes_of_operand(call)),
        bias(dot_product_operand<T>(call, kBias)) {}

  DotProductOperand<T> data, data_scale, weight, weight_scale;
  FloatInput<T> bias;
};

/// Sums of some output positions, tap by tap.
template <class T>
class Part {
 public:
  Part(const Call& call, const Geometry& g, const Operands<T>& operands, std::size_t rows)
      : call_(call),
        g_(g),
        operands_(operands),
        values_(rows * g.channels),
        scales_(rows * g.blocks()),
        weights_(g.out_channels * g.channels),
        weight_scales_(g.out_channels * g.blocks()),
        sums_(rows * g.out_channels),
        inside_(rows) {}

  /// Of the positions [first, first + rows).
  [[nodiscard]] std::span<T> run(std::size_t first, std::size_t rows) {
    std::fill_n(sums_.data(), rows * g_.out_channels, T{0});
    for (std::size_t tap = 0; tap < g_.taps(); ++tap) {
      for (std::size_t oc = 0; oc < g_.out_channels; ++oc) {
        load(operands_.weight, oc * g_.taps() + tap, g_.channels, &weights_[oc * g_.channels]);
        load(operands_.weight_scale, oc * g_.taps() + tap, g_.blocks(), &weight_scales_[oc * g_.blocks()]);
      }
      gather(static_cast<std::int64_t>(tap), first, rows);
      add_products(rows);
    }
    for (std::size_t i = 0; i < rows * g_.out_channels; ++i)
      sums_[i] += operands_.bias[operands_.bias.size() == 1 ? 0 : i % g_.out_channels];
    return sums_.span().first(rows * g_.out_channels);
  }

 private:
  /// Row `row` of rows of `count` elements.
  static void load(const DotProductOperand<T>& operand, std::size_t row, std::size_t count, T* out) {
    operand(static_cast<std::int64_t>(row * count), static_cast<std::int64_t>(count), out);
  }

  /// What one tap multiplies: a row for each output position, where it is inside the input.
  void gather(std::int64_t tap, std::size_t first, std::size_t rows) {
    const auto ky = tap / g_.kernel[1], kx = tap % g_.kernel[1];
    for (std::size_t row = 0; row < rows; ++row) {
      const auto position = static_cast<std::int64_t>(first + row);
      const auto ox = position % g_.out[1], oy = position / g_.out[1] % g_.out[0], n = position / g_.out[1] / g_.out[0];
      const auto y = oy * g_.stride[0] - g_.pad[0] + ky * g_.dilation[0];
      const auto x = ox * g_.stride[1] - g_.pad[1] + kx * g_.dilation[1];
      inside_[row] = y >= 0 && y < g_.in[0] && x >= 0 && x < g_.in[1];
      auto *values = &values_[row * g_.channels], *scales = &scales_[row * g_.blocks()];
      if (inside_[row]) {
        const auto pixel = static_cast<std::size_t>((n * g_.in[0] + y) * g_.in[1] + x);
        load(operands_.data, pixel, g_.channels, values);
        load(operands_.data_scale, pixel, g_.blocks(), scales);
      } else {
        std::fill_n(values, g_.channels, T{0});
        std::fill_n(scales, g_.blocks(), T{1});
      }
    }
  }

  /// Outside the input the values are not multiplied unless in a bounds run, but the scales are.
  void add_products(std::size_t rows) {
    const ScaledRows<T> weights{weights_.data(), weight_scales_.data(), g_.out_channels, g_.channels, g_.block};
    for (std::size_t first = 0, last = 0; first < rows; first = last) {
      while (last < rows && inside_[last] == inside_[first]) ++last;
      auto* to = &sums_[first * g_.out_channels];
      if (inside_[first] || multiplies_padding(call_)) {
        add_block_scaled_product<T>(
            call_.kernels,
            {&values_[first * g_.channels], &scales_[first * g_.blocks()], last - first, g_.channels, g_.block},
            weights, to);
      } else {
        for (std::size_t row = 0; row < last - first; ++row)
          for (std::size_t oc = 0; oc < g_.out_channels; ++oc)
            for (std::size_t b = 0; b < g_.blocks(); ++b)
              to[row * g_.out_channels + oc] += T{0} * weight_scales_[oc * g_.blocks() + b];
      }
    }
  }

  const Call& call_;
  const Geometry& g_;
  const Operands<T>& operands_;
  Scratch<T> values_, scales_, weights_, weight_scales_, sums_;
  std::vector<bool> inside_;
};

struct Convolution {
  template <class T>
  static Result<void> run(Call& call) {
    const auto g = geometry_of(call);
    const Operands<T> operands(call);
    const auto dtype = call.out(0).dtype();
    auto* out = call.out(0).bytes_to_fill().data();
    const auto work = g.channels * g.out_channels * g.taps();
    split(call, g.positions(), kLeastWork / std::max<std::size_t>(work, 1) + 1,
          [&](std::size_t first, std::size_t end) {
            const auto block =
                std::min(end - first, rows_in_block((g.channels + g.blocks() + g.out_channels) * sizeof(T)));
            Part<T> part(call, g, operands, block);
            for (; first < end; first += block)
              store_sums<T>(part.run(first, std::min(block, end - first)), dtype, out,
                            static_cast<std::int64_t>(first * g.out_channels));
          });
    return {};
  }
};

constexpr Argument kArguments[] = {
    input("input_data").type("in_t").shape("[N,IH,IW,IC]").rank(4),
    input("input_scale").type("scale_t").shape("[N,IH,IW,IC/block_size]").rank(4),
    input("weight_data").type("weight_t").shape("[OC,KH,KW,IC]").rank(4),
    input("weight_scale").type("scale_t").shape("[OC,KH,KW,IC/block_size]").rank(4),
    input("bias").type("out_t").shape("[BC]").rank(1),
    input("pad").type("shape_t").shape("[4]").rank(1).compile_time_constant(),
    input("stride").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("dilation").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    attribute("block_size").type("block_size_t"),
    output("output").type("out_t").shape("[N,OH,OW,OC]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "weight_t", "out_t"};

constexpr auto kRows = block_scaled_rows<5>([](BlockScaledType type) {
  return row({type.values, kFP8UE8M0, type.values, kFP32})
      .in(kExtMxfpConv, type.extension, kExtMxCommon)
      .since(1, 1)
      .by(float_kernel<Convolution>);
});
static_assert(kBlockScaledTypes[5].values == kMXINT8, "the one that CONV2D_BLOCK_SCALED does not have");

std::int64_t extent(const V& v, std::size_t axis, std::int64_t in, std::int64_t kernel) {
  const auto pad = v.ints("pad"), stride = v.ints("stride"), dilation = v.ints("dilation");
  const auto reach = (Wide{kernel} - 1) * dilation[axis] + 1;
  return window_output(in, Wide{pad[2 * axis]} + pad[2 * axis + 1], reach, stride[axis]);
}

std::int64_t height(const V& v) { return extent(v, 0, v.dim("IH"), v.dim("KH")); }
std::int64_t width(const V& v) { return extent(v, 1, v.dim("IW"), v.dim("KW")); }

constexpr auto kGeometry = V::reads("pad", "stride", "dilation");
constexpr Check kChecks[] = {
    level("weight_data", "dilation * kernel must not exceed the level's MAX_KERNEL",
          [](const V& v) {
            const auto dilation = v.ints("dilation");
            return Wide{v.dim("KH")} * dilation[0] <= v.level.max_kernel &&
                   Wide{v.dim("KW")} * dilation[1] <= v.level.max_kernel;
          })
        .reads("dilation"),
    level("pad", "pad must not exceed the level's MAX_KERNEL",
          [](const V& v) { return std::ranges::max(v.ints("pad")) <= v.level.max_kernel; })
        .reads("pad"),
    level("stride", "stride must not exceed the level's MAX_STRIDE",
          [](const V& v) { return std::ranges::max(v.ints("stride")) <= v.level.max_stride; })
        .reads("stride"),
    error_if("pad", "pad must not be negative", [](const V& v) { return std::ranges::min(v.ints("pad")) < 0; })
        .reads("pad"),
    error_if("stride", "stride must be at least 1", [](const V& v) { return std::ranges::min(v.ints("stride")) < 1; })
        .reads("stride"),
    error_if("dilation", "dilation must be at least 1",
             [](const V& v) { return std::ranges::min(v.ints("dilation")) < 1; })
        .reads("dilation"),
    error_if("output", kHeightRule, [](const V& v) { return v.dim("OH") != height(v); }).reads(kGeometry),
    error_if("output", kWidthRule, [](const V& v) { return v.dim("OW") != width(v); }).reads(kGeometry),
    error_if("bias", "bias must have one element or one for each output channel",
             [](const V& v) { return v.dim("BC") != 1 && v.dim("BC") != v.dim("OC"); }),
    error_if("block_size", kBlocksRule, [](const V& v) { return !blocks_divide(v, v.dim("IC")); }),
    kMoreThanOneInBlock,
    error_if("input_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("input_data"), v.shape("input_scale")); }),
    error_if("weight_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("weight_data"), v.shape("weight_scale")); }),
};

Result<std::vector<Shape>> shapes(const V& v) { return window_shape({v.dim("N"), height(v), width(v), v.dim("OC")}); }

}  // namespace

extern constexpr Definition kCONV2D_BLOCK_SCALED = {
    Op::kCONV2D_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, named<shapes>, kGeometry};

}  // namespace macaw::tosa
