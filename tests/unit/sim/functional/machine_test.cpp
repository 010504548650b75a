#include "sim/functional/machine.hpp"

#include <macaw/npu/input_fit.hpp>

#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr const char* kAccelerator = "ethos-u55-128";

std::uint32_t cmd0(unsigned opcode, unsigned param) { return opcode | param << 16; }
void cmd1(std::vector<std::uint32_t>& words, unsigned opcode, std::uint32_t payload, unsigned param = 0) {
  words.push_back(opcode | 1u << 14 | param << 16);
  words.push_back(payload);
}

/// int8 copy of 4 elements from byte 0 to byte 16 of region 1, as Vela writes a copy: average of one element.
std::vector<std::uint32_t> copy_stream() {
  std::vector<std::uint32_t> words = {
      cmd0(0x10F, 1),                          // IFM_REGION
      cmd0(0x105, 1),                          // IFM_PRECISION: int8 NHWC
      cmd0(0x104, 3),                          // IFM_DEPTH_M1
      cmd0(0x11F, 1),                          // OFM_REGION
      cmd0(0x114, 0x101),                      // OFM_PRECISION: int8 NHWC, global scale
      cmd0(0x113, 3),                          // OFM_DEPTH_M1
      cmd0(0x117, 15),                         // OFM_BLK_DEPTH_M1
      cmd0(0x126, 0xFF80), cmd0(0x127, 0x7F),  // ACTIVATION_MIN, MAX
  };
  for (const unsigned opcode : {0x04u, 0x05u, 0x06u}) cmd1(words, opcode, opcode == 0x06 ? 1 : 4);  // IFM strides
  for (const unsigned opcode : {0x14u, 0x15u, 0x16u}) cmd1(words, opcode, opcode == 0x16 ? 1 : 4);  // OFM strides
  cmd1(words, 0x10, 16);                                                                            // OFM_BASE0
  cmd1(words, 0x24, 0x80000001, 31);                                                                // OFM_SCALE
  words.push_back(cmd0(5, 1));       // NPU_OP_POOL average
  words.push_back(cmd0(0, 0xFFFF));  // NPU_OP_STOP
  return words;
}

Artifact copy_network() {
  Artifact artifact;
  artifact.file = "copy";
  artifact.accelerator = find_accelerator(kAccelerator);
  artifact.memories.resize(1);
  artifact.memories[0].name = "arena";
  artifact.memories[0].size = 32;
  CommandStream stream;
  stream.name = "operator 0 (ethos-u)";
  stream.words = copy_stream();
  stream.regions[1] = {0, 0, 32};
  artifact.steps.emplace_back(std::move(stream));
  TensorBinding tensor;
  tensor.name = "in";
  tensor.shape = {1, 4};
  tensor.memory = 0;
  artifact.inputs.push_back(tensor);
  tensor.name = "out";
  tensor.offset = 16;
  artifact.outputs.push_back(tensor);
  return artifact;
}

Tensor four(std::int8_t a, std::int8_t b, std::int8_t c, std::int8_t d) {
  Tensor tensor(DType::kINT8, {4});
  const std::int8_t values[] = {a, b, c, d};
  std::copy_n(values, 4, tensor.data<std::int8_t>().begin());
  return tensor;
}

CommandStream& stream_of(Artifact& artifact) { return std::get<CommandStream>(artifact.steps[0]); }

}  // namespace

TEST_CASE("a stream runs from input to output, and the observer sees each operation") {
  const Artifact artifact = copy_network();
  int events = 0;
  FunctionalOptions options;
  options.observer = [&](const OperationEvent& event) {
    ++events;
    CHECK(event.written.memory == 0);
    CHECK(event.written.offset == 16);
    CHECK(event.written.length == 4);
    CHECK(event.bytes[3] == 0xFC);
  };
  const NamedTensor input{"in", four(1, 2, 3, -4)};
  const auto result = run_functional(artifact, *artifact.accelerator, {&input, 1}, options);
  INFO((result ? "" : result.error().to_string()));
  REQUIRE(result);
  REQUIRE(result->outputs.size() == 1);
  CHECK(result->outputs[0].shape() == Shape{1, 4});
  CHECK(std::ranges::equal(result->outputs[0].bytes(), four(1, 2, 3, -4).bytes()));
  CHECK(result->block_operations == 1);
  CHECK(events == 1);
}

