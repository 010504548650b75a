#include "reference/tflite/broadcast.hpp"
#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/broadcast_to.cc.
namespace macaw::tflite::BROADCAST_TO {
namespace {

Result<void> broadcast_to(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({in->shape()}, call.output().shape()));
  with_element_size(size_of(in->dtype()), [&]<class T>(T) {
    const auto from = in->data<T>();
    const auto to = call.output().data_to_fill<T>();
    broadcast.for_each<1>([&](std::size_t i, const auto& at) { to[i] = from[at[0]]; });
  });
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"BROADCAST_TO", 2, 2, 1, 1, broadcast_to};

}  // namespace macaw::tflite::BROADCAST_TO
