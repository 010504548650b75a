#include "sim/datapath/resize.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Position of an output coordinate of one axis: between samples `low` and `high`, `fraction` of `n` from `low`.
struct Sample {
  int low, high;
  int fraction;
};

std::vector<Sample> sample_axis(int outputs, int inputs, int n, int step_int, int step_mod, int offset) {
  const std::int64_t step = std::int64_t{step_int} * n + step_mod;
  std::vector<Sample> samples;
  for (int o = 0; o < outputs; ++o) {
    const std::int64_t position = o * step + offset;
    const std::int64_t index = position >= 0 ? position / n : -((-position + n - 1) / n);
    const auto clamped = [&](std::int64_t i) { return static_cast<int>(std::clamp<std::int64_t>(i, 0, inputs - 1)); };
    samples.push_back({clamped(index), clamped(index + 1), static_cast<int>(position - index * n)});
  }
  return samples;
}

}  // namespace

Result<void> resize(const BlockOperation& op, const FeatureMapView& ifm, OutputRows& out) {
  const FeatureMap& map = ifm.map();
  if (map.bits > 32)
    return fail(ErrorCode::kHardwareFault, fmt::format("RESIZE does not take {}-bit elements", map.bits));
  const auto& r = op.resize_step;
  const auto ys = sample_axis(op.ofm.h, map.h, r.n_y, r.one_step_int_y, r.one_step_mod_y, r.offset_y);
  const auto xs = sample_axis(op.ofm.w, map.w, r.n_x, r.one_step_int_x, r.one_step_mod_x, r.offset_x);
  const std::ptrdiff_t row = std::ptrdiff_t{map.w} * map.c;
  std::vector<std::int64_t> input(static_cast<std::size_t>(map.h) * static_cast<std::size_t>(row));
  for (int y = 0; y < map.h; ++y) ifm.read_row(y, input.data() + y * row, map.c);

  const auto nearest = [](const Sample& s, int n) { return 2 * s.fraction >= n ? s.high : s.low; };
  out.for_rows([&](int first, int end, RowWriter& writer) {
    for (int y = first; y < end; ++y) {
      const Sample& sy = ys[static_cast<std::size_t>(y)];
      std::int64_t* result = writer.row().data();
      for (int x = 0; x < op.ofm.w; ++x) {
        const Sample& sx = xs[static_cast<std::size_t>(x)];
        const auto pixel = [&](int iy, int ix) { return input.data() + iy * row + std::ptrdiff_t{ix} * map.c; };
        const std::int64_t *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
        std::int64_t wa = 1, wb = 0, wc = 0, wd = 0;
        switch (op.resize) {
          case ResizeFilter::kBilinear: {
            const std::int64_t fy = sy.fraction, fx = sx.fraction, gy = r.n_y - fy, gx = r.n_x - fx;
            a = pixel(sy.low, sx.low);
            b = pixel(sy.low, sx.high);
            c = pixel(sy.high, sx.low);
            d = pixel(sy.high, sx.high);
            wa = gy * gx;
            wb = gy * fx;
            wc = fy * gx;
            wd = fy * fx;
            break;
          }
          case ResizeFilter::kNearest: a = b = c = d = pixel(nearest(sy, r.n_y), nearest(sx, r.n_x)); break;
          // Vela never writes this mode; the sample at or before the position is the literal meaning of its name.
          case ResizeFilter::kReplicate: a = b = c = d = pixel(sy.low, sx.low); break;
        }
        // The unit's results have 16 fraction bits.
        for (int ch = 0; ch < op.ofm.c; ++ch)
          *result++ = requantize((Int128{a[ch]} * wa + b[ch] * wb + c[ch] * wc + d[ch] * wd) << 16, op.ofm_scale);
      }
      writer.store(y);
    }
  });
  return {};
}

}  // namespace macaw::npu