TEST_CASE("an int8 variable of TFLite starts at its zero point, a wider one at 0") {
  Artifact artifact = copy_network();
  artifact.variables.push_back(artifact.inputs[0]);
  artifact.inputs.clear();
  TensorBinding& state = artifact.variables[0];
  const auto output = [&] {
    const auto result = run_functional(artifact, *artifact.accelerator, {});
    REQUIRE(result);
    return result->outputs[0];
  };
  CHECK(std::ranges::equal(output().bytes(), four(0, 0, 0, 0).bytes()));  // raw npz: no type, no quantisation
  state.dtype = DType::kINT8;
  state.quantization = std::make_shared<Quantization>(Quantization{{0.5F}, {-7}, 0});
  CHECK(std::ranges::equal(output().bytes(), four(-7, -7, -7, -7).bytes()));
  state.dtype = DType::kINT16;
  state.element_size = 2;
  state.shape = {2};
  CHECK(std::ranges::equal(output().bytes(), four(0, 0, 0, 0).bytes()));
}

TEST_CASE("inputs must be there and fit") {
  const Artifact artifact = copy_network();
  const auto code = [&](std::vector<NamedTensor> inputs) {
    const auto result = run_functional(artifact, *artifact.accelerator, inputs);
    REQUIRE_FALSE(result);
    return result.error().code;
  };
  CHECK(code({}) == ErrorCode::kMismatch);
  CHECK(code({{"other", four(0, 0, 0, 0)}}) == ErrorCode::kMismatch);
  CHECK(code({{"", Tensor(DType::kINT8, {5})}}) == ErrorCode::kMismatch);
  CHECK(code({{"", Tensor(DType::kINT16, {4})}}) == ErrorCode::kMismatch);
  CHECK(code({{"", Tensor(DType::kBS32_FP8UE8M0_MXINT8, {4})}}) == ErrorCode::kMismatch);  // more bytes than elements
  CHECK(code({{"", four(0, 0, 0, 0)}, {"in", four(0, 0, 0, 0)}}) == ErrorCode::kMismatch);
  CHECK_FALSE(run_functional(artifact, *find_accelerator("ethos-u65-512"), {}));
}

TEST_CASE("a fault names stream, command and byte offset") {
  Artifact artifact = copy_network();
  stream_of(artifact).regions[1].size = 18;
  const NamedTensor input{"", four(0, 0, 0, 0)};
  const auto result = run_functional(artifact, *artifact.accelerator, {&input, 1});
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kHardwareFault);
  CHECK(result.error().place.op == "operator 0 (ethos-u)");
  CHECK(result.error().place.command_index == 17u);
  CHECK(result.error().message.find("NPU_OP_POOL: OFM") == 0);
}

TEST_CASE("bindings outside their memory are refused before anything runs") {
  const NamedTensor input{"", four(0, 0, 0, 0)};
  const auto code = [&](const Artifact& artifact) {
    const auto result = run_functional(artifact, *find_accelerator(kAccelerator), {&input, 1});
    REQUIRE_FALSE(result);
    return result.error().code;
  };
  Artifact artifact = copy_network();
  artifact.outputs[0].offset = 29;
  CHECK(code(artifact) == ErrorCode::kInvalidFile);
  artifact = copy_network();
  artifact.outputs[0].offset = ~std::uint64_t{0};
  CHECK(code(artifact) == ErrorCode::kInvalidFile);
  artifact = copy_network();
  artifact.outputs[0].memory = 3;
  CHECK(code(artifact) == ErrorCode::kInvalidFile);
  artifact = copy_network();
  stream_of(artifact).regions[1].offset = 16;
  CHECK(code(artifact) == ErrorCode::kInvalidFile);
  artifact = copy_network();
  artifact.memories[0].size = std::uint64_t{1} << 62;
  CHECK(code(artifact) == ErrorCode::kUnsupported);
  artifact = copy_network();
  artifact.memories[0].read_only = true;
  CHECK(code(artifact) == ErrorCode::kHardwareFault);
  artifact = copy_network();
  artifact.steps.emplace_back(HostOperator{7, "TANH", {}, {}});
  CHECK(code(artifact) == ErrorCode::kUnsupported);
}

TEST_CASE("an input that the network does not read needs no place") {
  Artifact artifact = copy_network();
  artifact.inputs.push_back(artifact.inputs[0]);
  artifact.inputs[1].name = "unused";
  artifact.inputs[1].memory = -1;
  const NamedTensor input{"", four(9, 8, 7, 6)};
  CHECK(run_functional(artifact, *artifact.accelerator, {&input, 1}));
}

