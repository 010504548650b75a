#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reference/tosa/import/attributes_v0_80.hpp"
#include "reference/tosa/import/flatbuffer_writing.hpp"
#include "reference/tosa/import/import.hpp"
#include "reference/tosa/import/variables.hpp"

// Writes a graph as TOSA 0.80, where zero points, shifts, scales, shapes and tables are attributes: the inputs that
// hold them must be constants, and disappear with the operators that produced them.

namespace macaw::tosa {
namespace {

std::vector<std::uint8_t> float_attribute(float value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Inputs that stay inputs; those after them are attributes in 0.80.
std::size_t kept_inputs(const Operator& op) {
  const auto* attributes = find_attributes_v0_80(op.op);
  return attributes && attributes->adds_inputs ? std::min(attributes->inputs, op.inputs.size()) : op.inputs.size();
}

/// Fills the attribute table of one operator.
class AttributeWriterV0_80 : public FieldWriter {
 public:
  AttributeWriterV0_80(const Block& block, const Operator& op, v0_80::AttributeUnion& out)
      : FieldWriter(op), block_(block), out_(out), next_(kept_inputs(op)) {}

  Result<void> write() {
    for (auto i = next_; i < op_.inputs.size(); ++i)
      if (!block_.values[op_.inputs[i]].data)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("\"{}\" must be a constant in TOSA 0.80", block_.values[op_.inputs[i]].name));
    if (op_.get_int(Attr::k_nan_mode) == std::int64_t(NanMode::kIgnore))
      return fail(ErrorCode::kUnsupported, "TOSA 0.80 has no nan_mode IGNORE");
    if (op_.op == Op::kCAST && op_.get_int(Attr::k_input_unsigned) != 0)
      return fail(ErrorCode::kUnsupported, "TOSA 0.80 has no input_unsigned of CAST");
    visit_attributes_v0_80(op_.op, *this);
    return result();
  }

  template <class Table, class Fields>
  void table(Fields fields) {
    Table written;
    fields(*this, written);
    out_.Set(std::move(written));
  }

  /// Required by the field functions, which a reader uses to set types of inputs; a writer does not change types.
  [[nodiscard]] static DType in(std::size_t) { return {}; }
  [[nodiscard]] static DType out() { return {}; }

  using FieldWriter::field;
  void field(Attr attribute, v0_80::ResizeMode& mode) { code(attribute, mode, kResizeModesV0_80); }
  void field(Attr attribute, v0_80::DType& type) {
    const auto number = v0_80_number(static_cast<DType>(op_.get_int(attribute)));
    if (!number) fail_with(ErrorCode::kUnsupported, "TOSA 0.80 files cannot hold this acc_type");
    type = static_cast<v0_80::DType>(number.value_or(0));
  }
  void field(Attr attribute, bool& value) {
    if (attribute != Attr::k_rounding_mode) return FieldWriter::field(attribute, value);
    if (op_.get_int(attribute) == std::int64_t(RoundingMode::kInexactRound))
      fail_with(ErrorCode::kUnsupported, "TOSA 0.80 has no INEXACT_ROUND");
    value = op_.get_int(attribute) == std::int64_t(RoundingMode::kDoubleRound);
  }
  /// 0.80 has integers only, and floats have no zero point but zero.
  void zero_point(const char*, DType, std::int32_t& value) { value = integer(constant()); }
  template <class T>
  void shape(const char*, std::vector<T>& list) {
    list = narrow_.list<T>(integers(constant()));
  }

  /// 0.80 does not name it; it follows from the type of the output.
  template <class Table>
  void accumulator(Table&) {}
  void unsigned_types(v0_80::RescaleAttributeT&) {}
  void output_shape(v0_80::TransposeConvAttributeT& a) {
    a.output_shape = narrow_.list(output().shape.value_or(Shape{}));
  }
  void padding(v0_80::PadAttributeT& a) { shape("", a.padding); }
  void pad_const(v0_80::PadAttributeT& a) {
    const auto& fill = constant();
    if (is_float(fill.dtype())) a.pad_const_fp = float_attribute(float_from_bytes(fill.dtype(), fill.bytes()));
    else a.pad_const_int = integer(fill);
  }
  void new_shape(v0_80::ReshapeAttributeT& a) { shape("", a.new_shape); }
  void bounds(v0_80::ClampAttributeT& a) {
    const auto dtype = output().dtype;
    const auto low = op_.get_bytes(Attr::k_min_val), high = op_.get_bytes(Attr::k_max_val);
    if (is_float(dtype)) {
      a.min_fp = float_attribute(float_from_bytes(dtype, low));
      a.max_fp = float_attribute(float_from_bytes(dtype, high));
    } else {
      a.min_int = narrow_.one(integer_from_bytes(dtype, low));
      a.max_int = narrow_.one(integer_from_bytes(dtype, high));
    }
  }
  void multiplier(v0_80::RescaleAttributeT& a) { shape("", a.multiplier); }
  void shifts(v0_80::RescaleAttributeT& a) { shape("", a.shift); }
  void entries(v0_80::TableAttributeT& a) { shape("", a.table); }

 private:
  [[nodiscard]] const Value& output() const { return block_.values[op_.outputs[0]]; }

  /// The next of the constants behind the inputs; one that the graph lacks reads as zero, which validation reports.
  [[nodiscard]] const Tensor& constant() {
    static const Tensor none(DType::kINT32, {1});
    const auto i = next_++;
    return i < op_.inputs.size() && block_.values[op_.inputs[i]].data ? *block_.values[op_.inputs[i]].data : none;
  }
  [[nodiscard]] static std::vector<std::int64_t> integers(const Tensor& tensor) {
    const auto size = size_of(tensor.dtype());
    std::vector<std::int64_t> values;
    for (std::size_t at = 0; at + size <= tensor.bytes().size(); at += size)
      values.push_back(integer_from_bytes(tensor.dtype(), tensor.bytes().subspan(at, size)));
    return values;
  }
  [[nodiscard]] std::int32_t integer(const Tensor& tensor) {
    if (is_float(tensor.dtype())) return 0;
    const auto values = integers(tensor);
    return values.empty() ? 0 : narrow_.one(values[0]);
  }

  const Block& block_;
  v0_80::AttributeUnion& out_;
  std::size_t next_;  ///< index of the input that the next field is
};

class WriterV0_80 {
 public:
  explicit WriterV0_80(const Graph& graph) : variables_(graph) {}

