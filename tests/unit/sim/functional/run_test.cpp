#include "sim/functional/findings/inspector.hpp"
#include "sim/functional/machine.hpp"
#include "sim/isa/disasm.hpp"
#include "tests/support/accelerator.hpp"
#include "tests/support/checked.hpp"

#include <macaw/npu/host_operators.hpp>
#include <macaw/npu/input_fit.hpp>
#include <macaw/npu/prepared_network.hpp>
#include <macaw/npu/simulator.hpp>

#include <catch2/catch.hpp>

// Counts, results and error locations of a run.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

std::string copy(int from, int to, bool from_internal, bool to_internal) {
  return "NPU_SET_DMA0_SRC_REGION region=1 region_mode=" + std::to_string(from_internal) +
         "\nNPU_SET_DMA0_DST_REGION region=1 region_mode=" + std::to_string(to_internal) +
         "\nNPU_SET_DMA0_SRC addr=" + std::to_string(from) + "\nNPU_SET_DMA0_DST addr=" + std::to_string(to) +
         "\nNPU_SET_DMA0_LEN addr=16\nNPU_OP_DMA_START\n";
}

/// Sixteen bytes in at 0 of the arena, sixteen out at 32.
Artifact copying(const std::vector<std::string>& streams, const char* name = "ethos-u55-128") {
  Artifact artifact;
  artifact.file = "net";
  artifact.accelerator = &accelerator(name);
  artifact.memories = {{.name = "arena", .size = 64}};
  artifact.inputs.push_back({.name = "in", .shape = {16}, .dtype = DType::kINT8, .memory = 0});
  artifact.outputs.push_back({.name = "out", .shape = {16}, .dtype = DType::kINT8, .memory = 0, .offset = 32});
  for (const auto& text : streams) {
    const auto assembly =
        test::checked(assemble(".accelerator " + std::string(name) + "\n" + text + "NPU_OP_STOP mask=0\n", "text"));
    CommandStream stream;
    stream.name = "job";
    stream.words = assembly.streams[0].words;
    stream.regions[1] = {0, 0, 64};
    artifact.steps.emplace_back(std::move(stream));
  }
  return artifact;
}

NamedTensor input(std::int8_t value) {
  NamedTensor in{"", Tensor(DType::kINT8, {16})};
  std::ranges::fill(in.tensor.data<std::int8_t>(), value);
  return in;
}

/// Copies its input to its output and says that this is so much work.
class Copies : public HostOperators {
 public:
  explicit Copies(std::int64_t work) : work_(work) {}
  mutable std::int64_t limit = 0;
  Result<HostResult> run(const HostOperator&, std::vector<std::optional<Tensor>>& inputs,
                         std::int64_t most) const override {
    limit = most;
    HostResult result;
    result.outputs.push_back(*inputs[0]);
    result.work = work_;
    return result;
  }

 private:
  std::int64_t work_;
};

void add_host(Artifact& artifact) {
  HostOperator host;
  host.name = "TEST";
  host.inputs = {artifact.inputs[0]};
  host.outputs = {artifact.outputs[0]};
  artifact.steps.emplace_back(host);
}

}  // namespace

TEST_CASE("a run counts block operations, copies and operators of the CPU apart") {
  auto artifact = copying({copy(0, 16, false, false) + copy(16, 32, false, false), copy(0, 48, false, false)});
  add_host(artifact);
  const Copies host(5);
  FunctionalOptions options;
  options.host = &host;
  const auto in = input(3);
  const auto result = test::checked(run_functional(artifact, *artifact.accelerator, {&in, 1}, options));
  CHECK((result.block_operations == 0 && result.dma_operations == 3 && result.host_operations == 1));
  CHECK(result.outputs[0] == in.tensor);
}

TEST_CASE("work of the CPU is part of a run's, and an operator has what the run has left") {
  auto artifact = copying({copy(0, 16, false, false)});
  const Copies host(5);
  FunctionalOptions options;
  options.host = &host;
  const auto in = input(3);
  const auto work = [&] {
    const auto result = run_functional(artifact, *artifact.accelerator, {&in, 1}, options);
    return result ? result->work : -1;
  };
  const auto without = work();
  add_host(artifact);
  CHECK(work() == without + 16 + 16 + 5);
  add_host(artifact);
  options.max_work = without + 2 * (16 + 16 + 5);
  CHECK(work() == options.max_work);
  CHECK(host.limit == 5);  // behind its operands
  --options.max_work;
  CHECK(work() == -1);
}

