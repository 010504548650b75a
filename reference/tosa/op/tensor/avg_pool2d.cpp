#include <algorithm>
#include <limits>
#include <optional>

#include "reference/tosa/arith/scale.hpp"
#include "reference/tosa/kernels/convert/clip_block.hpp"
#include "reference/tosa/kernels/convert/scale_block.hpp"
#include "reference/tosa/kernels/window/float_pool.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/tensor/pooling_rules.hpp"
#include "reference/tosa/op/tensor/sum.hpp"
#include "reference/tosa/op/tensor/window.hpp"

namespace macaw::tosa::AVG_POOL2D {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_out_t").shape("[N,IH,IW,C]").rank(4),
    input("input_zp").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    input("output_zp").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("kernel").type("i32_t").shape("[2]"),
    attribute("stride").type("i32_t").shape("[2]"),
    attribute("pad").type("i32_t").shape("[4]"),
    attribute("acc_type").type("acc_type_t"),
    output("output").type("in_out_t").shape("[N,OH,OW,C]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

/// pseudocode/operators/AVG_POOL2D.tosac
template <class T>
void avg_pool2d(Call& call) {
  const Elements<const T, 4> input(call.in(0));
  const auto input_zp = zero_point<T>(call, 1), output_zp = zero_point<T>(call, 2);
  const auto &size = call.attrs(Attr::k_kernel), &stride = call.attrs(Attr::k_stride), &pad = call.attrs(Attr::k_pad);
  const Elements<T, 4> output(call.out(0));
  const std::array kernel{size[0], size[1]};
  bool fits = true, in_range = true;
  for_each_position(output.extents(), [&](const auto& at) {
    const auto [n, oy, ox, c] = at;
    Sum<std::int32_t> acc;
    std::uint32_t count = 0;
    for_each_position(kernel, [&](const auto& tap) {
      const auto y = oy * stride[0] - pad[0] + tap[0], x = ox * stride[1] - pad[2] + tap[1];
      if (!input.contains({n, y, x, c})) return;
      ++count;
      acc.add(input[{n, y, x, c}] - input_zp);
    });
    Sum<std::int32_t> mean(apply_scale_32(acc.value(), reciprocal_scale(count), false, in_range));
    mean.add(output_zp);
    output[at] = static_cast<T>(
        std::clamp<std::int32_t>(mean.value(), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    fits &= acc.fits() && mean.fits();
  });
  call.require(fits, kPoolSumFits);
  call.require(in_range, kPoolSumInRange);
}

/// sums[c] += in[c] - zero_point; negative if a sum left 32 bits.
template <class T>
std::int32_t add_pixel(const T* in, std::int32_t zero_point, std::span<std::int32_t> sums) {
  std::int32_t mark = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const auto value = in[c] - zero_point;
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) + static_cast<std::uint32_t>(value));
    mark |= (sums[c] ^ sum) & (value ^ sum);
    sums[c] = sum;
  }
  return mark;
}

/// Divides sums by an element count, in place; false if the count exceeds 32 bits or a sum the range of the shift.
class Averages {
 public:
  bool apply(std::int64_t count, std::span<std::int32_t> sums) {
    if (count < 1 || count > std::numeric_limits<std::int32_t>::max()) return false;
    if (count != count_) {
      const auto scale = reciprocal_scale(static_cast<std::uint32_t>(count));
      row_.emplace(std::span(&scale, 1), ApplyScale::k32, 32);
      count_ = count;
    }
    return scale_block(ScaleBlock{*row_, 0, sums.size(), sums.data(), sums.data()});
  }

 private:
  std::optional<ScaleRow> row_;
  std::int64_t count_ = 0;
};

template <class T>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) {
    avg_pool2d<T>(call);
    return {};
  }
  const std::int32_t in_zp = call.in_data<T>(1)[0], out_zp = call.in_data<T>(2)[0];
  const auto channels = call.in(0).shape()[3];
  const auto* in = call.in_data<T>(0).data();
  auto* out = call.out_data<T>(0).data();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(channels));
  const OutputClip clip(out_zp, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  Averages averages;
  std::int32_t mark = 0;
  bool scales = true;
  for_each_window(call, 0, pool_lines(call), [&](const Window& window) {
    std::fill(sums.begin(), sums.end(), 0);
    for (auto y = window.top; y < window.bottom; ++y)
      for (auto x = window.left; x < window.right; ++x)
        mark |= add_pixel<T>(in + window.offset(y) + (x - window.left) * channels, in_zp, sums);
    scales &= averages.apply((window.bottom - window.top) * (window.right - window.left), sums);
    for (const auto mean : sums) {
      mark |= clip.overflows(mean);
      *out++ = static_cast<T>(clip.apply(mean));
    }
  });
  call.require(mark >= 0, kPoolSumFits);
  call.require(scales, kPoolSumInRange);
  return {};
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    const auto mean = [](T sum, T count) { return sum / count; };
    // The bound is the mean of the magnitudes (reference/tosa/kernels/window/dot_product.hpp).
    if (call.bounds)
      float_pool(
          call, T{0}, [](T sum, T value) { return sum + std::fabs(value); }, mean);
    else
      float_pool(
          call, T{0}, [](T sum, T value) { return sum + value; }, mean);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    row({kINT8, kINT32}).in(kProInt).by(kernel<std::int8_t>),
    row({kINT16, kINT32}).in(kExtInt16).by(kernel<std::int16_t>),
    row({kFP8E4M3, kFP16}).in(kExtFp8E4M3).by(float_kernel<Float>),
    row({kFP8E5M2, kFP16}).in(kExtFp8E5M2).by(float_kernel<Float>),
    row({kFP16, kFP16}).in(kProFp).by(float_kernel<Float>),
    row({kFP16, kFP32}).in(kProFp).by(float_kernel<Float>),
    row({kBF16, kFP32}).in(kExtBf16).by(float_kernel<Float>),
    row({kFP32, kFP32}).in(kProFp).by(float_kernel<Float>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kAVG_POOL2D, kArguments,       kTypes,
                                           kRows,           kAvgPoolRules<V>, named<pooling_shapes<V>>};

}  // namespace macaw::tosa::AVG_POOL2D
