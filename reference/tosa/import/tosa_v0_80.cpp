#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "reference/tosa/import/attributes_v0_80.hpp"
#include "reference/tosa/import/flatbuffer_reading.hpp"
#include "reference/tosa/import/graph_importer.hpp"
#include "reference/tosa/import/import.hpp"

// Reads graphs of TOSA 0.80. What 1.x has as inputs (zero points, shifts, scales, shapes, tables) 0.80 has as
// attributes: each becomes a constant of the graph, so that one definition of an operator serves both.

namespace macaw::tosa {
namespace {

/// The accumulator of a convolution, which 0.80 does not name: the output's own type, and for 16-bit floats the wider
/// of the two that the specification allows.
DType accumulator_of(DType output) { return output == DType::kFP16 || output == DType::kBF16 ? DType::kFP32 : output; }

float attribute_float(const std::vector<std::uint8_t>& bytes) {
  float value = 0;
  if (bytes.size() >= sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Operators that have a NaN mode in 1.x; in 0.80 NaN is always propagated.
bool has_nan_mode(Op op) {
  constexpr Op kOps[] = {Op::kARGMAX,  Op::kMAX_POOL2D, Op::kCLAMP,     Op::kMAXIMUM,
                         Op::kMINIMUM, Op::kREDUCE_MAX, Op::kREDUCE_MIN};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

/// One operator of the file on its way into the block.
class Translator : public FieldReader {
 public:
  Translator(BlockBuilder& builder, const v0_80::TosaOperator& in, Operator& op)
      : FieldReader(op), builder_(builder), in_(in), base_(op.outputs.empty() ? "" : result_value().name) {}

  Result<void> translate() {
    if (in_.op() == v0_80::Op::FULLY_CONNECTED) return fully_connected();
    visit_attributes_v0_80(op_.op, *this);
    MACAW_CHECK(result());
    if (has_nan_mode(op_.op)) op_.set(Attr::k_nan_mode, std::int64_t(NanMode::kPropagate));
    builder_.add_operator(std::move(op_));
    return {};
  }

  template <class Table, class Fields>
  void table(Fields fields) {
    Table read;
    in_.attribute_as<typename Table::TableType>()->UnPackTo(&read);
    fields(*this, read);
  }

  [[nodiscard]] DType in(std::size_t i) const { return builder_.value(op_.inputs[i]).dtype; }
  [[nodiscard]] DType out() const { return result_value().dtype; }

  using FieldReader::field;
  void field(Attr attribute, v0_80::ResizeMode& mode) {
    code(attribute, mode, kResizeModesV0_80, "resize mode", ErrorCode::kInvalidGraph);
  }
  void field(Attr attribute, v0_80::DType& type) {
    const auto dtype = v0_80_dtype(static_cast<std::uint32_t>(type));
    if (!dtype)
      return fail_with(ErrorCode::kInvalidFile,
                       fmt::format("unknown accum_dtype {}", static_cast<std::uint32_t>(type)));
    op_.set(attribute, std::int64_t(*dtype));
  }
  void field(Attr attribute, bool& value) {
    if (attribute == Attr::k_rounding_mode)
      op_.set(attribute, std::int64_t(value ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound));
    else FieldReader::field(attribute, value);
  }
  void zero_point(const char* name, DType dtype, std::int32_t value) {
    check_fits(name, dtype, value);
    add_input(name, scalar_tensor(dtype, value));
  }
  template <class T>
  void shape(const char* name, const std::vector<T>& list) {
    add_input(name, shape_constant({list.begin(), list.end()}));
  }

  template <class Table>
  void accumulator(Table&) {
    op_.set(Attr::k_acc_type, std::int64_t(accumulator_of(out())));
  }
  void output_shape(const v0_80::TransposeConvAttributeT& a) {
    const Shape shape(a.output_shape.begin(), a.output_shape.end());
    const auto& result = result_value();
    if (!shape.empty() && result.is_static() && shape != *result.shape)
      fail_with(ErrorCode::kInvalidGraph, fmt::format("output_shape {} is not the output's shape {}", to_string(shape),
                                                      to_string(*result.shape)));
  }

  /// 0.80.0 had the padding as a second input, an int32 constant [rank, 2]; 0.80.1 has it as an attribute.
  void padding(const v0_80::PadAttributeT& a) {
    if (op_.inputs.size() == 1) return shape("padding", a.padding);
    const auto padding = builder_.value(op_.inputs[1]);
    if (padding.dtype != DType::kINT32) return;
    if (!padding.data) return fail_with(ErrorCode::kUnsupported, "padding that is not a constant");
    const auto amounts = padding.data->data<std::int32_t>();
    op_.inputs[1] = builder_.add_constant(base_ + ".padding", shape_constant({amounts.begin(), amounts.end()}));
  }
  void pad_const(const v0_80::PadAttributeT& a) {
    if (op_.inputs.size() > 2) return;
    const auto dtype = in(0);
    Tensor fill(dtype, {1});
    check_fits("pad_const_int", dtype, a.pad_const_int);
    std::ranges::copy(element(dtype, a.pad_const_fp, a.pad_const_int), fill.bytes().begin());
    add_input("pad_const", std::move(fill));
  }

  /// An extent of -1 follows from the other extents; it is taken from the output's shape.
  void new_shape(const v0_80::ReshapeAttributeT& a) {
    Shape extents(a.new_shape.begin(), a.new_shape.end());
    if (std::ranges::find(extents, -1) != extents.end()) {
      const auto& result = result_value();
      if (!result.is_static())
        return fail_with(ErrorCode::kUnsupported, "new_shape with -1 for an output of unknown shape");
      extents = *result.shape;
    }
    shape("shape", extents);
  }

  void bounds(const v0_80::ClampAttributeT& a) {
    const auto dtype = in(0);
    check_fits("min_int", dtype, a.min_int);
    check_fits("max_int", dtype, a.max_int);
    op_.set(Attr::k_min_val, element(dtype, a.min_fp, a.min_int));
    op_.set(Attr::k_max_val, element(dtype, a.max_fp, a.max_int));
  }

  /// Files of 0.80 need not mark tensors of unsigned types as unsigned.
  void unsigned_types(const v0_80::RescaleAttributeT&) {
    const auto is_unsigned = [](DType dtype) { return dtype == DType::kUINT8 || dtype == DType::kUINT16; };
    if (is_unsigned(in(0))) op_.set(Attr::k_input_unsigned, std::int64_t{1});
    if (is_unsigned(out())) op_.set(Attr::k_output_unsigned, std::int64_t{1});
  }
  void multiplier(const v0_80::RescaleAttributeT& a) {
    add_list("multiplier", "multiplier", a.scale32 ? DType::kINT32 : DType::kINT16, a.multiplier);
  }
  void shifts(const v0_80::RescaleAttributeT& a) { add_list("shift", "shift", DType::kINT8, a.shift); }
  void entries(const v0_80::TableAttributeT& a) {
    if (op_.inputs.size() == 1)
      add_list("table", "table entry", in(0) == DType::kINT8 ? DType::kINT8 : DType::kINT16, a.table);
  }

 private:
  [[nodiscard]] const Value& result_value() const { return builder_.value(op_.outputs[0]); }

  void add_input(const char* name, Tensor tensor) {
    op_.inputs.push_back(builder_.add_constant(fmt::format("{}.{}", base_, name), std::move(tensor)));
  }
  void check_fits(const char* name, DType dtype, std::int64_t value) {
    if (!is_float(dtype) && integer_from_bytes(dtype, integer_bytes(dtype, value)) != value)
      fail_with(ErrorCode::kInvalidGraph, fmt::format("{} {} does not fit {}", name, value, to_string(dtype)));
  }
  /// One element of a type, which is the float or the integer.
  static std::vector<std::byte> element(DType dtype, const std::vector<std::uint8_t>& fp, std::int32_t integer) {
    return is_float(dtype) ? float_bytes(dtype, attribute_float(fp)) : integer_bytes(dtype, integer);
  }
  /// An input of integers, which must fit the type.
  template <class T>
  void add_list(const char* name, const char* what, DType dtype, const std::vector<T>& values) {
    Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bytes = integer_bytes(dtype, values[i]);
      if (integer_from_bytes(dtype, bytes) != values[i])
        return fail_with(ErrorCode::kInvalidGraph,
                         fmt::format("{} {} needs more than {} bits", what, values[i], info(dtype).bits));
      std::ranges::copy(bytes, tensor.bytes().begin() + static_cast<std::ptrdiff_t>(i * size_of(dtype)));
    }
    add_input(name, std::move(tensor));
  }

  ValueId reshaped(ValueId from, const char* name, const Shape& shape) {
    const auto dtype = builder_.value(from).dtype;
    const auto extents = builder_.add_constant(fmt::format("{}.{}.shape", base_, name), shape_constant(shape));
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
    const auto rows = *builder_.value(op_.inputs[0]).shape, weight = *builder_.value(op_.inputs[1]).shape,
               shape = *result_value().shape;
    const auto output = op_.outputs[0];
    const auto output_type = out();
    op_.op = Op::kCONV2D;
    op_.inputs[0] = reshaped(op_.inputs[0], "input", {rows[0], 1, 1, rows[1]});
    op_.inputs[1] = reshaped(op_.inputs[1], "weight", {weight[0], 1, 1, weight[1]});
    op_.set(Attr::k_pad, std::vector<std::int64_t>(4, 0));
    op_.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
    op_.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
    op_.set(Attr::k_local_bound, std::int64_t{0});
    op_.set(Attr::k_acc_type, std::int64_t(accumulator_of(output_type)));
    zero_point("input_zp", in(0), a.input_zp());
    zero_point("weight_zp", in(1), a.weight_zp());
    MACAW_CHECK(result());
    op_.outputs[0] = builder_.add_temporary(base_ + ".conv", output_type, Shape{shape[0], 1, 1, shape[1]});
    const auto product = op_.outputs[0];
    builder_.add_operator(std::move(op_));
    Operator reshape;
    reshape.op = Op::kRESHAPE;
    reshape.inputs = {product, builder_.add_constant(base_ + ".shape", shape_constant(shape))};
    reshape.outputs = {output};
    builder_.add_operator(std::move(reshape));
    return {};
  }

  BlockBuilder& builder_;
  const v0_80::TosaOperator& in_;
  std::string base_;  ///< the output's name, from which new names are made
};

/// Interface of a schema for GraphImporter.
struct SchemaV0_80 {
  static bool verify(flatbuffers::Verifier& verifier) { return v0_80::VerifyTosaGraphBuffer(verifier); }
  static const v0_80::TosaGraph& graph(const std::uint8_t* data) { return *v0_80::GetTosaGraph(data); }
  static std::optional<DType> dtype(std::uint32_t number) { return v0_80_dtype(number); }
  static Result<void> check(const v0_80::TosaGraph&, const std::string&) { return {}; }
  static Result<void> add_shapes(BlockBuilder&, const v0_80::TosaBasicBlock&, DataBudget&) { return {}; }

  static Result<void> add_operator(BlockBuilder& builder, const v0_80::TosaOperator& in, const std::string& place) {
    const auto number = static_cast<std::uint32_t>(in.op());
    const bool fully_connected = in.op() == v0_80::Op::FULLY_CONNECTED;
    const auto known = fully_connected ? std::optional(Op::kCONV2D) : v0_80_op(number);
    if (!known) return builder.error(ErrorCode::kUnsupported, fmt::format("unknown operator number {}", number), place);
    const auto where = fmt::format("{} ({})", place, fully_connected ? "FULLY_CONNECTED" : to_string(*known));
    const auto* attributes = find_attributes_v0_80(*known);
    const auto kind = fully_connected ? v0_80::Attribute::FullyConnectedAttribute
                      : attributes    ? attributes->table
                                      : v0_80::Attribute::NONE;
    if (kind != v0_80::Attribute::NONE && (in.attribute_type() != kind || !in.attribute()))
      return builder.error(ErrorCode::kInvalidFile,
                           fmt::format("attributes are of kind {}, not {}", static_cast<unsigned>(in.attribute_type()),
                                       static_cast<unsigned>(kind)),
                           where);
    Operator op;
    op.op = *known;
    MACAW_ASSIGN(op.inputs, find_all(builder, in.inputs(), where));
    MACAW_ASSIGN(op.outputs, find_all(builder, in.outputs(), where));
    if ((attributes && op.inputs.size() < attributes->inputs) || op.outputs.empty())
      return builder.error(ErrorCode::kInvalidGraph, "too few inputs or no output", where);
    auto done = Translator(builder, in, op).translate();
    if (!done) return builder.error(done.error().code, done.error().message, where);
    return {};
  }
};

}  // namespace

Result<Graph> import_v0_80(const FileBytes& file, const Version& version, const std::string& name) {
  return import_graph<SchemaV0_80>(file, version, name);
}

}  // namespace macaw::tosa
