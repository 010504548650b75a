#pragma once
#include <optional>
#include <string>

#include "tests/differential/operators/naive/execution.hpp"
#include "tests/differential/operators/random_graph.hpp"

namespace macaw::test {

/// Makes one random graph (random_graph.hpp), whose values it knows as it goes.
class Generator {
 public:
  explicit Generator(std::uint64_t seed);
  [[nodiscard]] RandomGraph run();

 private:
  struct Available {
    tosa::ValueId id;
    Tensor tensor;
  };
  /// A block that is being made. Bodies compute with the values of their first run.
  struct Scope {
    std::size_t block;
    int depth;  ///< 0: the main block
    naive::Execution execution;
    std::vector<Available> pool;
    bool predictable = true;
  };
  using Type = std::pair<DType, Shape>;

  std::size_t pick(std::size_t low, std::size_t high);
  bool one_in(std::size_t n) { return pick(1, n) == 1; }
  template <class T>
  const T& any_of(const std::vector<T>& list) {
    return list[pick(0, list.size() - 1)];
  }

  void step(Scope& scope);
  /// An operator of definitions_, on `start` if there is one and it can be used.
  [[nodiscard]] Case any_case(const Available* start);
  void plain(Scope& scope);
  /// An operator whose result has the type of a value, if one is found.
  void alike(Scope& scope, const Type& type);
  void append(Scope& scope, const Case& c, const Available* start);
  /// A shape that operators compute.
  tosa::ValueId computed_shape(Scope& scope, const Tensor& shape);

  // Values for the operators that take tensors of any type.
  [[nodiscard]] Tensor random_tensor(const Type& type);
  Available any_value(Scope& scope);
  std::vector<Available> any_values(Scope& scope);
  Available operand(Scope& scope, Tensor tensor);
  /// A value of the type, if there is one.
  std::optional<Available> value_of(const Scope& scope, const Type& type);
  /// Appends an operator with results of the given types and computes them.
  void place(Scope& scope, tosa::Operator op, const std::vector<Available>& inputs, const std::vector<Type>& outputs);

  void cond_if(Scope& scope);
  void while_loop(Scope& scope);
  Scope open(const Scope& outer, const std::vector<Available>& inputs);
  void close(Scope& scope, const std::vector<Type>& outputs);

  void variable(Scope& scope);
  void declare(Scope& scope);
  void write(Scope& scope, const std::string& name, const Type& type);
  void custom(Scope& scope);

  [[nodiscard]] tosa::Block& block(const Scope& scope) { return result_.made.graph.blocks[scope.block]; }

  Random random_;
  std::vector<const tosa::Definition*> definitions_;
  std::vector<std::pair<std::string, Type>> variables_;
  RandomGraph result_;
};

}  // namespace macaw::test
