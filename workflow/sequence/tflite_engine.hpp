#pragma once
#include <macaw/tflite/interpreter.hpp>

#include <utility>
#include <vector>

#include "workflow/sequence/engine.hpp"

namespace macaw::sequence {

/// A TensorFlow Lite network whose variables keep their contents.
class TfliteEngine : public Engine {
 public:
  TfliteEngine(tflite::Network network, tflite::RunOptions options);

  [[nodiscard]] Result<std::vector<Tensor>> step(std::vector<Tensor> inputs) override;
  [[nodiscard]] Result<std::vector<npu::NamedTensor>> state() const override;
  [[nodiscard]] Result<void> set_state(const std::vector<npu::NamedTensor>& tensors) override;
  void reset() override { state_.clear(); }

  /// Whether the steps so far left variables, also those behind handles, which state() does not list.
  [[nodiscard]] bool has_state() const { return !state_.empty(); }

  /// A step with what operators wrote, if it is wanted.
  [[nodiscard]] Result<tflite::RunResult> run(const std::vector<Tensor>& inputs, bool keep_tensors);

 private:
  using Place = tflite::State::key_type;

  /// All variables in the order of the file.
  [[nodiscard]] std::vector<std::pair<Place, Port>> variables() const;

  tflite::Network network_;
  tflite::RunOptions options_;
  tflite::State state_;
};

}  // namespace macaw::sequence
