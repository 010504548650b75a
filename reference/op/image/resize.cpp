#include <algorithm>

#include "reference/arith/checked.hpp"
#include "reference/fast/elementwise/float_blocks.hpp"
#include "reference/fast/move/parts.hpp"
#include "reference/op/declare.hpp"
#include "reference/op/float_rows.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("[N,IH,IW,C]").rank(4),
    input("scale").type("shape_t").shape("[4]").rank(1).compile_time_constant(),
    input("offset").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("border").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    attribute("mode").type("resize_mode_t"),
    output("output").type("out_t").shape("[N,OH,OW,C]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

constexpr std::int64_t kExtentLimit = 16384;
constexpr std::int64_t kMaxNumerator = 1 << 11;

/// One axis of the resize: input position = (output position * denominator + offset) / numerator.
struct AxisScale {
  Wide numerator, denominator, offset, border;
};
/// Axis 0 is y, 1 is x.
AxisScale axis_scale(const V& v, std::size_t axis) {
  const auto scale = v.ints("scale"), offset = v.ints("offset"), border = v.ints("border");
  return {scale[2 * axis], scale[2 * axis + 1], offset[axis], border[axis]};
}

/// -1 if the division is not exact or the scale is out of range.
std::int64_t extent(const V& v, std::size_t axis) {
  const auto scale = axis_scale(v, axis);
  const auto room = (Wide{v.shape("input")[axis + 1]} - 1) * scale.numerator - scale.offset + scale.border;
  if (scale.numerator <= 0 || scale.numerator > kMaxNumerator || scale.denominator <= 0 ||
      room % scale.denominator != 0)
    return -1;
  const auto result = room / scale.denominator + 1;
  return result < 1 || result >= kExtentLimit ? -1 : static_cast<std::int64_t>(result);
}

template <class F>
bool either_axis(const V& v, F broken) {
  return broken(axis_scale(v, 0)) || broken(axis_scale(v, 1));
}

constexpr auto kParameters = V::reads("scale", "offset", "border");

Result<std::vector<Shape>> shapes(const V& v) {
  const auto height = extent(v, 0), width = extent(v, 1);
  if (height < 0 || width < 0)
    return fail(ErrorCode::kInvalidGraph, "scale, offset and border give no whole output size below 16384");
  return std::vector<Shape>{{v.dim("N"), height, width, v.dim("C")}};
}

bool is_integer(DType dtype) { return dtype == kINT8 || dtype == kINT16; }
bool is_bilinear(const V& v) { return v.attr(Attr::k_mode) == static_cast<std::int64_t>(ResizeMode::kBilinear); }

constexpr Check kChecks[] = {
    level("scale", "a scale must not exceed the level's MAX_SCALE",
          [](const V& v) {
            return !either_axis(v, [&](const AxisScale& s) {
              return s.denominator > 0 && s.numerator / s.denominator > v.level.max_scale;
            });
          })
        .reads(kParameters),
    error_if("output", "the heights and widths must be less than 16384",
             [](const V& v) {
               return std::max({v.dim("IH"), v.dim("IW"), v.dim("OH"), v.dim("OW")}) >= kExtentLimit;
             }),
    error_if("scale", "numerators and denominators must be greater than 0",
             [](const V& v) {
               return either_axis(v, [](const AxisScale& s) { return s.numerator <= 0 || s.denominator <= 0; });
             })
        .reads(kParameters),
    error_if("scale", "numerators must not exceed 2048",
             [](const V& v) { return either_axis(v, [](const AxisScale& s) { return s.numerator > kMaxNumerator; }); })
        .reads(kParameters),
    error_if(
        "scale", "denominators must be less than 16 times the numerators",
        [](const V& v) { return either_axis(v, [](const AxisScale& s) { return s.denominator >= 16 * s.numerator; }); })
        .reads(kParameters),
    error_if("offset", "offset_y must be at least -scale_y_n and less than 16 * scale_y_n",
             [](const V& v) {
               const auto s = axis_scale(v, 0);
               return s.offset < -s.numerator || s.offset >= 16 * s.numerator;
             })
        .reads(kParameters),
    error_if("offset", "offset_x must be at least -scale_x_n and less than 16 * scale_x_n",
             [](const V& v) {
               const auto s = axis_scale(v, 1);
               return s.offset < -s.numerator || s.offset >= 16 * s.numerator;
             })
        .reads(kParameters),
    error_if("border", "border_y must be at least -16 * scale_y_n and less than scale_y_n",
             [](const V& v) {
               const auto s = axis_scale(v, 0);
               return s.border < -16 * s.numerator || s.border >= s.numerator;
             })
        .reads(kParameters),
    error_if("border", "border_x must be at least -16 * scale_x_n and less than scale_x_n",
             [](const V& v) {
               const auto s = axis_scale(v, 1);
               return s.border < -16 * s.numerator || s.border >= s.numerator;
             })
        .reads(kParameters),
    error_if(
        "output",
        "the output height must be ((IH - 1) * scale_y_n - offset_y + border_y) / scale_y_d + 1, without a remainder",
        [](const V& v) { return v.dim("OH") != extent(v, 0); })
        .reads(kParameters),
    error_if(
        "output",
        "the output width must be ((IW - 1) * scale_x_n - offset_x + border_x) / scale_x_d + 1, without a remainder",
        [](const V& v) { return v.dim("OW") != extent(v, 1); })
        .reads(kParameters),
    kSplitBlock<V, "input">,
    kSplitBlock<V, "output">,
    error_if("mode", "block-scaled tensors are resized by NEAREST_NEIGHBOR only",
             [](const V& v) {
               return is_block_scale(v.dtype("input")) &&
                      v.attr(Attr::k_mode) != static_cast<std::int64_t>(ResizeMode::kNearestNeighbor);
             }),
    error_if("output", "a floating-point input and its output must have one type",
             [](const V& v) { return !is_integer(v.dtype("input")) && v.dtype("input") != v.dtype("output"); }),
    error_if("mode", "integers are widened by BILINEAR and kept by NEAREST_NEIGHBOR",
             [](const V& v) {
               return is_integer(v.dtype("input")) && is_bilinear(v) == (v.dtype("input") == v.dtype("output"));
             }),
};

/// Where an output position falls: the input positions around it and the distance from the first, in 1/numerator.
struct Sample {
  std::int64_t first, second, fraction;
};

std::vector<Sample> samples(std::span<const std::int64_t> scale, std::int64_t offset, std::int64_t in,
                            std::int64_t out) {
  const auto numerator = scale[0], denominator = scale[1];
  std::vector<Sample> all;
  all.reserve(static_cast<std::size_t>(out));
  for (std::int64_t o = 0; o < out; ++o) {
    const auto position = o * denominator + offset;
    const auto floor = (position >= 0 ? position : position - numerator + 1) / numerator;
    all.push_back({std::clamp<std::int64_t>(floor, 0, in - 1), std::clamp<std::int64_t>(floor + 1, 0, in - 1),
                   position - floor * numerator});
  }
  return all;
}

/// Calls f(ys, xs, first, end) for ranges of the lines of all images of the output, on the call's threads; in `in` and
/// `out` the shapes of what is resized.
template <class F>
void share_lines(const Call& call, const Shape& in, const Shape& out, F f) {
  const auto scale = call.in_data<std::int64_t>(1), offset = call.in_data<std::int64_t>(2);
  const auto ys = samples(scale.first(2), offset[0], in[1], out[1]),
             xs = samples(scale.last(2), offset[1], in[2], out[2]);
  const auto line = static_cast<std::size_t>(out[2] * out[3]);
  split(call, static_cast<std::size_t>(out[0] * out[1]), kLeastElements / std::max<std::size_t>(line, 1) + 1,
        [&](std::size_t first, std::size_t end) {
          f(ys, xs, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end));
        });
}

