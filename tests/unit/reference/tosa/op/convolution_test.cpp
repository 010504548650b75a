#include <functional>

#include "tests/unit/reference/tosa/op/harness.hpp"

namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
using Ints = std::vector<int64_t>;

/// Element of a tensor of any integer type.
int64_t element_at(const Tensor& tensor, int64_t at) {
  const auto i = static_cast<std::size_t>(at);
  switch (size_of(tensor.dtype())) {
    case 1: return tensor.data<int8_t>()[i];
    case 2: return tensor.data<int16_t>()[i];
    case 4: return tensor.data<int32_t>()[i];
    default: return tensor.data<int64_t>()[i];
  }
}

struct Types {
  DType in, weight, out;
};
const Types kTypes[] = {{DType::kINT8, DType::kINT8, DType::kINT32},
                        {DType::kINT8, DType::kINT4, DType::kINT32},
                        {DType::kINT16, DType::kINT8, DType::kINT48}};

/// Random operands in the common order input, weight, bias, zero points.
std::vector<Tensor> operands(Random& random, const Types& types, Shape in, Shape weight, int64_t channels) {
  std::vector<Tensor> all;
  const bool is_wide = types.in == DType::kINT16;
  all.push_back(is_wide ? random_tensor<int16_t>(random, types.in, std::move(in), -32768, 32767)
                        : random_int8(random, std::move(in)));
  const int64_t limit = types.weight == DType::kINT4 ? 8 : 128;
  all.push_back(random_tensor<int8_t>(random, types.weight, std::move(weight), -limit, limit - 1));
  const Shape bias{pick(random, 0, 1) ? 1 : channels};
  all.push_back(is_wide ? random_tensor<int64_t>(random, types.out, bias, -1000000000000, 1000000000000)
                        : random_tensor<int32_t>(random, types.out, bias, -1000000, 1000000));
  all.push_back(is_wide ? make<int16_t>(types.in, {1}, {0})
                        : make<int8_t>(types.in, {1}, {static_cast<int8_t>(pick(random, -128, 127))}));
  all.push_back(make<int8_t>(types.weight, {1},
                             {static_cast<int8_t>(types.weight == DType::kINT8 ? pick(random, -128, 127) : 0)}));
  return all;
}

int64_t output_extent(int64_t in, int64_t pads, int64_t kernel, int64_t stride, int64_t dilation) {
  return (in - 1 + pads - (kernel - 1) * dilation) / stride + 1;
}
bool divides(int64_t in, int64_t pads, int64_t kernel, int64_t stride, int64_t dilation) {
  const auto room = in - 1 + pads - (kernel - 1) * dilation;
  return room >= 0 && room % stride == 0;
}

void expect(const Outcome& outcome, const std::function<int64_t(int64_t)>& want) {
  REQUIRE(outcome.broken.empty());
  CHECK(outcome.findings.empty());
  int64_t wrong = 0;
  for (int64_t i = 0; i < outcome.output.size(); ++i) wrong += element_at(outcome.output, i) != want(i);
  CHECK(wrong == 0);
}

