#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/call.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/gather.cc.
namespace macaw::tflite::GATHER {
namespace {

struct Geometry {
  std::int64_t batches, outer, extent, indices;
  std::size_t run;  // bytes that an index moves
};

Result<Geometry> geometry(const Tensor& in, const Tensor& indices, const Tensor& out,
                          const schema::GatherOptionsT& options) {
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options.axis, in.rank()));
  const auto batch_dims = options.batch_dims < 0 ? options.batch_dims + static_cast<std::int64_t>(indices.rank())
                                                 : std::int64_t{options.batch_dims};
  if (batch_dims < 0 || batch_dims > static_cast<std::int64_t>(std::min(indices.rank(), axis)))
    return invalid(fmt::format("{} axes of batches with axis {}", options.batch_dims, axis));
  const auto batch_axes = static_cast<std::size_t>(batch_dims);
  const Shape &x = in.shape(), &i = indices.shape();
  if (!std::equal(x.begin(), x.begin() + batch_dims, i.begin())) return invalid("the batches differ");
  Shape shape(x.begin(), x.begin() + std::ptrdiff_t(axis));
  shape.insert(shape.end(), i.begin() + batch_dims, i.end());
  shape.insert(shape.end(), x.begin() + std::ptrdiff_t(axis) + 1, x.end());
  MACAW_CHECK(expect(out, shape, "the output"));
  return Geometry{product(x, 0, batch_axes), product(x, batch_axes, axis), x[axis], product(i, batch_axes, i.size()),
                  static_cast<std::size_t>(product(x, axis + 1, x.size())) * size_of(in.dtype())};
}

Result<void> gather(Call& call) {
  const auto options = call.options_or_default<schema::GatherOptionsT>();
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* index_tensor, call.input(1));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_ASSIGN(const Geometry g, geometry(*in, *index_tensor, out, options));
  MACAW_ASSIGN(const auto indices, integers(*index_tensor, "the indices"));
  for (const auto index : indices)
    if (index < 0 || index >= g.extent) return invalid(fmt::format("index {} of {} elements", index, g.extent));
  if (out.size() == 0) return {};
  const auto from = in->bytes();
  auto to = out.bytes_to_fill().begin();
  for (std::int64_t b = 0; b < g.batches; ++b)
    for (std::int64_t o = 0; o < g.outer; ++o)
      for (std::int64_t i = 0; i < g.indices; ++i) {
        const auto at = (b * g.outer + o) * g.extent + indices[static_cast<std::size_t>(b * g.indices + i)];
        to = std::ranges::copy(from.subspan(static_cast<std::size_t>(at) * g.run, g.run), to).out;
      }
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"GATHER", 2, 2, 1, 1, gather};

}  // namespace macaw::tflite::GATHER
