#include <catch2/catch.hpp>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

constexpr int kCallOnceOp = 129, kVarHandleOp = 142, kReadOp = 143, kAssignOp = 144, kUpdateSliceOp = 151;

fb::VarHandleOptionsT variable_named(const std::string& name) {
  fb::VarHandleOptionsT options;
  options.shared_name = name;
  return options;
}

/// out = sum + in; sum = out, of which CALL_ONCE makes 100 where the network has it.
TfliteFile running_sum(bool has_call_once) {
  TfliteFile file;
  const int in = file.input(INT32, {1});
  const int handle = file.tensor(RESOURCE, {}), sum = file.tensor(INT32, {1}), out = file.tensor(INT32, {1});
  if (has_call_once) {
    fb::CallOnceOptionsT options;
    options.init_subgraph_index = 1;
    file.op(kCallOnceOp, {}, {}, options);
  }
  file.op(kVarHandleOp, {}, {handle}, variable_named("sum")).op(kReadOp, {handle}, {sum});
  file.op(kAdd, {sum, in}, {out}, fb::AddOptionsT{}).op(kAssignOp, {handle, out}, {}).output(out);
  file.begin_subgraph();
  const int first = file.tensor(RESOURCE, {}), hundred = file.constant<std::int32_t>(INT32, {1}, {100});
  file.op(kVarHandleOp, {}, {first}, variable_named("sum")).op(kAssignOp, {first, hundred}, {});
  return file;
}

std::int32_t step_of(const TfliteFile& file, std::int32_t value, tflite::State& state) {
  const auto in = tensor_of<std::int32_t>(DType::kINT32, {1}, {value});
  return values_of<std::int32_t>(checked(run_file(file, {in}, state)).outputs[0])[0];
}

Tensor updated(const std::vector<std::int32_t>& starts) {
  TfliteFile file;
  const int in = file.input(INT8, {3, 3}), update = file.input(INT8, {2, 1});
  const int start = file.constant<std::int32_t>(INT32, {2}, starts), out = file.tensor(INT8, {3, 3});
  file.op(kUpdateSliceOp, {in, update, start}, {out}).output(out);
  const auto given = tensor_of<std::int8_t>(DType::kINT8, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto new_values = tensor_of<std::int8_t>(DType::kINT8, {2, 1}, {-1, -2});
  return checked(run_file(file, {given, new_values})).outputs[0];
}

}  // namespace

TEST_CASE("a variable behind a handle starts from zero and keeps its contents from run to run") {
  const auto file = running_sum(false);
  tflite::State state;
  CHECK(step_of(file, 3, state) == 3);
  CHECK(step_of(file, 4, state) == 7);
  tflite::State fresh;
  CHECK(step_of(file, 5, fresh) == 5);
}

TEST_CASE("CALL_ONCE runs its subgraph in the first run of a state alone") {
  const auto file = running_sum(true);
  tflite::State state;
  CHECK(step_of(file, 3, state) == 103);
  CHECK(step_of(file, 4, state) == 107);
  CHECK(state.size() == 2);
  CHECK(values_of<std::int32_t>(state.at({tflite::kResourceVariable, 0}))[0] == 107);
  CHECK(state.contains({tflite::kCalledOnce, 0}));
}

TEST_CASE("a variable that nothing was assigned to has the zero point of what reads it") {
  TfliteFile file;
  const int handle = file.tensor(RESOURCE, {}), out = file.tensor(INT8, {2}, {1}, {-7});
  file.op(kVarHandleOp, {}, {handle}, variable_named("empty")).op(kReadOp, {handle}, {out}).output(out);
  CHECK(values_of<std::int8_t>(checked(run_file(file, {})).outputs[0]) == std::vector<std::int8_t>{-7, -7});
}

TEST_CASE("wrong uses of variables behind handles are errors") {
  const auto message = [](const TfliteFile& file, const std::vector<Tensor>& inputs = {}) {
    tflite::State state;
    const auto done = run_file(file, inputs, state);
    return done ? "ran" : done.error().message;
  };
  TfliteFile number;
  const int handle = number.input(INT32, {1}), out = number.tensor(INT8, {2});
  number.op(kReadOp, {handle}, {out}).output(out);
  CHECK(message(number, {tensor_of<std::int32_t>(DType::kINT32, {1}, {7})}) == "7 is not the handle of a variable");
  TfliteFile size;
  const int variable = size.tensor(RESOURCE, {}), two = size.constant<std::int8_t>(INT8, {2}, {1, 2}),
            three = size.constant<std::int8_t>(INT8, {3}, {1, 2, 3});
  size.op(kVarHandleOp, {}, {variable}, variable_named("x")).op(kAssignOp, {variable, two}, {});
  size.op(kAssignOp, {variable, three}, {}).output(two);
  CHECK(message(size) == "3 bytes for a variable of 2");
  TfliteFile missing;
  fb::CallOnceOptionsT options;
  options.init_subgraph_index = 4;
  missing.op(kCallOnceOp, {}, {}, options);
  CHECK(message(missing) == "there is no subgraph 4");
  TfliteFile itself;
  options.init_subgraph_index = 0;
  itself.op(kCallOnceOp, {}, {}, options);
  CHECK(message(itself).find("deep in each other") != std::string::npos);
}