/// Calls f(output offset, sample y, sample x, offset of the image) for every output pixel.
template <class F>
void for_each_pixel(const Call& call, const Shape& in, const Shape& out, F f) {
  share_lines(call, in, out, [&](const auto& ys, const auto& xs, std::int64_t first, std::int64_t end) {
    for (auto line = first; line < end; ++line) {
      auto to = line * out[2] * out[3];
      for (const auto& x : xs) {
        f(to, ys[static_cast<std::size_t>(line % out[1])], x, line / out[1] * in[1] * in[2] * in[3]);
        to += out[3];
      }
    }
  });
}

// Moves elements of any type.
Result<void> nearest(Call& call) {
  const auto scale = call.in_data<std::int64_t>(1);
  for_each_part(call, [&](const auto& part) {
    const auto in = part.in_shape(0);
    const auto* from = part.in(0);
    auto* const out = part.out();
    for_each_pixel(call, in, part.out_shape(),
                   [&](std::int64_t to, const Sample& y, const Sample& x, std::int64_t image) {
                     const auto iy = 2 * y.fraction >= scale[0] ? y.second : y.first;
                     const auto ix = 2 * x.fraction >= scale[2] ? x.second : x.first;
                     std::copy_n(from + image + (iy * in[2] + ix) * in[3], in[3], out + to);
                   });
  });
  return {};
}

// Weights are at most 2^22 in sum: int8 stays in 32, int16 in 48 bits.
template <class In, class Out>
Result<void> bilinear(Call& call) {
  const auto scale = call.in_data<std::int64_t>(1);
  const auto width = call.in(0).shape()[2], channels = call.in(0).shape()[3];
  const auto* in = call.in_data<In>(0).data();
  auto* out = call.out_data<Out>(0).data();
  for_each_pixel(
      call, call.in(0).shape(), call.out(0).shape(),
      [&](std::int64_t to, const Sample& y, const Sample& x, std::int64_t image) {
        const auto at = [&](std::int64_t iy, std::int64_t ix) { return in + image + (iy * width + ix) * channels; };
        const auto *v00 = at(y.first, x.first), *v01 = at(y.first, x.second), *v10 = at(y.second, x.first),
                   *v11 = at(y.second, x.second);
        const auto near_y = scale[0] - y.fraction, near_x = scale[2] - x.fraction;
        const auto w00 = static_cast<Out>(near_y * near_x), w01 = static_cast<Out>(near_y * x.fraction),
                   w10 = static_cast<Out>(y.fraction * near_x), w11 = static_cast<Out>(y.fraction * x.fraction);
        for (std::int64_t c = 0; c < channels; ++c)
          out[to + c] = v00[c] * w00 + v01[c] * w01 + v10[c] * w10 + v11[c] * w11;
      });
  return {};
}

