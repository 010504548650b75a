#include "tests/differential/operators/random_graph.hpp"

#include "tests/differential/operators/evaluate.hpp"

namespace macaw::test {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    for (const auto* definition : tosa::definitions())
      if (find_cases(definition->op) && has_naive(definition->op)) definitions_.push_back(definition);
  }

  RandomGraph run() {
    for (auto left = pick(1, 8); left > 0 && result_.predictable; --left) step();
    if (!result_.predictable) result_.expected.clear();
    return std::move(result_);
  }

 private:
  struct Available {
    tosa::ValueId id;
    Tensor tensor;
  };

  std::size_t pick(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random_);
  }

  void step() {
    for (;;) {
      const auto* definition = definitions_[pick(0, definitions_.size() - 1)];
      const auto& row = definition->rows[pick(0, definition->rows.size() - 1)];
      if (!row.kernel) continue;
      const auto* start = pool_.empty() || pick(1, 8) == 1 ? nullptr : &pool_[pick(0, pool_.size() - 1)];
      const auto c = make_case(random_, *definition, row, start ? &start->tensor : nullptr);
      // Most choices cannot use the value; try others, so that the graph hangs together.
      if (start && c.given < 0) continue;
      auto results = evaluate(c);
      if (!results && pick(1, 20) != 1) continue;
      append(c, start ? std::optional(start->id) : std::nullopt, std::move(results));
      return;
    }
  }

  void append(const Case& c, std::optional<tosa::ValueId> given, std::optional<std::vector<Tensor>> results) {
    const auto ids = result_.made.append(c, given, pick(1, 4) == 1);
    result_.ops.push_back(c.op.op);
    if (!results) {
      result_.predictable = false;
      return;
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      pool_.push_back({ids[i], (*results)[i]});
      result_.expected.push_back(std::move((*results)[i]));
    }
  }

  Random random_;
  std::vector<const tosa::Definition*> definitions_;
  std::vector<Available> pool_;
  RandomGraph result_;
};

}  // namespace

RandomGraph random_operators(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace macaw::test
