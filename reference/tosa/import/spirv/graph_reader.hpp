#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reference/tosa/import/block_builder.hpp"
#include "reference/tosa/import/spirv/instructions.hpp"
#include "reference/tosa/import/spirv/module.hpp"

namespace macaw::tosa::spirv {

/// Bytes that constants of a module may take without lying in the file: replicated and zero ones.
inline constexpr std::size_t kMostSpelledOut = std::size_t{1} << 28;

/// A tensor of the entry point: by number among the inputs or outputs, and of an array of tensors the element.
struct Port {
  std::size_t index = 0;
  std::optional<std::size_t> element = {};
};

/// Interface of a module's graph.
struct Surroundings {
  /// The value of an input, by its variable; asked for in the order of variables and elements.
  std::function<Result<ValueId>(const Port& port, const TensorType& type)> input;
  /// The contents of OpGraphConstantARM, by its number.
  std::function<Result<std::shared_ptr<const Tensor>>(std::uint32_t number, const TensorType& type)> constant;
  /// The name of an output.
  std::function<std::string(const Port& port)> output_name;
};

/// Appends the operators of an entry point's graph to a block; the values of its outputs.
class GraphReader {
 public:
  GraphReader(const Module& module, BlockBuilder& builder, const Surroundings& around)
      : module_(module), builder_(builder), around_(around) {}

  Result<std::vector<ValueId>> read(const EntryPoint& entry);

 private:
  Result<void> read_instruction(const Instruction& in);
  Result<void> read_input(const Instruction& in);
  Result<void> read_operator(const Instruction& in);
  Result<void> read_extract(const Instruction& in);
  Result<void> set_output(const Instruction& in);
  Result<void> set_output(const Port& port, ValueId value);
  /// Inputs or outputs named by the operands after the first `from`. Without an element it is a whole array.
  Result<Port> port(const Instruction& in, std::size_t from, const std::vector<PortType>& ports);
  /// Values of a structure or an array.
  Result<const std::vector<ValueId>*> structure(Id id);
  Result<void> set_attribute(Operator& op, Attr attribute, Id operand);
  /// The value of an operand: computed, an input or a constant.
  Result<ValueId> operand(Id id, bool as_shape);
  Result<std::shared_ptr<const Tensor>> constant(Id id);
  Result<ValueId> add_result(Id type, std::string name);

  const Module& module_;
  BlockBuilder& builder_;
  const Surroundings& around_;
  std::vector<PortType> input_types_, output_types_;
  std::vector<std::vector<ValueId>> inputs_;  ///< of an array all, of a tensor one
  std::map<Id, ValueId> values_;
  std::map<std::pair<Id, bool>, ValueId> constants_;  ///< and whether as shapes
  std::map<Id, std::vector<ValueId>> structures_;
  std::vector<std::vector<std::optional<ValueId>>> outputs_;  ///< as inputs_
  std::size_t budget_ = kMostSpelledOut;
};

}  // namespace macaw::tosa::spirv
