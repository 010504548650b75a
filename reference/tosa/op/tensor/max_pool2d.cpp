#include <algorithm>
#include <limits>

#include "reference/tosa/kernels/window/float_pool.hpp"
#include "reference/tosa/op/float_rows.hpp"
#include "reference/tosa/op/tensor/pooling_rules.hpp"
#include "reference/tosa/op/tensor/window.hpp"

namespace macaw::tosa::MAX_POOL2D {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_out_t").shape("[N,IH,IW,C]").rank(4),
    attribute("kernel").type("i32_t").shape("[2]"),
    attribute("stride").type("i32_t").shape("[2]"),
    attribute("pad").type("i32_t").shape("[4]"),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("in_out_t").shape("[N,OH,OW,C]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t"};

template <class T>
Result<void> kernel(Call& call) {
  auto* outputs = call.out_data<T>(0).data();
  const auto* inputs = call.in_data<T>(0).data();
  const auto channels = call.in(0).shape()[3];
  const auto& taps = call.attrs(Attr::k_kernel);
  const auto line = static_cast<std::size_t>(call.out(0).shape()[2] * channels);
  const auto work = line * static_cast<std::size_t>(taps[0] * taps[1]);
  split(call, pool_lines(call), kLeastElements / std::max<std::size_t>(work, 1) + 1,
        [&](std::size_t first, std::size_t end) {
          auto* out = outputs + first * line;
          for_each_window(call, first, end, [&](const Window& window) {
            std::fill_n(out, channels, std::numeric_limits<T>::min());
            for (auto y = window.top; y < window.bottom; ++y) {
              const auto* in = inputs + window.offset(y);
              for (auto x = window.left; x < window.right; ++x, in += channels)
                for (std::int64_t c = 0; c < channels; ++c) out[c] = std::max(out[c], in[c]);
            }
            out += channels;
          });
        });
  return {};
}

// As in REDUCE_MAX, NaN is the neutral element without NaNs to propagate.
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    using Limits = std::numeric_limits<T>;
    const auto keep = [](T value, T) { return value; };
    if (ignores_nan(call))
      float_pool(
          call, Limits::quiet_NaN(), [](T a, T b) { return float_max<true>(a, b); }, keep);
    else
      float_pool(
          call, -Limits::infinity(), [](T a, T b) { return float_max<false>(a, b); }, keep);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).by(kernel<std::int8_t>),
    row({kINT16}).in(kExtInt16).by(kernel<std::int16_t>),
    row({kFP8E4M3}).in(kExtFp8E4M3).by(float_kernel<Float>),
    row({kFP8E5M2}).in(kExtFp8E5M2).by(float_kernel<Float>),
    MACAW_FLOAT_ROWS(float_kernel<Float>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kMAX_POOL2D, kArguments,       kTypes,
                                           kRows,           kMaxPoolRules<V>, named<pooling_shapes<V>>};

}  // namespace macaw::tosa::MAX_POOL2D
