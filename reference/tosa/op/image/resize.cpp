#include <algorithm>

#include "reference/tosa/arith/checked.hpp"
#include "reference/tosa/kernels/window/resize.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::RESIZE {
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

/// Where an output position falls on an axis: the two input positions around it, and the way from the first to the
/// second as a fraction of `unit`.
struct Around {
  std::int64_t first, second, fraction, unit;
};
Around around(std::int64_t position, std::int64_t numerator, std::int64_t denominator, std::int64_t offset,
              std::int64_t extent) {
  const auto at = position * denominator + offset;
  const auto floor = at >= 0 ? at / numerator : -((numerator - 1 - at) / numerator);
  return {std::clamp<std::int64_t>(floor, 0, extent - 1), std::clamp<std::int64_t>(floor + 1, 0, extent - 1),
          at - floor * numerator, numerator};
}

/// pseudocode/operators/RESIZE.tosac; `blend` makes an element of the four around its position.
template <class Read, class Write, class Blend>
void resize(const Call& call, const Shape& in, const Shape& out, Read read, Write write, Blend blend) {
  const auto scale = call.in_data<std::int64_t>(1), offset = call.in_data<std::int64_t>(2);
  for_each_position(std::array{out[0], out[1], out[2], out[3]}, [&](const auto& at) {
    const auto [n, oy, ox, c] = at;
    const auto y = around(oy, scale[0], scale[1], offset[0], in[1]),
               x = around(ox, scale[2], scale[3], offset[1], in[2]);
    const auto value = [&](std::int64_t iy, std::int64_t ix) {
      return read(((n * in[1] + iy) * in[2] + ix) * in[3] + c);
    };
    write(((n * out[1] + oy) * out[2] + ox) * out[3] + c, blend(value, y, x));
  });
}

/// The nearest of the four, the second where both are as near.
constexpr auto kNearest = [](const auto& value, const Around& y, const Around& x) {
  return value(2 * y.fraction >= y.unit ? y.second : y.first, 2 * x.fraction >= x.unit ? x.second : x.first);
};

/// All four, weighed: of at most 2^22 in sum, so that int8 stays in 32 and int16 in 48 bits.
constexpr auto kWeighed = [](const auto& value, const Around& y, const Around& x) {
  const auto near_y = y.unit - y.fraction, near_x = x.unit - x.fraction;
  return value(y.first, x.first) * near_y * near_x + value(y.first, x.second) * near_y * x.fraction +
         value(y.second, x.first) * y.fraction * near_x + value(y.second, x.second) * y.fraction * x.fraction;
};

Result<void> nearest(Call& call) {
  if (call.kernels != Kernels::kScalar) {
    resize_nearest(call);
    return {};
  }
  for_each_part(call, [&](const auto& part) {
    resize(
        call, part.in_shape(0), part.out_shape(), [&](std::int64_t i) { return part.in(0)[i]; },
        [&](std::int64_t i, auto value) { part.out()[i] = value; }, kNearest);
  });
  return {};
}

template <class In, class Out>
Result<void> bilinear(Call& call) {
  if (call.kernels != Kernels::kScalar) {
    resize_bilinear<In, Out>(call);
    return {};
  }
  const auto* input = call.in_data<In>(0).data();
  auto* output = call.out_data<Out>(0).data();
  resize(
      call, call.in(0).shape(), call.out(0).shape(), [=](std::int64_t i) { return std::int64_t{input[i]}; },
      [=](std::int64_t i, std::int64_t value) { output[i] = static_cast<Out>(value); }, kWeighed);
  return {};
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.attr(Attr::k_mode) == static_cast<std::int64_t>(ResizeMode::kNearestNeighbor)) return nearest(call);
    if (call.kernels != Kernels::kScalar) {
      resize_bilinear_float<T>(call);
      return {};
    }
    const FloatInput<T> input(call.in(0));
    Scratch<T> output(static_cast<std::size_t>(call.out(0).size()));
    resize(
        call, call.in(0).shape(), call.out(0).shape(),
        [&](std::int64_t i) { return input[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i, T value) { output[static_cast<std::size_t>(i)] = value; },
        [](const auto& v, const Around& y, const Around& x) {
          const T dy = static_cast<T>(y.fraction) / static_cast<T>(y.unit),
                  dx = static_cast<T>(x.fraction) / static_cast<T>(x.unit);
          return v(y.first, x.first) * (1 - dy) * (1 - dx) + v(y.first, x.second) * (1 - dy) * dx +
                 v(y.second, x.first) * dy * (1 - dx) + v(y.second, x.second) * dy * dx;
        });
    store_floats<T>(output.span(), call.out(0));
    return {};
  }
};

// The output type of integers tells the mode.
constexpr TypeRow kPlain[] = {
    row({kINT8, kINT32}).in(kProInt).by(bilinear<std::int8_t, std::int32_t>),
    row({kINT8, kINT8}).in(kProInt).by(nearest),
    row({kINT16, kINT48}).in(kExtInt16).by(bilinear<std::int16_t, std::int64_t>),
    row({kINT16, kINT16}).in(kExtInt16).by(nearest),
    row({kFP16, kFP16}).in(kProFp).by(float_kernel<Float>),
    row({kBF16, kBF16}).in(kExtBf16).by(float_kernel<Float>),
    row({kFP32, kFP32}).in(kProFp).by(float_kernel<Float>),
    row({kFP8E4M3, kFP8E4M3}).in(kExtFp8E4M3).since(1, 1).by(float_kernel<Float>),
    row({kFP8E5M2, kFP8E5M2}).in(kExtFp8E5M2).since(1, 1).by(float_kernel<Float>),
};
constexpr auto kRows = with_block_scaled(kPlain, nearest, 2);

}  // namespace

extern constexpr Definition kDefinition = {Op::kRESIZE, kArguments, kTypes, kRows, kChecks, named<shapes>, kParameters};

}  // namespace macaw::tosa::RESIZE
