#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include "reference/import/constant_data.hpp"
#include "reference/import/import.hpp"
#include "reference/import/tables.hpp"
#include "tosa_v1_generated.h"

namespace macaw::tosa {
namespace {

namespace fb = v1;

std::vector<std::int32_t> narrow(const std::vector<std::int64_t>& list) { return {list.begin(), list.end()}; }

/// CLAMP's bounds as Arm's writers put them: padded like constants.
std::vector<std::uint8_t> padded(std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> out((bytes.size() + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = std::to_integer<std::uint8_t>(bytes[i]);
  return out;
}

fb::NanPropagationMode nan_mode(const Operator& op) {
  return op.get_int(Attr::k_nan_mode) == std::int64_t(NanMode::kIgnore) ? fb::NanPropagationMode::IGNORE
                                                                        : fb::NanPropagationMode::PROPAGATE;
}

fb::DType acc_type(const Operator& op) {
  return static_cast<fb::DType>(v1_number(static_cast<DType>(op.get_int(Attr::k_acc_type))).value_or(0));
}

template <class A>
A conv(const Operator& op) {
  A a;
  a.pad = narrow(op.get_ints(Attr::k_pad));
  a.stride = narrow(op.get_ints(Attr::k_stride));
  a.dilation = narrow(op.get_ints(Attr::k_dilation));
  a.local_bound = op.get_int(Attr::k_local_bound) != 0;
  a.acc_type = acc_type(op);
  return a;
}

template <class A>
A axis(const Operator& op) {
  A a;
  a.axis = static_cast<std::int32_t>(op.get_int(Attr::k_axis));
  return a;
}

fb::RoundingMode rounding_mode(const Operator& op) {
  switch (static_cast<RoundingMode>(op.get_int(Attr::k_rounding_mode))) {
    case RoundingMode::kInexactRound: return fb::RoundingMode::INEXACT_ROUND;
    case RoundingMode::kDoubleRound: return fb::RoundingMode::DOUBLE_ROUND;
    case RoundingMode::kSingleRound: break;
  }
  return fb::RoundingMode::SINGLE_ROUND;
}

void write_attributes(const Operator& op, fb::AttributeUnion& out) {
  switch (op.op) {
    case Op::kARGMAX: {
      auto a = axis<fb::ArgMaxAttributeT>(op);
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kAVG_POOL2D: {
      fb::AvgPool2dAttributeT a;
      a.kernel = narrow(op.get_ints(Attr::k_kernel));
      a.stride = narrow(op.get_ints(Attr::k_stride));
      a.pad = narrow(op.get_ints(Attr::k_pad));
      a.acc_type = acc_type(op);
      return out.Set(std::move(a));
    }
    case Op::kMAX_POOL2D: {
      fb::MaxPool2dAttributeT a;
      a.kernel = narrow(op.get_ints(Attr::k_kernel));
      a.stride = narrow(op.get_ints(Attr::k_stride));
      a.pad = narrow(op.get_ints(Attr::k_pad));
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kCONV2D: return out.Set(conv<fb::Conv2dAttributeT>(op));
    case Op::kCONV3D: return out.Set(conv<fb::Conv3dAttributeT>(op));
    case Op::kDEPTHWISE_CONV2D: return out.Set(conv<fb::DepthwiseConv2dAttributeT>(op));
    case Op::kTRANSPOSE_CONV2D: {
      fb::TransposeConv2dAttributeT a;
      a.out_pad = narrow(op.get_ints(Attr::k_out_pad));
      a.stride = narrow(op.get_ints(Attr::k_stride));
      a.local_bound = op.get_int(Attr::k_local_bound) != 0;
      a.acc_type = acc_type(op);
      return out.Set(std::move(a));
    }
    case Op::kFFT2D: {
      fb::FFT2dAttributeT a;
      a.inverse = op.get_int(Attr::k_inverse) != 0;
      a.local_bound = op.get_int(Attr::k_local_bound) != 0;
      return out.Set(std::move(a));
    }
    case Op::kRFFT2D: {
      fb::RFFT2dAttributeT a;
      a.local_bound = op.get_int(Attr::k_local_bound) != 0;
      return out.Set(std::move(a));
    }
    case Op::kCLAMP: {
      fb::ClampAttributeT a;
      a.min_val = padded(op.get_bytes(Attr::k_min_val));
      a.max_val = padded(op.get_bytes(Attr::k_max_val));
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kARITHMETIC_RIGHT_SHIFT: {
      fb::ArithmeticRightShiftAttributeT a;
      a.round = op.get_int(Attr::k_round) != 0;
      return out.Set(std::move(a));
    }
    case Op::kMAXIMUM: {
      fb::MaximumAttributeT a;
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kMINIMUM: {
      fb::MinimumAttributeT a;
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kREDUCE_ALL: return out.Set(axis<fb::ReduceAllAttributeT>(op));
    case Op::kREDUCE_ANY: return out.Set(axis<fb::ReduceAnyAttributeT>(op));
    case Op::kREDUCE_PRODUCT: return out.Set(axis<fb::ReduceProductAttributeT>(op));
    case Op::kREDUCE_SUM: return out.Set(axis<fb::ReduceSumAttributeT>(op));
    case Op::kREDUCE_MAX: {
      auto a = axis<fb::ReduceMaxAttributeT>(op);
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kREDUCE_MIN: {
      auto a = axis<fb::ReduceMinAttributeT>(op);
      a.nan_mode = nan_mode(op);
      return out.Set(std::move(a));
    }
    case Op::kCONCAT: return out.Set(axis<fb::ConcatAttributeT>(op));
    case Op::kREVERSE: return out.Set(axis<fb::ReverseAttributeT>(op));
    case Op::kTRANSPOSE: {
      fb::TransposeAttributeT a;
      a.perms = narrow(op.get_ints(Attr::k_perms));
      return out.Set(std::move(a));
    }
    case Op::kRESIZE: {
      fb::ResizeAttributeT a;
      a.mode = op.get_int(Attr::k_mode) == std::int64_t(ResizeMode::kBilinear) ? fb::ResizeMode::BILINEAR
                                                                               : fb::ResizeMode::NEAREST;
      return out.Set(std::move(a));
    }
    case Op::kRESCALE: {
      fb::RescaleAttributeT a;
      a.scale32 = op.get_int(Attr::k_scale32) != 0;
      a.rounding_mode = rounding_mode(op);
      a.per_channel = op.get_int(Attr::k_per_channel) != 0;
      a.input_unsigned = op.get_int(Attr::k_input_unsigned) != 0;
      a.output_unsigned = op.get_int(Attr::k_output_unsigned) != 0;
      return out.Set(std::move(a));
    }
    case Op::kCUSTOM: {
      fb::CustomAttributeT a;
      a.operator_name = op.get_string(Attr::k_operator_name);
      a.domain_name = op.get_string(Attr::k_domain_name);
      for (const auto byte : op.get_bytes(Attr::k_implementation_attrs))
        a.implementation_attrs.push_back(std::to_integer<std::uint8_t>(byte));
      return out.Set(std::move(a));
    }
    case Op::kCOND_IF: {
      fb::CondIfAttributeT a;
      a.then_graph = op.get_string(Attr::k_then_graph);
      a.else_graph = op.get_string(Attr::k_else_graph);
      return out.Set(std::move(a));
    }
    case Op::kWHILE_LOOP: {
      fb::WhileLoopAttributeT a;
      a.cond_graph = op.get_string(Attr::k_cond_graph);
      a.body_graph = op.get_string(Attr::k_body_graph);
      return out.Set(std::move(a));
    }
    default: return;
  }
}

/// The attribute table of an operator without attributes: its kind alone says something.
flatbuffers::Offset<void> empty_table(flatbuffers::FlatBufferBuilder& builder) {
  const auto start = builder.StartTable();
  return builder.EndTable(start);
}

using Names = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>>;

class Writer {
 public:
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
    const auto* begin = reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
    return std::vector<std::byte>(begin, begin + builder_.GetSize());
  }

 private:
  Names names(const Block& block, const std::vector<ValueId>& ids) {
    std::vector<flatbuffers::Offset<flatbuffers::String>> list;
    for (const auto id : ids) list.push_back(builder_.CreateString(block.values[id].name));
    return builder_.CreateVector(list);
  }

  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> data(const Value& value) {
    const auto bytes = value.data ? pack_constant(*value.data) : std::vector<std::uint8_t>();
    builder_.ForceVectorAlignment(bytes.size(), 1, 8);
    return builder_.CreateVector(bytes);
  }

  Result<flatbuffers::Offset<fb::TosaTensor>> tensor(const Value& value) {
    const auto type = v1_number(value.dtype);
    if (!type)
      return fail(ErrorCode::kUnsupported, fmt::format("\"{}\": TOSA 1.x files have no data type {}", value.name,
                                                       macaw::to_string(value.dtype)));
    const auto name = builder_.CreateString(value.name);
    const auto shape = builder_.CreateVector(narrow(value.shape.value_or(Shape{})));
    const auto contents = data(value);
    const auto variable_name = value.variable ? builder_.CreateString(value.variable_name) : 0;
    return fb::CreateTosaTensor(builder_, name, shape, static_cast<fb::DType>(*type), contents, value.variable,
                                !value.shape, variable_name);
  }

  Result<flatbuffers::Offset<fb::TosaOperator>> write_operator(const Block& block, std::size_t index) {
    const auto& op = block.operators[index];
    const auto number = v1_number(op.op);
    if (!number)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("TOSA 1.x files have no published number for {}", to_string(op.op)),
                  Place{"", describe(block, index), {}, {}});
    fb::AttributeUnion attribute;
    write_attributes(op, attribute);
    const auto inputs = names(block, op.inputs), outputs = names(block, op.outputs);
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
        shapes.push_back(fb::CreateTosaShape(builder_, name, rank, data(value)));
      } else {
        MACAW_ASSIGN(const auto written, tensor(value));
        tensors.push_back(written);
      }
    }
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      MACAW_ASSIGN(const auto written, write_operator(block, i));
      operators.push_back(written);
    }
    const auto name = builder_.CreateString(block.name);
    const auto operator_list = builder_.CreateVector(operators);
    const auto tensor_list = builder_.CreateVector(tensors);
    const auto inputs = names(block, block.inputs), outputs = names(block, block.outputs);
    const auto shape_list = builder_.CreateVector(shapes);
    return fb::CreateTosaBasicBlock(builder_, name, operator_list, tensor_list, inputs, outputs, shape_list);
  }

  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

Result<std::vector<std::byte>> write_v1(const Graph& graph, const Version& version) {
  return Writer().write(graph, version);
}

}  // namespace macaw::tosa
