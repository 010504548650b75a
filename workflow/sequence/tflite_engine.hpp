#pragma once
#include <macaw/tflite/interpreter.hpp>

#include <optional>
#include <string>
#include <vector>

#include "workflow/sequence/engine.hpp"

namespace macaw::sequence {

/// A TensorFlow Lite network whose variables keep their contents. Its state consists of the variable tensors by their
/// names; the variables behind handles by theirs ("NAME", or "CONTAINER/NAME"); and for each CALL_ONCE whether it has
/// run, one BOOL by the name of the operator ("operator 3 (CALL_ONCE)"). A compiled network has the same names.
class TfliteEngine : public Engine {
 public:
  TfliteEngine(tflite::Network network, tflite::RunOptions options);

  [[nodiscard]] Result<std::vector<Tensor>> step(std::vector<Tensor> inputs) override;
  [[nodiscard]] Result<std::vector<npu::NamedTensor>> state() const override;
  [[nodiscard]] Result<void> set_state(const std::vector<npu::NamedTensor>& tensors) override;
  void reset() override { state_.clear(); }

  /// Whether the steps so far left variables.
  [[nodiscard]] bool has_state() const { return !state_.empty(); }

  /// A step with what operators wrote, if it is wanted.
  [[nodiscard]] Result<tflite::RunResult> run(const std::vector<Tensor>& inputs, bool keep_tensors);

 private:
  struct Variable {
    tflite::State::key_type place;
    std::string name;
    std::optional<Port> port;  ///< absent: the value that a run assigns decides type and shape
  };

  /// All variables: tensors in the order of the file, those behind handles by their numbers, then CALL_ONCE.
  [[nodiscard]] static std::vector<Variable> find_variables(const tflite::Network& network);

  tflite::Network network_;
  tflite::RunOptions options_;
  std::vector<Variable> variables_;
  tflite::State state_;
};

}  // namespace macaw::sequence
