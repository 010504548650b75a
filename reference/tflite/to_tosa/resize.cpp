#include "reference/tflite/op/resizing.hpp"

#include <algorithm>
#include <numeric>

#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {
namespace {

/// An axis of TOSA's RESIZE: output i lies at (i * denominator + offset) / numerator.
struct ResizedAxis {
  std::int64_t numerator, denominator, offset, border;
};

Result<ResizedAxis> resized(const ResizeAxis& axis, std::int64_t numerator, std::int64_t denominator,
                            std::int64_t offset) {
  const auto common = std::gcd(std::gcd(numerator, denominator), offset);
  ResizedAxis a{numerator / common, denominator / common, offset / common, 0};
  a.border = (axis.out - 1) * a.denominator - (axis.in - 1) * a.numerator + a.offset;
  constexpr std::int64_t kMostNumerator = 2048, kReach = 16, kMostScale = 256;
  if (a.numerator > kMostNumerator || a.denominator < 1 || a.denominator >= kReach * a.numerator ||
      a.numerator / a.denominator > kMostScale || a.offset < -a.numerator || a.offset >= kReach * a.numerator ||
      a.border < -kReach * a.numerator || a.border >= a.numerator)
    return unsupported("a scale outside of those of RESIZE");
  return a;
}

ValueId resize(Lowering& lowering, ValueId x, DType dtype, const ResizedAxis& v, const ResizedAxis& h,
               tosa::ResizeMode mode) {
  auto& tosa = lowering.tosa;
  const auto scale = tosa.shape_constant({v.numerator, v.denominator, h.numerator, h.denominator}),
             offset = tosa.shape_constant({v.offset, h.offset}), border = tosa.shape_constant({v.border, h.border});
  return tosa.add(Op::kRESIZE, {x, scale, offset, border}, dtype, Shape(lowering.call.output().shape()),
                  {{Attr::k_mode, static_cast<std::int64_t>(mode)}});
}

Result<ResizedAxis> bilinear(const ResizeAxis& axis, bool align_corners, bool half_pixel_centers) {
  constexpr std::int64_t kOne = 1024;
  const std::int64_t step = bilinear_step(axis, align_corners);
  const std::int64_t offset = half_pixel_centers ? step / 2 - kOne / 2 : 0;
  if (((axis.out - 1) * step + offset) / kOne >= axis.in) return unsupported("a position behind the last element");
  return resized(axis, kOne, step, offset);
}

/// Elements of an axis, one for each output.
ValueId gather_axis(Emitter& tosa, ValueId id, std::size_t axis, const std::vector<std::int64_t>& sources) {
  Shape shape = tosa.shape(id);
  const std::int64_t outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.size());
  Tensor indices(DType::kINT32, {1, static_cast<std::int64_t>(sources.size())});
  std::ranges::transform(sources, indices.data<std::int32_t>().begin(),
                         [](std::int64_t i) { return static_cast<std::int32_t>(i); });
  const auto values = tosa.reshape(id, {outer, shape[axis], inner});
  shape[axis] = indices.size();
  return tosa.reshape(tosa.gather(values, tosa.tile(tosa.constant(std::move(indices)), {outer, 1})), std::move(shape));
}

}  // namespace

Result<void> lower_resize_bilinear(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::ResizeBilinearOptionsT>();
  MACAW_CHECK(lowering.expect_constant(1));
  const DType dtype = lowering.call.output().dtype();
  if (dtype != DType::kINT8) return unsupported_type(dtype);
  MACAW_ASSIGN(const Resize r, Resize::create(lowering.call, options.align_corners, options.half_pixel_centers));
  MACAW_ASSIGN(const auto v, bilinear(r.y, r.align_corners, r.half_pixel_centers));
  MACAW_ASSIGN(const auto h, bilinear(r.x, r.align_corners, r.half_pixel_centers));
  MACAW_ASSIGN(const auto x, lowering.input());
  auto& tosa = lowering.tosa;
  const auto sum = resize(lowering, x, DType::kINT32, v, h, tosa::ResizeMode::kBilinear);
  const auto tripled = tosa.mul(sum, tosa.scalar(DType::kINT32, 3, tosa.shape(sum).size()));
  const std::int64_t unit = v.numerator * h.numerator;
  MACAW_ASSIGN(const auto result, lowering.divide_tripled(tripled, unit, {-128 * unit, 127 * unit}, DType::kINT8, 0));
  return lowering.output(result);
}

/// By RESIZE where rows and columns repeat a whole number of times, else by the index of each.
Result<void> lower_resize_nearest_neighbor(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::ResizeNearestNeighborOptionsT>();
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_ASSIGN(const Resize r, Resize::create(lowering.call, options.align_corners, options.half_pixel_centers));
  MACAW_ASSIGN(auto x, lowering.input());
  auto& tosa = lowering.tosa;
  const auto sources = [&](const ResizeAxis& axis) {
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < axis.out; ++i) list.push_back(nearest_source(i, axis, r));
    return list;
  };
  const auto rows = sources(r.y), columns = sources(r.x);
  const auto repeats = [](const std::vector<std::int64_t>& list, const ResizeAxis& axis) {
    for (std::int64_t i = 0; i < axis.out; ++i)
      if (axis.out % axis.in != 0 || list[static_cast<std::size_t>(i)] != i / (axis.out / axis.in)) return false;
    return true;
  };
  if (repeats(rows, r.y) && repeats(columns, r.x) &&
      (tosa.dtype(x) == DType::kINT8 || tosa.dtype(x) == DType::kINT16)) {
    // The nearest row rounds up from the half: half a row less, and half a step more, has no tie.
    const auto axis = [](const ResizeAxis& a) { return resized(a, 2 * (a.out / a.in), 2, 1 - a.out / a.in); };
    const auto v = axis(r.y), h = axis(r.x);
    if (v && h) return lowering.output(resize(lowering, x, tosa.dtype(x), *v, *h, tosa::ResizeMode::kNearestNeighbor));
  }
  x = gather_axis(tosa, x, 1, rows);
  return lowering.output(gather_axis(tosa, x, 2, columns));
}

}  // namespace macaw::tflite
