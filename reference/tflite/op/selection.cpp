#include "reference/tflite/copy.hpp"
#include "reference/tflite/elementwise.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/select.cc.
namespace macaw::tflite::selection {
namespace {

/// Where input 0 is true the element of input 1, else that of input 2; all are broadcast to the output.
Result<void> select(Call& call) {
  MACAW_ASSIGN(const Tensor* condition, call.input(0));
  MACAW_ASSIGN(const Tensor* a, call.input(1));
  MACAW_ASSIGN(const Tensor* b, call.input(2));
  Tensor& out = call.output();
  MACAW_CHECK(expect(*condition, DType::kBOOL, "the condition"));
  MACAW_CHECK(expect(*a, out.dtype(), "input 1"));
  MACAW_CHECK(expect(*b, out.dtype(), "input 2"));
  Shape where = condition->shape();
  // SELECT: a condition of rank 1 chooses slices along the first axis.
  if (call.name == "SELECT" && where.size() == 1 && out.rank() > 1 && where[0] == out.shape()[0])
    where.resize(out.rank(), 1);
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({where, a->shape(), b->shape()}, out.shape()));
  with_element_size(size_of(out.dtype()), [&]<class T>(T) {
    const auto c = condition->data<std::uint8_t>();
    const auto x = a->data<T>(), y = b->data<T>();
    const auto to = out.uninitialized_data<T>();
    broadcast.for_each<3>([&](std::size_t i, const auto& at) { to[i] = c[at[0]] ? x[at[1]] : y[at[2]]; });
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"SELECT", 3, 3, 1, 1, select, kElementwise},
    {"SELECT_V2", 3, 3, 1, 1, select, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::selection
