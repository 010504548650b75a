#include "tests/unit/sim/artifact/executorch_programs.hpp"

// Arguments of kernels, their orders and their limits.
namespace executorch_programs {
namespace {

const HostOperator& last_call(const Result<Artifact>& artifact) {
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  return std::get<HostOperator>(artifact->steps.back());
}

/// A call of quantize_per_tensor: scale 2, numbers 3 to 5, the type 6, the output 1.
pte::ProgramT quantization(std::int64_t type) {
  auto out = with_kernel("cortex_m::quantize_per_tensor", {7, 2, 3, 4, 5, 6, 1, 1});
  auto& plan = *out.plans[0];
  pte::ValueT scale;
  scale.value.Set(pte::DoubleT{});
  scale.value.AsDouble()->value = 0.5;
  add_value(plan, std::move(scale));
  for (const std::int64_t number : {std::int64_t{3}, std::int64_t{-128}, std::int64_t{127}, type})
    add_value(plan, integer(number));
  add_value(plan, tensor(pte::ScalarType::FLOAT, {2}, 32));
  return out;
}

}  // namespace

TEST_CASE("an argument is in memory once, however many calls have it", "[executorch]") {
  auto many = with_kernel("aten::something", {0, 2, 2, 1, 1});
  auto& plan = *many.plans[0];
  add_value(plan, integer(7));
  const auto once = load(many);
  REQUIRE(once);
  for (int i = 0; i < 20; ++i) {
    pte::KernelCallT call;
    call.args = {0, 2, 2, 1, 1};
    add_call(plan, std::move(call));
  }
  const auto artifact = load(many);
  const auto& op = last_call(artifact);
  CHECK(op.inputs.at(1).memory == op.inputs.at(2).memory);
  CHECK(artifact->memories.size() == once->memories.size());
}

TEST_CASE("a program has a limit of operands in all calls", "[executorch]") {
  auto lists = with_kernel("aten::cat", {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1});
  auto& plan = *lists.plans[0];
  pte::TensorListT list;
  list.items.assign(60000, 0);
  pte::ValueT value;
  value.value.Set(std::move(list));
  add_value(plan, std::move(value));
  check_error(lists, ErrorCode::kUnsupported, "operands in all");
}

TEST_CASE("calls that have the same weights share their memory", "[executorch]") {
  auto twice = program();
  pte::DelegateCallT call;
  call.args = {0, 1};
  add_call(*twice.plans[0], std::move(call));
  const auto artifact = load(twice);
  REQUIRE(artifact);
  const auto& first = std::get<CommandStream>(artifact->steps.at(1)).regions;
  const auto& second = std::get<CommandStream>(artifact->steps.at(4)).regions;
  CHECK(first[0].memory == second[0].memory);
  CHECK(first[1].memory != second[1].memory);
  const auto& weights = artifact->memories.at(std::size_t(first[0].memory));
  CHECK(weights.name == "delegate 0 weights");
  CHECK(weights.initial.size() == weights.size);
  CHECK(weights.read_only);
}

TEST_CASE("a program has a limit of commands in all calls of delegates", "[executorch]") {
  auto many = program();
  const std::vector<std::uint32_t> in = {1, 1, 1, 1, 1, 1, 4, 1, 16, 1}, out = {1, 1, 1, 1, 1, 1, 2, 1, 32, 1};
  many.delegate_data[0]->data = test::vela_stream<std::uint8_t>(in, out, 1 << 20);
  CHECK(load(many));
  for (int i = 0; i < 32; ++i) {
    pte::DelegateCallT call;
    call.args = {0, 1};
    add_call(*many.plans[0], std::move(call));
  }
  check_error(many, ErrorCode::kUnsupported, "more than 33554432 words of commands in all");
}

TEST_CASE("an error of a call has its place", "[executorch]") {
  const auto result = load(with_kernel("aten::topk", {0, 0, 1}));
  REQUIRE_FALSE(result);
  CHECK(result.error().place.op == "instruction 1");
}

TEST_CASE("an order of dimensions has each once", "[executorch]") {
  auto other = program();
  auto& input = *other.plans[0]->values[0]->value.AsTensor();
  for (const auto& order : std::vector<std::vector<std::uint8_t>>{{0, 0}, {1, 1}, {0, 2}, {0}, {0, 1, 2}}) {
    input.dim_order = order;
    check_error(other, ErrorCode::kInvalidFile, "no valid shape or order of dimensions");
  }
  input.dim_order = {1, 0};
  const auto turned = load(other);
  REQUIRE(turned);
  CHECK(turned->inputs.at(0).shape == Shape{4, 1});
}

TEST_CASE("tensors with an offset, without bounds or of a high rank are refused", "[executorch]") {
  auto offset = program();
  offset.plans[0]->values[0]->value.AsTensor()->storage_offset = 1;
  check_error(offset, ErrorCode::kUnsupported, "storage offset 1, expected 0");
  auto unbound = program();
  unbound.plans[0]->values[0]->value.AsTensor()->dynamism = 2;
  check_error(unbound, ErrorCode::kUnsupported, "a shape without bounds");
  unbound.plans[0]->values[0]->value.AsTensor()->dynamism = 1;
  CHECK(load(unbound));
  auto high = program();
  add_value(*high.plans[0], tensor(pte::ScalarType::CHAR, std::vector<std::int32_t>(17, 1), 0));
  high.plans[0]->inputs = {2};
  check_error(high, ErrorCode::kUnsupported, "rank 17, expected at most 16");
}

TEST_CASE("a key of named data occurs once in a program", "[executorch]") {
  auto named = program();
  named.segments.push_back(std::make_unique<pte::DataSegmentT>());
  named.segments[0]->size = 4;
  for (const char* key : {"a", "b", "a"}) {
    CHECK(load(named));
    named.named_data.push_back(std::make_unique<pte::NamedDataT>());
    named.named_data.back()->key = key;
  }
  check_error(named, ErrorCode::kInvalidFile, "named data 2 have the key \"a\" of earlier ones");
}

TEST_CASE("a conversion has all its arguments, and the type that it states", "[executorch]") {
  const auto artifact = load(quantization(1));
  CHECK(last_call(artifact).inputs.size() == 5);
  check_error(quantization(0), ErrorCode::kInvalidFile, "value 1 has ScalarType 1, the operator states 0");
  auto missing = quantization(1);
  missing.plans[0]->values[3]->value.Set(pte::NullT{});
  check_error(missing, ErrorCode::kInvalidFile, "value 3 is Null, expected an integer");
  auto few = quantization(1);
  few.plans[0]->chains[0]->instructions.back()->call.AsKernelCall()->args = {7, 2, 3, 4, 1, 1};
  check_error(few, ErrorCode::kInvalidFile, "5 arguments, expected 6 to 8");
}

TEST_CASE("sums for Cortex-M have tensors of one order", "[executorch]") {
  // Values 2 and 3 are summed to 4.
  auto sum = with_kernel("cortex_m::quantized_add", {2, 3, 4, 4});
  auto& plan = *sum.plans[0];
  for (int i = 0; i < 3; ++i) add_value(plan, tensor(pte::ScalarType::CHAR, {1, 2, 1, 3}, 16));
  const auto order = [&](std::size_t value, std::vector<std::uint8_t> dims) {
    plan.values[value]->value.AsTensor()->dim_order = std::move(dims);
  };
  auto artifact = load(sum);
  CHECK(last_call(artifact).inputs.at(0).shape == Shape{1, 2, 1, 3});
  order(2, {0, 2, 3, 1});
  check_error(sum, ErrorCode::kUnsupported, "does not have its channels last");
  order(3, {0, 2, 3, 1});
  order(4, {0, 2, 3, 1});
  artifact = load(sum);
  CHECK(last_call(artifact).inputs.at(1).shape == Shape{1, 1, 3, 2});
  // One value for each channel.
  plan.values[3]->value.AsTensor()->sizes = {1, 2, 1, 1};
  order(3, {0, 1, 2, 3});
  artifact = load(sum);
  CHECK(last_call(artifact).inputs.at(1).shape == Shape{1, 1, 1, 2});
  order(2, {0, 1, 2, 3});
  check_error(sum, ErrorCode::kUnsupported, "does not have its channels last");
  // With one channel, an order of dimensions says nothing: the shapes are of one form all the same.
  for (const std::size_t value : {2, 3, 4}) plan.values[value]->value.AsTensor()->sizes = {1, 1, 2, 3};
  order(3, {0, 2, 3, 1});
  artifact = load(sum);
  for (const auto& operand : last_call(artifact).inputs) CHECK(operand.shape == Shape{1, 2, 3, 1});
}

TEST_CASE("a padding for Cortex-M has the order of the input", "[executorch]") {
  auto pad = with_kernel("cortex_m::pad", {2, 3, 3});
  auto& plan = *pad.plans[0];
  for (int i = 0; i < 2; ++i) add_value(plan, tensor(pte::ScalarType::CHAR, {1, 2, 1, 3}, 16));
  const auto shape = [&](std::vector<std::int32_t> sizes, std::vector<std::uint8_t> order) {
    for (const std::size_t value : {2, 3}) {
      plan.values[value]->value.AsTensor()->sizes = sizes;
      plan.values[value]->value.AsTensor()->dim_order = order;
    }
    const auto artifact = load(pad);
    return last_call(artifact).inputs.at(0).shape;
  };
  CHECK(shape({1, 2, 4, 3}, {0, 1, 2, 3}) == Shape{1, 2, 4, 3});
  CHECK(shape({1, 2, 4, 3}, {0, 2, 3, 1}) == Shape{1, 4, 3, 2});
  CHECK(shape({1, 1, 4, 3}, {0, 1, 2, 3}) == Shape{1, 4, 3, 1});
  CHECK(shape({1, 5, 1, 1}, {0, 1, 2, 3}) == Shape{1, 1, 1, 5});
  CHECK(shape({4, 3}, {0, 1}) == Shape{4, 3});
}

}  // namespace executorch_programs
