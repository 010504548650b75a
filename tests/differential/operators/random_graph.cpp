#include "tests/differential/operators/random_graph.hpp"

#include "tests/differential/operators/generator.hpp"

namespace macaw::test {
namespace {

using tosa::Op;

/// The naive results of a case; nothing if a REQUIRE does not hold.
std::optional<std::vector<Tensor>> evaluate(const Case& c) {
  if (!naive::find(c.op.op)) return std::vector<Tensor>{c.data};  // a constant
  try {
    return naive::compute(c.op, c.inputs, c.outputs);
  } catch (const naive::Unpredictable&) {
    return std::nullopt;
  }
}

}  // namespace

Generator::Generator(std::uint64_t seed) : random_(seed) {
  for (const auto* definition : tosa::definitions())
    if (find_cases(definition->op)) definitions_.push_back(definition);
}

RandomGraph Generator::run() {
  Scope main{0, 0, naive::Execution(result_.made.graph), {}, true};
  for (auto left = pick(1, 8); left > 0 && main.predictable; --left) step(main);
  if (!variables_.empty()) result_.runs = 2;
  return std::move(result_);
}

std::size_t Generator::pick(std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(random_);
}

void Generator::step(Scope& scope) {
  constexpr int kMaxDepth = 2;
  switch (pick(1, 20)) {
    case 1: return scope.depth < kMaxDepth ? cond_if(scope) : plain(scope);
    case 2: return scope.depth < kMaxDepth ? while_loop(scope) : plain(scope);
    case 3:
    case 4: return variable(scope);
    case 5: return custom(scope);
    default: return plain(scope);
  }
}

Case Generator::any_case(const Available* start) {
  for (;;) {
    const auto& definition = *any_of(definitions_);
    const auto& row = definition.rows[pick(0, definition.rows.size() - 1)];
    if (row.kernel) return make_case(random_, definition, row, start ? &start->tensor : nullptr);
  }
}

void Generator::plain(Scope& scope) {
  for (;;) {
    const auto* start = scope.pool.empty() || one_in(8) ? nullptr : &any_of(scope.pool);
    const auto c = any_case(start);
    // Most choices cannot use the value; try others, so that the graph hangs together.
    if (start && c.given < 0) continue;
    if (!evaluate(c) && (scope.depth > 0 || !one_in(20))) continue;
    return append(scope, c, start);
  }
}

void Generator::alike(Scope& scope, const Type& type) {
  const auto start = value_of(scope, type);
  if (!start) return;
  for (int tries = 0; tries < 60; ++tries) {
    const auto c = any_case(&*start);
    if (c.given < 0 || c.outputs.empty() || c.outputs[0] != type || !evaluate(c)) continue;
    return append(scope, c, &*start);
  }
}

void Generator::append(Scope& scope, const Case& c, const Available* start) {
  CaseGraph::Given given;
  if (start && c.given >= 0) given.emplace(static_cast<std::size_t>(c.given), start->id);
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    if (!given.contains(i) && c.inputs[i].dtype() == DType::kSHAPE && one_in(4))
      given.emplace(i, computed_shape(scope, c.inputs[i]));
  const auto ids = result_.made.append(c, given, one_in(4), scope.block);
  result_.ops.push_back(c.op.op);
  auto results = evaluate(c);
  if (!results) scope.predictable = false;
  else
    for (std::size_t i = 0; i < ids.size(); ++i) scope.pool.push_back({ids[i], std::move((*results)[i])});
}

tosa::ValueId Generator::computed_shape(Scope& scope, const Tensor& shape) {
  constexpr std::int64_t kMaxLength = 16;  // level 8K
  const auto values = shape.data<const std::int64_t>();
  const auto shape_of = [](std::span<const std::int64_t> extents) {
    Tensor tensor(DType::kSHAPE, {std::ssize(extents)});
    std::ranges::copy(extents, tensor.data<std::int64_t>().begin());
    return tensor;
  };
  Case c;
  c.outputs = {{DType::kSHAPE, shape.shape()}};
  if (shape.size() >= 2 && one_in(3)) {
    const auto first = pick(1, values.size() - 1);
    c.op.op = Op::kCONCAT_SHAPE;
    c.inputs = {shape_of(values.first(first)), shape_of(values.subspan(first))};
  } else if (shape.size() >= 1 && shape.size() < kMaxLength && one_in(2)) {
    std::vector<std::int64_t> longer{7};
    longer.insert(longer.end(), values.begin(), values.end());
    c.op.op = Op::kSLICE_SHAPE;
    c.inputs = {shape_of(longer), filled(DType::kINT32, {1}, 1), filled(DType::kINT32, {1}, shape.size())};
  } else {
    std::vector<std::int64_t> sums, terms;
    for (const auto value : values) {
      terms.push_back(static_cast<std::int64_t>(pick(0, 9)));
      sums.push_back(value + terms.back());
    }
    c.op.op = Op::kSUB_SHAPE;
    c.inputs = {shape_of(sums), shape_of(terms)};
  }
  append(scope, c, nullptr);
  return scope.pool.back().id;
}

RandomGraph random_operators(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace macaw::test
