#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/copy.hpp"
#include "reference/tflite/elementwise.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{broadcast_to.cc,fill.cc,zeros_like.cc}. It has no
// TILE; tensorflow/tensorflow tensorflow/lite/kernels/tile.cc has.
namespace macaw::tflite::repetition {
namespace {

Result<void> broadcast_to(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({in->shape()}, call.output().shape()));
  with_element_size(size_of(in->dtype()), [&]<class T>(T) {
    const auto from = in->data<T>();
    const auto to = call.output().uninitialized_data<T>();
    broadcast.for_each<1>([&](std::size_t i, const auto& at) { to[i] = from[at[0]]; });
  });
  return {};
}

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

Result<void> fill(Call& call) {
  MACAW_ASSIGN(const Tensor* shape, call.input(0));
  MACAW_ASSIGN(const Tensor* value, call.input(1));
  MACAW_ASSIGN(const auto extents, integers(*shape, "the shape"));
  MACAW_CHECK(expect(call.output(), Shape(extents), "the output"));
  MACAW_CHECK(expect(*value, call.output().dtype(), "the value"));
  if (value->size() != 1) return invalid("not exactly one value");
  with_element_size(size_of(value->dtype()),
                    [&]<class T>(T) { std::ranges::fill(call.output().uninitialized_data<T>(), value->data<T>()[0]); });
  return {};
}

Result<void> zeros_like(Call& call) {
  MACAW_CHECK(same_type_and_shape(call));
  std::ranges::fill(call.output().uninitialized_bytes(), std::byte{0});
  return {};
}

constexpr Definition kDefinitions[] = {
    {"BROADCAST_TO", 2, 2, 1, 1, broadcast_to},
    {"TILE", 2, 2, 1, 1, tile},
    {"FILL", 2, 2, 1, 1, fill},
    {"ZEROS_LIKE", 1, 1, 1, 1, zeros_like},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::repetition