TEST_CASE("CONV2D and CONV3D equal the sums of the specification") {
  Random random(4);
  for (int round = 0; round < 240; ++round) {
    const auto& types = kTypes[round % 3];
    const bool is_3d = round % 2 == 0;
    const std::size_t axes = is_3d ? 3 : 2;
    Ints in, kernel, stride, dilation, pad, out;
    for (std::size_t axis = 0; axis < axes;) {
      const auto i = pick(random, 1, 8), k = pick(random, 1, 4), s = pick(random, 1, 3), d = pick(random, 1, 3),
                 before = pick(random, 0, 3), after = pick(random, 0, 3);
      if (!divides(i, before + after, k, s, d)) continue;
      in.push_back(i);
      kernel.push_back(k);
      stride.push_back(s);
      dilation.push_back(d);
      pad.insert(pad.end(), {before, after});
      out.push_back(output_extent(i, before + after, k, s, d));
      ++axis;
    }
    const auto n = pick(random, 1, 2), ic = pick(random, 1, 20), oc = pick(random, 1, 20);
    const auto shape = [](int64_t first, const Ints& middle, int64_t last) {
      Shape all{first};
      all.insert(all.end(), middle.begin(), middle.end());
      all.push_back(last);
      return all;
    };
    const auto inputs = operands(random, types, shape(n, in, ic), shape(oc, kernel, ic), oc);
    const auto outcome = run_operator(is_3d ? Op::kCONV3D : Op::kCONV2D, inputs, {types.out, shape(n, out, oc)},
                                      {{Attr::k_pad, pad}, {Attr::k_stride, stride}, {Attr::k_dilation, dilation}});
    expect(outcome, [&](int64_t at) {
      const auto c = at % oc;
      at /= oc;
      Ints position(axes);
      for (std::size_t axis = axes; axis-- > 0; at /= out[axis]) position[axis] = at % out[axis];
      int64_t sum = element_at(inputs[2], inputs[2].size() == 1 ? 0 : c);
      int64_t taps = 1;
      for (const auto k : kernel) taps *= k;
      for (int64_t tap = 0; tap < taps; ++tap) {
        Ints index(axes);
        int64_t rest = tap;
        for (std::size_t axis = axes; axis-- > 0; rest /= kernel[axis]) index[axis] = rest % kernel[axis];
        int64_t from = at;
        bool inside = true;
        for (std::size_t axis = 0; axis < axes; ++axis) {
          const auto i = position[axis] * stride[axis] - pad[2 * axis] + index[axis] * dilation[axis];
          inside &= i >= 0 && i < in[axis];
          from = from * in[axis] + i;
        }
        if (!inside) continue;
        for (int64_t k = 0; k < ic; ++k)
          sum += (element_at(inputs[0], from * ic + k) - element_at(inputs[3], 0)) *
                 (element_at(inputs[1], (c * taps + tap) * ic + k) - element_at(inputs[4], 0));
      }
      return sum;
    });
  }
}

TEST_CASE("DEPTHWISE_CONV2D equals the sums of the specification") {
  Random random(5);
  for (int round = 0; round < 120;) {
    const auto& types = kTypes[round % 3];
    const auto ih = pick(random, 1, 8), iw = pick(random, 1, 8), kh = pick(random, 1, 4), kw = pick(random, 1, 4);
    const Ints stride{pick(random, 1, 3), pick(random, 1, 3)}, dilation{pick(random, 1, 2), pick(random, 1, 2)},
        pad{pick(random, 0, 2), pick(random, 0, 2), pick(random, 0, 2), pick(random, 0, 2)};
    if (!divides(ih, pad[0] + pad[1], kh, stride[0], dilation[0]) ||
        !divides(iw, pad[2] + pad[3], kw, stride[1], dilation[1]))
      continue;
    ++round;
    const auto oh = output_extent(ih, pad[0] + pad[1], kh, stride[0], dilation[0]),
               ow = output_extent(iw, pad[2] + pad[3], kw, stride[1], dilation[1]);
    const auto c = pick(random, 1, 20), m = pick(random, 1, 3);
    const auto inputs = operands(random, types, {2, ih, iw, c}, {kh, kw, c, m}, c * m);
    const auto outcome = run_operator(Op::kDEPTHWISE_CONV2D, inputs, {types.out, {2, oh, ow, c * m}},
                                      {{Attr::k_pad, pad}, {Attr::k_stride, stride}, {Attr::k_dilation, dilation}});
    expect(outcome, [&](int64_t at) {
      const auto channel = at % (c * m), ox = at / (c * m) % ow, oy = at / (c * m) / ow % oh,
                 n = at / (c * m) / ow / oh;
      int64_t sum = element_at(inputs[2], inputs[2].size() == 1 ? 0 : channel);
      for (int64_t ky = 0; ky < kh; ++ky)
        for (int64_t kx = 0; kx < kw; ++kx) {
          const auto y = oy * stride[0] - pad[0] + ky * dilation[0], x = ox * stride[1] - pad[2] + kx * dilation[1];
          if (y < 0 || y >= ih || x < 0 || x >= iw) continue;
          sum += (element_at(inputs[0], ((n * ih + y) * iw + x) * c + channel / m) - element_at(inputs[3], 0)) *
                 (element_at(inputs[1], (ky * kw + kx) * c * m + channel) - element_at(inputs[4], 0));
        }
      return sum;
    });
  }
}

