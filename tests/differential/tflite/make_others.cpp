#include <algorithm>

#include "tests/differential/tflite/maker.hpp"

// Reductions, normalisations and images.
namespace macaw::test {
namespace {

struct Axes {
  std::vector<std::int32_t> list;
  Extents out;
  fb::ReducerOptionsT options;
};

Axes axes(Maker& m, const Value& in) {
  Axes a;
  a.options.keep_dims = m.chance(50);
  for (std::size_t i = 0; i < in.shape.size(); ++i) {
    const bool is_folded = m.chance(50) || (a.list.empty() && i + 1 == in.shape.size());
    if (is_folded)
      a.list.push_back(static_cast<std::int32_t>(i) - (m.chance(20) ? static_cast<int>(in.shape.size()) : 0));
    if (!is_folded) a.out.push_back(in.shape[i]);
    else if (a.options.keep_dims) a.out.push_back(1);
  }
  return a;
}

}  // namespace

void make_mean(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16});
  const Axes a = axes(m, in);
  m.op(builtin, {in.id, m.ints(a.list)}, {m.quantized_result(in.type, a.out)}, a.options);
}

void make_sum_of(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16});
  const Axes a = axes(m, in);
  m.op(builtin, {in.id, m.ints(a.list)}, {m.result(in.type, a.out, m.scale() * 20, m.zero(in.type))}, a.options);
}

void make_reduce_best(Maker& m, int builtin) {
  const Value in = m.operand({INT8});
  const Axes a = axes(m, in);
  m.op(builtin, {in.id, m.ints(a.list)}, {m.result_like(in, a.out)}, a.options);
}

void make_reduce_bool(Maker& m, int builtin) {
  const Value in = m.operand({BOOL});
  const Axes a = axes(m, in);
  m.op(builtin, {in.id, m.ints(a.list)}, {m.result(BOOL, a.out)}, a.options);
}

void make_arg_best(Maker& m, int builtin) {
  constexpr int kArgMax = 56;
  const Value in = m.operand({INT8});
  const int along = m.pick(0, static_cast<int>(in.shape.size()) - 1);
  Extents out = in.shape;
  out.erase(out.begin() + along);
  const int index = m.ints({along}, Extents{});
  const Value result = m.result(INT32, out);
  if (builtin == kArgMax) {
    fb::ArgMaxOptionsT options;
    options.output_type = INT32;
    m.op(builtin, {in.id, index}, {result}, options);
  } else {
    fb::ArgMinOptionsT options;
    options.output_type = INT32;
    m.op(builtin, {in.id, index}, {result}, options);
  }
}

void make_softmax(Maker& m, int builtin) {
  fb::SoftmaxOptionsT options;
  options.beta = m.chance(70) ? 1.0F : 0.5F;
  const Value in = m.operand({INT8, INT8, INT16, FLOAT32}, m.pick(1, 4));
  if (in.type == FLOAT32) return m.op(builtin, {in.id}, {m.result(FLOAT32, in.shape)}, options);
  if (in.type == INT16) return m.op(builtin, {in.id}, {m.result(INT16, in.shape, 1.0F / 32768, 0)}, options);
  if (m.chance(30)) return m.op(builtin, {in.id}, {m.result(INT16, in.shape, 1.0F / 65536, -32768)}, options);
  m.op(builtin, {in.id}, {m.result(in.type, in.shape, 1.0F / 256, in.type == UINT8 ? 0 : -128)}, options);
}

void make_log_softmax(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, FLOAT32}, m.pick(1, 4));
  if (in.type == FLOAT32) return m.op(builtin, {in.id}, {m.result(FLOAT32, in.shape)});
  m.op(builtin, {in.id}, {m.result(INT8, in.shape, 16.0F / 256, 127)});
}

void make_l2_normalization(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, FLOAT32}, m.pick(2, 4));
  if (in.type == FLOAT32) return m.op(builtin, {in.id}, {m.result(FLOAT32, in.shape)}, fb::L2NormOptionsT{});
  m.op(builtin, {in.id}, {m.result(INT8, in.shape, 1.0F / 128, 0)}, fb::L2NormOptionsT{});
}

void make_resize(Maker& m, int builtin) {
  constexpr int kBilinear = 23;
  const Value in = m.operand({INT8}, 4);
  const bool is_doubled = m.chance(50);
  const int height = is_doubled ? in.shape[1] * 2 : m.pick(1, 12), width = is_doubled ? in.shape[2] * 2 : m.pick(1, 12);
  const int form = m.pick(0, 2);
  const int size = m.ints({height, width});
  const Value out = m.result_like(in, {in.shape[0], height, width, in.shape[3]});
  if (builtin == kBilinear) {
    fb::ResizeBilinearOptionsT options;
    options.align_corners = form == 1;
    options.half_pixel_centers = form == 2;
    m.op(builtin, {in.id, size}, {out}, options);
  } else {
    fb::ResizeNearestNeighborOptionsT options;
    options.align_corners = form == 1;
    options.half_pixel_centers = form == 2;
    m.op(builtin, {in.id, size}, {out}, options);
  }
}

#define MACAW_TFLITE_MAKER(name, builtin, function) void function(Maker&, int);
#include "tests/differential/tflite/makers.def"
#undef MACAW_TFLITE_MAKER

const std::vector<OperatorMaker>& operator_makers() {
  static const std::vector<OperatorMaker> makers = {
#define MACAW_TFLITE_MAKER(name, builtin, function) {#name, builtin, function},
#include "tests/differential/tflite/makers.def"
#undef MACAW_TFLITE_MAKER
  };
  return makers;
}

}  // namespace macaw::test
