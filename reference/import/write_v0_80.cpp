#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "reference/import/flatbuffer_writing.hpp"
#include "reference/import/import.hpp"
#include "reference/import/narrow.hpp"
#include "reference/import/tables.hpp"
#include "reference/import/variables.hpp"
#include "tosa_v0_80_generated.h"

// Writes a graph as TOSA 0.80, where zero points, shifts, scales, shapes and tables are attributes: the inputs that
// hold them must be constants, and disappear with the operators that produced them.

namespace macaw::tosa {
namespace {

namespace fb = v0_80;

std::vector<std::uint8_t> float_attribute(float value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Inputs that stay inputs; those after them are attributes in 0.80. All of them for the rest.
std::optional<std::size_t> kept_inputs(Op op) {
  switch (op) {
    case Op::kCONV2D:
    case Op::kCONV3D:
    case Op::kDEPTHWISE_CONV2D:
    case Op::kTRANSPOSE_CONV2D: return 3;
    case Op::kMATMUL:
    case Op::kMUL: return 2;
    case Op::kAVG_POOL2D:
    case Op::kNEGATE:
    case Op::kPAD:
    case Op::kRESHAPE:
    case Op::kSLICE:
    case Op::kTILE:
    case Op::kRESIZE:
    case Op::kRESCALE:
    case Op::kTABLE: return 1;
    default: return std::nullopt;
  }
}

class AttributeWriter {
 public:
  AttributeWriter(const Block& block, const Operator& op) : block_(block), op_(op) {}

  Result<void> write(fb::AttributeUnion& out) {
    MACAW_CHECK(fill(out));
    return narrow_.check();
  }

 private:
  Result<void> fill(fb::AttributeUnion& out) {
    if (const auto kept = kept_inputs(op_.op))
      for (std::size_t i = *kept; i < op_.inputs.size(); ++i)
        if (!block_.values[op_.inputs[i]].data)
          return fail(ErrorCode::kUnsupported,
                      fmt::format("\"{}\" must be a constant in TOSA 0.80", block_.values[op_.inputs[i]].name));
    if (op_.get_int(Attr::k_nan_mode) == std::int64_t(NanMode::kIgnore))
      return fail(ErrorCode::kUnsupported, "TOSA 0.80 has no nan_mode IGNORE");
    if (op_.op == Op::kCAST && flag(Attr::k_input_unsigned))
      return fail(ErrorCode::kUnsupported, "TOSA 0.80 has no input_unsigned of CAST");
    switch (op_.op) {
      case Op::kAVG_POOL2D: {
        auto a = pool();
        const auto acc = v0_80_number(static_cast<DType>(op_.get_int(Attr::k_acc_type)));
        if (!acc) return fail(ErrorCode::kUnsupported, "TOSA 0.80 files cannot hold this acc_type");
        a.accum_dtype = static_cast<fb::DType>(*acc);
        a.input_zp = integer(1);
        a.output_zp = integer(2);
        out.Set(std::move(a));
        return {};
      }
      case Op::kMAX_POOL2D: out.Set(pool()); return {};
      case Op::kCONV2D:
      case Op::kCONV3D:
      case Op::kDEPTHWISE_CONV2D: {
        fb::ConvAttributeT a;
        a.pad = list(Attr::k_pad);
        a.stride = list(Attr::k_stride);
        a.dilation = list(Attr::k_dilation);
        a.local_bound = flag(Attr::k_local_bound);
        a.input_zp = integer(3);
        a.weight_zp = integer(4);
        out.Set(std::move(a));
        return {};
      }
      case Op::kTRANSPOSE_CONV2D: {
        fb::TransposeConvAttributeT a;
        a.out_pad = list(Attr::k_out_pad);
        a.stride = list(Attr::k_stride);
        a.output_shape = narrow_.list(output().shape.value_or(Shape{}));
        a.local_bound = flag(Attr::k_local_bound);
        a.input_zp = integer(3);
        a.weight_zp = integer(4);
        out.Set(std::move(a));
        return {};
      }
      case Op::kMATMUL: {
        fb::MatMulAttributeT a;
        a.a_zp = integer(2);
        a.b_zp = integer(3);
        out.Set(std::move(a));
        return {};
      }
      case Op::kNEGATE: {
        fb::NegateAttributeT a;
        a.input1_zp = integer(1);
        a.output_zp = integer(2);
        out.Set(std::move(a));
        return {};
      }
      case Op::kPAD: {
        fb::PadAttributeT a;
        a.padding = narrow_.list(integers(1));
        const auto& fill = constant(2);
        if (is_float(fill.dtype())) a.pad_const_fp = float_attribute(float_from_bytes(fill.dtype(), fill.bytes()));
        else a.pad_const_int = integer(2);
        out.Set(std::move(a));
        return {};
      }
      case Op::kRESHAPE: {
        fb::ReshapeAttributeT a;
        a.new_shape = narrow_.list(integers(1));
        out.Set(std::move(a));
        return {};
      }
      case Op::kSLICE: {
        fb::SliceAttributeT a;
        a.start = narrow_.list(integers(1));
        a.size = narrow_.list(integers(2));
        out.Set(std::move(a));
        return {};
      }
      case Op::kTILE: {
        fb::TileAttributeT a;
        a.multiples = narrow_.list(integers(1));
        out.Set(std::move(a));
        return {};
      }
      case Op::kTRANSPOSE: {
        fb::TransposeAttributeT a;
        a.perms = list(Attr::k_perms);
        out.Set(std::move(a));
        return {};
      }
      case Op::kRESIZE: resize(out); return {};
      case Op::kCLAMP: clamp(out); return {};
      case Op::kRESCALE: return rescale(out);
      case Op::kMUL: {
        fb::MulAttributeT a;
        a.shift = integer(2);
        out.Set(std::move(a));
        return {};
      }
      case Op::kTABLE: {
        fb::TableAttributeT a;
        a.table = narrow_.list<std::int16_t>(integers(1));
        out.Set(std::move(a));
        return {};
      }
      default: return simple(out);
    }
  }

  [[nodiscard]] const Value& output() const { return block_.values[op_.outputs[0]]; }
  [[nodiscard]] bool flag(Attr attribute) const { return op_.get_int(attribute) != 0; }

  /// A constant input; one that the graph lacks reads as zero, which validation reports.
  [[nodiscard]] const Tensor& constant(std::size_t i) const {
    static const Tensor none(DType::kINT32, {1});
    return i < op_.inputs.size() && block_.values[op_.inputs[i]].data ? *block_.values[op_.inputs[i]].data : none;
  }
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t i) const {
    const auto& tensor = constant(i);
    const auto size = size_of(tensor.dtype());
    std::vector<std::int64_t> values;
    for (std::size_t at = 0; at + size <= tensor.bytes().size(); at += size)
      values.push_back(integer_from_bytes(tensor.dtype(), tensor.bytes().subspan(at, size)));
    return values;
  }
  [[nodiscard]] std::vector<std::int32_t> list(Attr attribute) { return narrow_.list(op_.get_ints(attribute)); }
  /// A zero point or a shift. 0.80 has integers only, and floats have no zero point but zero.
  [[nodiscard]] std::int32_t integer(std::size_t i) {
    if (is_float(constant(i).dtype())) return 0;
    const auto values = integers(i);
    return values.empty() ? 0 : narrow_.one(values[0]);
  }

  fb::PoolAttributeT pool() {
    fb::PoolAttributeT a;
    a.kernel = list(Attr::k_kernel);
    a.stride = list(Attr::k_stride);
    a.pad = list(Attr::k_pad);
    return a;
  }

  void resize(fb::AttributeUnion& out) {
    fb::ResizeAttributeT a;
    a.scale = narrow_.list<std::int16_t>(integers(1));
    a.offset = narrow_.list<std::int16_t>(integers(2));
    a.border = narrow_.list<std::int16_t>(integers(3));
    a.mode = op_.get_int(Attr::k_mode) == std::int64_t(ResizeMode::kBilinear) ? fb::ResizeMode::BILINEAR
                                                                              : fb::ResizeMode::NEAREST;
    out.Set(std::move(a));
  }

  void clamp(fb::AttributeUnion& out) {
    fb::ClampAttributeT a;
    const auto dtype = output().dtype;
    const auto low = op_.get_bytes(Attr::k_min_val), high = op_.get_bytes(Attr::k_max_val);
    if (is_float(dtype)) {
      a.min_fp = float_attribute(float_from_bytes(dtype, low));
      a.max_fp = float_attribute(float_from_bytes(dtype, high));
    } else {
      a.min_int = narrow_.one(integer_from_bytes(dtype, low));
      a.max_int = narrow_.one(integer_from_bytes(dtype, high));
    }
    out.Set(std::move(a));
  }

  Result<void> rescale(fb::AttributeUnion& out) {
    if (op_.get_int(Attr::k_rounding_mode) == std::int64_t(RoundingMode::kInexactRound))
      return fail(ErrorCode::kUnsupported, "TOSA 0.80 has no INEXACT_ROUND");
    fb::RescaleAttributeT a;
    a.multiplier = narrow_.list(integers(1));
    a.shift = narrow_.list(integers(2));
    a.input_zp = integer(3);
    a.output_zp = integer(4);
    a.scale32 = flag(Attr::k_scale32);
    a.double_round = op_.get_int(Attr::k_rounding_mode) == std::int64_t(RoundingMode::kDoubleRound);
    a.per_channel = flag(Attr::k_per_channel);
    a.input_unsigned = flag(Attr::k_input_unsigned);
    a.output_unsigned = flag(Attr::k_output_unsigned);
    out.Set(std::move(a));
    return {};
  }

  /// Operators whose attributes are attributes in both versions.
  Result<void> simple(fb::AttributeUnion& out) {
    if (op_.find(Attr::k_axis)) {
      fb::AxisAttributeT a;
      a.axis = narrow_.one(op_.get_int(Attr::k_axis));
      out.Set(std::move(a));
    } else if (op_.op == Op::kARITHMETIC_RIGHT_SHIFT) {
      fb::ArithmeticRightShiftAttributeT a;
      a.round = flag(Attr::k_round);
      out.Set(std::move(a));
    } else if (op_.op == Op::kFFT2D) {
      fb::FFTAttributeT a;
      a.inverse = flag(Attr::k_inverse);
      a.local_bound = flag(Attr::k_local_bound);
      out.Set(std::move(a));
    } else if (op_.op == Op::kRFFT2D) {
      fb::RFFTAttributeT a;
      a.local_bound = flag(Attr::k_local_bound);
      out.Set(std::move(a));
    } else if (op_.op == Op::kCOND_IF) {
      fb::CondIfAttributeT a;
      a.then_branch = op_.get_string(Attr::k_then_graph);
      a.else_branch = op_.get_string(Attr::k_else_graph);
      out.Set(std::move(a));
    } else if (op_.op == Op::kWHILE_LOOP) {
      fb::WhileLoopAttributeT a;
      a.cond_branch = op_.get_string(Attr::k_cond_graph);
      a.body_branch = op_.get_string(Attr::k_body_graph);
      out.Set(std::move(a));
    } else if (op_.op == Op::kCUSTOM) {
      fb::CustomAttributeT a;
      a.operator_name = op_.get_string(Attr::k_operator_name);
      a.domain_name = op_.get_string(Attr::k_domain_name);
      for (const auto byte : op_.get_bytes(Attr::k_implementation_attrs))
        a.implementation_attrs.push_back(std::to_integer<std::uint8_t>(byte));
      out.Set(std::move(a));
    }
    return {};
  }

  const Block& block_;
  const Operator& op_;
  Narrow narrow_;
};

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
  static std::span<const ValueId> real_inputs(const Operator& op) {
    const auto kept = kept_inputs(op.op).value_or(op.inputs.size());
    return std::span(op.inputs).first(std::min(kept, op.inputs.size()));
  }

