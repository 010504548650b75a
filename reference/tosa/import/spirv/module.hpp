#pragma once
#include <macaw/dtype.hpp>
#include <macaw/error.hpp>
#include <macaw/tensor.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::tosa::spirv {

using Id = std::uint32_t;

/// Instructions that data graphs are made of, by their numbers (KhronosGroup/SPIRV-Headers,
/// include/spirv/unified1/spirv.core.grammar.json).
enum class Opcode : std::uint16_t {
  kName = 5,
  kExtInstImport = 11,
  kExtInst = 12,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantComposite = 44,
  kConstantNull = 46,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kVariable = 59,
  kDecorate = 71,
  kCompositeExtract = 81,
  kTypeTensor = 4163,
  kGraphConstant = 4181,
  kGraphEntryPoint = 4182,
  kGraph = 4183,
  kGraphInput = 4184,
  kGraphSetOutput = 4185,
  kGraphEnd = 4186,
  kTypeGraph = 4190,
  kConstantCompositeReplicate = 4461,
  kSpecConstantCompositeReplicate = 4462,
};

struct Instruction {
  Opcode opcode{};
  Id type = 0, result = 0;                  ///< 0: the instruction has none
  std::span<const std::uint32_t> operands;  ///< those that follow
};

struct TensorType {
  DType dtype{};
  std::optional<Shape> shape;  ///< as of Value
};

/// An input or output of a graph: a tensor, or an array of tensors of one type.
struct PortType {
  TensorType tensor;
  std::optional<std::size_t> count;  ///< of an array
};

/// A graph that a host can run.
struct EntryPoint {
  Id graph = 0;
  std::string name;
  std::span<const std::uint32_t> variables;  ///< inputs and then outputs
};

/// A SPIR-V module: its instructions by their result. `words` must outlive it.
class Module {
 public:
  /// `place` is used in messages.
  [[nodiscard]] static Result<Module> parse(std::span<const std::uint32_t> words, std::string place);

  /// Null if no instruction defines it.
  [[nodiscard]] const Instruction* find(Id id) const;
  [[nodiscard]] const std::vector<EntryPoint>& entry_points() const { return entry_points_; }
  /// Instructions between OpGraphARM and OpGraphEndARM; empty if there is no such graph.
  [[nodiscard]] std::span<const Instruction> body(Id graph) const;
  /// Contents of a graph's type.
  [[nodiscard]] Result<std::vector<PortType>> inputs(Id graph) const;
  [[nodiscard]] Result<std::vector<PortType>> outputs(Id graph) const;
  [[nodiscard]] std::optional<std::uint32_t> binding(Id variable) const;
  /// Name from OpName, or empty.
  [[nodiscard]] std::string name(Id id) const;

  [[nodiscard]] Result<TensorType> tensor_type(Id type) const;
  /// Members of a structure, or the type alone.
  [[nodiscard]] std::vector<Id> members(Id type) const;
  /// An integer or boolean constant; signed by its width.
  [[nodiscard]] Result<std::int64_t> scalar(Id constant) const;
  /// Storage of a scalar constant of any type (macaw/dtype.def).
  [[nodiscard]] Result<std::vector<std::byte>> scalar_bytes(Id constant) const;
  /// A tensor constant other than OpGraphConstantARM. `budget` are the bytes that constants may still take.
  [[nodiscard]] Result<Tensor> tensor(Id constant, std::size_t& budget) const;

  [[nodiscard]] tl::unexpected<Error> error(ErrorCode code, std::string message) const;

 private:
  Result<void> add(const Instruction& instruction);
  [[nodiscard]] Result<DType> element_type(Id type) const;
  [[nodiscard]] Result<PortType> port_type(Id type) const;
  /// Type of a constant: an array of scalars is a tensor of rank 1.
  [[nodiscard]] Result<TensorType> constant_type(Id type) const;
  [[nodiscard]] Result<std::vector<PortType>> ports(Id graph, bool outputs) const;
  [[nodiscard]] Result<void> fill(Id constant, DType dtype, std::span<const std::int64_t> shape,
                                  std::span<std::byte> out) const;

  std::string place_;
  std::map<Id, Instruction> definitions_;
  std::map<Id, std::string> names_;
  std::map<Id, std::uint32_t> bindings_;
  std::map<Id, std::vector<Instruction>> bodies_;
  std::vector<EntryPoint> entry_points_;
  Id open_graph_ = 0;
};

/// The text of a string operand and the words that it takes; none if it does not end.
struct LiteralString {
  std::string text;
  std::size_t words = 0;
};
[[nodiscard]] std::optional<LiteralString> literal_string(std::span<const std::uint32_t> words);

}  // namespace macaw::tosa::spirv
