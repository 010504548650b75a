#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace macaw::tflite {

struct Options;  // base/tflite/options.hpp

/// A tensor of a subgraph.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kINT8;
  Shape shape;
  std::shared_ptr<const Quantization> quantization = {};  ///< null: none
  std::shared_ptr<const Tensor> constant = {};            ///< null: computed, an input or a variable
  bool is_variable = false;                               ///< keeps its contents between runs
};

/// An operator with the indices of its tensors in the subgraph.
struct OperatorInfo {
  std::string name;  ///< builtin or custom name, as the schema spells it: "CONV_2D"
  int version = 1;
  std::vector<int> inputs, outputs;             ///< -1: an optional operand that is absent
  std::shared_ptr<const Options> options = {};  ///< null: none, or none that are read
  std::size_t number = 0;                       ///< among the operators of all subgraphs, in the order of the file
  std::string unsupported = {};                 ///< why the operator cannot be run; empty if no reason is known

  /// "operator 3 (CONV_2D, version 2)"
  [[nodiscard]] std::string place(std::size_t index) const;
};

struct Subgraph {
  std::string name;
  std::vector<TensorInfo> tensors;
  std::vector<OperatorInfo> operators;  ///< in execution order
  std::vector<int> inputs, outputs;
};

/// A TensorFlow Lite network. Subgraph 0 is the one that runs; others are called by control-flow operators.
struct Network {
  std::string file;
  std::vector<Subgraph> subgraphs;
  /// Variables that operators access by a handle: container and name of each, and its number, which is the handle's
  /// value. Numbers count from 0 in the order of first use in the file.
  std::map<std::pair<std::string, std::string>, std::size_t> resources = {};
  /// By number: its name, "NAME" or "CONTAINER/NAME", and the tensor that is read from it, or else assigned to it, in
  /// the subgraph of a VAR_HANDLE. Without either it has the type and shape of the value that a run assigns.
  std::vector<std::pair<std::string, std::optional<TensorInfo>>> resource_tensors = {};

  [[nodiscard]] const Subgraph& main() const { return subgraphs.front(); }
};

/// Reads a .tflite. Every index is checked, every tensor is a constant, an input, a variable or written by one earlier
/// operator. Errors: kIo, kInvalidFile for what breaks the format, kUnsupported for element types or data outside the
/// flatbuffer. An operator that the interpreter does not have is not an error here.
[[nodiscard]] Result<Network> load_network(const std::filesystem::path& file);
[[nodiscard]] Result<Network> parse_network(std::span<const std::byte> bytes, const std::string& name);

/// Whether the bytes have the file identifier of TensorFlow Lite.
[[nodiscard]] bool is_tflite(std::span<const std::byte> bytes);

}  // namespace macaw::tflite