  Result<std::vector<std::byte>> write(const Graph& graph, const Version& version) {
    std::vector<flatbuffers::Offset<v0_80::TosaRegion>> regions;
    for (const auto& block : graph.blocks) {
      MACAW_ASSIGN(const auto written, write_block(block));
      const auto list = builder_.CreateVector(std::vector{written});
      regions.push_back(v0_80::CreateTosaRegion(builder_, builder_.CreateString(block.name), list));
    }
    const auto all = builder_.CreateVector(regions);
    const auto stamp = v0_80::CreateVersion(builder_, version.major, version.minor, version.patch, version.draft);
    v0_80::FinishTosaGraphBuffer(builder_, v0_80::CreateTosaGraph(builder_, stamp, all));
    return bytes_of(builder_);
  }

 private:
  static std::span<const ValueId> real_inputs(const Operator& op) {
    return std::span(op.inputs).first(kept_inputs(op));
  }

  Result<flatbuffers::Offset<v0_80::TosaTensor>> tensor(const Value& value) {
    const auto type = v0_80_number(value.dtype);
    if (!type)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("\"{}\": TOSA 0.80 has no data type {}", value.name, to_string(value.dtype)));
    MACAW_ASSIGN(const auto parts, tensor_parts(builder_, value));
    return v0_80::CreateTosaTensor(builder_, parts.name, parts.shape, static_cast<v0_80::DType>(*type), parts.contents,
                                   value.variable, !value.shape, parts.variable_name);
  }

  Result<flatbuffers::Offset<v0_80::TosaOperator>> write_operator(const Block& block, std::size_t index) {
    const auto& op = block.operators[index];
    const Place place{"", describe(block, index), {}, {}};
    // 0.80 has no operators for variables: tensors are marked as such, and copied by IDENTITY.
    if (op.op == Op::kVARIABLE_READ || op.op == Op::kVARIABLE_WRITE) {
      const bool reads = op.op == Op::kVARIABLE_READ;
      MACAW_ASSIGN(const auto* variable, variables_.find(block, op));
      const auto inputs = names(builder_, block, op.inputs, reads ? variable : nullptr);
      const auto outputs = names(builder_, block, op.outputs, reads ? nullptr : variable);
      return v0_80::CreateTosaOperator(builder_, v0_80::Op::IDENTITY, v0_80::Attribute::NONE, 0, inputs, outputs);
    }
    const auto number = v0_80_number(op.op);
    if (!number) return fail(ErrorCode::kUnsupported, fmt::format("TOSA 0.80 has no {}", to_string(op.op)), place);
    if (op.outputs.empty()) return fail(ErrorCode::kInvalidGraph, "the operator has no output", place);
    v0_80::AttributeUnion attribute;
    if (auto done = AttributeWriterV0_80(block, op, attribute).write(); !done)
      return fail(done.error().code, done.error().message, place);
    const auto inputs = names(builder_, block, real_inputs(op)), outputs = names(builder_, block, op.outputs);
    const auto body = attribute.type == v0_80::Attribute::NONE ? flatbuffers::Offset<void>() : attribute.Pack(builder_);
    return v0_80::CreateTosaOperator(builder_, static_cast<v0_80::Op>(*number), attribute.type, body, inputs, outputs);
  }

  Result<flatbuffers::Offset<v0_80::TosaBasicBlock>> write_block(const Block& block) {
    std::vector<bool> used(block.values.size());
    for (const auto& op : block.operators) {
      for (const auto id : real_inputs(op)) used[id] = true;
      if (op.op != Op::kCONST && op.op != Op::kCONST_SHAPE)
        for (const auto id : op.outputs) used[id] = true;
    }
    for (const auto id : block.inputs) used[id] = true;
    for (const auto id : block.outputs) used[id] = true;

    std::vector<flatbuffers::Offset<v0_80::TosaOperator>> operators;
    std::vector<flatbuffers::Offset<v0_80::TosaTensor>> tensors;
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
    return v0_80::CreateTosaBasicBlock(builder_, name, operator_list, tensor_list, inputs, outputs);
  }

  flatbuffers::FlatBufferBuilder builder_;
  VariableTensors variables_;
};

}  // namespace

Result<std::vector<std::byte>> write_v0_80(const Graph& graph, const Version& version) {
  return WriterV0_80(graph).write(graph, version);
}

}  // namespace macaw::tosa
