#pragma once
#include <macaw/tosa/interpreter.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace macaw::tosa::test {

template <class T>
Tensor tensor(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor result(dtype, std::move(shape));
  std::ranges::copy(values, result.data<T>().begin());
  return result;
}

inline Tensor shape_tensor(const std::vector<std::int64_t>& extents) {
  return tensor<std::int64_t>(DType::kSHAPE, {static_cast<std::int64_t>(extents.size())}, extents);
}

/// Puts a block together in the order of the calls.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name = "main") { block.name = std::move(name); }

  ValueId value(std::string name, DType dtype, Shape shape) {
    Value v;
    v.name = std::move(name);
    v.dtype = dtype;
    v.shape = std::move(shape);
    block.values.push_back(std::move(v));
    return static_cast<ValueId>(block.values.size() - 1);
  }
  ValueId input(std::string name, DType dtype, Shape shape) {
    const auto id = value(std::move(name), dtype, std::move(shape));
    block.inputs.push_back(id);
    return id;
  }
  ValueId constant(std::string name, Tensor data) {
    const auto id = value(std::move(name), data.dtype(), data.shape());
    Operator op;
    op.op = data.dtype() == DType::kSHAPE ? Op::kCONST_SHAPE : Op::kCONST;
    op.outputs = {id};
    block.operators.push_back(std::move(op));
    block.values[id].data = std::make_shared<const Tensor>(std::move(data));
    return id;
  }
  Operator& add(Op kind, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
    Operator op;
    op.op = kind;
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    block.operators.push_back(std::move(op));
    return block.operators.back();
  }
  void output(ValueId id) { block.outputs.push_back(id); }
  [[nodiscard]] Graph graph(Version version = kVersion1_0) const { return {version, {block}}; }

  Block block;
};

/// A graph with most kinds of attributes and constants: CONV2D with int8 zero points, RESCALE, CLAMP, PAD, TRANSPOSE,
/// TABLE, MUL and RESHAPE, which makes it long. One input "x", int8 [1, 4, 4, 2]; one output of 36 int32.
inline Graph sample_graph() {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {1, 4, 4, 2});
  const auto padding = b.constant("padding", shape_tensor({0, 0, 1, 1, 1, 1, 0, 0}));
  const auto fill = b.constant("fill", tensor<std::int8_t>(DType::kINT8, {1}, {-3}));
  const auto padded = b.value("padded", DType::kINT8, {1, 6, 6, 2});
  b.add(Op::kPAD, {x, padding, fill}, {padded});

  const auto weight = b.constant("weight", tensor<std::int8_t>(DType::kINT8, {3, 1, 1, 2}, {1, -2, 3, 4, -5, 6}));
  const auto bias = b.constant("bias", tensor<std::int32_t>(DType::kINT32, {3}, {100, -200, 300}));
  const auto input_zp = b.constant("input_zp", tensor<std::int8_t>(DType::kINT8, {1}, {-3}));
  const auto weight_zp = b.constant("weight_zp", tensor<std::int8_t>(DType::kINT8, {1}, {0}));
  const auto acc = b.value("acc", DType::kINT32, {1, 6, 6, 3});
  auto& conv = b.add(Op::kCONV2D, {padded, weight, bias, input_zp, weight_zp}, {acc});
  conv.set(Attr::k_pad, std::vector<std::int64_t>(4, 0));
  conv.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
  conv.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
  conv.set(Attr::k_local_bound, std::int64_t{0});
  conv.set(Attr::k_acc_type, std::int64_t(DType::kINT32));

  const auto multiplier =
      b.constant("multiplier", tensor<std::int32_t>(DType::kINT32, {3}, {1 << 30, 1 << 29, 1 << 30}));
  const auto shift = b.constant("shift", tensor<std::int8_t>(DType::kINT8, {3}, {33, 32, 31}));
  const auto in_zp = b.constant("in_zp", tensor<std::int32_t>(DType::kINT32, {1}, {0}));
  const auto out_zp = b.constant("out_zp", tensor<std::int8_t>(DType::kINT8, {1}, {5}));
  const auto scaled = b.value("scaled", DType::kINT8, {1, 6, 6, 3});
  auto& rescale = b.add(Op::kRESCALE, {acc, multiplier, shift, in_zp, out_zp}, {scaled});
  rescale.set(Attr::k_scale32, std::int64_t{1});
  rescale.set(Attr::k_rounding_mode, std::int64_t(RoundingMode::kDoubleRound));
  rescale.set(Attr::k_per_channel, std::int64_t{1});
  rescale.set(Attr::k_input_unsigned, std::int64_t{0});
  rescale.set(Attr::k_output_unsigned, std::int64_t{0});

  const auto clamped = b.value("clamped", DType::kINT8, {1, 6, 6, 3});
  auto& clamp = b.add(Op::kCLAMP, {scaled}, {clamped});
  clamp.set(Attr::k_min_val, std::vector{std::byte{0xf0}});
  clamp.set(Attr::k_max_val, std::vector{std::byte{0x70}});
  clamp.set(Attr::k_nan_mode, std::int64_t(NanMode::kPropagate));

  std::vector<std::int8_t> entries(256);
  for (int i = 0; i < 256; ++i) entries[static_cast<std::size_t>(i)] = static_cast<std::int8_t>((i * 7) % 251 - 125);
  const auto table = b.constant("table", tensor<std::int8_t>(DType::kINT8, {256}, entries));
  const auto looked_up = b.value("looked_up", DType::kINT8, {1, 6, 6, 3});
  b.add(Op::kTABLE, {clamped, table}, {looked_up});

  const auto turned = b.value("turned", DType::kINT8, {1, 3, 6, 6});
  b.add(Op::kTRANSPOSE, {looked_up}, {turned}).set(Attr::k_perms, std::vector<std::int64_t>{0, 3, 1, 2});

  const auto start = b.constant("start", shape_tensor({0, 1, 0, 0}));
  const auto size = b.constant("size", shape_tensor({1, 1, 6, 6}));
  const auto part = b.value("part", DType::kINT8, {1, 1, 6, 6});
  b.add(Op::kSLICE, {turned, start, size}, {part});

  const auto mul_shift = b.constant("mul_shift", tensor<std::int8_t>(DType::kINT8, {1}, {0}));
  const auto product = b.value("product", DType::kINT32, {1, 1, 6, 6});
  b.add(Op::kMUL, {part, part, mul_shift}, {product});

  const auto extents = b.constant("extents", shape_tensor({36}));
  const auto y = b.value("y", DType::kINT32, {36});
  b.add(Op::kRESHAPE, {product, extents}, {y});
  b.output(y);
  return b.graph();
}

inline Tensor sample_input() {
  std::vector<std::int8_t> values;
  for (int i = 0; i < 32; ++i) values.push_back(static_cast<std::int8_t>(i * 37 % 256 - 128));
  return tensor<std::int8_t>(DType::kINT8, {1, 4, 4, 2}, values);
}

/// All of a graph as text, to compare two.
std::string dump(const Graph& graph);

}  // namespace macaw::tosa::test
