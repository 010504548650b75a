#include <fmt/format.h>

#include "reference/tflite/quantization.hpp"

// tensorflow/tensorflow tensorflow/lite/kernels/scatter_nd.cc, tensorflow/lite/kernels/internal/reference/
// reference_ops.h, ScatterNd. Where nothing is scattered to there are zeros, whatever the zero point is; elements of
// one place are added.
namespace macaw::tflite::SCATTER_ND {
namespace {

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) return a || b;
  else if constexpr (std::is_floating_point_v<T>) return a + b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

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

}  // namespace

extern constexpr Definition kDefinition = {"SCATTER_ND", 3, 3, 1, 1, scatter_nd};

}  // namespace macaw::tflite::SCATTER_ND
