#include <functional>

#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/arg_min_max.cc,
// tensorflow/lite/kernels/internal/reference/arg_min_max.h.
namespace macaw::tflite::arg_min_max {
namespace {

/// Index along an axis of the first element that none is better than.
template <class IsBetter>
Result<void> arg_best(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(1));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axis"));
  if (axes.size() != 1) return invalid("not exactly one axis");
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in->rank()));
  Shape shape = in->shape();
  const std::int64_t extent = shape[axis];
  if (extent == 0) return invalid("the axis has no elements");
  shape.erase(shape.begin() + std::ptrdiff_t(axis));
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  const auto outer = static_cast<std::size_t>(product(in->shape(), 0, axis));
  const auto inner = static_cast<std::size_t>(product(in->shape(), axis + 1, in->rank()));
  MACAW_CHECK(call.account(in->size()));
  const auto run = [&]<class T, class I>(T, I) -> Result<void> {
    const auto values = in->data<T>();
    const auto out = call.output().uninitialized_data<I>();
    for (std::size_t o = 0; o < outer; ++o)
      for (std::size_t i = 0; i < inner; ++i) {
        const auto at = [&](std::int64_t k) {
          return values[(o * static_cast<std::size_t>(extent) + static_cast<std::size_t>(k)) * inner + i];
        };
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < extent; ++k)
          if (IsBetter()(at(k), at(best))) best = k;
        out[o * inner + i] = static_cast<I>(best);
      }
    return {};
  };
  return with_number(in->dtype(), [&]<class T>(T value) -> Result<void> {
    if (call.output().dtype() == DType::kINT64) return run(value, std::int64_t{});
    MACAW_CHECK(expect(call.output(), DType::kINT32, "the output"));
    return run(value, std::int32_t{});
  });
}

constexpr Definition kDefinitions[] = {
    {"ARG_MAX", 2, 2, 1, 1, arg_best<std::greater<>>},
    {"ARG_MIN", 2, 2, 1, 1, arg_best<std::less<>>},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::arg_min_max
