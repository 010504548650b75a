#include "tests/unit/sim/datapath/random_maps.hpp"

#include "sim/datapath/scale_stream.hpp"

// Pools, matrix products and RESIZE of random types, windows, scales and functions against u55_u65 5.3 and 6.3,
// u85 4.3, 5.3, 6.3, 6.7 and 6.9.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;
using plain::Number;

namespace {

/// Whether some tap lies inside at every one of `outputs` places of an axis.
bool reaches(int outputs, int stride, int extent, int dilation, int before, int inputs) {
  for (int o = 0; o < outputs; ++o) {
    bool inside = false;
    for (int k = 0; k < extent; k += dilation) {
      const int at = o * stride + k - before;
      inside = inside || (at >= 0 && at < inputs);
    }
    if (!inside) return false;
  }
  return true;
}

/// Taps, stride, dilation and padding of one axis; returns the IFM's extent.
int random_axis(Dice& dice, int outputs, int& stride, int& dilation, int& extent, int& before, int& behind) {
  stride = dice.pick(1, 3);
  dilation = dice.pick(1, 2);
  extent = dice.pick(0, 3) * dilation + 1;
  const auto inputs = [&] { return (outputs - 1) * stride + extent - before - behind; };
  before = dice.one_in(3) ? dice.pick(0, extent - 1) : 0;
  behind = dice.one_in(3) ? dice.pick(0, extent - 1) : 0;
  if (!reaches(outputs, stride, extent, dilation, before, inputs())) before = behind = 0;
  return inputs();
}

int accumulator_width(const BlockOperation& op) {
  return op.acc_format == AccFormat::kI32 ? 32 : op.acc_format == AccFormat::kI40 ? 40 : 48;
}

/// A stream of random entries for every channel; u85 5.3 and u55_u65 5.3 say which bits are what.
std::vector<ChannelScale> add_scales(Dice& dice, Bench& bench, BlockOperation& op) {
  const bool u85 = op.family == Family::kU85, wide = op.acc_format == AccFormat::kI48;
  const int bias_bits = !u85 ? 40 : wide ? 48 : 32, scale_bits = !u85 ? 32 : wide ? 15 : 31;
  std::vector<ChannelScale> entries;
  std::vector<std::uint8_t> bytes;
  for (int c = 0; c < op.ofm.c; ++c) {
    const Number range = Number{1} << (dice.one_in(3) ? bias_bits : dice.pick(3, bias_bits));
    const Number anything = Number{dice.bits(32)} << 16 | dice.bits(16);
    const auto bias = static_cast<std::int64_t>(anything % range - range / 2);
    const ChannelScale entry = {bias, dice.bits(dice.one_in(2) ? scale_bits : dice.pick(1, scale_bits)),
                                dice.pick(scale_bits - 8, std::min(63, scale_bits + 24))};
    Number word = plain::low_bits(entry.bias, bias_bits, false);
    word += Number{entry.scale} << bias_bits;
    word += Number{entry.shift} << (u85 ? 64 : 72);
    for (int b = 0; b < 10; ++b, word /= 256) bytes.push_back(static_cast<std::uint8_t>(word % 256));
    entries.push_back(entry);
  }
  op.scales[0] = bench.add(bytes);
  return entries;
}

/// A result from an accumulator: the scale of the channel or the one of the operation.
Number scaled(const BlockOperation& op, const std::vector<ChannelScale>& entries, Number accumulator, int c) {
  Scaling scale = op.ofm_scale;
  if (!entries.empty()) {
    const ChannelScale& entry = entries[static_cast<std::size_t>(c)];
    accumulator += entry.bias;
    scale = {entry.scale, entry.shift, op.ofm_scale.rounding, 0};
  }
  return plain::rounded(plain::low_bits(accumulator, accumulator_width(op), true), scale);
}

struct Window {
  Number sum = 0, least = 0, greatest = 0;
  int taps = 0, first_greatest = 0;
};
/// Operands of a pool at one position: the taps inside the IFM.
Window window(const std::vector<std::uint8_t>& memory, const BlockOperation& op, int oy, int ox, int c) {
  const Kernel& k = op.kernel;
  const bool all_channels = op.pool == PoolMode::kReduceSum;
  Window result;
  for (int ky = 0; ky < k.taps_y(); ++ky)
    for (int kx = 0; kx < k.taps_x(); ++kx) {
      const int y = oy * k.stride_y + ky * k.dilation_y - k.pad_top;
      const int x = ox * k.stride_x + kx * k.dilation_x - k.pad_left;
      if (y < 0 || x < 0 || y >= op.ifm.h || x >= op.ifm.w) continue;
      for (int i = all_channels ? 0 : c; i < (all_channels ? op.ifm.c : c + 1); ++i) {
        const Number v = plain::element(memory, op.ifm, y, x, i);
        if (result.taps == 0 || v > result.greatest) {
          result.greatest = v;
          result.first_greatest = op.pool == PoolMode::kArgMaxX ? kx : ky;
        }
        if (result.taps == 0 || v < result.least) result.least = v;
        result.sum += v;
      }
      ++result.taps;
    }
  return result;
}

bool padded(const Kernel& k) { return k.pad_top + k.pad_bottom + k.pad_left + k.pad_right > 0; }

Number pooled(const BlockOperation& op, const std::vector<ChannelScale>& entries, const Window& in, int c) {
  const bool u85 = op.family == Family::kU85;
  switch (op.pool) {
    case PoolMode::kMax: return u85 ? scaled(op, entries, in.greatest, c) : in.greatest;
    case PoolMode::kMin: return scaled(op, entries, in.least, c);
    case PoolMode::kArgMaxX:
    case PoolMode::kArgMaxY:
      return scaled(op, entries, Number{in.first_greatest} * 65536 + plain::low_bits(in.greatest, 16, false), c);
    case PoolMode::kAverage:
      if (u85 || padded(op.kernel))
        return plain::rounded(in.sum, plain::divisor(in.taps, u85 ? 30 : 31, op.ofm_scale.rounding));
      [[fallthrough]];
    default: return scaled(op, entries, in.sum, c);
  }
}

void check_pool(Dice& dice, const char* accelerator) {
  Bench bench(accelerator);
  Maps maps(dice);
  BlockOperation op;
  op.kind = OpKind::kPool;
  op.family = bench.accelerator->family;
  const bool u85 = op.family == Family::kU85;
  op.pool = u85 ? dice.of({PoolMode::kMax, PoolMode::kAverage, PoolMode::kReduceSum, PoolMode::kSum, PoolMode::kMin,
                           PoolMode::kArgMaxX, PoolMode::kArgMaxY})
                : dice.of({PoolMode::kMax, PoolMode::kAverage, PoolMode::kReduceSum});
  const bool arg = op.pool == PoolMode::kArgMaxX || op.pool == PoolMode::kArgMaxY;
  const int oh = dice.pick(1, 4), ow = dice.pick(1, 4), c = op.pool == PoolMode::kReduceSum ? 1 : dice.pick(1, 18);
  Kernel& k = op.kernel;
  int h = random_axis(dice, oh, k.stride_y, k.dilation_y, k.height, k.pad_top, k.pad_bottom);
  int w = random_axis(dice, ow, k.stride_x, k.dilation_x, k.width, k.pad_left, k.pad_right);
  if (arg) {
    h += k.pad_top + k.pad_bottom;
    w += k.pad_left + k.pad_right;
    k.pad_top = k.pad_left = k.pad_bottom = k.pad_right = 0;
  }
  const int bits = op.pool == PoolMode::kReduceSum ? dice.of({8, 16, 32}) : dice.of({8, 16});
  const bool is_signed = bits == 32 || dice.pick(0, 1);
  const int ofm_bits = dice.of({8, 16, 32});
  op.ofm = maps.place(oh, ow, c, ofm_bits, ofm_bits == 32 || dice.pick(0, 1));
  op.ifm = maps.place(h, w, op.pool == PoolMode::kReduceSum ? dice.pick(1, 18) : c, bits, is_signed);
  if (arg) op.ifm.zero_point = 0;
  maps.fill(bench);
  maps.fill(bench, op.ifm);
  op.acc_format = u85 ? dice.of({AccFormat::kI32, AccFormat::kI48}) : dice.of({AccFormat::kI32, AccFormat::kI40});
  op.ofm_scale = random_scale(dice, accumulator_width(op), 60, u85);
  std::vector<ChannelScale> entries;
  const bool streams = u85 ? op.pool != PoolMode::kAverage : op.pool == PoolMode::kAverage && !padded(op.kernel);
  if (streams && dice.one_in(2)) {
    op.scale_per_channel = true;
    entries = add_scales(dice, bench, op);
  }
  random_output(dice, bench, op);
  const auto before = bench.arena;
  INFO("mode " << static_cast<int>(op.pool) << ", " << bits << " bits to " << op.ofm.bits);
  plain::check(bench, op, [&](int y, int x, int ch) { return pooled(op, entries, window(before, op, y, x, ch), ch); });
}

/// A product of matrices of 8 or 16 bits, from zero or from accumulators in IFM2's place.
void check_matmul(Dice& dice) {
  Bench bench("ethos-u85-256");
  Maps maps(dice);
  BlockOperation op;
  op.kind = OpKind::kConv;
  op.family = Family::kU85;
  op.ublock = {2, 2, 8};
  op.weights_from_ifm2 = true;
  const int bits = dice.of({8, 16}), h = dice.pick(1, 3), w = dice.pick(1, 4), oc = dice.pick(1, 18);
  const int ic = dice.one_in(4) ? dice.pick(250, 600) : dice.pick(1, 40), ofm_bits = dice.of({8, 16, 32});
  const bool is_signed = dice.pick(0, 1), weights_signed = dice.pick(0, 1);
  op.ifm = maps.place(h, w, ic, bits, is_signed);
  op.ifm2 = maps.place(1, oc, ic, bits, weights_signed);
  op.ofm = maps.place(h, w, oc, ofm_bits, ofm_bits == 32 || dice.pick(0, 1));
  if (dice.one_in(2)) op.ifm.zero_point = op.ifm2.zero_point = 0;
  maps.fill(bench);
  maps.fill(bench, op.ifm);
  maps.fill(bench, op.ifm2);
  op.acc_format = dice.of({AccFormat::kI32, AccFormat::kI48});
  op.ofm_scale = random_scale(dice, accumulator_width(op), 60, true);
  random_output(dice, bench, op);
  const auto before = bench.arena;
  INFO(bits << " bits to " << op.ofm.bits << ", depth " << ic);
  plain::check(bench, op, [&](int y, int x, int c) {
    Number sum = 0;
    for (int i = 0; i < ic; ++i)
      sum += plain::element(before, op.ifm, y, x, i) * plain::element(before, op.ifm2, 0, c, i);
    return scaled(op, {}, sum, c);
  });
}

struct Sample {
  int low, high, fraction;
};
Sample sample(int output, int inputs, int n, int step, int offset) {
  const int position = output * step + offset;
  const auto index = static_cast<int>(plain::floor_divide(position, n));
  return {std::clamp(index, 0, inputs - 1), std::clamp(index + 1, 0, inputs - 1), position - index * n};
}

void check_resize(Dice& dice) {
  Bench bench("ethos-u85-256");
  Maps maps(dice);
  BlockOperation op;
  op.kind = OpKind::kResize;
  op.family = Family::kU85;
  op.resize = dice.of({ResizeFilter::kBilinear, ResizeFilter::kNearest, ResizeFilter::kReplicate});
  const int bits = dice.of({8, 16, 32}), c = dice.pick(1, 18), ofm_bits = dice.of({8, 16, 32});
  op.ifm = maps.place(dice.pick(1, 4), dice.pick(1, 4), c, bits, bits == 32 || dice.pick(0, 1));
  op.ofm = maps.place(dice.pick(1, 7), dice.pick(1, 7), c, ofm_bits, ofm_bits == 32 || dice.pick(0, 1));
  op.kernel.height = op.ifm.h;
  op.kernel.width = op.ifm.w;
  auto& r = op.resize_step;
  r.n_x = dice.pick(1, 6);
  r.n_y = dice.pick(1, 6);
  r.offset_x = dice.pick(-9, 9);
  r.offset_y = dice.pick(-9, 9);
  r.one_step_int_x = dice.pick(0, 2);
  r.one_step_int_y = dice.pick(0, 2);
  r.one_step_mod_x = dice.pick(0, r.n_x - 1);
  r.one_step_mod_y = dice.pick(0, r.n_y - 1);
  maps.fill(bench);
  maps.fill(bench, op.ifm);
  op.ofm_scale = random_scale(dice, 54, 60, true);
  if (dice.pick(0, 1)) op.ofm_scale = {1, 16, op.ofm_scale.rounding, 0};
  random_output(dice, bench, op);
  const auto before = bench.arena;
  INFO("mode " << static_cast<int>(op.resize) << ", " << bits << " bits to " << op.ofm.bits);
  plain::check(bench, op, [&](int y, int x, int ch) {
    const Sample sy = sample(y, op.ifm.h, r.n_y, r.one_step_int_y * r.n_y + r.one_step_mod_y, r.offset_y);
    const Sample sx = sample(x, op.ifm.w, r.n_x, r.one_step_int_x * r.n_x + r.one_step_mod_x, r.offset_x);
    const auto at = [&](int iy, int ix) { return plain::element(before, op.ifm, iy, ix, ch); };
    Number value = at(sy.low, sx.low);
    if (op.resize == ResizeFilter::kNearest)
      value = at(2 * sy.fraction >= r.n_y ? sy.high : sy.low, 2 * sx.fraction >= r.n_x ? sx.high : sx.low);
    if (op.resize == ResizeFilter::kBilinear)
      value = at(sy.low, sx.low) * (r.n_y - sy.fraction) * (r.n_x - sx.fraction) +
              at(sy.low, sx.high) * (r.n_y - sy.fraction) * sx.fraction +
              at(sy.high, sx.low) * sy.fraction * (r.n_x - sx.fraction) +
              at(sy.high, sx.high) * sy.fraction * sx.fraction;
    return plain::rounded(value * 65536, op.ofm_scale);
  });
}

}  // namespace

TEST_CASE("pools of random make are what the rules say") {
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    Dice dice(6);
    for (int round = 0; round < 800; ++round) {
      INFO(accelerator << " round " << round);
      check_pool(dice, accelerator);
    }
  }
}

TEST_CASE("matrix products of random make are what the rules say") {
  Dice dice(7);
  for (int round = 0; round < 200; ++round) {
    INFO("round " << round);
    check_matmul(dice);
  }
}

TEST_CASE("RESIZE of random make is what the rules say") {
  Dice dice(8);
  for (int round = 0; round < 500; ++round) {
    INFO("round " << round);
    check_resize(dice);
  }
}
