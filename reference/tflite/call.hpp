#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tflite/options.hpp"
#include "base/work.hpp"

namespace macaw::tflite {

[[nodiscard]] inline auto invalid(std::string what) { return fail(ErrorCode::kInvalidGraph, std::move(what)); }
[[nodiscard]] inline auto unsupported(std::string what) { return fail(ErrorCode::kUnsupported, std::move(what)); }

/// An operand of an operator. Outputs and state can be written.
struct Operand {
  const Tensor* value = nullptr;  ///< null: absent
  Tensor* writable = nullptr;     ///< the same tensor, or null
  const Quantization* quantization = nullptr;
};

/// Interface of the interpreter for control flow: runs a subgraph on inputs and returns its outputs.
using RunSubgraph = std::function<Result<std::vector<Tensor>>(std::int32_t subgraph, std::vector<Tensor> inputs)>;

/// Variables that operators reach by a handle, of the network that runs.
class Resources {
 public:
  virtual ~Resources() = default;

  /// The handle of the variable that VAR_HANDLE names.
  [[nodiscard]] virtual Result<std::int32_t> handle(const schema::VarHandleOptionsT& variable) const = 0;
  /// Contents of a variable; null if nothing has been assigned to it. kInvalidGraph if there is no such variable.
  [[nodiscard]] virtual Result<const Tensor*> find(std::int32_t handle) const = 0;
  [[nodiscard]] virtual Result<void> assign(std::int32_t handle, const Tensor& contents) = 0;
  /// Whether the CALL_ONCE with that number (OperatorInfo::number) has run its subgraph, in this run or an earlier one.
  [[nodiscard]] virtual bool called(std::size_t op) const = 0;
  virtual void set_called(std::size_t op) = 0;
};

/// One execution of an operator. The kernel reads `inputs` and fills `outputs`, which have the types and shapes that
/// the file states and are zero.
struct Call {
  std::string_view name;
  const Options* options = nullptr;
  std::vector<Operand> inputs, outputs;
  RunSubgraph run_subgraph = {};   ///< empty: there are no subgraphs
  Resources* resources = nullptr;  ///< null: there is no network around the operator
  std::size_t number = 0;          ///< OperatorInfo::number
  /// A compiled network leaves the operator to the CPU: in place of handles its operands are variables themselves
  /// (sim/artifact/resource_variables.hpp).
  bool on_host = false;
  std::int64_t max_work = 0;  ///< as RunOptions has it
  std::int64_t work = 0;
  std::vector<std::size_t> changed = {};  ///< inputs that are state
  SumRange* sums = nullptr;               ///< filled in by operators that scale integer sums; null: not wanted

  /// A required input.
  [[nodiscard]] Result<const Tensor*> input(std::size_t index) const;
  /// An input that may be absent or missing at the end: null.
  [[nodiscard]] const Tensor* optional_input(std::size_t index) const;
  /// A required input that keeps its contents and is written. It is added to `changed`.
  [[nodiscard]] Result<Tensor*> state(std::size_t index);
  [[nodiscard]] Tensor& output(std::size_t index = 0) const { return *outputs[index].writable; }

  /// The options as T, a type of the schema's object API; an error if the file has none.
  template <class T>
  [[nodiscard]] Result<const T*> options_as() const {
    if (options && options->value.type == schema::BuiltinOptionsUnionTraits<T>::enum_value)
      return static_cast<const T*>(options->value.value);
    return invalid("the options are missing");
  }
  /// The options as T, or T's defaults if the file has none.
  template <class T>
  [[nodiscard]] T options_or_default() const {
    const auto given = options_as<T>();
    return given ? **given : T{};
  }

  /// Takes an amount of work off the limit, before it is done.
  [[nodiscard]] Result<void> account(std::int64_t amount);
};

/// Input elements on which an output element depends.
enum class Scope : std::uint8_t {
  kTensors,      ///< on any element of the inputs
  kElementwise,  ///< on the element at its place in each input, which repeats along axes of extent 1
};
inline constexpr Scope kElementwise = Scope::kElementwise;

/// An operator: its name, how many operands it has, and its kernel.
struct Definition {
  std::string_view name;
  int min_inputs, max_inputs;    ///< max_inputs -1: any number
  int min_outputs, max_outputs;  ///< max_outputs -1: any number
  Result<void> (*kernel)(Call&);
  Scope scope = Scope::kTensors;
};

/// The operators of a family: each file of op/ has those that one source of the kernels computes alike, as `kOperators`
/// in a namespace of the file's name, which families.def lists.
using Operators = std::span<const Definition>;

/// The operator of TensorFlow Lite, or of one of some families, with that name; null if there is none.
[[nodiscard]] const Definition* find_definition(std::string_view name);
[[nodiscard]] const Definition* find_definition(std::span<const Operators* const> families, std::string_view name);

/// Checks the number of operands, and runs the kernel.
[[nodiscard]] Result<void> execute(const Definition& definition, Call& call);

/// An error unless the tensor has this type, this shape, or this rank.
[[nodiscard]] Result<void> expect(const Tensor& tensor, DType dtype, std::string_view what);
[[nodiscard]] Result<void> expect(const Tensor& tensor, const Shape& shape, std::string_view what);
[[nodiscard]] Result<void> expect_rank(const Tensor& tensor, std::size_t rank, std::string_view what);
/// An error that names a type which the operator does not take.
[[nodiscard]] tl::unexpected<Error> unsupported_type(DType dtype);

/// `axis` counted from the start: axes below zero count from the end.
[[nodiscard]] Result<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);

/// Elements of the extents [first, last).
[[nodiscard]] std::int64_t product(const Shape& shape, std::size_t first, std::size_t last);

/// Values of an INT32 or INT64 tensor.
[[nodiscard]] Result<std::vector<std::int64_t>> integers(const Tensor& tensor, std::string_view what);

}  // namespace macaw::tflite