TEST_CASE("the NPU's own memory is empty in every run of a network") {
  // Otherwise the output would contain data of the previous run.
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto artifact = copying({copy(0, 32, true, false) + copy(0, 0, false, true)}, name);
    const auto prepared = test::checked(PreparedNetwork::create(artifact, *artifact.accelerator));
    for (int run = 0; run < 3; ++run) {
      const auto in = input(static_cast<std::int8_t>(run + 1));
      const auto result = test::checked(prepared.run({&in, 1}));
      INFO(name << ", run " << run);
      CHECK(std::ranges::all_of(result.outputs[0].bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
    }
  }
}

TEST_CASE("a fault names file, stream, command and byte, and the kind of its command") {
  const auto artifact = copying({copy(0, 16, false, false) + copy(0, 64, false, false)});
  const auto in = input(1);
  const auto result = run_functional(artifact, *artifact.accelerator, {&in, 1});
  REQUIRE_FALSE(result);
  const auto& place = result.error().place;
  CHECK((place.file == "net" && place.op == "job"));
  // Two registers of one word and three of two before each start.
  CHECK((place.command_index == 11u && place.byte_offset == 4u * 17));
  CHECK(result.error().message.starts_with("NPU_OP_DMA_START: "));
}

TEST_CASE("an input is given once, by its name or its place") {
  auto artifact = copying({copy(0, 32, false, false)});
  auto second = artifact.inputs[0];
  second.name = "other";
  second.offset = 16;
  artifact.inputs.push_back(second);
  const auto runs = [&](const std::vector<std::string>& names) {
    std::vector<NamedTensor> given;
    for (const auto& name : names) {
      given.push_back(input(1));
      given.back().name = name;
    }
    return run_functional(artifact, *artifact.accelerator, given).has_value();
  };
  CHECK((runs({"", ""}) && runs({"other", "in"}) && runs({"in", "other"}) && runs({"in", ""})));
  CHECK_FALSE((runs({"in"}) || runs({"", "", ""}) || runs({"in", "in"}) || runs({"other", ""}) || runs({"in", "x"})));
  CHECK_FALSE(runs({"in", "other", "in"}));
}

TEST_CASE("a copy of one run into many, or of many into one, leaves written what its source had") {
  // The first 24 bytes are written. Rows of 8 bytes, 16 apart, on one side and 32 bytes in a row on the other.
  for (const bool gather : {true, false}) {
    Artifact artifact;
    artifact.memories = {{.name = "arena", .size = 4096}};
    artifact.memories[0].initial.resize(24);
    CommandStream stream;
    stream.regions[1] = {0, 0, 4096};
    std::vector<Finding> found;
    Inspector inspector(artifact, accelerator("ethos-u85-256"), [&](const Finding& f) { found.push_back(f); });
    inspector.start(stream, 0);
    DmaOperation op;
    op.family = Family::kU85;
    op.src_region = op.dst_region = 1;
    op.dimensions = 2;
    op.size0 = 4;
    op.len = 8;
    op.dst = 1024;
    op.src_stride0 = gather ? 16 : 8;
    op.dst_stride0 = gather ? 8 : 16;
    inspector.before({0, 0, 0, 1, op}, op);
    REQUIRE(found.empty());
    const auto is_written = [&](std::uint64_t at) {
      DmaOperation reads;
      reads.family = Family::kU85;
      reads.src_region = reads.dst_region = 1;
      reads.src = at;
      reads.dst = 2048;
      reads.len = 8;
      found.clear();
      inspector.before({static_cast<std::uint32_t>(at), 0, 0, 1, reads}, reads);
      return found.empty();
    };
    INFO((gather ? "gathers" : "scatters"));
    std::vector<bool> rows;
    for (std::uint64_t row = 0; row < 5; ++row) rows.push_back(is_written(1024 + row * (gather ? 8 : 16)));
    CHECK(rows ==
          (gather ? std::vector{true, true, false, false, false} : std::vector{true, true, true, false, false}));
  }
}

TEST_CASE("weights that are wrong are found at the place that their region gives them") {
  Artifact artifact;
  artifact.memories = {
      {.name = "constants", .size = 4096, .initial = std::vector<std::uint8_t>(4096), .read_only = true},
      {.name = "arena", .size = 4096, .cleared = true}};
  CommandStream stream;
  stream.regions[0] = {0, 1024, 2048};
  stream.regions[1] = {1, 0, 4096};
  std::vector<Finding> found;
  const auto& a = accelerator("ethos-u55-128");
  Inspector inspector(artifact, a, [&](const Finding& f) { found.push_back(f); });
  inspector.start(stream, 0);
  BlockOperation op;
  op.kind = OpKind::kConv;
  op.ifm = {.region = 1, .h = 1, .w = 1, .c = 16};
  op.ifm.stride_x = op.ifm.stride_y = 16;
  op.ifm.width0 = op.ifm.height0 = op.ifm.height1 = 1;
  op.ofm = op.ifm;
  op.block = {2, 2, 16};
  op.ib_end = 10;
  op.ab_start = 14;
  op.scale_per_channel = true;
  op.weights[0] = {0, 512, 64};
  op.scales[0] = {0, 256, 176};  // sixteen entries of ten bytes, and 16 more
  inspector.before({0, 0, 0, 1, op}, op, MemoryMap{});
  const auto late = std::ranges::find(found, FindingKind::kWeightStream, &Finding::kind);
  REQUIRE(late != found.end());
  CHECK((late->range.memory == 0 && late->range.offset == 1024 + 256 && late->range.length == 176));
}

TEST_CASE("inputs, constants and what the CPU wrote are written in all of their bytes") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-256"}) {
    auto artifact = copying({copy(0, 48, false, false)}, name);
    artifact.inputs[0].shape = {4};
    artifact.inputs[0].dtype = DType::kINT32;
    artifact.inputs[0].element_size = 4;
    std::size_t unwritten = 0;
    FunctionalOptions options;
    options.findings = [&](const Finding& finding) { unwritten += finding.kind == FindingKind::kNeverWritten; };
    REQUIRE(inspect_streams(artifact, *artifact.accelerator, options));
    CHECK(unwritten == 0);
    artifact.inputs[0].offset = 16;
    REQUIRE(inspect_streams(artifact, *artifact.accelerator, options));
    CHECK(unwritten == 1);
    // The CPU writes what the stream then reads.
    unwritten = 0;
    HostOperator host;
    host.name = "TEST";
    host.inputs = {artifact.inputs[0]};
    host.outputs = {artifact.inputs[0]};
    host.outputs[0].offset = 0;
    artifact.steps.insert(artifact.steps.begin(), host);
    REQUIRE(inspect_streams(artifact, *artifact.accelerator, options));
    CHECK(unwritten == 0);
  }
}