  Result<flatbuffers::Offset<fb::TosaTensor>> tensor(const Value& value) {
    const auto type = v0_80_number(value.dtype);
    if (!type)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("\"{}\": TOSA 0.80 has no data type {}", value.name, to_string(value.dtype)));
    MACAW_ASSIGN(const auto parts, tensor_parts(builder_, value));
    return fb::CreateTosaTensor(builder_, parts.name, parts.shape, static_cast<fb::DType>(*type), parts.contents,
                                value.variable, !value.shape, parts.variable_name);
  }

  Result<flatbuffers::Offset<fb::TosaOperator>> write_operator(const Block& block, std::size_t index) {
    const auto& op = block.operators[index];
    const Place place{"", describe(block, index), {}, {}};
    // 0.80 has no operators for variables: tensors are marked as such, and copied by IDENTITY.
    if (op.op == Op::kVARIABLE_READ || op.op == Op::kVARIABLE_WRITE) {
      const bool reads = op.op == Op::kVARIABLE_READ;
      MACAW_ASSIGN(const auto* variable, variables_.find(block, op));
      const auto inputs = names(builder_, block, op.inputs, reads ? variable : nullptr);
      const auto outputs = names(builder_, block, op.outputs, reads ? nullptr : variable);
      return fb::CreateTosaOperator(builder_, fb::Op::IDENTITY, fb::Attribute::NONE, 0, inputs, outputs);
    }
    const auto number = v0_80_number(op.op);
    if (!number) return fail(ErrorCode::kUnsupported, fmt::format("TOSA 0.80 has no {}", to_string(op.op)), place);
    if (op.outputs.empty()) return fail(ErrorCode::kInvalidGraph, "the operator has no output", place);
    fb::AttributeUnion attribute;
    if (auto done = AttributeWriter(block, op).write(attribute); !done)
      return fail(done.error().code, done.error().message, place);
    const auto inputs = names(builder_, block, real_inputs(op)), outputs = names(builder_, block, op.outputs);
    const auto body = attribute.type == fb::Attribute::NONE ? flatbuffers::Offset<void>() : attribute.Pack(builder_);
    return fb::CreateTosaOperator(builder_, static_cast<fb::Op>(*number), attribute.type, body, inputs, outputs);
  }

