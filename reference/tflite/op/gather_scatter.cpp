#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{gather.cc,gather_nd.cc}; SCATTER_ND:
// tensorflow/tensorflow tensorflow/lite/kernels/scatter_nd.cc,
// tensorflow/lite/kernels/internal/reference/reference_ops.h.
namespace macaw::tflite::gather_scatter {
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
  auto to = out.uninitialized_bytes().begin();
  for (std::int64_t b = 0; b < g.batches; ++b)
    for (std::int64_t o = 0; o < g.outer; ++o)
      for (std::int64_t i = 0; i < g.indices; ++i) {
        const auto at = (b * g.outer + o) * g.extent + indices[static_cast<std::size_t>(b * g.indices + i)];
        to = std::ranges::copy(from.subspan(static_cast<std::size_t>(at) * g.run, g.run), to).out;
      }
  return {};
}

Result<void> gather_nd(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* index_tensor, call.input(1));
  MACAW_ASSIGN(const auto indices, integers(*index_tensor, "the indices"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (index_tensor->rank() == 0) return invalid("the indices have no axis");
  const auto depth = static_cast<std::size_t>(index_tensor->shape().back());
  if (depth > in->rank()) return invalid(fmt::format("indices of {} axes for rank {}", depth, in->rank()));
  Shape shape(index_tensor->shape().begin(), index_tensor->shape().end() - 1);
  shape.insert(shape.end(), in->shape().begin() + std::ptrdiff_t(depth), in->shape().end());
  MACAW_CHECK(expect(out, shape, "the output"));
  const auto run = static_cast<std::size_t>(product(in->shape(), depth, in->rank())) * size_of(in->dtype());
  const auto from = in->bytes();
  auto to = out.uninitialized_bytes().begin();
  const auto count = product(index_tensor->shape(), 0, index_tensor->rank() - 1);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = 0;
    for (std::size_t a = 0; a < depth; ++a) {
      const auto index = indices[static_cast<std::size_t>(i) * depth + a];
      if (index < 0 || index >= in->shape()[a])
        return invalid(fmt::format("index {} of {} elements of axis {}", index, in->shape()[a], a));
      at = at * in->shape()[a] + index;
    }
    to = std::ranges::copy(from.subspan(static_cast<std::size_t>(at) * run, run), to).out;
  }
  return {};
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) return a || b;
  else if constexpr (std::is_floating_point_v<T>) return a + b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Where nothing is scattered to there are zeros, whatever the zero point is; elements of one place are added.
Result<void> scatter_nd(Call& call) {
  MACAW_ASSIGN(const Tensor* index_tensor, call.input(0));
  MACAW_ASSIGN(const Tensor* updates, call.input(1));
  MACAW_ASSIGN(const Tensor* extents, call.input(2));
  MACAW_ASSIGN(const auto indices, integers(*index_tensor, "the indices"));
  MACAW_ASSIGN(const auto shape, integers(*extents, "the shape"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, updates->dtype(), "the output"));
  MACAW_CHECK(expect(out, Shape(shape.begin(), shape.end()), "the output"));
  if (index_tensor->rank() == 0) return invalid("the indices have no axis");
  const auto depth = static_cast<std::size_t>(index_tensor->shape().back());
  if (depth == 0 || depth > out.rank())
    return invalid(fmt::format("indices of {} axes for rank {}", depth, out.rank()));
  Shape expected(index_tensor->shape().begin(), index_tensor->shape().end() - 1);
  expected.insert(expected.end(), out.shape().begin() + std::ptrdiff_t(depth), out.shape().end());
  MACAW_CHECK(expect(*updates, expected, "the updates"));
  const auto run = static_cast<std::size_t>(product(out.shape(), depth, out.rank()));
  return with_number(out.dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = updates->data<T>();
    const auto to = out.data<T>();
    for (std::size_t i = 0; i * depth < indices.size(); ++i) {
      std::int64_t at = 0;
      for (std::size_t a = 0; a < depth; ++a) {
        const auto index = indices[i * depth + a];
        if (index < 0 || index >= out.shape()[a])
          return invalid(fmt::format("index {} of {} elements of axis {}", index, out.shape()[a], a));
        at = at * out.shape()[a] + index;
      }
      for (std::size_t j = 0; j < run; ++j) {
        T& element = to[static_cast<std::size_t>(at) * run + j];
        element = sum<T>(element, from[i * run + j]);
      }
    }
    return {};
  });
}

constexpr Definition kDefinitions[] = {
    {"GATHER", 2, 2, 1, 1, gather},
    {"GATHER_ND", 2, 2, 1, 1, gather_nd},
    {"SCATTER_ND", 3, 3, 1, 1, scatter_nd},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::gather_scatter
