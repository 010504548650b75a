#include "tests/differential/tflite/maker.hpp"

// Operators that run other subgraphs.
namespace macaw::test {
namespace {

constexpr int kAdd = 0, kSub = 41, kMaximum = 55, kMinimum = 57, kLess = 58;

Value like(Maker& m, const Value& value) { return m.result_like(value, value.shape); }
Value constant_like(Maker& m, const Value& value) {
  return m.constant(value.type, value.shape, value.scale, value.zero);
}

/// A random operator on two values of one kind, in the subgraph that is added to.
Value combined(Maker& m, const Value& a, const Value& b) {
  const Value out = like(m, a);
  switch (m.pick(0, 3)) {
    case 0: m.file.op(kAdd, {a.id, b.id}, {out.id}, fb::AddOptionsT{}); break;
    case 1: m.file.op(kSub, {a.id, b.id}, {out.id}, fb::SubOptionsT{}); break;
    case 2: m.file.op(kMaximum, {a.id, b.id}, {out.id}); break;
    default: m.file.op(kMinimum, {a.id, b.id}, {out.id});
  }
  return out;
}

/// A subgraph of two values of one kind, with as many results as are asked for; gives its number.
int branch(Maker& m, const Value& value, int results) {
  m.file.begin_subgraph();
  const Value a = m.input(value.type, value.shape, value.scale, value.zero);
  const Value b = m.input(value.type, value.shape, value.scale, value.zero);
  for (int i = 0; i < results; ++i) m.file.output(combined(m, a, m.chance(50) ? b : constant_like(m, a)).id);
  const int number = m.file.subgraph();
  m.file.back_to_main();
  return number;
}

}  // namespace

void make_if(Maker& m, int builtin) {
  const Value a = m.operand({INT8, INT8, INT16, INT32, FLOAT32});
  const Value b = m.input(a.type, a.shape, a.scale, a.zero), condition = m.input(BOOL, {1});
  const int results = m.pick(1, 3);
  fb::IfOptionsT options;
  options.then_subgraph_index = branch(m, a, results);
  options.else_subgraph_index = branch(m, a, results);
  std::vector<Value> outputs;
  for (int i = 0; i < results; ++i) outputs.push_back(like(m, a));
  m.op(builtin, {condition.id, a.id, b.id}, outputs, options);
}

/// Counts from an input up to a limit, up to 20 times.
void make_while(Maker& m, int builtin) {
  const Value counter = m.input(INT32, {1});
  const Value state = m.operand({INT8, INT8, INT16, INT32, FLOAT32});
  const auto begin = [&] {
    m.file.begin_subgraph();
    const Value count = m.input(INT32, {1});
    return std::pair{count, m.input(state.type, state.shape, state.scale, state.zero)};
  };
  fb::WhileOptionsT options;
  const auto [seen, unused] = begin();
  const Value is_less = m.result(BOOL, {1});
  m.file.op(kLess, {seen.id, m.ints({m.pick(-1000, 1000)})}, {is_less.id});
  m.file.output(is_less.id);
  options.cond_subgraph_index = m.file.subgraph();

  const auto [count, value] = begin();
  const Value next = like(m, count);
  m.file.op(kAdd, {count.id, m.ints({m.pick(100, 500)})}, {next.id}, fb::AddOptionsT{});
  m.file.output(next.id).output(combined(m, value, constant_like(m, value)).id);
  options.body_subgraph_index = m.file.subgraph();
  m.file.back_to_main();
  m.op(builtin, {counter.id, state.id}, {like(m, counter), like(m, state)}, options);
}

}  // namespace macaw::test
