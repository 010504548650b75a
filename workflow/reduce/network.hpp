#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workflow/compare/program.hpp"

namespace macaw::reduce {

class Network;
using NetworkPtr = std::unique_ptr<const Network>;
/// Creates a network on demand; null: it does not exist in this form.
using Candidate = std::function<NetworkPtr()>;

/// A network to be reduced: a TOSA graph or a TensorFlow Lite network. Immutable.
class Network {
 public:
  virtual ~Network() = default;

  /// Number of operators without constants.
  [[nodiscard]] virtual std::size_t operators() const = 0;
  /// The network of some of its operators, by increasing number. Tensors of the others that they read become inputs;
  /// outputs are the network's outputs that they write and results that they do not read. Null if an input would have
  /// no shape.
  [[nodiscard]] virtual NetworkPtr keep(const std::vector<std::size_t>& operators) const = 0;
  /// Simpler networks of the same operators, those with the largest simplification first: bypassed operators, smaller
  /// extents and kernels, strides of 1, constants of zero or one value. Each is valid as far as it could be computed.
  [[nodiscard]] virtual std::vector<Candidate> simplifications() const = 0;
  /// The file's contents.
  [[nodiscard]] virtual Result<std::vector<std::byte>> bytes() const = 0;
  [[nodiscard]] virtual const char* extension() const = 0;
  /// Size: the number of elements of inputs, results and constants.
  [[nodiscard]] virtual std::size_t elements() const = 0;
  /// The engine that runs it; the network must outlive it.
  [[nodiscard]] virtual compare::Program program() const = 0;
  /// The number that keep() takes for an operator of the file, constants counted; none for a constant.
  [[nodiscard]] virtual std::optional<std::size_t> number_of(std::size_t op) const = 0;
};

/// Reads .tosa, TOSA MLIR or .tflite. Errors: those of tosa::load_graph() and tflite::load_network().
[[nodiscard]] Result<NetworkPtr> load_network(const std::string& file);

}  // namespace macaw::reduce
