#include <catch2/catch.hpp>

#include <map>
#include <set>

#include <macaw/tosa/interpreter.hpp>

#include "tests/unit/reference/tosa/rules/trip.hpp"

using namespace macaw;
using namespace macaw::test;

namespace {

const tosa::TypeRow& row_of(const Trip& trip) {
  for (const auto& row : tosa::find_definition(trip.op)->rows)
    if (row.kernel && std::ranges::equal(trip.types, std::span(row.types).first(trip.types.size()))) return row;
  throw std::logic_error("no row has the types of the trip");
}

bool is_valid(const CaseGraph& made) {
  const auto run = tosa::run(made.graph, made.inputs);
  return run && run->verdict.status() == tosa::Status::kValid;
}

/// A valid case of the operator, which is then broken.
CaseGraph broken_graph(const Trip& trip) {
  if (trip.make) {
    auto made = trip.make();
    REQUIRE(is_valid(made));
    trip.edit_graph(made);
    return made;
  }
  Random random(7);
  const auto* definition = tosa::find_definition(trip.op);
  auto c = make_case(random, *definition, row_of(trip));
  while (!is_valid(graph_of(c))) c = make_case(random, *definition, row_of(trip));
  if (trip.edit) trip.edit(c);
  auto made = graph_of(c);
  if (trip.edit_graph) trip.edit_graph(made);
  return made;
}

}  // namespace

TEST_CASE("every rule is found, and named, where it alone is broken") {
  for (const auto& trip : all_trips()) {
    INFO(trip.rule << " of " << (trip.statements.empty() ? "the tables" : trip.statements.front()));
    const auto made = broken_graph(trip);
    const auto run = tosa::run(made.graph, made.inputs);
    if (!run) {
      FAIL_CHECK(run.error().to_string());
      continue;
    }
    CHECK(run->verdict.status() == trip.status);
    const auto* finding = run->verdict.first();
    if (!finding) continue;
    INFO(finding->to_string());
    CHECK(finding->rule == trip.rule);
    CHECK(finding->argument == trip.argument);
    CHECK(finding->place.find(to_string(trip.op)) != std::string::npos);
  }
}

TEST_CASE("every rule of every definition has a graph that breaks it") {
  // Rules that nothing can break alone, and why.
  const std::map<std::string, const char*> unbreakable{
      {"AVG_POOL2D.14", "a sum of n elements is below n * 2^16, the range of the scale of n at least n * 2^29"},
      {"AVG_POOL2D_ADAPTIVE.14", "as AVG_POOL2D.14"},
      {"ARITHMETIC_RIGHT_SHIFT.3", "needs an implementation without PRO-INT: tests/unit/reference/tosa"},
      {"DIM.3", "an extent of 0 is an ERROR before, by the table of arguments"},
      {"VARIABLE_WRITE.2", "needs a variable from an earlier run: tests/unit/reference/tosa"},
      {"RESIZE.13", "the output has the type and channels of the input, whose rule comes before"},
      {"RESIZE.15", "no type row has a floating-point input and another output"},
  };
  std::set<std::string> tripped;
  for (const auto& trip : all_trips()) tripped.insert(trip.rule);
  for (const auto* definition : tosa::definitions())
    for (std::size_t i = 1; i <= definition->checks.size(); ++i) {
      const auto rule = std::string(to_string(definition->op)) + "." + std::to_string(i);
      INFO(rule << ": " << definition->checks[i - 1].text);
      CHECK((tripped.contains(rule) || unbreakable.contains(rule)));
    }
  for (const auto& [rule, reason] : unbreakable) CHECK_FALSE(tripped.contains(rule));
}