TEST_CASE("TRANSPOSE_CONV2D scatters every input over its kernel") {
  Random random(6);
  for (int round = 0; round < 120; ++round) {
    const auto& types = kTypes[round % 3];
    const auto ih = pick(random, 1, 6), iw = pick(random, 1, 6), kh = pick(random, 1, 5), kw = pick(random, 1, 5);
    const Ints stride{pick(random, 1, 4), pick(random, 1, 4)};
    const Ints pad{pick(random, 1 - kh, 2), pick(random, 1 - kh, 2), pick(random, 1 - kw, 2), pick(random, 1 - kw, 2)};
    const auto oh = (ih - 1) * stride[0] + pad[0] + pad[1] + kh, ow = (iw - 1) * stride[1] + pad[2] + pad[3] + kw;
    if (oh < 1 || ow < 1) continue;
    const auto ic = pick(random, 1, 9), oc = pick(random, 1, 20);
    const auto inputs = operands(random, types, {2, ih, iw, ic}, {oc, kh, kw, ic}, oc);
    const auto outcome = run_operator(Op::kTRANSPOSE_CONV2D, inputs, {types.out, {2, oh, ow, oc}},
                                      {{Attr::k_out_pad, pad}, {Attr::k_stride, stride}});
    std::vector<int64_t> want(static_cast<std::size_t>(2 * oh * ow * oc));
    for (int64_t i = 0; i < static_cast<int64_t>(want.size()); ++i)
      want[static_cast<std::size_t>(i)] = element_at(inputs[2], inputs[2].size() == 1 ? 0 : i % oc);
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t iy = 0; iy < ih; ++iy)
        for (int64_t ix = 0; ix < iw; ++ix)
          for (int64_t ky = 0; ky < kh; ++ky)
            for (int64_t kx = 0; kx < kw; ++kx) {
              const auto oy = iy * stride[0] + pad[0] + ky, ox = ix * stride[1] + pad[2] + kx;
              if (oy < 0 || oy >= oh || ox < 0 || ox >= ow) continue;
              for (int64_t c = 0; c < oc; ++c)
                for (int64_t k = 0; k < ic; ++k)
                  want[static_cast<std::size_t>(((n * oh + oy) * ow + ox) * oc + c)] +=
                      (element_at(inputs[0], ((n * ih + iy) * iw + ix) * ic + k) - element_at(inputs[3], 0)) *
                      (element_at(inputs[1], ((c * kh + ky) * kw + kx) * ic + k) - element_at(inputs[4], 0));
            }
    expect(outcome, [&](int64_t at) { return want[static_cast<std::size_t>(at)]; });
  }
}

TEST_CASE("MATMUL and MATMUL_T equal the sums of the specification") {
  Random random(7);
  for (int round = 0; round < 120; ++round) {
    const bool is_wide = round % 2 == 1, transposed = round % 4 > 1;
    const auto n = pick(random, 1, 3), h = pick(random, 1, 20), c = pick(random, 1, 40), w = pick(random, 1, 40);
    const auto batches = transposed && pick(random, 0, 1) ? 1 : n;
    const auto type = is_wide ? DType::kINT16 : DType::kINT8;
    const auto tensor = [&](Shape shape) {
      return is_wide ? random_tensor<int16_t>(random, type, std::move(shape), -32768, -32760 + pick(random, 0, 65527))
                     : random_int8(random, std::move(shape));
    };
    const auto zero_point = [&] {
      return is_wide ? make<int16_t>(type, {1}, {0})
                     : make<int8_t>(type, {1}, {static_cast<int8_t>(pick(random, -128, 127))});
    };
    const std::vector<Tensor> inputs{tensor({n, h, c}), tensor(transposed ? Shape{batches, w, c} : Shape{n, c, w}),
                                     zero_point(), zero_point()};
    const auto outcome = run_operator(transposed ? Op::kMATMUL_T : Op::kMATMUL, inputs,
                                      {is_wide ? DType::kINT48 : DType::kINT32, {n, h, w}});
    expect(outcome, [&](int64_t at) {
      const auto x = at % w, y = at / w % h, batch = at / w / h, right = batches == 1 ? 0 : batch;
      int64_t sum = 0;
      for (int64_t k = 0; k < c; ++k)
        sum += (element_at(inputs[0], (batch * h + y) * c + k) - element_at(inputs[2], 0)) *
               (element_at(inputs[1], transposed ? (right * w + x) * c + k : (right * c + k) * w + x) -
                element_at(inputs[3], 0));
      return sum;
    });
  }
}