  Result<flatbuffers::Offset<fb::TosaBasicBlock>> write_block(const Block& block) {
    std::vector<bool> used(block.values.size());
    for (const auto& op : block.operators) {
      for (const auto id : real_inputs(op)) used[id] = true;
      if (op.op != Op::kCONST && op.op != Op::kCONST_SHAPE)
        for (const auto id : op.outputs) used[id] = true;
    }
    for (const auto id : block.inputs) used[id] = true;
    for (const auto id : block.outputs) used[id] = true;

    std::vector<flatbuffers::Offset<fb::TosaOperator>> operators;
    std::vector<flatbuffers::Offset<fb::TosaTensor>> tensors;
    for (std::size_t id = 0; id < block.values.size(); ++id) {
      if (!used[id]) continue;
      MACAW_ASSIGN(const auto written, tensor(block.values[id]));
      tensors.push_back(written);
    }
    MACAW_ASSIGN(const auto variables, variables_.missing(block));
    for (const auto* variable : variables) {
      MACAW_ASSIGN(const auto written, tensor(*variable));
      tensors.push_back(written);
    }
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      const auto& op = block.operators[i];
      if (op.op == Op::kVARIABLE) continue;
      const bool needed = std::ranges::any_of(op.outputs, [&](ValueId id) { return used[id]; });
      if (!needed && op.op != Op::kVARIABLE_WRITE) continue;
      MACAW_ASSIGN(const auto written, write_operator(block, i));
      operators.push_back(written);
    }
    const auto name = builder_.CreateString(block.name);
    const auto operator_list = builder_.CreateVector(operators);
    const auto tensor_list = builder_.CreateVector(tensors);
    const auto inputs = names(builder_, block, block.inputs), outputs = names(builder_, block, block.outputs);
    return fb::CreateTosaBasicBlock(builder_, name, operator_list, tensor_list, inputs, outputs);
  }

  flatbuffers::FlatBufferBuilder builder_;
  VariableTensors variables_;
};

}  // namespace

Result<std::vector<std::byte>> write_v0_80(const Graph& graph, const Version& version) {
  return Writer(graph).write(graph, version);
}

}  // namespace macaw::tosa
