#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "reference/import/flatbuffer_reading.hpp"
#include "reference/import/graph_importer.hpp"
#include "reference/import/import.hpp"
#include "reference/import/tables.hpp"
#include "tosa_v0_80_generated.h"

// Reads graphs of TOSA 0.80. What 1.x has as inputs (zero points, shifts, scales, shapes, tables) 0.80 has as
// attributes: each becomes a constant of the graph, so that one definition of an operator serves both.

namespace macaw::tosa {
namespace {

namespace fb = v0_80;

/// Kind of attributes that an operator has in 0.80; NONE for the rest.
fb::Attribute attribute_of(fb::Op op) {
  switch (op) {
    case fb::Op::AVG_POOL2D:
    case fb::Op::MAX_POOL2D: return fb::Attribute::PoolAttribute;
    case fb::Op::CONV2D:
    case fb::Op::CONV3D:
    case fb::Op::DEPTHWISE_CONV2D: return fb::Attribute::ConvAttribute;
    case fb::Op::TRANSPOSE_CONV2D: return fb::Attribute::TransposeConvAttribute;
    case fb::Op::FULLY_CONNECTED: return fb::Attribute::FullyConnectedAttribute;
    case fb::Op::MATMUL: return fb::Attribute::MatMulAttribute;
    case fb::Op::PAD: return fb::Attribute::PadAttribute;
    case fb::Op::ARGMAX:
    case fb::Op::REDUCE_ALL:
    case fb::Op::REDUCE_ANY:
    case fb::Op::REDUCE_MAX:
    case fb::Op::REDUCE_MIN:
    case fb::Op::REDUCE_PRODUCT:
    case fb::Op::REDUCE_SUM:
    case fb::Op::CONCAT:
    case fb::Op::REVERSE:
    case fb::Op::DIM: return fb::Attribute::AxisAttribute;
    case fb::Op::RESHAPE: return fb::Attribute::ReshapeAttribute;
    case fb::Op::SLICE: return fb::Attribute::SliceAttribute;
    case fb::Op::TILE: return fb::Attribute::TileAttribute;
    case fb::Op::RESIZE: return fb::Attribute::ResizeAttribute;
    case fb::Op::CLAMP: return fb::Attribute::ClampAttribute;
    case fb::Op::RESCALE: return fb::Attribute::RescaleAttribute;
    case fb::Op::MUL: return fb::Attribute::MulAttribute;
    case fb::Op::ARITHMETIC_RIGHT_SHIFT: return fb::Attribute::ArithmeticRightShiftAttribute;
    case fb::Op::COND_IF: return fb::Attribute::CondIfAttribute;
    case fb::Op::WHILE_LOOP: return fb::Attribute::WhileLoopAttribute;
    case fb::Op::TRANSPOSE: return fb::Attribute::TransposeAttribute;
    case fb::Op::TABLE: return fb::Attribute::TableAttribute;
    case fb::Op::NEGATE: return fb::Attribute::NegateAttribute;
    case fb::Op::CUSTOM: return fb::Attribute::CustomAttribute;
    case fb::Op::FFT2D: return fb::Attribute::FFTAttribute;
    case fb::Op::RFFT2D: return fb::Attribute::RFFTAttribute;
    default: return fb::Attribute::NONE;
  }
}

/// Inputs that the operator needs before its attributes can be turned into more.
std::size_t least_inputs(fb::Op op) {
  switch (op) {
    case fb::Op::CONST: return 0;
    case fb::Op::MATMUL:
    case fb::Op::MUL: return 2;
    case fb::Op::CONV2D:
    case fb::Op::CONV3D:
    case fb::Op::DEPTHWISE_CONV2D:
    case fb::Op::TRANSPOSE_CONV2D:
    case fb::Op::FULLY_CONNECTED: return 3;
    default:
      return attribute_of(op) == fb::Attribute::NONE || op == fb::Op::CUSTOM || op == fb::Op::WHILE_LOOP ||
                     op == fb::Op::CONCAT
                 ? 0
                 : 1;
  }
}

/// The accumulator of a convolution, which 0.80 does not name: the output's own type, and for 16-bit floats the wider
/// of the two that the specification allows.
DType accumulator(DType output) { return output == DType::kFP16 || output == DType::kBF16 ? DType::kFP32 : output; }

float attribute_float(const flatbuffers::Vector<std::uint8_t>* bytes) {
  float value = 0;
  if (bytes && bytes->size() >= sizeof value) std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

/// Operators of which 1.x says what becomes of a NaN; in 0.80 it always spreads.
bool has_nan_mode(Op op) {
  constexpr Op kOps[] = {Op::kARGMAX,  Op::kMAX_POOL2D, Op::kCLAMP,     Op::kMAXIMUM,
                         Op::kMINIMUM, Op::kREDUCE_MAX, Op::kREDUCE_MIN};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

/// One operator of the file on its way into the block.
class Translator {
 public:
  Translator(BlockBuilder& builder, const fb::TosaOperator& in, Operator op)
      : builder_(builder), in_(in), op_(std::move(op)), base_(op_.outputs.empty() ? "" : out().name) {}

  Result<void> translate() {
    const bool dense = in_.op() == fb::Op::FULLY_CONNECTED;
    MACAW_CHECK(dense ? fully_connected() : attributes());
    if (!problem_.empty()) return fail(ErrorCode::kInvalidGraph, problem_);
    if (dense) return {};
    if (has_nan_mode(op_.op)) set(Attr::k_nan_mode, std::int64_t(NanMode::kPropagate));
    builder_.add_operator(std::move(op_));
    return {};
  }

 private:
  [[nodiscard]] const Value& input(std::size_t i) const { return builder_.value(op_.inputs[i]); }
  [[nodiscard]] const Value& out() const { return builder_.value(op_.outputs[0]); }
  void set(Attr attribute, AttributeValue value) { op_.set(attribute, std::move(value)); }
  void set_bool(Attr attribute, bool value) { op_.set(attribute, std::int64_t{value}); }

  void add_input(const char* name, Tensor tensor) {
    op_.inputs.push_back(builder_.add_constant(fmt::format("{}.{}", base_, name), std::move(tensor)));
  }
  /// A zero point or a shift, which becomes an input of the type; remembers one that does not fit it.
  void add_zero_point(const char* name, DType dtype, std::int64_t value) {
    check_fits(name, dtype, value);
    add_input(name, scalar_tensor(dtype, value));
  }
  void check_fits(const char* name, DType dtype, std::int64_t value) {
    if (problem_.empty() && !is_float(dtype) && integer_from_bytes(dtype, integer_bytes(dtype, value)) != value)
      problem_ = fmt::format("{} {} does not fit {}", name, value, to_string(dtype));
  }

  template <class T>
  void add_shape(const char* name, const flatbuffers::Vector<T>* list) {
    add_input(name, shape_tensor(ints(list)));
  }

  Result<void> attributes() {
    switch (in_.op()) {
      case fb::Op::AVG_POOL2D: {
        const auto& a = *in_.attribute_as_PoolAttribute();
        pool(a);
        const auto acc = v0_80_dtype(static_cast<std::uint32_t>(a.accum_dtype()));
        if (!acc)
          return fail(ErrorCode::kInvalidFile,
                      fmt::format("unknown accum_dtype {}", static_cast<std::uint32_t>(a.accum_dtype())));
        set(Attr::k_acc_type, std::int64_t(*acc));
        const auto input_type = input(0).dtype, output_type = out().dtype;
        add_zero_point("input_zp", input_type, a.input_zp());
        add_zero_point("output_zp", output_type, a.output_zp());
        return {};
      }
      case fb::Op::MAX_POOL2D: pool(*in_.attribute_as_PoolAttribute()); return {};
      case fb::Op::CONV2D:
      case fb::Op::CONV3D:
      case fb::Op::DEPTHWISE_CONV2D: {
        const auto& a = *in_.attribute_as_ConvAttribute();
        set(Attr::k_pad, ints(a.pad()));
        set(Attr::k_stride, ints(a.stride()));
        set(Attr::k_dilation, ints(a.dilation()));
        convolution(a.local_bound(), a.input_zp(), a.weight_zp());
        return {};
      }
      case fb::Op::TRANSPOSE_CONV2D: {
        const auto& a = *in_.attribute_as_TransposeConvAttribute();
        set(Attr::k_out_pad, ints(a.out_pad()));
        set(Attr::k_stride, ints(a.stride()));
        const auto shape = ints(a.output_shape());
        if (!shape.empty() && out().is_static() && shape != *out().shape)
          return fail(ErrorCode::kInvalidGraph, fmt::format("output_shape {} is not the output's shape {}",
                                                            to_string(shape), to_string(*out().shape)));
        convolution(a.local_bound(), a.input_zp(), a.weight_zp());
        return {};
      }
      case fb::Op::MATMUL: {
        const auto& a = *in_.attribute_as_MatMulAttribute();
        const auto a_type = input(0).dtype, b_type = input(1).dtype;
        add_zero_point("A_zp", a_type, a.a_zp());
        add_zero_point("B_zp", b_type, a.b_zp());
        return {};
      }
      case fb::Op::NEGATE: {
        const auto& a = *in_.attribute_as_NegateAttribute();
        const auto input_type = input(0).dtype, output_type = out().dtype;
        add_zero_point("input1_zp", input_type, a.input1_zp());
        add_zero_point("output_zp", output_type, a.output_zp());
        return {};
      }
      case fb::Op::ARGMAX:
      case fb::Op::REDUCE_ALL:
      case fb::Op::REDUCE_ANY:
      case fb::Op::REDUCE_MAX:
      case fb::Op::REDUCE_MIN:
      case fb::Op::REDUCE_PRODUCT:
      case fb::Op::REDUCE_SUM:
      case fb::Op::CONCAT:
      case fb::Op::REVERSE:
      case fb::Op::DIM: set(Attr::k_axis, std::int64_t{in_.attribute_as_AxisAttribute()->axis()}); return {};
      case fb::Op::PAD: return pad(*in_.attribute_as_PadAttribute());
      case fb::Op::RESHAPE: return reshape(*in_.attribute_as_ReshapeAttribute());
      case fb::Op::SLICE: {
        const auto& a = *in_.attribute_as_SliceAttribute();
        add_shape("start", a.start());
        add_shape("size", a.size());
        return {};
      }
      case fb::Op::TILE: add_shape("multiples", in_.attribute_as_TileAttribute()->multiples()); return {};
      case fb::Op::TRANSPOSE: set(Attr::k_perms, ints(in_.attribute_as_TransposeAttribute()->perms())); return {};
      case fb::Op::RESIZE: {
        const auto& a = *in_.attribute_as_ResizeAttribute();
        if (a.mode() != fb::ResizeMode::NEAREST && a.mode() != fb::ResizeMode::BILINEAR)
          return fail(ErrorCode::kInvalidGraph,
                      fmt::format("unknown resize mode {}", static_cast<std::uint32_t>(a.mode())));
        set(Attr::k_mode,
            std::int64_t(a.mode() == fb::ResizeMode::BILINEAR ? ResizeMode::kBilinear : ResizeMode::kNearestNeighbor));
        add_shape("scale", a.scale());
        add_shape("offset", a.offset());
        add_shape("border", a.border());
        return {};
      }
      case fb::Op::CLAMP: clamp(*in_.attribute_as_ClampAttribute()); return {};
      case fb::Op::RESCALE: return rescale(*in_.attribute_as_RescaleAttribute());
      case fb::Op::MUL: add_zero_point("shift", DType::kINT8, in_.attribute_as_MulAttribute()->shift()); return {};
      case fb::Op::ARITHMETIC_RIGHT_SHIFT:
        set_bool(Attr::k_round, in_.attribute_as_ArithmeticRightShiftAttribute()->round());
        return {};
      case fb::Op::TABLE: return table(*in_.attribute_as_TableAttribute());
      case fb::Op::FFT2D:
        set_bool(Attr::k_inverse, in_.attribute_as_FFTAttribute()->inverse());
        set_bool(Attr::k_local_bound, in_.attribute_as_FFTAttribute()->local_bound());
        return {};
      case fb::Op::RFFT2D: set_bool(Attr::k_local_bound, in_.attribute_as_RFFTAttribute()->local_bound()); return {};
      case fb::Op::CUSTOM: {
        const auto& a = *in_.attribute_as_CustomAttribute();
        set(Attr::k_operator_name, text(a.operator_name()));
        set(Attr::k_domain_name, text(a.domain_name()));
        set(Attr::k_implementation_attrs, raw(a.implementation_attrs()));
        return {};
      }
      case fb::Op::COND_IF:
        set(Attr::k_then_graph, text(in_.attribute_as_CondIfAttribute()->then_branch()));
        set(Attr::k_else_graph, text(in_.attribute_as_CondIfAttribute()->else_branch()));
        return {};
      case fb::Op::WHILE_LOOP:
        set(Attr::k_cond_graph, text(in_.attribute_as_WhileLoopAttribute()->cond_branch()));
        set(Attr::k_body_graph, text(in_.attribute_as_WhileLoopAttribute()->body_branch()));
        return {};
      default: return {};
    }
  }

  void pool(const fb::PoolAttribute& a) {
    set(Attr::k_kernel, ints(a.kernel()));
    set(Attr::k_stride, ints(a.stride()));
    set(Attr::k_pad, ints(a.pad()));
  }

  void convolution(bool local_bound, std::int64_t input_zp, std::int64_t weight_zp) {
    set_bool(Attr::k_local_bound, local_bound);
    set(Attr::k_acc_type, std::int64_t(accumulator(out().dtype)));
    const auto input_type = input(0).dtype, weight_type = input(1).dtype;
    add_zero_point("input_zp", input_type, input_zp);
    add_zero_point("weight_zp", weight_type, weight_zp);
  }

  /// 0.80.0 had the padding as a second input, an int32 constant [rank, 2]; 0.80.1 has it as an attribute.
  Result<void> pad(const fb::PadAttribute& a) {
    const auto dtype = input(0).dtype;
    if (op_.inputs.size() == 1) {
      add_shape("padding", a.padding());
    } else if (const auto padding = input(1); padding.dtype == DType::kINT32) {
      if (!padding.data) return fail(ErrorCode::kUnsupported, "padding that is not a constant");
      const auto amounts = padding.data->data<std::int32_t>();
      op_.inputs[1] = builder_.add_constant(base_ + ".padding", shape_tensor({amounts.begin(), amounts.end()}));
    }
    if (op_.inputs.size() > 2) return {};
    Tensor fill(dtype, {1});
    check_fits("pad_const_int", dtype, a.pad_const_int());
    const auto bytes = is_float(dtype) ? float_bytes(dtype, attribute_float(a.pad_const_fp()))
                                       : integer_bytes(dtype, a.pad_const_int());
    std::ranges::copy(bytes, fill.bytes().begin());
    add_input("pad_const", std::move(fill));
    return {};
  }

  /// An extent of -1 is what the other extents leave, which the output's shape tells.
  Result<void> reshape(const fb::ReshapeAttribute& a) {
    auto shape = ints(a.new_shape());
    if (std::ranges::find(shape, -1) != shape.end()) {
      if (!out().is_static()) return fail(ErrorCode::kUnsupported, "new_shape with -1 for an output of unknown shape");
      shape = *out().shape;
    }
    add_input("shape", shape_tensor(shape));
    return {};
  }

  void clamp(const fb::ClampAttribute& a) {
    const auto dtype = input(0).dtype;
    const bool fp = is_float(dtype);
    check_fits("min_int", dtype, a.min_int());
    check_fits("max_int", dtype, a.max_int());
    set(Attr::k_min_val, fp ? float_bytes(dtype, attribute_float(a.min_fp())) : integer_bytes(dtype, a.min_int()));
    set(Attr::k_max_val, fp ? float_bytes(dtype, attribute_float(a.max_fp())) : integer_bytes(dtype, a.max_int()));
  }

  Result<void> rescale(const fb::RescaleAttribute& a) {
    const auto input_type = input(0).dtype, output_type = out().dtype;
    const auto is_unsigned = [](DType dtype) { return dtype == DType::kUINT8 || dtype == DType::kUINT16; };
    set_bool(Attr::k_scale32, a.scale32());
    set(Attr::k_rounding_mode,
        std::int64_t(a.double_round() ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound));
    set_bool(Attr::k_per_channel, a.per_channel());
    set_bool(Attr::k_input_unsigned, a.input_unsigned() || is_unsigned(input_type));
    set_bool(Attr::k_output_unsigned, a.output_unsigned() || is_unsigned(output_type));
    const auto multiplier = ints(a.multiplier()), shift = ints(a.shift());
    const auto list = [](DType dtype, const std::vector<std::int64_t>& values) {
      Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
      for (std::size_t i = 0; i < values.size(); ++i)
        std::ranges::copy(integer_bytes(dtype, values[i]),
                          tensor.bytes().begin() + static_cast<std::ptrdiff_t>(i * size_of(dtype)));
      return tensor;
    };
    const auto scale_type = a.scale32() ? DType::kINT32 : DType::kINT16;
    for (const auto value : multiplier)
      if (!a.scale32() && (value < -32768 || value > 32767))
        return fail(ErrorCode::kInvalidGraph, fmt::format("multiplier {} needs more than 16 bits", value));
    for (const auto value : shift)
      if (value < -128 || value > 127)
        return fail(ErrorCode::kInvalidGraph, fmt::format("shift {} needs more than 8 bits", value));
    add_input("multiplier", list(scale_type, multiplier));
    add_input("shift", list(DType::kINT8, shift));
    add_zero_point("input_zp", input_type, a.input_zp());
    add_zero_point("output_zp", output_type, a.output_zp());
    return {};
  }

  Result<void> table(const fb::TableAttribute& a) {
    if (op_.inputs.size() > 1) return {};
    const auto dtype = input(0).dtype == DType::kINT8 ? DType::kINT8 : DType::kINT16;
    const auto entries = ints(a.table());
    Tensor tensor(dtype, {static_cast<std::int64_t>(entries.size())});
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (dtype == DType::kINT8 && (entries[i] < -128 || entries[i] > 127))
        return fail(ErrorCode::kInvalidGraph, fmt::format("table entry {} needs more than 8 bits", entries[i]));
      std::ranges::copy(integer_bytes(dtype, entries[i]),
                        tensor.bytes().begin() + static_cast<std::ptrdiff_t>(i * size_of(dtype)));
    }
    add_input("table", std::move(tensor));
    return {};
  }

  ValueId reshaped(ValueId from, const char* name, const Shape& shape) {
    const auto dtype = builder_.value(from).dtype;
    const auto extents = builder_.add_constant(fmt::format("{}.{}.shape", base_, name), shape_tensor(shape));
    const auto to = builder_.add_temporary(fmt::format("{}.{}", base_, name), dtype, shape);
    Operator reshape;
    reshape.op = Op::kRESHAPE;
    reshape.inputs = {from, extents};
    reshape.outputs = {to};
    builder_.add_operator(std::move(reshape));
    return to;
  }

  /// FULLY_CONNECTED of [N, IC] and [OC, IC] is the CONV2D of [N, 1, 1, IC] and [OC, 1, 1, IC].
  Result<void> fully_connected() {
    const auto& a = *in_.attribute_as_FullyConnectedAttribute();
    for (const auto id : {op_.inputs[0], op_.inputs[1], op_.outputs[0]})
      if (!builder_.value(id).is_static() || builder_.value(id).shape->size() != 2)
        return fail(ErrorCode::kInvalidGraph,
                    fmt::format("\"{}\" must have rank 2 and a known shape", builder_.value(id).name));
    const auto in = *input(0).shape, weight = *input(1).shape, shape = *out().shape;
    const auto output = op_.outputs[0];
    const auto output_type = out().dtype;
    op_.op = Op::kCONV2D;
    op_.inputs[0] = reshaped(op_.inputs[0], "input", {in[0], 1, 1, in[1]});
    op_.inputs[1] = reshaped(op_.inputs[1], "weight", {weight[0], 1, 1, weight[1]});
    set(Attr::k_pad, std::vector<std::int64_t>(4, 0));
    set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
    set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
    convolution(false, a.input_zp(), a.weight_zp());
    op_.outputs[0] = builder_.add_temporary(base_ + ".conv", output_type, Shape{shape[0], 1, 1, shape[1]});
    const auto result = op_.outputs[0];
    builder_.add_operator(std::move(op_));
    Operator reshape;
    reshape.op = Op::kRESHAPE;
    reshape.inputs = {result, builder_.add_constant(base_ + ".shape", shape_tensor(shape))};
    reshape.outputs = {output};
    builder_.add_operator(std::move(reshape));
    return {};
  }

  BlockBuilder& builder_;
  const fb::TosaOperator& in_;
  Operator op_;
  std::string base_;  ///< the output's name, from which new names are made
  std::string problem_;
};

/// What GraphImporter asks of a schema.
struct Schema {
  static bool verify(flatbuffers::Verifier& verifier) { return fb::VerifyTosaGraphBuffer(verifier); }
  static const fb::TosaGraph& graph(const std::uint8_t* data) { return *fb::GetTosaGraph(data); }
  static std::optional<DType> dtype(std::uint32_t number) { return v0_80_dtype(number); }
  static Result<void> add_shapes(BlockBuilder&, const fb::TosaBasicBlock&, DataBudget&) { return {}; }

  static Result<void> add_operator(BlockBuilder& builder, const fb::TosaOperator& in, const std::string& place) {
    const auto number = static_cast<std::uint32_t>(in.op());
    const bool fully_connected = in.op() == fb::Op::FULLY_CONNECTED;
    const auto known = fully_connected ? std::optional(Op::kCONV2D) : v0_80_op(number);
    if (!known) return builder.error(ErrorCode::kUnsupported, fmt::format("unknown operator number {}", number), place);
    const auto where = fmt::format("{} ({})", place, fully_connected ? "FULLY_CONNECTED" : to_string(*known));
    const auto kind = attribute_of(in.op());
    if (kind != fb::Attribute::NONE && (in.attribute_type() != kind || !in.attribute()))
      return builder.error(ErrorCode::kInvalidFile,
                           fmt::format("attributes are of kind {}, not {}", static_cast<unsigned>(in.attribute_type()),
                                       static_cast<unsigned>(kind)),
                           where);
    Operator op;
    op.op = *known;
    MACAW_ASSIGN(op.inputs, find_all(builder, in.inputs(), where));
    MACAW_ASSIGN(op.outputs, find_all(builder, in.outputs(), where));
    if (op.inputs.size() < least_inputs(in.op()) || op.outputs.empty())
      return builder.error(ErrorCode::kInvalidGraph, "too few inputs or no output", where);
    auto done = Translator(builder, in, std::move(op)).translate();
    if (!done) return builder.error(done.error().code, done.error().message, where);
    return {};
  }
};

}  // namespace

Result<Graph> import_v0_80(std::span<const std::byte> bytes, const Version& version, const std::string& name) {
  return import_graph<Schema>(bytes, version, name);
}

}  // namespace macaw::tosa