/// A 1x1 convolution of one pixel, all inputs and all weights alike.
Outcome dot(int64_t channels, int8_t input, int8_t weight, int32_t bias) {
  std::vector<int8_t> inputs(static_cast<std::size_t>(channels), input), weights(inputs.size(), weight);
  return run_operator(Op::kCONV2D,
                      {make(DType::kINT8, {1, 1, 1, channels}, inputs),
                       make(DType::kINT8, {1, 1, 1, channels}, weights), make<int32_t>(DType::kINT32, {1}, {bias}),
                       make<int8_t>(DType::kINT8, {1}, {127}), make<int8_t>(DType::kINT8, {1}, {127})},
                      {DType::kINT32, {1, 1, 1, 1}},
                      {{Attr::k_pad, Ints{0, 0, 0, 0}}, {Attr::k_stride, Ints{1, 1}}, {Attr::k_dilation, Ints{1, 1}}});
}

TEST_CASE("a sum that leaves the accumulator is reported, one at its edge is not") {
  constexpr int64_t kProduct = 255 * 255;
  constexpr auto kMost = std::numeric_limits<int32_t>::max() / kProduct;
  CHECK(dot(kMost, -128, -128, 0).findings.empty());
  CHECK(dot(kMost, -128, -128, 0).output.data<int32_t>()[0] == kMost * kProduct);
  CHECK(dot(kMost + 1, -128, -128, 0).findings.size() == 1);
  CHECK(dot(kMost + 1, -128, 127, 0).findings.empty());
  const auto room = static_cast<int32_t>(std::numeric_limits<int32_t>::max() - kMost * kProduct);
  CHECK(dot(kMost, -128, -128, room).findings.empty());
  CHECK(dot(kMost, -128, -128, room + 1).findings.size() == 1);
}

TEST_CASE("a depthwise sum of as many taps as leave the accumulator is reported") {
  constexpr int64_t kSide = 200;
  const auto findings = [&](int8_t zero_point) {
    Tensor in(DType::kINT8, {1, kSide, kSide, 1}), weight(DType::kINT8, {kSide, kSide, 1, 1});
    for (auto* tensor : {&in, &weight}) std::ranges::fill(tensor->data<int8_t>(), int8_t{-128});
    return run_operator(Op::kDEPTHWISE_CONV2D,
                        {in, weight, make<int32_t>(DType::kINT32, {1}, {0}),
                         make<int8_t>(DType::kINT8, {1}, {zero_point}), make<int8_t>(DType::kINT8, {1}, {zero_point})},
                        {DType::kINT32, {1, 1, 1, 1}},
                        {{Attr::k_pad, Ints{0, 0, 0, 0}}, {Attr::k_stride, Ints{1, 1}}, {Attr::k_dilation, Ints{1, 1}}})
        .findings.size();
  };
  static_assert(kSide * kSide * 255 * 255 > std::numeric_limits<int32_t>::max());
  CHECK(findings(127) == 1);
  CHECK(findings(0) == 0);
}

