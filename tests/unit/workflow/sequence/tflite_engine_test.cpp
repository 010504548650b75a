#include "workflow/sequence/tflite_engine.hpp"

#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"

// The state of a TensorFlow Lite network with variables behind handles.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

constexpr int kCallOnceCode = 129, kVarHandleCode = 142, kReadCode = 143, kAssignCode = 144, kAddCode = 0;

fb::VarHandleOptionsT variable_in(const std::string& container, const std::string& name) {
  fb::VarHandleOptionsT options;
  options.container = container;
  options.shared_name = name;
  return options;
}

/// out = sum + in; sum = out. CALL_ONCE sets the sum to 100; "box/last" keeps the last input.
tflite::Network running_total() {
  TfliteFile file;
  const int in = file.input(INT32, {1});
  const int handle = file.tensor(RESOURCE, {}), sum = file.tensor(INT32, {1}), out = file.tensor(INT32, {1});
  const int other = file.tensor(RESOURCE, {});
  fb::CallOnceOptionsT options;
  options.init_subgraph_index = 1;
  file.op(kCallOnceCode, {}, {}, options);
  file.op(kVarHandleCode, {}, {handle}, variable_in("", "sum")).op(kReadCode, {handle}, {sum});
  file.op(kAddCode, {sum, in}, {out}, fb::AddOptionsT{}).op(kAssignCode, {handle, out}, {});
  file.op(kVarHandleCode, {}, {other}, variable_in("box", "last")).op(kAssignCode, {other, in}, {}).output(out);
  file.begin_subgraph();
  const int first = file.tensor(RESOURCE, {}), hundred = file.constant<std::int32_t>(INT32, {1}, {100});
  file.op(kVarHandleCode, {}, {first}, variable_in("", "sum")).op(kAssignCode, {first, hundred}, {});
  return checked(tflite::parse_network(file.bytes(), "test"));
}

Tensor whole_number(std::int32_t value) {
  Tensor tensor(DType::kINT32, {1});
  tensor.data<std::int32_t>()[0] = value;
  return tensor;
}

std::int32_t total_after(sequence::TfliteEngine& engine, std::int32_t value) {
  return checked(engine.step({whole_number(value)})).at(0).data<std::int32_t>()[0];
}

const Tensor& named(const std::vector<npu::NamedTensor>& state, const std::string& name) {
  const auto found = std::ranges::find(state, name, &npu::NamedTensor::name);
  REQUIRE(found != state.end());
  return found->tensor;
}

}  // namespace

TEST_CASE("variables behind handles are in the state, with whether CALL_ONCE has set them") {
  sequence::TfliteEngine engine(running_total(), {});
  const auto fresh = checked(engine.state());
  REQUIRE(fresh.size() == 3);
  CHECK(named(fresh, "sum") == whole_number(0));
  CHECK(named(fresh, "box/last") == whole_number(0));
  CHECK_FALSE(named(fresh, "operator 0 (CALL_ONCE)").data<bool>()[0]);
  CHECK(total_after(engine, 3) == 103);
  const auto saved = checked(engine.state());
  CHECK(named(saved, "sum") == whole_number(103));
  CHECK(named(saved, "box/last") == whole_number(3));
  CHECK(named(saved, "operator 0 (CALL_ONCE)").data<bool>()[0]);

  CHECK(total_after(engine, 4) == 107);
  REQUIRE(engine.set_state(saved));
  CHECK(total_after(engine, 5) == 108);
  sequence::TfliteEngine other(running_total(), {});
  REQUIRE(other.set_state(saved));
  CHECK(total_after(other, 6) == 109);
  REQUIRE(engine.set_state({{"sum", whole_number(-1)}}));
  CHECK(total_after(engine, 1) == 0);
  REQUIRE(engine.set_state(fresh));
  CHECK(total_after(engine, 1) == 101);
  engine.reset();
  CHECK(total_after(engine, 2) == 102);
}

TEST_CASE("a state that does not fit leaves the variables as they are") {
  sequence::TfliteEngine engine(running_total(), {});
  CHECK(total_after(engine, 3) == 103);
  for (const auto& wrong :
       {npu::NamedTensor{"last", whole_number(1)}, npu::NamedTensor{"sum", Tensor(DType::kINT32, {2})},
        npu::NamedTensor{"sum", Tensor(DType::kINT8, {1})},
        npu::NamedTensor{"operator 0 (CALL_ONCE)", whole_number(1)}}) {
    INFO(wrong.name);
    const auto done = engine.set_state({{"box/last", whole_number(9)}, wrong});
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::kMismatch);
  }
  CHECK(named(checked(engine.state()), "box/last") == whole_number(3));
  CHECK(total_after(engine, 1) == 104);
}
