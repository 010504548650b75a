#include "reference/tflite/products.hpp"

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{fully_connected.cc,fully_connected_common.cc},
// tensorflow/lite/kernels/internal/reference/{fully_connected.h,integer_ops/fully_connected.h}.
namespace macaw::tflite::fully_connected {
namespace {

/// The same of bytes whose filter has no zero point, by the fast kernels.
void run_bytes(const Products& products, const std::int8_t* in, const std::int8_t* filter, std::size_t rows,
               std::size_t depth, std::size_t channels, std::int8_t* out) {
  ByteSums bytes(filter, channels, depth, products.input_zero());
  for (std::size_t first = 0; first < rows; first += ByteSums::kRows) {
    const auto count = std::min(ByteSums::kRows, rows - first);
    for (std::size_t row = 0; row < count; ++row) bytes.put(row, 0, in + (first + row) * depth, depth);
    const std::int32_t* sums = bytes.sums(count);
    for (std::size_t row = 0; row < count; ++row, sums += bytes.pitch(), out += channels)
      products.finish_all(sums, 0, channels, out);
  }
}

/// The same of floats.
void run_floats(const Products& products, const float* in, const float* filter, std::size_t rows, std::size_t depth,
                std::size_t channels, float* out) {
  FloatSums floats(filter, channels, depth);
  for (std::size_t first = 0; first < rows; first += FloatSums::kRows) {
    const auto count = std::min(FloatSums::kRows, rows - first);
    std::copy_n(in + first * depth, count * depth, floats.row(0));
    const float* sums = floats.sums(count);
    for (std::size_t row = 0; row < count; ++row, sums += floats.pitch(), out += channels)
      products.finish_all(sums, 0, channels, out);
  }
}

Result<void> fully_connected(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::FullyConnectedOptionsT>());
  if (options->weights_format != schema::FullyConnectedOptionsWeightsFormat::DEFAULT)
    return unsupported("shuffled weights");
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* filter, call.input(1));
  MACAW_CHECK(expect_rank(*filter, 2, "the filter"));
  const std::int64_t channels = filter->shape()[0], depth = filter->shape()[1];
  if (depth < 1 || in->size() % depth != 0)
    return invalid(fmt::format("{} inputs for a filter of shape {}", in->size(), to_string(filter->shape())));
  const std::int64_t rows = in->size() / depth;
  MACAW_ASSIGN(const auto work, element_count({rows, depth, channels}));
  if (call.output().size() != rows * channels)
    return invalid(fmt::format("{} outputs of {} rows of {}", call.output().size(), rows, channels));
  MACAW_ASSIGN(const auto products, Products::create(call, {.channels = channels,
                                                            .activation = options->fused_activation_function,
                                                            .bias_type = options->quantized_bias_type,
                                                            .is_fully_connected = true}));
  MACAW_CHECK(call.account(work));
  products.with_types([&]<class T, class W, class Sum>(T, W, Sum) {
    T* out = call.output().uninitialized_data<T>().data();
    const T* values = in->data<T>().data();
    if constexpr (std::is_same_v<T, std::int8_t>)
      if (products.filter_zero() == 0)
        return run_bytes(products, values, filter->data<W>().data(), static_cast<std::size_t>(rows),
                         static_cast<std::size_t>(depth), static_cast<std::size_t>(channels), out);
    if constexpr (std::is_same_v<T, float>)
      return run_floats(products, values, products.filter<W>(*filter), static_cast<std::size_t>(rows),
                        static_cast<std::size_t>(depth), static_cast<std::size_t>(channels), out);
    for (std::int64_t row = 0; row < rows; ++row, values += depth) {
      const W* weights = filter->data<W>().data();
      for (std::int64_t c = 0; c < channels; ++c, weights += depth) {
        Sum sum = 0;
        for (std::int64_t d = 0; d < depth; ++d) sum = products.add(sum, values[d], weights[d]);
        *out++ = products.finish<T>(sum, static_cast<std::size_t>(c));
      }
    }
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"FULLY_CONNECTED", 2, 3, 1, 1, fully_connected},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::fully_connected
