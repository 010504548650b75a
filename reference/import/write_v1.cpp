#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include "reference/import/flatbuffer_writing.hpp"
#include "reference/import/import.hpp"
#include "reference/import/narrow.hpp"
#include "reference/import/tables.hpp"
#include "reference/import/variables.hpp"
#include "tosa_v1_generated.h"

namespace macaw::tosa {
namespace {

namespace fb = v1;

/// CLAMP's bounds as Arm's writers put them: padded like constants.
std::vector<std::uint8_t> padded(std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> out((bytes.size() + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = std::to_integer<std::uint8_t>(bytes[i]);
  return out;
}

/// Fills the attribute table of one operator.
class AttributeWriter {
 public:
  explicit AttributeWriter(const Operator& op) : op_(op) {}

  Result<void> write(fb::AttributeUnion& out) {
    fill(out);
    if (!problem_.empty()) return fail(ErrorCode::kUnsupported, problem_);
    return narrow_.check();
  }

 private:
  void fill(fb::AttributeUnion& out) {
    switch (op_.op) {
      case Op::kARGMAX: return axis_and_nan_mode<fb::ArgMaxAttributeT>(out);
      case Op::kAVG_POOL2D: {
        auto a = pool<fb::AvgPool2dAttributeT>();
        a.acc_type = acc_type();
        return out.Set(std::move(a));
      }
      case Op::kAVG_POOL2D_ADAPTIVE: {
        fb::AvgPool2dAdaptiveAttributeT a;
        a.acc_type = acc_type();
        return out.Set(std::move(a));
      }
      case Op::kMAX_POOL2D: {
        auto a = pool<fb::MaxPool2dAttributeT>();
        a.nan_mode = nan_mode();
        return out.Set(std::move(a));
      }
      case Op::kMAX_POOL2D_ADAPTIVE: return nan_mode_only<fb::MaxPool2dAdaptiveAttributeT>(out);
      case Op::kCONV2D: return conv<fb::Conv2dAttributeT>(out);
      case Op::kCONV3D: return conv<fb::Conv3dAttributeT>(out);
      case Op::kDEPTHWISE_CONV2D: return conv<fb::DepthwiseConv2dAttributeT>(out);
      case Op::kTRANSPOSE_CONV2D: {
        fb::TransposeConv2dAttributeT a;
        a.out_pad = list(Attr::k_out_pad);
        a.stride = list(Attr::k_stride);
        a.local_bound = flag(Attr::k_local_bound);
        a.acc_type = acc_type();
        return out.Set(std::move(a));
      }
      case Op::kFFT2D: {
        fb::FFT2dAttributeT a;
        a.inverse = flag(Attr::k_inverse);
        a.local_bound = flag(Attr::k_local_bound);
        return out.Set(std::move(a));
      }
      case Op::kRFFT2D: {
        fb::RFFT2dAttributeT a;
        a.local_bound = flag(Attr::k_local_bound);
        return out.Set(std::move(a));
      }
      case Op::kCLAMP: {
        fb::ClampAttributeT a;
        a.min_val = padded(op_.get_bytes(Attr::k_min_val));
        a.max_val = padded(op_.get_bytes(Attr::k_max_val));
        a.nan_mode = nan_mode();
        return out.Set(std::move(a));
      }
      case Op::kARITHMETIC_RIGHT_SHIFT: {
        fb::ArithmeticRightShiftAttributeT a;
        a.round = flag(Attr::k_round);
        return out.Set(std::move(a));
      }
      case Op::kMAXIMUM: return nan_mode_only<fb::MaximumAttributeT>(out);
      case Op::kMINIMUM: return nan_mode_only<fb::MinimumAttributeT>(out);
      case Op::kREDUCE_ALL: return axis<fb::ReduceAllAttributeT>(out);
      case Op::kREDUCE_ANY: return axis<fb::ReduceAnyAttributeT>(out);
      case Op::kREDUCE_PRODUCT: return axis<fb::ReduceProductAttributeT>(out);
      case Op::kREDUCE_SUM: return axis<fb::ReduceSumAttributeT>(out);
      case Op::kREDUCE_MAX: return axis_and_nan_mode<fb::ReduceMaxAttributeT>(out);
      case Op::kREDUCE_MIN: return axis_and_nan_mode<fb::ReduceMinAttributeT>(out);
      case Op::kCONCAT: return axis<fb::ConcatAttributeT>(out);
      case Op::kREVERSE: return axis<fb::ReverseAttributeT>(out);
      case Op::kDIM: return axis<fb::DimAttributeT>(out);
      case Op::kTRANSPOSE: {
        fb::TransposeAttributeT a;
        a.perms = list(Attr::k_perms);
        return out.Set(std::move(a));
      }
      case Op::kRESIZE: {
        fb::ResizeAttributeT a;
        a.mode = op_.get_int(Attr::k_mode) == std::int64_t(ResizeMode::kBilinear) ? fb::ResizeMode::BILINEAR
                                                                                  : fb::ResizeMode::NEAREST;
        return out.Set(std::move(a));
      }
      case Op::kCAST: {
        fb::CastAttributeT a;
        a.input_unsigned = flag(Attr::k_input_unsigned);
        return out.Set(std::move(a));
      }
      case Op::kRESCALE: {
        fb::RescaleAttributeT a;
        a.scale32 = flag(Attr::k_scale32);
        a.rounding_mode = rounding_mode();
        a.per_channel = flag(Attr::k_per_channel);
        a.input_unsigned = flag(Attr::k_input_unsigned);
        a.output_unsigned = flag(Attr::k_output_unsigned);
        return out.Set(std::move(a));
      }
      case Op::kCONV2D_BLOCK_SCALED: return block_size<fb::Conv2dBlockScaledAttributeT>(out);
      case Op::kMATMUL_T_BLOCK_SCALED: return block_size<fb::MatMulTBlockScaledAttributeT>(out);
      case Op::kRESHAPE_BLOCK_SCALED: return block_size<fb::ReshapeBlockScaledAttributeT>(out);
      case Op::kROW_GATHER_BLOCK_SCALED: return block_size<fb::RowGatherBlockScaledAttributeT>(out);
      case Op::kCAST_FROM_BLOCK_SCALED: return block_size<fb::CastFromBlockScaledAttributeT>(out);
      case Op::kCAST_TO_BLOCK_SCALED: return block_size<fb::CastToBlockScaledAttributeT>(out);
      case Op::kASSERT_EQUAL_SHAPE: {
        fb::AssertEqualShapeAttributeT a;
        a.allow_broadcast = flag(Attr::k_allow_broadcast);
        return out.Set(std::move(a));
      }
      case Op::kCUSTOM: {
        fb::CustomAttributeT a;
        a.operator_name = op_.get_string(Attr::k_operator_name);
        a.domain_name = op_.get_string(Attr::k_domain_name);
        for (const auto byte : op_.get_bytes(Attr::k_implementation_attrs))
          a.implementation_attrs.push_back(std::to_integer<std::uint8_t>(byte));
        return out.Set(std::move(a));
      }
      case Op::kCOND_IF: {
        fb::CondIfAttributeT a;
        a.then_graph = op_.get_string(Attr::k_then_graph);
        a.else_graph = op_.get_string(Attr::k_else_graph);
        return out.Set(std::move(a));
      }
      case Op::kWHILE_LOOP: {
        fb::WhileLoopAttributeT a;
        a.cond_graph = op_.get_string(Attr::k_cond_graph);
        a.body_graph = op_.get_string(Attr::k_body_graph);
        return out.Set(std::move(a));
      }
      default: return;
    }
  }

  [[nodiscard]] bool flag(Attr attribute) const { return op_.get_int(attribute) != 0; }
  [[nodiscard]] std::vector<std::int32_t> list(Attr attribute) { return narrow_.list(op_.get_ints(attribute)); }

  [[nodiscard]] fb::NanPropagationMode nan_mode() const {
    return op_.get_int(Attr::k_nan_mode) == std::int64_t(NanMode::kIgnore) ? fb::NanPropagationMode::IGNORE
                                                                           : fb::NanPropagationMode::PROPAGATE;
  }

  [[nodiscard]] fb::RoundingMode rounding_mode() const {
    switch (static_cast<RoundingMode>(op_.get_int(Attr::k_rounding_mode))) {
      case RoundingMode::kInexactRound: return fb::RoundingMode::INEXACT_ROUND;
      case RoundingMode::kDoubleRound: return fb::RoundingMode::DOUBLE_ROUND;
      case RoundingMode::kSingleRound: break;
    }
    return fb::RoundingMode::SINGLE_ROUND;
  }

  [[nodiscard]] fb::DType acc_type() {
    const auto number = v1_number(static_cast<DType>(op_.get_int(Attr::k_acc_type)));
    if (!number) problem_ = "TOSA 1.x files cannot hold this acc_type";
    return static_cast<fb::DType>(number.value_or(0));
  }

  template <class A>
  A pool() {
    A a;
    a.kernel = list(Attr::k_kernel);
    a.stride = list(Attr::k_stride);
    a.pad = list(Attr::k_pad);
    return a;
  }

  template <class A>
  void conv(fb::AttributeUnion& out) {
    A a;
    a.pad = list(Attr::k_pad);
    a.stride = list(Attr::k_stride);
    a.dilation = list(Attr::k_dilation);
    a.local_bound = flag(Attr::k_local_bound);
    a.acc_type = acc_type();
    out.Set(std::move(a));
  }

  template <class A>
  void axis(fb::AttributeUnion& out) {
    A a;
    a.axis = narrow_.one(op_.get_int(Attr::k_axis));
    out.Set(std::move(a));
  }

  template <class A>
  void axis_and_nan_mode(fb::AttributeUnion& out) {
    A a;
    a.axis = narrow_.one(op_.get_int(Attr::k_axis));
    a.nan_mode = nan_mode();
    out.Set(std::move(a));
  }

  template <class A>
  void nan_mode_only(fb::AttributeUnion& out) {
    A a;
    a.nan_mode = nan_mode();
    out.Set(std::move(a));
  }

  template <class A>
  void block_size(fb::AttributeUnion& out) {
    A a;
    a.block_size = narrow_.one(op_.get_int(Attr::k_block_size));
    out.Set(std::move(a));
  }

  const Operator& op_;
  Narrow narrow_;
  std::string problem_;
};

/// The attribute table of an operator without attributes: its kind alone says something.
flatbuffers::Offset<void> empty_table(flatbuffers::FlatBufferBuilder& builder) {
  const auto start = builder.StartTable();
  return builder.EndTable(start);
}

class Writer {
 public:
  explicit Writer(const Graph& graph) : variables_(graph) {}

  Result<std::vector<std::byte>> write(const Graph& graph, const Version& version) {
    std::vector<flatbuffers::Offset<fb::TosaRegion>> regions;
    for (const auto& block : graph.blocks) {
      MACAW_ASSIGN(const auto written, write_block(block));
      const auto list = builder_.CreateVector(std::vector{written});
      regions.push_back(fb::CreateTosaRegion(builder_, builder_.CreateString(block.name), list));
    }
    const auto all = builder_.CreateVector(regions);
    const auto stamp = fb::CreateVersion(builder_, version.major, version.minor, version.patch, version.draft);
    fb::FinishTosaGraphBuffer(builder_, fb::CreateTosaGraph(builder_, stamp, all));
    return bytes_of(builder_);
  }

 private:
  Result<flatbuffers::Offset<fb::TosaTensor>> tensor(const Value& value) {
    const auto type = v1_number(value.dtype);
    if (!type)
      return fail(ErrorCode::kUnsupported, fmt::format("\"{}\": TOSA 1.x files have no data type {}", value.name,
                                                       macaw::to_string(value.dtype)));
    MACAW_ASSIGN(const auto parts, tensor_parts(builder_, value));
    return fb::CreateTosaTensor(builder_, parts.name, parts.shape, static_cast<fb::DType>(*type), parts.contents,
                                value.variable, !value.shape, parts.variable_name);
  }

  Result<flatbuffers::Offset<fb::TosaOperator>> write_operator(const Block& block, std::size_t index) {
    const auto& op = block.operators[index];
    const auto number = v1_number(op.op);
    if (!number)
      return fail(ErrorCode::kUnsupported, fmt::format("TOSA 1.x files have no number for {}", to_string(op.op)),
                  Place{"", describe(block, index), {}, {}});
    fb::AttributeUnion attribute;
    if (auto done = AttributeWriter(op).write(attribute); !done)
      return fail(done.error().code, done.error().message, Place{"", describe(block, index), {}, {}});
    const bool reads = op.op == Op::kVARIABLE_READ, writes = op.op == Op::kVARIABLE_WRITE;
    const Value* variable = nullptr;
    if (reads || writes) {
      MACAW_ASSIGN(variable, variables_.find(block, op));
    }
    const auto inputs = names(builder_, block, op.inputs, reads ? variable : nullptr);
    const auto outputs = names(builder_, block, op.outputs, writes ? variable : nullptr);
    const auto body = attribute.type == fb::Attribute::NONE ? empty_table(builder_) : attribute.Pack(builder_);
    const auto location = op.location.empty() ? flatbuffers::Offset<fb::OpLocation>()
                                              : fb::CreateOpLocation(builder_, builder_.CreateString(op.location));
    return fb::CreateTosaOperator(builder_, static_cast<fb::Op>(*number), static_cast<fb::Attribute>(*number), body,
                                  inputs, outputs, location);
  }

  Result<flatbuffers::Offset<fb::TosaBasicBlock>> write_block(const Block& block) {
    std::vector<flatbuffers::Offset<fb::TosaOperator>> operators;
    std::vector<flatbuffers::Offset<fb::TosaTensor>> tensors;
    std::vector<flatbuffers::Offset<fb::TosaShape>> shapes;
    for (const auto& value : block.values) {
      if (value.dtype == DType::kSHAPE) {
        const auto rank =
            value.is_static() && value.shape->size() == 1 ? static_cast<std::uint32_t>((*value.shape)[0]) : 0;
        const auto name = builder_.CreateString(value.name);
        shapes.push_back(fb::CreateTosaShape(builder_, name, rank, contents(builder_, value)));
      } else {
        MACAW_ASSIGN(const auto written, tensor(value));
        tensors.push_back(written);
      }
    }
    MACAW_ASSIGN(const auto variables, variables_.missing(block));
    for (const auto* variable : variables) {
      MACAW_ASSIGN(const auto written, tensor(*variable));
      tensors.push_back(written);
    }
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      MACAW_ASSIGN(const auto written, write_operator(block, i));
      operators.push_back(written);
    }
    const auto name = builder_.CreateString(block.name);
    const auto operator_list = builder_.CreateVector(operators);
    const auto tensor_list = builder_.CreateVector(tensors);
    const auto inputs = names(builder_, block, block.inputs), outputs = names(builder_, block, block.outputs);
    const auto shape_list = builder_.CreateVector(shapes);
    return fb::CreateTosaBasicBlock(builder_, name, operator_list, tensor_list, inputs, outputs, shape_list);
  }

  flatbuffers::FlatBufferBuilder builder_;
  VariableTensors variables_;
};

}  // namespace

Result<std::vector<std::byte>> write_v1(const Graph& graph, const Version& version) {
  return Writer(graph).write(graph, version);
}

}  // namespace macaw::tosa
