#include "reference/op/block_scaled.hpp"
#include "reference/op/tensor/block_scaled_product.hpp"
#include "reference/op/tensor/dot_product.hpp"
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

/// What the taps at one position of the kernel sum: a row for each output position, where it is inside the input.
template <class T>
class Tap {
 public:
  explicit Tap(const Geometry& g)
      : g_(g), values_(g.positions() * g.channels), scales_(g.positions() * blocks()), inside_(g.positions()) {}

  void gather(std::int64_t ky, std::int64_t kx, const T* data, const T* scale) {
    std::size_t row = 0;
    for (std::int64_t n = 0; n < g_.batches; ++n)
      for (std::int64_t oy = 0; oy < g_.out[0]; ++oy)
        for (std::int64_t ox = 0; ox < g_.out[1]; ++ox, ++row) {
          const auto y = oy * g_.stride[0] - g_.pad[0] + ky * g_.dilation[0];
          const auto x = ox * g_.stride[1] - g_.pad[1] + kx * g_.dilation[1];
          inside_[row] = y >= 0 && y < g_.in[0] && x >= 0 && x < g_.in[1];
          auto *values = &values_[row * g_.channels], *scales = &scales_[row * blocks()];
          if (inside_[row]) {
            const auto pixel = static_cast<std::size_t>((n * g_.in[0] + y) * g_.in[1] + x);
            std::copy_n(data + pixel * g_.channels, g_.channels, values);
            std::copy_n(scale + pixel * blocks(), blocks(), scales);
          } else {
            std::fill_n(values, g_.channels, T{0});
            std::fill_n(scales, blocks(), T{1});
          }
        }
  }

  /// Outside the input the values are not multiplied unless `all`, but the scales are.
  void add_products(const ScaledRows<T>& weight, bool all, T* sums) const {
    const auto positions = g_.positions();
    for (std::size_t first = 0; first < positions;) {
      std::size_t last = first + 1;
      while (last < positions && inside_[last] == inside_[first]) ++last;
      auto* to = sums + first * weight.rows;
      if (inside_[first] || all) {
        add_block_scaled_product<T>(
            {&values_[first * g_.channels], &scales_[first * blocks()], last - first, g_.channels, g_.block}, weight,
            to);
      } else {
        for (std::size_t row = 0; row < last - first; ++row)
          for (std::size_t oc = 0; oc < weight.rows; ++oc)
            for (std::size_t b = 0; b < blocks(); ++b)
              to[row * weight.rows + oc] += T{0} * weight.scales[oc * blocks() + b];
      }
      first = last;
    }
  }

 private:
  [[nodiscard]] std::size_t blocks() const { return g_.channels / g_.block; }

  const Geometry& g_;
  std::vector<T> values_, scales_;
  std::vector<bool> inside_;
};

struct Convolution {
  template <class T>
  static Result<void> run(Call& call) {
    const auto g = geometry_of(call);
    const auto data = dot_product_input<T>(call, kData), data_scale = dot_product_operand<T>(call, kDataScale),
               weight = dot_product_operand<T>(call, kWeight),
               weight_scale = dot_product_operand<T>(call, kWeightScale), bias = dot_product_operand<T>(call, kBias);
    FloatOutput<T> out(call.out(0));
    Tap<T> tap(g);
    const auto taps = static_cast<std::size_t>(g.kernel[0] * g.kernel[1]), blocks = g.channels / g.block;
    std::vector<T> values(g.out_channels * g.channels), scales(g.out_channels * blocks);
    for (std::size_t at = 0; at < taps; ++at) {
      for (std::size_t oc = 0; oc < g.out_channels; ++oc) {
        std::copy_n(weight.data() + (oc * taps + at) * g.channels, g.channels, &values[oc * g.channels]);
        std::copy_n(weight_scale.data() + (oc * taps + at) * blocks, blocks, &scales[oc * blocks]);
      }
      const auto position = static_cast<std::int64_t>(at);
      tap.gather(position / g.kernel[1], position % g.kernel[1], data.data(), data_scale.data());
      tap.add_products({values.data(), scales.data(), g.out_channels, g.channels, g.block}, multiplies_padding(call),
                       out.data());
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += bias[bias.size() == 1 ? 0 : i % g.out_channels];
    return {};
  }
};

constexpr Argument kArguments[] = {
    {Category::kInput, "input_data", "in_t", "[N,IH,IW,IC]", 4, 4},
    {Category::kInput, "input_scale", "scale_t", "[N,IH,IW,IC/block_size]", 4, 4},
    {Category::kInput, "weight_data", "weight_t", "[OC,KH,KW,IC]", 4, 4},
    {Category::kInput, "weight_scale", "scale_t", "[OC,KH,KW,IC/block_size]", 4, 4},
    {Category::kInput, "bias", "out_t", "[BC]", 1, 1},
    {Category::kInput, "pad", "shape_t", "[4]", 1, 1, false, true},
    {Category::kInput, "stride", "shape_t", "[2]", 1, 1, false, true},
    {Category::kInput, "dilation", "shape_t", "[2]", 1, 1, false, true},
    {Category::kAttribute, "block_size", "block_size_t"},
    {Category::kOutput, "output", "out_t", "[N,OH,OW,OC]", 4, 4},
};
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "weight_t", "out_t"};