// The output type of integers tells the mode.
template <class In, class Out>
Result<void> kernel(Call& call) {
  if constexpr (std::is_same_v<In, Out>) return nearest(call);
  else return bilinear<In, Out>(call);
}

/// A line between two lines of the input, at dy of the way from the first to the second.
template <class T>
void blend_lines(const T* first, const T* second, T dy, const Sample* xs, std::int64_t width, T denominator,
                 std::int64_t channels, T* out) {
  for (std::int64_t i = 0; i < width; ++i, out += channels) {
    const auto& x = xs[i];
    const auto *v00 = first + x.first * channels, *v01 = first + x.second * channels;
    const auto *v10 = second + x.first * channels, *v11 = second + x.second * channels;
    const auto dx = static_cast<T>(x.fraction) / denominator;
    for (std::int64_t c = 0; c < channels; ++c)
      out[c] = v00[c] * (1 - dy) * (1 - dx) + v01[c] * (1 - dy) * dx + v10[c] * dy * (1 - dx) + v11[c] * dy * dx;
  }
}

/// Lines of a tensor as T. A narrow one holds two, of which one has an odd number.
template <class T>
class Lines {
 public:
  Lines(const Tensor& tensor, std::size_t size)
      : tensor_(tensor), size_(size), values_(tensor.dtype() == kFloatType<T> ? 0 : 2 * size) {}

  [[nodiscard]] const T* line(std::int64_t number) {
    const auto dtype = tensor_.dtype();
    const auto* bytes = tensor_.bytes().data() + static_cast<std::size_t>(number) * size_ * size_of(dtype);
    if (dtype == kFloatType<T>) return reinterpret_cast<const T*>(bytes);
    const auto odd = static_cast<std::size_t>(number % 2);
    const auto values = values_.span().subspan(odd * size_, size_);
    if (held_[odd] != number) decode_floats<T>(dtype, bytes, values);
    held_[odd] = number;
    return values.data();
  }

 private:
  const Tensor& tensor_;
  std::size_t size_;
  Scratch<T> values_;
  std::array<std::int64_t, 2> held_{-1, -1};
};

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.attr(Attr::k_mode) == static_cast<std::int64_t>(ResizeMode::kNearestNeighbor)) return nearest(call);
    const auto scale = call.in_data<std::int64_t>(1);
    const auto &in = call.in(0).shape(), &out = call.out(0).shape();
    const BlockOutput<T> output(call.out(0));
    const auto loop = best_version<blend_lines<T>>(call.kernels);
    share_lines(call, in, out, [&](const auto& ys, const auto& xs, std::int64_t first, std::int64_t end) {
      Lines<T> lines(call.in(0), static_cast<std::size_t>(in[2] * in[3]));
      Scratch<T> result(static_cast<std::size_t>(out[2] * out[3]));
      for (; first < end; ++first) {
        const auto& y = ys[static_cast<std::size_t>(first % out[1])];
        const auto image = first / out[1] * in[1];
        loop(lines.line(image + y.first), lines.line(image + y.second),
             static_cast<T>(y.fraction) / static_cast<T>(scale[0]), xs.data(), out[2], static_cast<T>(scale[2]), in[3],
             result.data());
        output.store(static_cast<std::size_t>(first) * result.size(), result.span());
      }
    });
    return {};
  }
};

constexpr TypeRow kPlain[] = {
    row({kINT8, kINT32}).in(kProInt).by(kernel<std::int8_t, std::int32_t>),
    row({kINT8, kINT8}).in(kProInt).by(kernel<std::int8_t, std::int8_t>),
    row({kINT16, kINT48}).in(kExtInt16).by(kernel<std::int16_t, std::int64_t>),
    row({kINT16, kINT16}).in(kExtInt16).by(kernel<std::int16_t, std::int16_t>),
    row({kFP16, kFP16}).in(kProFp).by(float_kernel<Float>),
    row({kBF16, kBF16}).in(kExtBf16).by(float_kernel<Float>),
    row({kFP32, kFP32}).in(kProFp).by(float_kernel<Float>),
    row({kFP8E4M3, kFP8E4M3}).in(kExtFp8E4M3).since(1, 1).by(float_kernel<Float>),
    row({kFP8E5M2, kFP8E5M2}).in(kExtFp8E5M2).since(1, 1).by(float_kernel<Float>),
};
constexpr auto kRows = with_block_scaled(kPlain, nearest, 2);

}  // namespace

extern constexpr Definition kRESIZE = {Op::kRESIZE, kArguments, kTypes, kRows, kChecks, named<shapes>, kParameters};

}  // namespace macaw::tosa
