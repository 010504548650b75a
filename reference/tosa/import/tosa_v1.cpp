#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <map>

#include "reference/tosa/import/attributes_v1.hpp"
#include "reference/tosa/import/block_builder.hpp"
#include "reference/tosa/import/block_names.hpp"
#include "reference/tosa/import/flatbuffer_reading.hpp"
#include "reference/tosa/import/graph_importer.hpp"
#include "reference/tosa/import/import.hpp"
#include "reference/tosa/import/old_numbers.hpp"

// Reads graphs of TOSA 1.x. The graph model is 1.x's own, so that this is names to indices and enumerations to neutral
// ones, and everything that a flatbuffer verifier does not look at.

namespace macaw::tosa {
namespace {

namespace fb = v1;

class AttributeReader : public FieldsV1<FieldReader> {
 public:
  AttributeReader(Operator& op, const fb::TosaOperator& in, const BlockBuilder& block)
      : FieldsV1(op), in_(in), block_(block) {}

  Result<void> read() {
    visit_attributes_v1(op_.op, *this);
    return result();
  }

  template <class Table, class Fields>
  void table(Fields fields) {
    Table read;
    in_.attribute_as<typename Table::TableType>()->UnPackTo(&read);
    fields(*this, read);
  }

  using FieldsV1::field;
  void field(Attr attribute, fb::DType& type) {
    const auto dtype = v1_dtype(static_cast<std::uint32_t>(type));
    if (!dtype)
      return fail_with(ErrorCode::kInvalidFile, fmt::format("unknown acc_type {}", static_cast<std::uint32_t>(type)));
    op_.set(attribute, std::int64_t(*dtype));
  }
  /// One element of the operator's type, wherever the writer padded it.
  void element(Attr attribute, std::vector<std::uint8_t>& bytes) {
    if (op_.inputs.empty())
      return fail_with(ErrorCode::kInvalidGraph, fmt::format("{} without input", to_string(op_.op)));
    const auto size = size_of(block_.value(op_.inputs[0]).dtype);
    if (bytes.size() < size)
      return fail_with(ErrorCode::kInvalidFile,
                       fmt::format("{} needs {} bytes, has {}", to_string(attribute), size, bytes.size()));
    bytes.resize(size);
    field(attribute, bytes);
  }

 private:
  const fb::TosaOperator& in_;
  const BlockBuilder& block_;
};

/// Interface of a schema for GraphImporter.
struct Schema {
  static bool verify(flatbuffers::Verifier& verifier) { return fb::VerifyTosaGraphBuffer(verifier); }
  static Result<void> check(const fb::TosaGraph& graph, const std::string& name) { return check_numbers(graph, name); }
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
    if (auto read = AttributeReader(op, in, builder).read(); !read)
      return builder.error(read.error().code, read.error().message, where);
    builder.add_operator(std::move(op));
    return {};
  }

 private:
  /// Arm's test generator gives the shape of a scalar one zero as data, other writers nothing.
  static constexpr std::size_t kOneExtent = 8;

  static Result<void> add_shape(BlockBuilder& builder, const fb::TosaShape& in, DataBudget& budget) {
    Value value;
    value.name = text(in.name());
    value.dtype = DType::kSHAPE;
    value.shape = Shape{std::int64_t{in.rank()}};
    const auto place = "shape \"" + value.name + "\"";
    if (in.rank() > 0) {
      MACAW_CHECK(add_data(builder, value, contents(in.data()), budget, place));
    } else if (in.data() && in.data()->size() > kOneExtent) {
      return builder.error(ErrorCode::kInvalidGraph,
                           fmt::format("{} bytes of data for the shape of a scalar", in.data()->size()), place);
    } else {
      // The shape of a rank 0 tensor has no extents, and so only one value.
      value.data = std::make_shared<const Tensor>(DType::kSHAPE, Shape{0});
    }
    MACAW_CHECK(builder.add_value(std::move(value)));
    return {};
  }
};

}  // namespace

Result<Graph> import_v1(const FileBytes& file, const Version& version, const std::string& name) {
  return import_graph<Schema>(file, version, name);
}

}  // namespace macaw::tosa
