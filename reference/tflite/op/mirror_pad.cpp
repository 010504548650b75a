#include <fmt/format.h>

#include "reference/tflite/copy.hpp"
#include "reference/tflite/op/padding.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/mirror_pad.cc.
namespace macaw::tflite::MIRROR_PAD {
namespace {

Result<void> mirror_pad(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::MirrorPadOptionsT>());
  MACAW_ASSIGN(const auto pad, pad_amounts(call));
  const Tensor& in = *call.inputs[0].value;
  Tensor& out = call.output();
  // Whether the element at the edge is left out.
  const std::int64_t skipped = options->mode == schema::MirrorPadMode::REFLECT ? 1 : 0;
  // Where each position along each axis comes from.
  std::vector<std::vector<std::int64_t>> sources(in.rank());
  for (std::size_t a = 0; a < in.rank(); ++a) {
    const std::int64_t extent = in.shape()[a], stride = in.size() == 0 ? 0 : product(in.shape(), a + 1, in.rank());
    if (pad.before[a] > extent - skipped || pad.after[a] > extent - skipped)
      return invalid(fmt::format("{} and {} mirrored elements of {}", pad.before[a], pad.after[a], extent));
    for (std::int64_t i = -pad.before[a]; i < extent + pad.after[a]; ++i)
      sources[a].push_back((i < 0 ? skipped - 1 - i : i < extent ? i : 2 * extent - 1 - skipped - i) * stride);
  }
  with_element_size(size_of(in.dtype()), [&]<class T>(T) {
    const auto from = in.data<T>();
    const auto to = out.data_to_fill<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::size_t rest = i, at = 0;
      for (std::size_t a = in.rank(); a-- > 0;) {
        at += static_cast<std::size_t>(sources[a][rest % sources[a].size()]);
        rest /= sources[a].size();
      }
      to[i] = from[at];
    }
  });
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"MIRROR_PAD", 2, 2, 1, 1, mirror_pad};

}  // namespace macaw::tflite::MIRROR_PAD
