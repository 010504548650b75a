#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/quantization.hpp>

#include <memory>
#include <string>
#include <vector>

namespace macaw::sequence {

/// An input or output of a network.
struct Port {
  InputPort tensor;
  std::shared_ptr<const Quantization> quantization = {};  ///< null: the network does not state it
};

/// A network that runs step after step and keeps its state in between: TOSA variables, mutable state of TensorFlow
/// Lite, variables in the arena of an NPU network.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] const std::vector<Port>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<Port>& outputs() const { return outputs_; }
  /// Whether step() computes outputs; false for a run of time alone.
  [[nodiscard]] virtual bool has_values() const { return true; }

  /// Runs a step on inputs in the order of inputs(), of their types and shapes. Returns the outputs in the order of
  /// outputs(). After an error the state may be that of a step half done.
  [[nodiscard]] virtual Result<std::vector<Tensor>> step(std::vector<Tensor> inputs) = 0;

  /// Contents of the state before the next step, by name. What was never written and has no initial value is missing.
  [[nodiscard]] virtual Result<std::vector<npu::NamedTensor>> state() const = 0;
  /// Sets some or all of the state. kMismatch for a name, type or shape that the network does not have; then nothing is
  /// set.
  [[nodiscard]] virtual Result<void> set_state(const std::vector<npu::NamedTensor>& tensors) = 0;
  /// Back to the state before the first step.
  virtual void reset() = 0;

 protected:
  std::vector<Port> inputs_, outputs_;
};

/// New contents of a variable, of its type and shape. kMismatch for others.
[[nodiscard]] Result<Tensor> variable_contents(const Tensor& given, const InputPort& variable);

/// The tensor that stands for 0 everywhere: the zero point where there is one. kUnsupported for a shape that is not
/// known before the run.
[[nodiscard]] Result<Tensor> zero_tensor(const Port& port);

}  // namespace macaw::sequence