constexpr auto kRows = block_scaled_rows<5>([](BlockScaledType type) {
  return TypeRow{{type.values, DType::kFP8UE8M0, type.values, DType::kFP32},
                 all_of(Profile::kExtMxfpConv, type.extension, Profile::kExtMxCommon),
                 1,
                 float_kernel<Convolution>};
});
static_assert(kBlockScaledTypes[5].values == DType::kMXINT8, "the one that CONV2D_BLOCK_SCALED does not have");

std::int64_t extent(const View& v, std::size_t axis) {
  const auto pad = v.in_ints(kPad), stride = v.in_ints(kStride), dilation = v.in_ints(kDilation);
  const auto reach = (Wide{v.in_shape(kWeight)[axis + 1]} - 1) * dilation[axis] + 1;
  return window_output(v.in_shape(kData)[axis + 1], Wide{pad[2 * axis]} + pad[2 * axis + 1], reach, stride[axis]);
}

template <Input kOperand>
std::int64_t smallest(const View& v) {
  return std::ranges::min(v.in_ints(kOperand));
}
template <Input kOperand>
std::int64_t greatest(const View& v) {
  return std::ranges::max(v.in_ints(kOperand));
}

constexpr auto kGeometry = value_of(kPad) | value_of(kStride) | value_of(kDilation);
constexpr Check kChecks[] = {
    {Rule::kLevel, "weight_data", "dilation * kernel must not exceed the level's MAX_KERNEL",
     [](const View& v) {
       const auto dilation = v.in_ints(kDilation);
       return Wide{v.in_shape(kWeight)[1]} * dilation[0] > v.level.max_kernel ||
              Wide{v.in_shape(kWeight)[2]} * dilation[1] > v.level.max_kernel;
     },
     value_of(kDilation)},
    {Rule::kLevel, "pad", "pad must not exceed the level's MAX_KERNEL",
     [](const View& v) { return greatest<kPad>(v) > v.level.max_kernel; }, value_of(kPad)},
    {Rule::kLevel, "stride", "stride must not exceed the level's MAX_STRIDE",
     [](const View& v) { return greatest<kStride>(v) > v.level.max_stride; }, value_of(kStride)},
    {Rule::kErrorIf, "pad", "pad must not be negative", [](const View& v) { return smallest<kPad>(v) < 0; },
     value_of(kPad)},
    {Rule::kErrorIf, "stride", "stride must be at least 1", [](const View& v) { return smallest<kStride>(v) < 1; },
     value_of(kStride)},
    {Rule::kErrorIf, "dilation", "dilation must be at least 1",
     [](const View& v) { return smallest<kDilation>(v) < 1; }, value_of(kDilation)},
    {Rule::kErrorIf, "output", kHeightRule, [](const View& v) { return v.out_shape(0)[1] != extent(v, 0); }, kGeometry},
    {Rule::kErrorIf, "output", kWidthRule, [](const View& v) { return v.out_shape(0)[2] != extent(v, 1); }, kGeometry},
    {Rule::kErrorIf, "bias", "bias must have one element or one for each output channel",
     [](const View& v) { return v.in_shape(kBias)[0] != 1 && v.in_shape(kBias)[0] != v.out_shape(0)[3]; }},
    {Rule::kErrorIf, "block_size", kBlocksRule, [](const View& v) { return !blocks_divide(v, v.in_shape(kData)[3]); }},
    kMoreThanOneInBlock,
    {Rule::kErrorIf, "input_scale", kScalesRule,
     [](const View& v) { return scales_misfit(v, v.in_shape(kData), v.in_shape(kDataScale)); }},
    {Rule::kErrorIf, "weight_scale", kScalesRule,
     [](const View& v) { return scales_misfit(v, v.in_shape(kWeight), v.in_shape(kWeightScale)); }},
};

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(kData)[0], extent(v, 0), extent(v, 1), v.in_shape(kWeight)[0]});
}

}  // namespace

extern constexpr Definition kCONV2D_BLOCK_SCALED = {
    Op::kCONV2D_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, shapes, kGeometry};

}  // namespace macaw::tosa
