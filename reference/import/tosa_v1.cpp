#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <map>

#include "reference/import/block_builder.hpp"
#include "reference/import/block_names.hpp"
#include "reference/import/flatbuffer_reading.hpp"
#include "reference/import/graph_importer.hpp"
#include "reference/import/import.hpp"
#include "reference/import/tables.hpp"
#include "tosa_v1_generated.h"

// Reads graphs of TOSA 1.x. The graph model is 1.x's own, so that this is names to indices and enumerations to neutral
// ones, and everything that a flatbuffer verifier does not look at.

namespace macaw::tosa {
namespace {

namespace fb = v1;

Result<void> set_nan_mode(Operator& op, fb::NanPropagationMode mode) {
  // UNKNOWN stands for the default, as in files of writers older than the field.
  if (mode > fb::NanPropagationMode::IGNORE)
    return fail(ErrorCode::kInvalidFile, fmt::format("unknown nan_mode {}", static_cast<std::uint32_t>(mode)));
  op.set(Attr::k_nan_mode,
         std::int64_t(mode == fb::NanPropagationMode::IGNORE ? NanMode::kIgnore : NanMode::kPropagate));
  return {};
}

Result<void> set_acc_type(Operator& op, fb::DType type) {
  const auto dtype = v1_dtype(static_cast<std::uint32_t>(type));
  if (!dtype)
    return fail(ErrorCode::kInvalidFile, fmt::format("unknown acc_type {}", static_cast<std::uint32_t>(type)));
  op.set(Attr::k_acc_type, std::int64_t(*dtype));
  return {};
}

template <class A>
Result<void> read_pool(Operator& op, const A& a) {
  op.set(Attr::k_kernel, ints(a.kernel()));
  op.set(Attr::k_stride, ints(a.stride()));
  op.set(Attr::k_pad, ints(a.pad()));
  return {};
}

template <class A>
Result<void> read_axis(Operator& op, const A* a) {
  op.set(Attr::k_axis, std::int64_t{a->axis()});
  return {};
}

template <class A>
Result<void> read_block_size(Operator& op, const A* a) {
  op.set(Attr::k_block_size, std::int64_t{a->block_size()});
  return {};
}

template <class A>
Result<void> read_conv(Operator& op, const A& a) {
  op.set(Attr::k_pad, ints(a.pad()));
  op.set(Attr::k_stride, ints(a.stride()));
  op.set(Attr::k_dilation, ints(a.dilation()));
  op.set(Attr::k_local_bound, std::int64_t{a.local_bound()});
  return set_acc_type(op, a.acc_type());
}

/// Contents of a CLAMP bound: one element of the operator's type, wherever the writer padded it.
Result<void> read_clamp(Operator& op, const fb::ClampAttribute& a, const BlockBuilder& block) {
  if (op.inputs.empty()) return fail(ErrorCode::kInvalidGraph, "CLAMP without input");
  const auto size = size_of(block.value(op.inputs[0]).dtype);
  auto low = raw(a.min_val()), high = raw(a.max_val());
  if (low.size() < size || high.size() < size)
    return fail(ErrorCode::kInvalidFile,
                fmt::format("min_val and max_val need {} bytes, have {} and {}", size, low.size(), high.size()));
  low.resize(size);
  high.resize(size);
  op.set(Attr::k_min_val, std::move(low));
  op.set(Attr::k_max_val, std::move(high));
  return set_nan_mode(op, a.nan_mode());
}

Result<void> read_attributes(Operator& op, const fb::TosaOperator& in, const BlockBuilder& block) {
  switch (op.op) {
    case Op::kARGMAX: {
      const auto& a = *in.attribute_as_ArgMaxAttribute();
      op.set(Attr::k_axis, std::int64_t{a.axis()});
      return set_nan_mode(op, a.nan_mode());
    }
    case Op::kAVG_POOL2D: {
      const auto& a = *in.attribute_as_AvgPool2dAttribute();
      MACAW_CHECK(read_pool(op, a));
      return set_acc_type(op, a.acc_type());
    }
    case Op::kAVG_POOL2D_ADAPTIVE: return set_acc_type(op, in.attribute_as_AvgPool2dAdaptiveAttribute()->acc_type());
    case Op::kMAX_POOL2D: {
      const auto& a = *in.attribute_as_MaxPool2dAttribute();
      MACAW_CHECK(read_pool(op, a));
      return set_nan_mode(op, a.nan_mode());
    }
    case Op::kMAX_POOL2D_ADAPTIVE: return set_nan_mode(op, in.attribute_as_MaxPool2dAdaptiveAttribute()->nan_mode());
    case Op::kCONV2D: return read_conv(op, *in.attribute_as_Conv2dAttribute());
    case Op::kCONV3D: return read_conv(op, *in.attribute_as_Conv3dAttribute());
    case Op::kDEPTHWISE_CONV2D: return read_conv(op, *in.attribute_as_DepthwiseConv2dAttribute());
    case Op::kTRANSPOSE_CONV2D: {
      const auto& a = *in.attribute_as_TransposeConv2dAttribute();
      op.set(Attr::k_out_pad, ints(a.out_pad()));
      op.set(Attr::k_stride, ints(a.stride()));
      op.set(Attr::k_local_bound, std::int64_t{a.local_bound()});
      return set_acc_type(op, a.acc_type());
    }
    case Op::kFFT2D: {
      const auto& a = *in.attribute_as_FFT2dAttribute();
      op.set(Attr::k_inverse, std::int64_t{a.inverse()});
      op.set(Attr::k_local_bound, std::int64_t{a.local_bound()});
      return {};
    }
    case Op::kRFFT2D:
      op.set(Attr::k_local_bound, std::int64_t{in.attribute_as_RFFT2dAttribute()->local_bound()});
      return {};
    case Op::kCLAMP: return read_clamp(op, *in.attribute_as_ClampAttribute(), block);
    case Op::kARITHMETIC_RIGHT_SHIFT:
      op.set(Attr::k_round, std::int64_t{in.attribute_as_ArithmeticRightShiftAttribute()->round()});
      return {};
    case Op::kMAXIMUM: return set_nan_mode(op, in.attribute_as_MaximumAttribute()->nan_mode());
    case Op::kMINIMUM: return set_nan_mode(op, in.attribute_as_MinimumAttribute()->nan_mode());
    case Op::kREDUCE_ALL: return read_axis(op, in.attribute_as_ReduceAllAttribute());
    case Op::kREDUCE_ANY: return read_axis(op, in.attribute_as_ReduceAnyAttribute());
    case Op::kREDUCE_PRODUCT: return read_axis(op, in.attribute_as_ReduceProductAttribute());
    case Op::kREDUCE_SUM: return read_axis(op, in.attribute_as_ReduceSumAttribute());
    case Op::kREDUCE_MAX:
      MACAW_CHECK(read_axis(op, in.attribute_as_ReduceMaxAttribute()));
      return set_nan_mode(op, in.attribute_as_ReduceMaxAttribute()->nan_mode());
    case Op::kREDUCE_MIN:
      MACAW_CHECK(read_axis(op, in.attribute_as_ReduceMinAttribute()));
      return set_nan_mode(op, in.attribute_as_ReduceMinAttribute()->nan_mode());
    case Op::kCONCAT: return read_axis(op, in.attribute_as_ConcatAttribute());
    case Op::kREVERSE: return read_axis(op, in.attribute_as_ReverseAttribute());
    case Op::kDIM: return read_axis(op, in.attribute_as_DimAttribute());
    case Op::kCAST:
      // An absent field is what files of 1.0 have, where there is no such attribute.
      if (in.attribute_as_CastAttribute()->input_unsigned()) op.set(Attr::k_input_unsigned, std::int64_t{1});
      return {};
    case Op::kCONV2D_BLOCK_SCALED: return read_block_size(op, in.attribute_as_Conv2dBlockScaledAttribute());
    case Op::kMATMUL_T_BLOCK_SCALED: return read_block_size(op, in.attribute_as_MatMulTBlockScaledAttribute());
    case Op::kRESHAPE_BLOCK_SCALED: return read_block_size(op, in.attribute_as_ReshapeBlockScaledAttribute());
    case Op::kROW_GATHER_BLOCK_SCALED: return read_block_size(op, in.attribute_as_RowGatherBlockScaledAttribute());
    case Op::kCAST_FROM_BLOCK_SCALED: return read_block_size(op, in.attribute_as_CastFromBlockScaledAttribute());
    case Op::kCAST_TO_BLOCK_SCALED: return read_block_size(op, in.attribute_as_CastToBlockScaledAttribute());
    case Op::kASSERT_EQUAL_SHAPE:
      op.set(Attr::k_allow_broadcast, std::int64_t{in.attribute_as_AssertEqualShapeAttribute()->allow_broadcast()});
      return {};
    case Op::kTRANSPOSE: op.set(Attr::k_perms, ints(in.attribute_as_TransposeAttribute()->perms())); return {};
    case Op::kRESIZE: {
      const auto mode = in.attribute_as_ResizeAttribute()->mode();
      if (mode != fb::ResizeMode::NEAREST && mode != fb::ResizeMode::BILINEAR)
        return fail(ErrorCode::kInvalidGraph, fmt::format("unknown resize mode {}", static_cast<std::uint32_t>(mode)));
      op.set(Attr::k_mode,
             std::int64_t(mode == fb::ResizeMode::BILINEAR ? ResizeMode::kBilinear : ResizeMode::kNearestNeighbor));
      return {};
    }
    case Op::kRESCALE: {
      const auto& a = *in.attribute_as_RescaleAttribute();
      RoundingMode mode = RoundingMode::kSingleRound;
      if (a.rounding_mode() == fb::RoundingMode::DOUBLE_ROUND) mode = RoundingMode::kDoubleRound;
      else if (a.rounding_mode() == fb::RoundingMode::INEXACT_ROUND) mode = RoundingMode::kInexactRound;
      else if (a.rounding_mode() != fb::RoundingMode::SINGLE_ROUND)
        return fail(ErrorCode::kInvalidFile,
                    fmt::format("unknown rounding_mode {}", static_cast<std::uint32_t>(a.rounding_mode())));
      op.set(Attr::k_scale32, std::int64_t{a.scale32()});
      op.set(Attr::k_rounding_mode, std::int64_t(mode));
      op.set(Attr::k_per_channel, std::int64_t{a.per_channel()});
      op.set(Attr::k_input_unsigned, std::int64_t{a.input_unsigned()});
      op.set(Attr::k_output_unsigned, std::int64_t{a.output_unsigned()});
      return {};
    }
    case Op::kCUSTOM: {
      const auto& a = *in.attribute_as_CustomAttribute();
      op.set(Attr::k_operator_name, text(a.operator_name()));
      op.set(Attr::k_domain_name, text(a.domain_name()));
      op.set(Attr::k_implementation_attrs, raw(a.implementation_attrs()));
      return {};
    }
    case Op::kCOND_IF:
      op.set(Attr::k_then_graph, text(in.attribute_as_CondIfAttribute()->then_graph()));
      op.set(Attr::k_else_graph, text(in.attribute_as_CondIfAttribute()->else_graph()));
      return {};
    case Op::kWHILE_LOOP:
      op.set(Attr::k_cond_graph, text(in.attribute_as_WhileLoopAttribute()->cond_graph()));
      op.set(Attr::k_body_graph, text(in.attribute_as_WhileLoopAttribute()->body_graph()));
      return {};
    default: return {};
  }
}

/// What GraphImporter asks of a schema.
struct Schema {
  static bool verify(flatbuffers::Verifier& verifier) { return fb::VerifyTosaGraphBuffer(verifier); }
  static const fb::TosaGraph& graph(const std::uint8_t* data) { return *fb::GetTosaGraph(data); }
  static std::optional<DType> dtype(std::uint32_t number) { return v1_dtype(number); }

