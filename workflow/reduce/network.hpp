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
/// Makes a network when it is wanted; null: there is none of this form.
using Candidate = std::function<NetworkPtr()>;

/// A network that is made smaller: a TOSA graph or a TensorFlow Lite network. It does not change.
class Network {
 public:
  virtual ~Network() = default;

  /// Operators, constants not counted.
  [[nodiscard]] virtual std::size_t operators() const = 0;
  /// The network of some of its operators, by number in rising order. Tensors of the others that they read are inputs;
  /// outputs are those of the network that they write and what they write and do not read. Null if an input would have
  /// no shape.
  [[nodiscard]] virtual NetworkPtr keep(const std::vector<std::size_t>& operators) const = 0;
  /// Simpler networks of the same operators, those first that make it much simpler: operators bypassed, extents and
  /// kernels smaller, strides of 1, constants zero or of one value. Each is valid as far as it was computed.
  [[nodiscard]] virtual std::vector<Candidate> simplifications() const = 0;
  /// The file's contents.
  [[nodiscard]] virtual Result<std::vector<std::byte>> bytes() const = 0;
  [[nodiscard]] virtual const char* extension() const = 0;
  /// Elements of inputs, of what operators write and of constants: how large it is.
  [[nodiscard]] virtual std::size_t elements() const = 0;
  /// The engine that runs it; the network outlives it.
  [[nodiscard]] virtual compare::Program program() const = 0;
  /// The number that keep() takes for an operator of the file, constants counted; none for a constant.
  [[nodiscard]] virtual std::optional<std::size_t> number_of(std::size_t op) const = 0;
};

/// Reads .tosa, TOSA MLIR or .tflite. Errors: those of tosa::load_graph() and tflite::load_network().
[[nodiscard]] Result<NetworkPtr> load_network(const std::string& file);

}  // namespace macaw::reduce
