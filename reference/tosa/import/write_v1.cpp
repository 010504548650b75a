#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include "reference/tosa/import/attributes_v1.hpp"
#include "reference/tosa/import/flatbuffer_writing.hpp"
#include "reference/tosa/import/import.hpp"
#include "reference/tosa/import/variables.hpp"

namespace macaw::tosa {
namespace {

namespace fb = v1;

/// Fills the attribute table of one operator.
class AttributeWriter : public FieldsV1<FieldWriter> {
 public:
  AttributeWriter(const Operator& op, fb::AttributeUnion& out) : FieldsV1(op), out_(out) {}

  Result<void> write() {
    visit_attributes_v1(op_.op, *this);
    return result();
  }

  template <class Table, class Fields>
  void table(Fields fields) {
    Table written;
    fields(*this, written);
    out_.Set(std::move(written));
  }

  using FieldsV1::field;
  void field(Attr attribute, fb::DType& type) {
    const auto number = v1_number(static_cast<DType>(op_.get_int(attribute)));
    if (!number) fail_with(ErrorCode::kUnsupported, "TOSA 1.x files cannot hold this acc_type");
    type = static_cast<fb::DType>(number.value_or(0));
  }
  /// Padded like constants, as Arm's writers do.
  void element(Attr attribute, std::vector<std::uint8_t>& bytes) {
    field(attribute, bytes);
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }

 private:
  fb::AttributeUnion& out_;
};

/// The attribute table of an operator without attributes: empty, only its kind matters.
flatbuffers::Offset<void> empty_table(flatbuffers::FlatBufferBuilder& builder) {
  const auto start = builder.StartTable();
  return builder.EndTable(start);
}

class WriterV1 {
 public:
  explicit WriterV1(const Graph& graph) : variables_(graph) {}

  Result<std::vector<std::byte>> write(const Graph& graph, const Version& version) {
    std::vector<flatbuffers::Offset<fb::TosaRegion>> regions;
    for (const auto& block : graph.blocks) {
      MACAW_ASSIGN(const auto written, write_block(block));
      const auto list = builder_.CreateVector(std::vector{written});
      regions.push_back(fb::CreateTosaRegion(builder_, builder_.CreateString(block.name), list));
    }
    const auto all = builder_.CreateVector(regions);
    const auto stamp = fb::CreateVersion(builder_, version.major, version.minor, version.patch, version.draft);
    // Files of 1.0 have no such table.
    const auto software = version.minor < 1
                              ? flatbuffers::Offset<fb::SoftwareVersion>()
                              : fb::CreateSoftwareVersion(builder_, MACAW_VERSION_MAJOR, MACAW_VERSION_MINOR,
                                                          MACAW_VERSION_PATCH, builder_.CreateString("macaw"));
    fb::FinishTosaGraphBuffer(builder_, fb::CreateTosaGraph(builder_, stamp, all, software));
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
    if (auto done = AttributeWriter(op, attribute).write(); !done)
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
  return WriterV1(graph).write(graph, version);
}

}  // namespace macaw::tosa
