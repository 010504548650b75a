#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workflow/sequence/engine.hpp"

namespace macaw::sequence {

/// How steps are joined, as options say it. A port is named as the network names it, or by its number.
struct Options {
  std::vector<std::string> feedback = {};  ///< "OUT=IN"
  std::vector<std::string> initial = {};   ///< "IN=FILE.npy"
  std::vector<std::string> counts = {};    ///< "IN=FIRST"
  std::vector<std::string> scales = {};    ///< "PORT=SCALE" or "PORT=SCALE:ZERO_POINT", where the file states none
  std::string stop = {};                   ///< "OUT=VALUE"
  std::string score = {};                  ///< "OUT=TARGETS.npy"
  bool requantize = false;

  /// Whether anything but `sequence` itself was asked for.
  [[nodiscard]] bool any() const;
};

/// An output that becomes an input of the next step.
struct Feedback {
  std::size_t output = 0, input = 0;
  bool requantized = false;  ///< by the scales of both ports
};

/// An input that gets the number of the step.
struct Count {
  std::size_t input = 0;
  std::int64_t first = 0;
};

/// The sequence ends after the step in which every element of the output has this stored value.
struct Stop {
  std::size_t output = 0;
  double value = 0;
};

/// How steps are joined.
struct Wiring {
  std::vector<Port> inputs, outputs;  ///< of the engine, with scales that were stated
  std::vector<Feedback> feedback = {};
  std::vector<Count> counts = {};
  /// Initial values of inputs that are fed back, which start at the zero point otherwise, and of those that only
  /// Hooks::between changes, which stay as they are until then.
  std::map<std::size_t, Tensor> initial = {};
  std::map<std::size_t, Tensor> constants = {};  ///< inputs that are the same in every step
  std::optional<Stop> stop = {};
  std::optional<std::size_t> scored = {};  ///< output whose last axis has a score for each class
  Tensor classes = {};                     ///< right ones, with the steps along the first axis
  std::string targets = {};                ///< where the classes are from, for messages

  /// Inputs that each step gets from outside, in their order.
  [[nodiscard]] std::vector<std::size_t> given() const;
};

/// The engine's ports joined as the options say. Errors: kUsage for text that is not of the form or names a port twice,
/// kMismatch for a port that is not there and for feedback between ports that differ in type, shape, scale or zero
/// point; those of reading the initial tensors.
[[nodiscard]] Result<Wiring> resolve(const Engine& engine, const Options& options);

/// The output as the input's next contents.
[[nodiscard]] Result<Tensor> fed_back(const Wiring& wiring, const Feedback& feedback, const Tensor& output);

/// An input filled with a stored integer; kMismatch if its type does not have it.
[[nodiscard]] Result<Tensor> filled(const Port& port, std::int64_t value);

/// Sole value of a tensor, if all of its elements are equal; absent for no elements and for types without numbers.
[[nodiscard]] std::optional<double> sole_value(const Tensor& tensor);

}  // namespace macaw::sequence