TEST_CASE("a slice is replaced where it begins, moved inside at the ends") {
  using Bytes = std::vector<std::int8_t>;
  CHECK(values_of<std::int8_t>(updated({0, 1})) == Bytes{1, -1, 3, 4, -2, 6, 7, 8, 9});
  CHECK(values_of<std::int8_t>(updated({2, 5})) == Bytes{1, 2, 3, 4, 5, -1, 7, 8, -2});
  CHECK(values_of<std::int8_t>(updated({-4, -4})) == Bytes{-1, 2, 3, -2, 5, 6, 7, 8, 9});
}

TEST_CASE("each CALL_ONCE runs its subgraph once, also where two have the same") {
  // The second one sets the sum again, after the network has added to it.
  TfliteFile file;
  const int in = file.input(INT32, {1}), handle = file.tensor(RESOURCE, {}), sum = file.tensor(INT32, {1});
  const int more = file.tensor(INT32, {1}), out = file.tensor(INT32, {1});
  fb::CallOnceOptionsT options;
  options.init_subgraph_index = 1;
  file.op(kCallOnceOp, {}, {}, options).op(kVarHandleOp, {}, {handle}, variable_named("sum"));
  file.op(kReadOp, {handle}, {sum}).op(kAdd, {sum, in}, {more}, fb::AddOptionsT{}).op(kAssignOp, {handle, more}, {});
  file.op(kCallOnceOp, {}, {}, options).op(kReadOp, {handle}, {out}).output(out);
  file.begin_subgraph();
  const int first = file.tensor(RESOURCE, {}), hundred = file.constant<std::int32_t>(INT32, {1}, {100});
  file.op(kVarHandleOp, {}, {first}, variable_named("sum")).op(kAssignOp, {first, hundred}, {});
  tflite::State state;
  CHECK(step_of(file, 3, state) == 100);
  CHECK(step_of(file, 4, state) == 104);
}

TEST_CASE("operators of variables with other operands than theirs are named with their place") {
  const auto error = [](const TfliteFile& file) {
    tflite::State state;
    const auto done = run_file(file, {}, state);
    return done ? "ran" : done.error().to_string();
  };
  TfliteFile none;
  const int handle = none.tensor(RESOURCE, {}), two = none.constant<std::int8_t>(INT8, {2}, {1, 2});
  none.op(kVarHandleOp, {}, {handle}, variable_named("x")).op(kAssignOp, {handle}, {}).output(two);
  CHECK(error(none) == "test: operator 1 (ASSIGN_VARIABLE, version 1): 1 inputs and 0 outputs, expected 2 and 0");
  TfliteFile more;
  const int variable = more.tensor(RESOURCE, {}), value = more.constant<std::int8_t>(INT8, {2}, {1, 2}),
            result = more.tensor(INT8, {2});
  more.op(kVarHandleOp, {}, {variable}, variable_named("x")).op(kAssignOp, {variable, value}, {result}).output(result);
  CHECK(error(more) == "test: operator 1 (ASSIGN_VARIABLE, version 1): 2 inputs and 1 outputs, expected 2 and 0");
}

TEST_CASE("operators that depend on the sign of 64-bit integers do not take UINT64") {
  constexpr int kLess = 58, kEqual = 71, kCast = 53, kMaximum = 55;
  const auto two = tensor_of<std::int64_t>(DType::kINT64, {2}, {-1, 5});
  const auto outcome = [&](int kind, fb::TensorType type) {
    TfliteFile file;
    const int a = file.input(UINT64, {2}), b = file.input(UINT64, {2}), out = file.tensor(type, {2});
    file.op(kind, kind == kCast ? std::vector{a} : std::vector{a, b}, {out}).output(out);
    const auto done = run_file(file, {two, two});
    return done ? "ran" : done.error().to_string();
  };
  CHECK(outcome(kLess, BOOL) == "test: operator 0 (LESS, version 1): elements of type UINT64 are not supported");
  CHECK(outcome(kMaximum, UINT64) ==
        "test: operator 0 (MAXIMUM, version 1): elements of type UINT64 are not supported");
  CHECK(outcome(kCast, FLOAT32) == "test: operator 0 (CAST, version 1): elements of type UINT64 are not supported");
  CHECK(outcome(kEqual, BOOL) == "ran");
}

TEST_CASE("elements of UINT64 are read as 64 bits") {
  TfliteFile file;
  const int in = file.input(UINT64, {2}), out = file.tensor(UINT64, {2, 1});
  file.op(kReshape, {in}, {out}).output(out);
  const auto given = tensor_of<std::int64_t>(DType::kINT64, {2}, {-1, 5});
  CHECK(values_of<std::int64_t>(checked(run_file(file, {given})).outputs[0]) == std::vector<std::int64_t>{-1, 5});
}