  static Result<void> add_shapes(BlockBuilder& builder, const fb::TosaBasicBlock& in, DataBudget& budget) {
    if (in.shapes())
      for (const auto* shape : *in.shapes()) MACAW_CHECK(add_shape(builder, *shape, budget));
    return {};
  }

  static Result<void> add_operator(BlockBuilder& builder, const fb::TosaOperator& in, const std::string& place) {
    const auto number = static_cast<std::uint32_t>(in.op());
    const auto known = v1_op(number);
    if (!known) return builder.error(ErrorCode::kUnsupported, fmt::format("unknown operator number {}", number), place);
    Operator op;
    op.op = *known;
    const auto where = fmt::format("{} ({})", place, to_string(op.op));
    const auto type = static_cast<std::uint32_t>(in.attribute_type());
    // Arm's writers put IDENTITY with the attributes of VARIABLE_READ or VARIABLE_WRITE for these operators
    // (reference model, examples/test_lstm_stateful_13x21x3_f32).
    const bool variable_access =
        op.op == Op::kIDENTITY && (in.attribute_type() == fb::Attribute::VariableReadAttribute ||
                                   in.attribute_type() == fb::Attribute::VariableWriteAttribute);
    if ((type != number && !variable_access) || !in.attribute())
      return builder.error(ErrorCode::kInvalidFile,
                           fmt::format("attributes are of kind {}, not of the operator's", type), where);
    MACAW_ASSIGN(op.inputs, find_all(builder, in.inputs(), where));
    MACAW_ASSIGN(op.outputs, find_all(builder, in.outputs(), where));
    if (in.location()) op.location = text(in.location()->text());
    if (auto read = read_attributes(op, in, builder); !read)
      return builder.error(read.error().code, read.error().message, where);
    builder.add_operator(std::move(op));
    return {};
  }

 private:
  static Result<void> add_shape(BlockBuilder& builder, const fb::TosaShape& in, DataBudget& budget) {
    Value value;
    value.name = text(in.name());
    value.dtype = DType::kSHAPE;
    value.shape = Shape{std::int64_t{in.rank()}};
    // The shape of a rank 0 tensor has no extents, and so only one value.
    if (in.rank() == 0) value.data = std::make_shared<const Tensor>(DType::kSHAPE, Shape{0});
    MACAW_CHECK(add_data(builder, value, in.data(), budget, "shape \"" + value.name + "\""));
    MACAW_CHECK(builder.add_value(std::move(value)));
    return {};
  }
};

}  // namespace

Result<Graph> import_v1(std::span<const std::byte> bytes, const Version& version, const std::string& name) {
  return import_graph<Schema>(bytes, version, name);
}

}  // namespace macaw::tosa
