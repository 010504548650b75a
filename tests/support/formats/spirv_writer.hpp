#pragma once
#include <macaw/tosa/graph.hpp>

#include <map>
#include <string>
#include <vector>

#include "reference/tosa/import/spirv/instructions.hpp"
#include "reference/tosa/import/spirv/module.hpp"
#include "tests/support/formats/vgf_writer.hpp"

namespace macaw::tosa::test {

using spirv::Id;
using spirv::Opcode;
using Words = std::vector<std::uint32_t>;

/// A module of one graph.
class SpirvWriter {
 public:
  /// `most_inside`: constants of more elements lie beside the module, in constants().
  SpirvWriter(const Block& block, std::int64_t most_inside, Ports ports = Ports::kTensors)
      : block_(block), most_inside_(most_inside), ports_(ports) {}

  Result<Words> write();
  [[nodiscard]] const std::vector<Tensor>& constants() const { return constants_; }

 private:
  static void emit(Words& section, Opcode opcode, const Words& operands);
  /// An instruction with a result, which stands behind its type if it has one; equal ones are made once.
  Id once(Opcode opcode, const Words& operands, bool typed);
  static Words text(std::string_view text);

  Id integer(std::uint32_t value);
  Id element_type(DType dtype);
  Id scalar(DType dtype, const std::byte* bytes);
  Result<Id> tensor_type(DType dtype, const Shape& shape);
  Result<Id> constant(const Tensor& tensor);
  Id composite(const Tensor& tensor, std::size_t axis, std::size_t& at);
  Result<Id> attribute(const Operator& op, Attr attribute);
  Result<Id> input(ValueId value, bool shape);
  Result<void> write_operator(const Operator& op);
  /// Types of the variables for these values: of an array one.
  Result<Words> port_types(const std::vector<ValueId>& values);
  Result<void> join_graph();
  Result<void> take_inputs(Id array);
  Result<void> set_outputs();

  const Block& block_;
  std::int64_t most_inside_;
  Ports ports_;
  Words names_, types_, entry_, body_;
  std::map<Words, Id> made_;
  std::map<ValueId, Id> values_;
  std::vector<Tensor> constants_;
  Id next_ = 1, set_ = 0;
};

}  // namespace macaw::tosa::test
