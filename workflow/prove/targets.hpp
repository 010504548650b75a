#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workflow/prove/convolution.hpp"
#include "workflow/prove/movement.hpp"
#include "workflow/prove/pieces.hpp"
#include "workflow/prove/pool.hpp"

namespace macaw::prove {

/// A tensor and the operators that compute it from tensors that other operations write.
struct Target {
  TensorId tensor = 0;
  std::vector<std::size_t> operators;  ///< from the first to the last
  std::vector<TensorId> inputs;        ///< those tensors
  std::optional<Convolution> convolution;
  std::optional<Pool> pool;
  std::string reason;  ///< why it cannot be proved; empty so far
};

/// A tensor that is taken as given, its operator, and why it is not judged.
struct Given {
  std::string kind, op;
  std::string reason;
  bool by_host = false;  ///< an operator of the CPU writes it
};

/// The required result of each operation of a compiled network.
class Targets {
 public:
  /// All arguments must outlive the object.
  Targets(const tosa::Graph& graph, const Reference& reference, const std::map<TensorId, Given>& given,
          const std::vector<Record>& records);

  /// The part of a tensor that an operation writes; null if unknown.
  [[nodiscard]] const Piece* written(std::size_t record) const {
    const auto found = written_.find(record);
    return found == written_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Target& of(TensorId tensor) { return targets_.at(tensor); }
  [[nodiscard]] const Target& of(TensorId tensor) const { return targets_.at(tensor); }
  /// Tensors by the first operation that writes them.
  [[nodiscard]] const std::map<std::size_t, TensorId>& order() const { return order_; }
  /// Whether the result consists of elements of other tensors.
  [[nodiscard]] bool is_moved(const Target& target) const;
  [[nodiscard]] Element origin(const Element& element) { return movement_.origin(element); }

 private:
  /// Chooses the tensor that an operation writes: of several with equal contents in this run, the one computed last,
  /// preferring computed tensors over moved ones.
  void choose(std::size_t records);
  [[nodiscard]] std::pair<bool, std::size_t> rank(TensorId tensor) const;
  /// Whether other operations write the tensor or its components, or no operation has to.
  [[nodiscard]] bool is_given(TensorId tensor, std::size_t record) const;
  Target target_of(TensorId tensor, std::size_t record);
  [[nodiscard]] bool is_view(std::size_t op) const;
  /// Why the operators of a target cannot be proved; empty if they may be.
  [[nodiscard]] std::string unhandled(const Target& target) const;
  [[nodiscard]] std::optional<Pool> pool_of(std::size_t index) const;
  [[nodiscard]] std::optional<Convolution> convolution_of(std::size_t index,
                                                          const compare::OperatorConstants& constants) const;

  const tosa::Graph& graph_;
  const Reference& reference_;
  const std::map<TensorId, Given>& given_;
  const std::vector<compare::OperatorConstants> constants_;
  Movement movement_;
  const Pieces pieces_;
  std::map<TensorId, std::size_t> producer_;
  std::map<TensorId, std::set<std::size_t>> writers_;
  std::map<std::size_t, Piece> written_;  ///< by operation
  std::map<TensorId, Target> targets_;
  std::map<std::size_t, TensorId> order_;
};

}  // namespace macaw::prove