TEST_CASE("a row of a picture is written in all of its elements, however wide they are") {
  Artifact artifact;
  artifact.memories = {{.name = "arena", .size = 4096}};
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    artifact.inputs = {{.name = "in", .shape = {16}, .element_size = size, .dtype = {}, .memory = 0}};
    CommandStream stream;
    stream.regions[1] = {0, 0, 4096};
    const auto& a = accelerator("ethos-u55-128");
    for (const std::uint64_t bytes : {16u * size, 16u * size + 16u}) {
      std::size_t found = 0;
      Inspector inspector(artifact, a, [&](const Finding& f) { found += f.kind == FindingKind::kNeverWritten; });
      inspector.start(stream, 0);
      BlockOperation op;
      op.kind = OpKind::kElementwise;
      op.elementwise = ElementwiseMode::kAbs;
      op.ifm = {.region = 1, .h = 1, .w = static_cast<int>(bytes / 16), .c = 16};
      op.ifm.stride_x = 16;
      op.ifm.stride_y = 4096;
      op.ifm.width0 = op.ifm.w;
      op.ifm.height0 = op.ifm.height1 = 1;
      op.ofm = op.ifm;
      op.ofm.base.fill(2048);
      op.block = {2, 2, 16};
      inspector.before({0, 0, 0, 1, op}, op, MemoryMap{});
      INFO(size << ", " << bytes << " bytes");
      CHECK(found == (bytes > 16 * size ? 1 : 0));
    }
  }
}

TEST_CASE("a type has the width of its elements, and an input of another is left to the run") {
  auto artifact = copying({copy(0, 32, false, false)});
  const auto in = input(1);
  const auto runs = [&] { return run_functional(artifact, *artifact.accelerator, {&in, 1}).has_value(); };
  CHECK(runs());
  artifact.outputs[0].dtype = DType::kINT16;
  CHECK_FALSE(runs());
  artifact.outputs[0].element_size = 2;
  artifact.outputs[0].shape = {8};
  CHECK(runs());
  artifact.inputs[0].dtype = DType::kINT16;
  artifact.inputs[0].element_size = 2;
  CHECK(check_inputs(artifact, {&in, 1}, {}));
  CHECK_FALSE(runs());
  artifact.inputs[0].dtype = DType::kUINT8;
  artifact.inputs[0].element_size = 1;
  CHECK_FALSE(check_inputs(artifact, {&in, 1}, {}));
}

TEST_CASE("no run of a network that is run again finds what the one before it left in memory") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"})
    for (const bool internal : {false, true}) {
      // The output is what lies at 48, or at the start of the NPU's own memory; then the input goes there.
      const int kept = internal ? 0 : 48;
      const auto network = test::checked(PreparedNetwork::create(
          copying({copy(kept, 32, internal, false) + copy(0, kept, false, internal)}, name), accelerator(name)));
      for (const std::int8_t value : {5, 6, 7}) {
        const auto in = input(value);
        const auto result = test::checked(network.run({&in, 1}));
        INFO(name << (internal ? ", internal" : "") << ", run with " << int{value});
        CHECK(result.outputs.at(0) == Tensor(DType::kINT8, {16}));
      }
    }
}