TEST_CASE("limits end a run") {
  const Artifact artifact = copy_network();
  const NamedTensor input{"", four(0, 0, 0, 0)};
  FunctionalOptions options;
  options.max_work = 3;
  CHECK_FALSE(run_functional(artifact, *artifact.accelerator, {&input, 1}, options));
  const auto run = run_functional(artifact, *artifact.accelerator, {&input, 1});
  REQUIRE(run);
  options.max_work = run->work;
  CHECK(run_functional(artifact, *artifact.accelerator, {&input, 1}, options));
  options.max_work = run->work - 1;
  CHECK_FALSE(run_functional(artifact, *artifact.accelerator, {&input, 1}, options));
}

TEST_CASE("inputs of another arrangement or type are refused unless they are meant") {
  Artifact artifact = copy_network();
  artifact.inputs[0].shape = {2, 3};
  artifact.inputs[0].dtype = DType::kINT8;
  const auto fits = [&](DType dtype, Shape shape, InputFit allowed = {}) {
    const NamedTensor input{"", Tensor(dtype, std::move(shape))};
    return check_inputs(artifact, {&input, 1}, allowed).has_value();
  };
  CHECK(fits(DType::kINT8, {6}));
  CHECK_FALSE(fits(DType::kINT8, {3, 2}));
  CHECK(fits(DType::kINT8, {3, 2}, {.reshape = true}));
  CHECK_FALSE(fits(DType::kUINT8, {2, 3}));
  CHECK(fits(DType::kUINT8, {2, 3}, {.reinterpret = true}));
}

TEST_CASE("arrays beyond the inputs are not judged, and words without a type are noted by their sign") {
  Artifact artifact = copy_network();
  artifact.inputs[0].dtype = DType::kINT8;
  const NamedTensor two[] = {{"", Tensor(DType::kINT8, {4})}, {"", Tensor(DType::kUINT8, {4})}};
  CHECK(check_inputs(artifact, two, {}));
  artifact.inputs[0].dtype.reset();
  for (const auto& [size, is_signed, other] :
       {std::tuple{1u, DType::kINT8, DType::kUINT8}, {2u, DType::kINT16, DType::kUINT16}}) {
    artifact.inputs[0].element_size = size;
    const auto notes = [&](DType dtype) {
      const NamedTensor input{"", Tensor(dtype, {4})};
      return check_inputs(artifact, {&input, 1}, {})->size();
    };
    CHECK(notes(is_signed) == 0);
    CHECK(notes(other) == 1);
  }
  for (const auto& [size, refused] : {std::pair{1u, DType::kBOOL}, {4u, DType::kFP32}}) {
    artifact.inputs[0].element_size = size;
    const NamedTensor input{"", Tensor(refused, {4})};
    CHECK_FALSE(check_inputs(artifact, {&input, 1}, {}));
    CHECK(check_inputs(artifact, {&input, 1}, {.reinterpret = true})->size() == 1);
  }
}

TEST_CASE("operands are copied to where a stream expects them") {
  Artifact artifact = copy_network();
  artifact.memories.push_back({.name = "elsewhere", .size = 8});
  artifact.inputs[0].memory = 1;
  artifact.inputs[0].offset = 4;
  stream_of(artifact).copies = {{{1, 4, 4}, {0, 0, 4}}};
  const NamedTensor input{"", four(9, 8, 7, 6)};
  int unwritten = 0;
  FunctionalOptions options;
  options.findings = [&](const Finding& finding) { unwritten += finding.kind == FindingKind::kNeverWritten; };
  const auto run = run_functional(artifact, *artifact.accelerator, {&input, 1}, options);
  REQUIRE(run);
  CHECK(std::ranges::equal(run->outputs[0].bytes(), input.tensor.bytes()));
  CHECK(unwritten == 0);
  stream_of(artifact).copies[0].to.size = 3;
  CHECK_FALSE(run_functional(artifact, *artifact.accelerator, {&input, 1}));
  stream_of(artifact).copies[0].to.size = 4;
  stream_of(artifact).copies[0].from.offset = 5;
  CHECK_FALSE(run_functional(artifact, *artifact.accelerator, {&input, 1}));
}

TEST_CASE("constants that are shorter than their memory end in zeros") {
  Artifact artifact = copy_network();
  artifact.memories.push_back(
      {.name = "constants", .size = 8, .initial = std::vector<std::uint8_t>(8, 5), .read_only = true});
  artifact.memories.back().initial.resize(6);
  artifact.outputs[0].memory = 1;
  artifact.outputs[0].offset = 4;
  const NamedTensor input{"", four(9, 8, 7, 6)};
  const auto run = run_functional(artifact, *artifact.accelerator, {&input, 1});
  REQUIRE(run);
  const auto bytes = run->outputs[0].bytes();
  CHECK(std::vector(bytes.begin(), bytes.end()) == std::vector{std::byte{5}, std::byte{5}, std::byte{0}, std::byte{0}});
}
