#include <fmt/format.h>

#include "reference/tflite/strided.hpp"

// tensorflow/tflite-micro @90b983c2b has no TILE; tensorflow/tensorflow tensorflow/lite/kernels/tile.cc has.
namespace macaw::tflite::TILE {
namespace {

Result<void> tile(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* times, call.input(1));
  MACAW_ASSIGN(const auto multiples, integers(*times, "the multiples"));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (multiples.size() != in->rank() || out.rank() != in->rank()) return invalid("not one multiple an axis");
  // Every axis becomes two: which copy, without a step, and where in it.
  Shape shape, strides;
  for (std::size_t a = 0; a < in->rank(); ++a) {
    if (multiples[a] < 0 || (in->shape()[a] > 0 &&
                             (out.shape()[a] % in->shape()[a] != 0 || out.shape()[a] / in->shape()[a] != multiples[a])))
      return invalid(fmt::format("{} times axis {} is not {}", multiples[a], a, to_string(out.shape())));
    shape.insert(shape.end(), {multiples[a], in->shape()[a]});
    strides.insert(strides.end(), {0, in->size() == 0 ? 0 : product(in->shape(), a + 1, in->rank())});
  }
  if (out.size() == 0) return {};
  if (in->size() == 0) return invalid("a tensor without elements is repeated");
  const Shape final_shape = out.shape();
  out.reshape(shape);
  gather_strided(*in, 0, strides, out);
  out.reshape(final_shape);
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"TILE", 2, 2, 1, 1, tile};

}  // namespace macaw::tflite::TILE
