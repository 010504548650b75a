#include "tests/unit/sim/artifact/executorch_programs.hpp"

#include <macaw/npu/bundled_program.hpp>

#include "bundled_program_generated.h"

#include <cstring>

namespace executorch_programs {

TEST_CASE("a program becomes copies around the streams of its delegate", "[executorch]") {
  const auto artifact = load(program());
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  CHECK(artifact->accelerator == find_accelerator("ethos-u85-256"));
  REQUIRE(artifact->steps.size() == 3);
  const auto& in = std::get<HostOperator>(artifact->steps[0]);
  CHECK(in.name == "EthosUBackend::copy");
  CHECK(in.inputs[0].memory == artifact->inputs[0].memory);
  CHECK(artifact->memories[std::size_t(in.outputs[0].memory)].name == "delegate 0 scratch");
  CHECK(in.outputs[0].offset == 16);
  CHECK(std::get<CommandStream>(artifact->steps[1]).regions[1].memory == in.outputs[0].memory);
  const auto& out = std::get<HostOperator>(artifact->steps[2]);
  CHECK(out.inputs[0].offset == 32);
  CHECK(out.outputs[0].offset == artifact->outputs[0].offset);
  CHECK(artifact->inputs[0].shape == Shape{1, 4});
}

TEST_CASE("each delegate of a program has memory of its own", "[executorch]") {
  auto chain = program();
  auto& plan = *chain.plans[0];
  plan.delegates.push_back(std::make_unique<pte::DelegateT>(*plan.delegates[0]));
  add_value(plan, tensor(pte::ScalarType::CHAR, {2}, 32));
  plan.outputs = {2};
  pte::DelegateCallT call;
  call.delegate = 1;
  call.args = {0, 2};
  add_call(plan, std::move(call));
  const auto artifact = load(chain);
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  REQUIRE(artifact->steps.size() == 6);
  const auto name = [&](const TensorBinding& tensor) { return artifact->memories.at(std::size_t(tensor.memory)).name; };
  for (const std::size_t i : {0u, 1u}) {
    const auto scratch = "delegate " + std::to_string(i) + " scratch";
    CHECK(name(std::get<HostOperator>(artifact->steps[3 * i]).outputs.at(0)) == scratch);
    const auto& region = std::get<CommandStream>(artifact->steps[3 * i + 1]).regions[1];
    CHECK(artifact->memories.at(std::size_t(region.memory)).name == scratch);
    CHECK(name(std::get<HostOperator>(artifact->steps[3 * i + 2]).inputs.at(0)) == scratch);
  }
}

TEST_CASE("values lie in the planned memory of their number, at offsets of 64 bits", "[executorch]") {
  auto two = program();
  two.plans[0]->buffer_sizes = {0, 64, 32};
  two.plans[0]->values[1]->value.AsTensor()->allocation->memory_id = 2;
  const auto artifact = load(two);
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  CHECK(artifact->memories.at(std::size_t(artifact->inputs.at(0).memory)).size == 64);
  CHECK(artifact->memories.at(std::size_t(artifact->outputs.at(0).memory)).size == 32);
  two.plans[0]->values[1]->value.AsTensor()->allocation->offset_high = 1;
  check_error(two, ErrorCode::kInvalidFile, "outside");
}

TEST_CASE("constants lie in a segment behind the program, from where its header says", "[executorch]") {
  auto with_constant = program();
  auto& constant = *with_constant.plans[0]->values[0]->value.AsTensor();
  constant.allocation.reset();
  constant.data_buffer = 1;
  with_constant.plans[0]->inputs = {};
  with_constant.constant_segment = std::make_unique<pte::OffsetsT>();
  with_constant.constant_segment->offsets = {0, 8};
  with_constant.segments.push_back(std::make_unique<pte::DataSegmentT>());
  with_constant.segments[0]->offset = 16;
  with_constant.segments[0]->size = 12;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(pte::Program::Pack(builder, &with_constant), "ET12");
  // The header stands behind root and identifier: magic, its length, bytes of the program, where segments begin.
  constexpr std::uint32_t kHeader = 32;
  std::vector<std::uint8_t> bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  bytes.insert(bytes.begin() + 8, kHeader, 0);
  const auto put = [&](std::size_t at, auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
  std::uint32_t root = 0;
  std::memcpy(&root, bytes.data(), 4);
  put(0, root + kHeader);
  std::memcpy(bytes.data() + 8, "eh00", 4);
  put(12, kHeader);
  put(16, std::uint64_t{bytes.size()});
  const auto base = (bytes.size() + 127) / 128 * 128;
  put(24, std::uint64_t{base});
  bytes.resize(base + 28);
  for (std::uint8_t i = 0; i < 12; ++i) bytes[base + 16 + i] = static_cast<std::uint8_t>(100 + i);
  const auto artifact = parse_artifact(std::as_bytes(std::span(bytes)), "net.pte");
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  const auto& in = std::get<HostOperator>(artifact->steps.at(0)).inputs.at(0);
  CHECK(in.offset == 8);
  CHECK(artifact->memories.at(std::size_t(in.memory)).initial ==
        std::vector<std::uint8_t>{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111});
  bytes.pop_back();
  const auto cut = parse_artifact(std::as_bytes(std::span(bytes)), "net.pte");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().message.find("segment 0 lies behind the end of the file") != std::string::npos);
}

TEST_CASE("arguments of a kernel left to the CPU are operands in their places", "[executorch]") {
  auto with_kernel = program();
  auto& plan = *with_kernel.plans[0];
  const auto add_number = [&](std::int64_t number) {
    pte::IntT integer;
    integer.value = number;
    pte::ValueT value;
    value.value.Set(std::move(integer));
    add_value(plan, std::move(value));
  };
  // 2, 3: the numbers of list 4; 5: None; 6: a list of tensors; 7: the output
  add_number(1);
  add_number(-7);
  pte::IntListT list;
  list.items = {2, 3};
  pte::TensorListT tensors;
  tensors.items = {0, 0};
  pte::ValueT values[3];
  values[0].value.Set(std::move(list));
  values[1].value.Set(pte::NullT{});
  values[2].value.Set(std::move(tensors));
  for (auto& value : values) add_value(plan, std::move(value));
  add_value(plan, tensor(pte::ScalarType::CHAR, {1, 4}, 32));
  auto entry = std::make_unique<pte::OperatorT>();
  entry->name = "aten::something";
  entry->overload = "int_out";
  plan.operators.push_back(std::move(entry));
  pte::KernelCallT call;
  call.args = {4, 5, 6, 3, 7, 7};
  add_call(plan, std::move(call));
  const auto artifact = load(with_kernel);
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  const auto& op = std::get<HostOperator>(artifact->steps.back());
  CHECK(op.name == "aten::something.int_out");
  REQUIRE(op.inputs.size() == 5);
  CHECK(op.inputs[0].shape == Shape{2});
  CHECK(op.inputs[0].dtype == DType::kINT64);
  const auto& bytes = artifact->memories[std::size_t(op.inputs[0].memory)].initial;
  CHECK(bytes[0] == 1);
  CHECK(bytes[8] == 0xF9);
  CHECK(op.inputs[1].memory == -1);
  CHECK(op.inputs[2].offset == artifact->inputs[0].offset);
  CHECK(op.inputs[3].offset == artifact->inputs[0].offset);
  CHECK(op.outputs.at(0).offset == 32);
  plan.values[7]->value.AsTensor()->dim_order = {1, 0};
  check_error(with_kernel, ErrorCode::kUnsupported, "not stored in the order of its dimensions");
}

TEST_CASE("a kernel's last argument is its result", "[executorch]") {
  check_error(with_kernel("aten::topk", {0, 0, 1}), ErrorCode::kUnsupported, "aten::topk: more than one output");
}

TEST_CASE("a kernel that changes its first argument has it as an operand, too", "[executorch]") {
  const auto artifact = load(with_kernel("aten::copy_", {1, 1, 1}));
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  const auto& op = std::get<HostOperator>(artifact->steps.back());
  CHECK(op.inputs.size() == 2);
  CHECK(op.outputs.at(0).offset == op.inputs.at(0).offset);
}

TEST_CASE("of some kernels several arguments are outputs, or a list is", "[executorch]") {
  const auto norm = load(with_kernel("aten::native_layer_norm", {0, 0, 0, 0, 0, 1, 1, 1, 0}));
  INFO((norm ? "" : norm.error().to_string()));
  REQUIRE(norm);
  CHECK(std::get<HostOperator>(norm->steps.back()).inputs.size() == 5);
  CHECK(std::get<HostOperator>(norm->steps.back()).outputs.size() == 3);
  check_error(with_kernel("aten::native_layer_norm", {0, 0, 0, 0, 0, 1, 1}), ErrorCode::kInvalidFile, "7 arguments");
  check_error(with_kernel("aten::split_with_sizes_copy", {0, 0, 0, 1}), ErrorCode::kInvalidFile,
              "not a list of tensors");
}

TEST_CASE("activations of Cortex-M kernels lie with their channels last", "[executorch]") {
  auto convolution = with_kernel("cortex_m::quantized_add", {2, 2, 2, 2});
  auto& plan = *convolution.plans[0];
  add_value(plan, tensor(pte::ScalarType::CHAR, {1, 2, 1, 3}, 16));
  auto& order = plan.values[2]->value.AsTensor()->dim_order;
  order = {0, 2, 3, 1};
  const auto artifact = load(convolution);
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  CHECK(std::get<HostOperator>(artifact->steps.back()).inputs.at(0).shape == Shape{1, 1, 3, 2});
  order = {2, 0, 3, 1};  // where extents of 1 lie does not matter
  CHECK(load(convolution));
  order = {0, 3, 2, 1};
  CHECK(load(convolution));
  order = {3, 1, 0, 2};
  CHECK(load(convolution));
  order = {1, 0, 2, 3};
  check_error(convolution, ErrorCode::kUnsupported, "does not have its channels last");
  // The order of the dimensions is that of NHWC only where there is one channel or one pixel.
  plan.operators[0]->name = "cortex_m::quantized_avg_pool2d";
  order = {0, 1, 2, 3};
  check_error(convolution, ErrorCode::kUnsupported, "does not have its channels last");
  plan.values[2]->value.AsTensor()->sizes = {1, 6, 1, 1};
  const auto pixel = load(convolution);
  REQUIRE(pixel);
  CHECK(std::get<HostOperator>(pixel->steps.back()).inputs.at(0).shape == Shape{1, 1, 1, 6});
}

TEST_CASE("several calls have their own memories", "[executorch]") {
  auto twice = program();
  pte::DelegateCallT call;
  call.args = {0, 1};
  add_call(*twice.plans[0], std::move(call));
  const auto artifact = load(twice);
  REQUIRE(artifact);
  REQUIRE(artifact->steps.size() == 6);
  CHECK(std::get<CommandStream>(artifact->steps[1]).regions[1].memory !=
        std::get<CommandStream>(artifact->steps[4]).regions[1].memory);
}

TEST_CASE("a method is chosen by its name", "[executorch]") {
  auto two = program();
  auto other = program();
  other.plans[0]->name = "encode";
  other.plans[0]->inputs = {};
  two.plans.push_back(std::move(other.plans[0]));
  for (const auto& [method, inputs] : {std::pair{"", 1u}, {"forward", 1u}, {"encode", 0u}}) {
    const auto artifact = load(two, method);
    INFO((artifact ? "" : artifact.error().to_string()));
    REQUIRE(artifact);
    CHECK(artifact->inputs.size() == inputs);
  }
  const auto missing = load(two, "decode");
  REQUIRE(!missing);
  CHECK(missing.error().code == ErrorCode::kUsage);
  CHECK(missing.error().message == "there is no method \"decode\", only forward, encode");
  const auto other_format = load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz", "forward");
  REQUIRE(!other_format);
  CHECK(other_format.error().code == ErrorCode::kUsage);
}

TEST_CASE("what is not supported or not there is named", "[executorch]") {
  auto foreign = program();
  foreign.plans[0]->delegates[0]->id = "XnnpackBackend";
  check_error(foreign, ErrorCode::kUnsupported, "XnnpackBackend");
  auto move = program();
  add_call(*move.plans[0], pte::MoveCallT{});
  check_error(move, ErrorCode::kUnsupported, "MoveCall");
  auto missing = program();
  missing.plans[0]->delegates[0]->processed->index = 3;
  check_error(missing, ErrorCode::kInvalidFile, "do not exist");
  auto few = program();
  few.plans[0]->chains[0]->instructions[0]->call.AsDelegateCall()->args = {0};
  check_error(few, ErrorCode::kInvalidFile, "2 inputs and outputs");
  auto buffer = program();
  buffer.plans[0]->values[0]->value.AsTensor()->allocation->memory_id = 9;
  check_error(buffer, ErrorCode::kInvalidFile, "buffer 9");
  auto outside = program();
  outside.plans[0]->values[1]->value.AsTensor()->allocation->offset_low = 63;
  check_error(outside, ErrorCode::kInvalidFile, "outside");
  auto half = program();
  half.plans[0]->values[0]->value.AsTensor()->scalar_type = pte::ScalarType::HALF;
  check_error(half, ErrorCode::kUnsupported, "ScalarType 5");
}

TEST_CASE("conversions around a delegate have five operands in every library", "[executorch]") {
  const auto* const library = GENERATE("quantized_decomposed", "cortex_m");
  auto converted = program();
  auto& plan = *converted.plans[0];
  pte::ValueT scale;
  scale.value.Set(pte::DoubleT{});
  scale.value.AsDouble()->value = 0.5;
  add_value(plan, std::move(scale));
  for (const std::int64_t number : {3, -128, 127, 1}) {  // zero point, range, ScalarType of the integers
    pte::ValueT value;
    value.value.Set(pte::IntT{});
    value.value.AsInt()->value = number;
    add_value(plan, std::move(value));
  }
  add_value(plan, tensor(pte::ScalarType::FLOAT, {2}, 32));
  auto entry = std::make_unique<pte::OperatorT>();
  entry->name = library + std::string("::dequantize_per_tensor");
  entry->overload = "out";
  plan.operators.push_back(std::move(entry));
  pte::KernelCallT call;
  call.args = {1, 2, 3, 4, 5, 6, 7, 7};
  add_call(plan, std::move(call));
  const auto artifact = load(converted);
  INFO((artifact ? "" : artifact.error().to_string()));
  REQUIRE(artifact);
  const auto& op = std::get<HostOperator>(artifact->steps.back());
  CHECK(op.name == library + std::string("::dequantize_per_tensor"));
  CHECK(op.inputs.size() == 5);
  CHECK(op.outputs.at(0).offset == 32);
  // Numbers of 64 bits are the nearest of 32.
  const auto argument = [&](std::int64_t number) {
    plan.values[3]->value.AsInt()->value = number;
    const auto loaded = load(converted);
    REQUIRE(loaded);
    const auto& operand = std::get<HostOperator>(loaded->steps.back()).inputs.at(2);
    const auto& bytes = loaded->memories.at(std::size_t(operand.memory)).initial;
    std::int32_t value = 0;
    REQUIRE(bytes.size() == sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  };
  CHECK(argument(-3) == -3);
  CHECK(argument(std::int64_t{1} << 40) == INT32_MAX);
  CHECK(argument(-(std::int64_t{1} << 40)) == INT32_MIN);
}

TEST_CASE("an operator that Macaw does not have stays in the network with its name", "[executorch]") {
  const auto artifact = load(with_kernel("aten::softmax", {0, 1, 1}));
  REQUIRE(artifact);
  CHECK(std::get<HostOperator>(artifact->steps.back()).name == "aten::softmax");
}

TEST_CASE("a bundled program is a program with tests, and wrong ones are refused", "[executorch]") {
  flatbuffers::FlatBufferBuilder inner;
  const auto made = program();
  inner.Finish(pte::Program::Pack(inner, &made), "ET12");
  bpte::BundledProgramT bundle;
  bundle.program.assign(inner.GetBufferPointer(), inner.GetBufferPointer() + inner.GetSize());
  auto suite = std::make_unique<bpte::SuiteT>();
  suite->method = "forward";
  auto test = std::make_unique<bpte::TestCaseT>();
  bpte::TensorT tensor;
  tensor.scalar_type = std::int8_t(pte::ScalarType::CHAR);
  tensor.sizes = {1, 4};
  tensor.data = {1, 2, 3, 4};
  auto value = std::make_unique<bpte::ValueT>();
  value->content.Set(std::move(tensor));
  test->inputs.push_back(std::move(value));
  suite->cases.push_back(std::move(test));
  bundle.suites.push_back(std::move(suite));
  const auto bytes_of = [&] {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(bpte::BundledProgram::Pack(builder, &bundle), "BP08");
    const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return std::vector(begin, begin + builder.GetSize());
  };
  const auto bytes = bytes_of();
  const auto read = parse_bundled_program(bytes, "net.bpte");
  REQUIRE(read);
  REQUIRE(read->cases.size() == 1);
  CHECK(read->cases[0].method == "forward");
  CHECK(read->cases[0].inputs.at(0).data<std::int8_t>()[3] == 4);
  CHECK(parse_artifact(bytes, "net.bpte")->accelerator == find_accelerator("ethos-u85-256"));
  for (std::size_t n = 0; n + 16 < bytes.size(); ++n)
    CHECK_FALSE(parse_bundled_program(std::span(bytes).first(n), "net.bpte"));
  auto& bundled = *bundle.suites[0]->cases[0]->inputs[0]->content.AsTensor();
  bundled.scalar_type = std::int8_t(pte::ScalarType::BOOL);
  bundled.data = {0, 1, 2, 255};
  const auto truths = parse_bundled_program(bytes_of(), "net.bpte");
  REQUIRE(truths);
  const auto truth = truths->cases[0].inputs.at(0).bytes();
  CHECK(std::vector(truth.begin(), truth.end()) == std::vector{std::byte{0}, std::byte{1}, std::byte{1}, std::byte{1}});
  bundle.suites[0]->cases[0]->inputs[0]->content.AsTensor()->sizes = {5};
  CHECK(parse_bundled_program(bytes_of(), "net.bpte").error().code == ErrorCode::kInvalidFile);
  bundle.suites[0]->cases[0]->inputs[0]->content.Set(bpte::IntT{});
  CHECK(parse_bundled_program(bytes_of(), "net.bpte").error().code == ErrorCode::kUnsupported);
}

}  // namespace executorch_programs
