#include "reference/tflite/op/resize.hpp"

#include <fmt/format.h>

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

}  // namespace macaw::tflite
