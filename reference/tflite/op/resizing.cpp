#include "reference/tflite/op/resizing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{resize_bilinear.cc,resize_nearest_neighbor.cc},
// tensorflow/lite/kernels/internal/reference/resize_bilinear.h.
namespace macaw::tflite {

Result<Resize> Resize::create(const Call& call, bool align_corners, bool half_pixel_centers) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* size, call.input(1));
  MACAW_ASSIGN(const auto extents, integers(*size, "the size"));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect_rank(*in, 4, "the input"));
  if (extents.size() != 2) return invalid(fmt::format("{} extents for an image", extents.size()));
  if (align_corners && half_pixel_centers) return invalid("aligned corners and half pixel centers at once");
  const Shape& shape = in->shape();
  constexpr std::int64_t kMaxExtent = 1 << 20;
  for (const auto extent : {shape[1], shape[2], extents[0], extents[1]})
    if (extent < 1 || extent > kMaxExtent) return invalid(fmt::format("an extent of {}", extent));
  MACAW_CHECK(expect(call.output(), Shape{shape[0], extents[0], extents[1], shape[3]}, "the output"));
  return Resize{shape[0], shape[3], {shape[1], extents[0]}, {shape[2], extents[1]}, align_corners, half_pixel_centers};
}

std::int32_t bilinear_step(const ResizeAxis& axis, bool align_corners) {
  if (align_corners && axis.out > 1)
    return static_cast<std::int32_t>((1024 * (axis.in - 1) + (axis.out - 1) / 2) / (axis.out - 1));
  return static_cast<std::int32_t>((1024 * axis.in + axis.out / 2) / axis.out);
}

std::int64_t nearest_source(std::int64_t out, const ResizeAxis& axis, const Resize& r) {
  const float scale = r.align_corners && axis.out > 1
                          ? static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1)
                          : static_cast<float>(axis.in) / static_cast<float>(axis.out);
  const float at = (static_cast<float>(out) + (r.half_pixel_centers ? 0.5F : 0.0F)) * scale;
  const auto nearest = static_cast<std::int64_t>(r.align_corners ? std::round(at) : std::floor(at));
  return std::clamp<std::int64_t>(nearest, 0, axis.in - 1);
}

}  // namespace macaw::tflite

namespace macaw::tflite::resizing {
namespace {

/// The two elements that an output lies between, and where.
struct Between {
  std::int32_t at, lower, upper;  // at: in 1024ths
};
Between between(std::int32_t out, std::int32_t scale, bool half_pixel_centers, std::int32_t in) {
  const std::int32_t at = half_pixel_centers ? out * scale + scale / 2 - (1 << 9) : out * scale;
  // Rounded steps of many outputs end behind the last element, which the original reads.
  return {at, std::clamp(at / 1024, 0, in - 1), std::min((at + 1023) / 1024, in - 1)};
}

template <class T>
void of_integers(const Tensor& in, const Resize& r, Tensor& out) {
  const auto from = in.data<T>();
  T* to = out.uninitialized_data<T>().data();
  const auto scale_y = bilinear_step(r.y, r.align_corners), scale_x = bilinear_step(r.x, r.align_corners);
  for (std::int64_t b = 0; b < r.batches; ++b)
    for (std::int32_t oy = 0; oy < r.y.out; ++oy) {
      const auto y = between(oy, scale_y, r.half_pixel_centers, static_cast<std::int32_t>(r.y.in));
      for (std::int32_t ox = 0; ox < r.x.out; ++ox) {
        const auto x = between(ox, scale_x, r.half_pixel_centers, static_cast<std::int32_t>(r.x.in));
        const std::int64_t down = y.at - 1024 * y.lower, right = x.at - 1024 * x.lower;
        for (std::int64_t c = 0; c < r.depth; ++c) {
          const auto value = [&](std::int32_t iy, std::int32_t ix) {
            return std::int64_t{from[r.offset(b, iy, ix, c)]};
          };
          const std::int64_t sum = value(y.lower, x.lower) * (1024 - down) * (1024 - right) +
                                   value(y.upper, x.lower) * down * (1024 - right) +
                                   value(y.lower, x.upper) * (1024 - down) * right +
                                   value(y.upper, x.upper) * down * right;
          *to++ = static_cast<T>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
        }
      }
    }
}

struct FloatBetween {
  float at;
  std::int64_t lower, upper;
};
FloatBetween float_between(std::int64_t out, const ResizeAxis& axis, const Resize& r) {
  float scale = static_cast<float>(axis.in) / static_cast<float>(axis.out);
  if (r.align_corners && axis.out > 1) scale = static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1);
  const float at =
      r.half_pixel_centers ? (static_cast<float>(out) + 0.5F) * scale - 0.5F : static_cast<float>(out) * scale;
  return {at, std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(at)), 0),
          std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(at)), axis.in - 1)};
}

void of_floats(const Tensor& in, const Resize& r, Tensor& out) {
  const auto from = in.data<float>();
  float* to = out.uninitialized_data<float>().data();
  for (std::int64_t b = 0; b < r.batches; ++b)
    for (std::int64_t oy = 0; oy < r.y.out; ++oy) {
      const auto y = float_between(oy, r.y, r);
      const float down = y.at - static_cast<float>(y.lower);
      for (std::int64_t ox = 0; ox < r.x.out; ++ox) {
        const auto x = float_between(ox, r.x, r);
        const float right = x.at - static_cast<float>(x.lower);
        for (std::int64_t c = 0; c < r.depth; ++c)
          *to++ = from[r.offset(b, y.lower, x.lower, c)] * (1 - down) * (1 - right) +
                  from[r.offset(b, y.upper, x.lower, c)] * down * (1 - right) +
                  from[r.offset(b, y.lower, x.upper, c)] * (1 - down) * right +
                  from[r.offset(b, y.upper, x.upper, c)] * down * right;
      }
    }
}

Result<void> resize_bilinear(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::ResizeBilinearOptionsT>());
  MACAW_ASSIGN(const Resize r, Resize::create(call, options->align_corners, options->half_pixel_centers));
  const Tensor& in = *call.inputs[0].value;
  if (in.dtype() == DType::kFP32) {
    of_floats(in, r, call.output());
    return {};
  }
  return with_quantized(in.dtype(), [&]<class T>(T) -> Result<void> {
    of_integers<T>(in, r, call.output());
    return {};
  });
}

Result<void> resize_nearest_neighbor(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::ResizeNearestNeighborOptionsT>());
  MACAW_ASSIGN(const Resize r, Resize::create(call, options->align_corners, options->half_pixel_centers));
  const auto run = static_cast<std::size_t>(r.depth) * size_of(call.output().dtype());
  const auto from = call.inputs[0].value->bytes();
  auto to = call.output().uninitialized_bytes().begin();
  for (std::int64_t b = 0; b < r.batches; ++b)
    for (std::int64_t oy = 0; oy < r.y.out; ++oy)
      for (std::int64_t ox = 0; ox < r.x.out; ++ox) {
        const auto at = (b * r.y.in + nearest_source(oy, r.y, r)) * r.x.in + nearest_source(ox, r.x, r);
        to = std::ranges::copy(from.subspan(static_cast<std::size_t>(at) * run, run), to).out;
      }
  return {};
}

constexpr Definition kDefinitions[] = {
    {"RESIZE_BILINEAR", 2, 2, 1, 1, resize_bilinear},
    {"RESIZE_NEAREST_NEIGHBOR", 2, 2, 1, 1, resize_nearest_neighbor},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::resizing