TEST_CASE("a matrix product of INT16 whose sum leaves 48 bits on the way is reported, though it comes back") {
  constexpr std::size_t kMost = (std::size_t{1} << 47) / (32767 * 32767);
  const auto findings = [&](std::size_t count) {
    const auto k = static_cast<int64_t>(count + 2);
    std::vector<int16_t> a(count + 2, 32767), b(count + 2, 32767);
    b[count] = b[count + 1] = -32767;
    const auto zero = make<int16_t>(DType::kINT16, {1}, {0});
    return run_operator(Op::kMATMUL, {make(DType::kINT16, {1, 1, k}, a), make(DType::kINT16, {1, k, 1}, b), zero, zero},
                        {DType::kINT48, {1, 1, 1}})
        .findings.size();
  };
  CHECK(findings(kMost) == 0);
  CHECK(findings(kMost + 1) == 1);
}

TEST_CASE("padding of TRANSPOSE_CONV2D takes off less than the kernel at every side") {
  for (std::size_t side = 0; side < 4; ++side)
    for (const int64_t pad : {-2, -3}) {
      Ints pads{0, 0, 0, 0};
      pads[side] = pad;
      Random random(3);
      auto inputs = operands(random, kTypes[0], {1, 5, 5, 2}, {3, 3, 3, 2}, 3);
      const auto broken = run_operator(Op::kTRANSPOSE_CONV2D, inputs,
                                       {DType::kINT32, {1, 7 + pads[0] + pads[1], 7 + pads[2] + pads[3], 3}},
                                       {{Attr::k_out_pad, pads}, {Attr::k_stride, Ints{1, 1}}})
                              .broken;
      INFO("side " << side << ", " << pad);
      CHECK(broken.size() == (pad == -3));
    }
}

TEST_CASE("convolution rules") {
  Random random(8);
  const auto rules = [&](Ints pad, Ints stride, Ints dilation, Shape out, const Types& types = kTypes[0],
                         int64_t bias = 1) {
    auto inputs = operands(random, types, {1, 5, 5, 2}, {3, 3, 3, 2}, 3);
    inputs[2] = types.in == DType::kINT16 ? Tensor(types.out, {bias}) : Tensor(DType::kINT32, {bias});
    if (types.in == DType::kINT16) inputs[3] = make<int16_t>(DType::kINT16, {1}, {1});
    return run_operator(Op::kCONV2D, inputs, {types.out, std::move(out)},
                        {{Attr::k_pad, std::move(pad)},
                         {Attr::k_stride, std::move(stride)},
                         {Attr::k_dilation, std::move(dilation)}})
        .broken;
  };
  CHECK(rules({0, 0, 0, 0}, {1, 1}, {1, 1}, {1, 3, 3, 3}).empty());
  CHECK(rules({0, 0, 0, 0}, {1, 1}, {1, 1}, {1, 3, 3, 3}, kTypes[2]) ==
        std::vector<std::string>{"input_zp must be 0 unless the input is int8"});
  CHECK(rules({0, 0, 0, 0}, {1, 1}, {1, 1}, {1, 3, 3, 3}, kTypes[0], 2).size() == 1);
  CHECK(rules({0, 0, 0, 0}, {1, 1}, {1, 1}, {1, 4, 3, 3}).size() == 1);
  CHECK(rules({1, 0, 0, 0}, {2, 1}, {1, 1}, {1, 2, 3, 3}).size() == 1);  // (5 + 1 - 3) / 2 leaves a remainder
  CHECK(rules({-1, 1, 0, 0}, {1, 1}, {1, 1}, {1, 3, 3, 3}) == std::vector<std::string>{"pad must not be negative"});
  CHECK(rules({0, 0, 0, 0}, {0, 1}, {1, 1}, {1, 3, 3, 3}).size() == 2);
  CHECK(rules({0, 0, 0, 0}, {1, 1}, {1, std::numeric_limits<int64_t>::max()}, {1, 3, 3, 3}).size() == 2);
  CHECK(rules({std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max(), 0, 0}, {1, 1}, {1, 1},
              {1, 3, 3, 3})
            .size() == 2);
}

}  // namespace
}  // namespace macaw::tosa
