#include <algorithm>
#include <cmath>

#include "reference/tflite/op/resize.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/resize_nearest_neighbor.cc.
namespace macaw::tflite {

std::int64_t nearest_source(std::int64_t out, const ResizeAxis& axis, const Resize& r) {
  const float scale = r.align_corners && axis.out > 1
                          ? static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1)
                          : static_cast<float>(axis.in) / static_cast<float>(axis.out);
  const float at = (static_cast<float>(out) + (r.half_pixel_centers ? 0.5F : 0.0F)) * scale;
  const auto nearest = static_cast<std::int64_t>(r.align_corners ? std::round(at) : std::floor(at));
  return std::clamp<std::int64_t>(nearest, 0, axis.in - 1);
}

}  // namespace macaw::tflite

namespace macaw::tflite::RESIZE_NEAREST_NEIGHBOR {
namespace {

Result<void> resize_nearest_neighbor(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::ResizeNearestNeighborOptionsT>());
  MACAW_ASSIGN(const Resize r, Resize::create(call, options->align_corners, options->half_pixel_centers));
  const auto run = static_cast<std::size_t>(r.depth) * size_of(call.output().dtype());
  const auto from = call.inputs[0].value->bytes();
  auto to = call.output().bytes_to_fill().begin();
  for (std::int64_t b = 0; b < r.batches; ++b)
    for (std::int64_t oy = 0; oy < r.y.out; ++oy)
      for (std::int64_t ox = 0; ox < r.x.out; ++ox) {
        const auto at = (b * r.y.in + nearest_source(oy, r.y, r)) * r.x.in + nearest_source(ox, r.x, r);
        to = std::ranges::copy(from.subspan(static_cast<std::size_t>(at) * run, run), to).out;
      }
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"RESIZE_NEAREST_NEIGHBOR", 2, 2, 1, 1, resize_nearest_neighbor};

}  // namespace macaw::tflite::RESIZE_NEAREST_NEIGHBOR
