#include <macaw/npu/simulator.hpp>

#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"
#include "sim/functional/findings/registers.hpp"
#include "sim/isa/command_parser.hpp"
#include "sim/isa/disasm.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::npu;

// Streams of an Ethos-U55-128 over two memories: constants (region 0, 4096 bytes) and an arena (region 1, 4096 bytes)
// with the input in its first 256 bytes: 4x4x16 int8. Every trip has a near miss beside it.
namespace {

using Registers = std::map<std::string, std::string>;

/// Commands of a copy of 4x4x16 int8 elements from 0 to 1024 of the arena, as Vela writes them.
Registers copy_registers() {
  return {{"IFM_REGION", "region=1"},
          {"IFM_PRECISION", "activation_type=SIGNED"},
          {"IFM_DEPTH_M1", "depth_m1=15"},
          {"IFM_WIDTH0_M1", "width_m1=3"},
          {"IFM_HEIGHT0_M1", "height_m1=3"},
          {"IFM_HEIGHT1_M1", "height_m1=3"},
          {"IFM_STRIDE_X", "addr=16"},
          {"IFM_STRIDE_Y", "addr=64"},
          {"IFM_STRIDE_C", "addr=1"},
          {"OFM_REGION", "region=1"},
          {"OFM_PRECISION", "activation_type=SIGNED scale_mode=GLOBAL"},
          {"OFM_WIDTH_M1", "width_m1=3"},
          {"OFM_HEIGHT_M1", "height_m1=3"},
          {"OFM_DEPTH_M1", "depth_m1=15"},
          {"OFM_WIDTH0_M1", "width_m1=3"},
          {"OFM_HEIGHT0_M1", "height_m1=3"},
          {"OFM_HEIGHT1_M1", "height_m1=3"},
          {"OFM_STRIDE_X", "addr=16"},
          {"OFM_STRIDE_Y", "addr=64"},
          {"OFM_STRIDE_C", "addr=1"},
          {"OFM_BASE0", "addr=1024"},
          {"OFM_BLK_WIDTH_M1", "width_m1=3"},
          {"OFM_BLK_HEIGHT_M1", "height_m1=1"},
          {"OFM_BLK_DEPTH_M1", "depth_m1=15"},
          {"OFM_SCALE", "scale=0x80000001 shift=31"},
          {"ACTIVATION_MIN", "clip_boundary=0xff80"},
          {"ACTIVATION_MAX", "clip_boundary=0x7f"},
          {"IFM_IB_END", "ib_end=10"},
          {"AB_START", "ab_start=14"},
          {"DMA0_SRC_REGION", "region=1"},
          {"DMA0_DST_REGION", "region=1"},
          {"DMA0_LEN", "addr=256"}};
}

std::string text_of(const Registers& registers) {
  std::string text;
  for (const auto& [name, value] : registers) text += "NPU_SET_" + name + " " + value + "\n";
  return text;
}

constexpr const char* kCopy = "NPU_OP_POOL pooling_mode=AVERAGE\n";

std::string dma(int from, int to) {
  return fmt::format("NPU_SET_DMA0_SRC addr={}\nNPU_SET_DMA0_DST addr={}\nNPU_OP_DMA_START\n", from, to);
}
std::string bases(int ifm, int ofm) {
  return fmt::format("NPU_SET_IFM_BASE0 addr={}\nNPU_SET_OFM_BASE0 addr={}\n", ifm, ofm);
}

Artifact network(const std::string& text, std::vector<std::uint8_t> constants = {},
                 const std::string& accelerator = "ethos-u55-128") {
  const auto assembly =
      assemble(".accelerator " + accelerator + "\n.stream test\n" + text + "NPU_OP_STOP mask=0xffff\n", "t");
  INFO((assembly ? "" : assembly.error().to_string()));
  REQUIRE(assembly);
  Artifact artifact;
  artifact.accelerator = assembly->accelerator;
  constants.resize(4096);
  artifact.memories.push_back({.name = "constants", .size = 4096, .initial = constants, .read_only = true});
  artifact.memories.push_back({.name = "arena", .size = 4096});
  artifact.inputs.push_back({.name = "in", .shape = {256}, .dtype = DType::kINT8, .memory = 1});
  CommandStream stream;
  stream.name = "test";
  stream.words = assembly->streams[0].words;
  stream.regions[0] = {0, 0, 4096};
  stream.regions[1] = {1, 0, 4096};
  artifact.steps.emplace_back(std::move(stream));
  return artifact;
}

struct Outcome {
  std::vector<Finding> findings;
  bool faulted = false;
};

Outcome run(const Artifact& artifact) {
  Outcome outcome;
  FunctionalOptions options;
  options.findings = [&](const Finding& finding) { outcome.findings.push_back(finding); };
  const NamedTensor input{"", Tensor(DType::kINT8, {256})};
  const auto result = run_functional(artifact, *artifact.accelerator, {&input, 1}, options);
  outcome.faulted = !result;
  if (!result) CHECK(result.error().code == ErrorCode::kHardwareFault);

  // Without values the findings are the same.
  std::vector<Finding> again;
  options.findings = [&](const Finding& finding) { again.push_back(finding); };
  CHECK(inspect_streams(artifact, *artifact.accelerator, options).has_value() == !outcome.faulted);
  REQUIRE(again.size() == outcome.findings.size());
  for (std::size_t i = 0; i < again.size(); ++i) CHECK(again[i].to_string() == outcome.findings[i].to_string());
  return outcome;
}

std::string list(const Outcome& outcome) {
  std::string text;
  for (const auto& finding : outcome.findings) text += finding.to_string() + "\n";
  return text;
}

void check_clean(const Artifact& artifact) {
  const auto outcome = run(artifact);
  INFO(list(outcome));
  CHECK(outcome.findings.empty());
  CHECK_FALSE(outcome.faulted);
}

/// Exactly one finding, of this kind.
Finding check_trips(const Artifact& artifact, FindingKind kind, bool faults = false) {
  const auto outcome = run(artifact);
  INFO(list(outcome));
  REQUIRE(outcome.findings.size() == 1);
  CHECK(to_string(outcome.findings[0].kind) == to_string(kind));
  CHECK(outcome.faulted == faults);
  CHECK(outcome.findings[0].command.starts_with("NPU_OP_"));
  return outcome.findings[0];
}

std::string copy_with(Registers changes) {
  auto registers = copy_registers();
  for (auto& [name, value] : changes) registers[name] = value;
  return text_of(registers) + kCopy;
}

}  // namespace

TEST_CASE("a copy has no findings, and every kind has its own name") {
  check_clean(network(copy_with({})));
  std::vector<std::string_view> ids;
  for (const auto& row : finding_kinds()) ids.push_back(row.id);
  std::ranges::sort(ids);
  CHECK(std::ranges::adjacent_find(ids) == ids.end());
}

TEST_CASE("never-written: an operand outside what was written") {
  const auto finding = check_trips(network(copy_with({{"IFM_BASE0", "addr=128"}})), FindingKind::kNeverWritten);
  CHECK(finding.range.memory == 1);
  CHECK(finding.range.offset == 256);
  CHECK(finding.range.length == 64);
  // A DMA job may move the padding behind a tensor, but its reader must not need it.
  const std::string moved = text_of(copy_registers()) + dma(128, 2048) + "NPU_OP_DMA_WAIT k=0\n";
  check_trips(network(moved + bases(2048, 3072) + kCopy), FindingKind::kNeverWritten);
  check_clean(network(moved));
  check_trips(network(text_of(copy_registers()) + dma(512, 2048)), FindingKind::kNeverWritten);
}

TEST_CASE("read-only: a write to the constants") {
  check_trips(network(copy_with({{"OFM_REGION", "region=0"}})), FindingKind::kReadOnly, true);
  check_clean(network(copy_with({{"IFM_REGION", "region=0"}})));
}

TEST_CASE("outside: the end of a region") {
  check_trips(network(copy_with({{"OFM_BASE0", "addr=3856"}})), FindingKind::kOutside, true);
  check_clean(network(copy_with({{"OFM_BASE0", "addr=3840"}})));
  check_trips(network(copy_with({{"OFM_REGION", "region=5"}})), FindingKind::kOutside, true);
}

TEST_CASE("wrapped: a negative stride below the region") {
  const std::string back = "addr=0xffffffc0";
  check_trips(network(copy_with({{"IFM_STRIDE_Y", back}, {"IFM_BASE0", "addr=128"}})), FindingKind::kWrapped, true);
  check_clean(network(copy_with({{"IFM_STRIDE_Y", back}, {"IFM_BASE0", "addr=192"}})));
}

TEST_CASE("missing-dma-wait: a kernel and a job before it") {
  const std::string job = text_of(copy_registers()) + dma(0, 2048);
  // Reads what is still being written, writes what is still being read or written.
  const auto finding = check_trips(network(job + bases(2048, 3072) + kCopy), FindingKind::kMissingDmaWait);
  CHECK(finding.range.offset == 2048);
  check_trips(network(job + bases(0, 2176) + kCopy), FindingKind::kMissingDmaWait);
  check_clean(network(job + bases(0, 2304) + kCopy));
  check_clean(network(job + "NPU_OP_DMA_WAIT k=0\n" + bases(2048, 3072) + kCopy));
  // U55 has one job outstanding: a second one drains the first.
  check_clean(network(job + dma(0, 2304) + bases(2048, 3072) + kCopy));
}

TEST_CASE("missing-kernel-wait: a job and a kernel before it") {
  const std::string kernel = copy_with({});
  check_trips(network(kernel + dma(1024, 2048)), FindingKind::kMissingKernelWait);
  check_clean(network(kernel + dma(0, 2048)));
  check_clean(network(kernel + "NPU_OP_KERNEL_WAIT n=0\n" + dma(1024, 2048)));
  // Two kernels are outstanding at most.
  const std::string three = kernel + bases(0, 1280) + kCopy + bases(0, 1536) + kCopy;
  check_clean(network(three + dma(1024, 2048)));
  check_trips(network(three + dma(1280, 2048)), FindingKind::kMissingKernelWait);
  check_clean(network(three + "NPU_OP_KERNEL_WAIT n=1\n" + dma(1280, 2048)));
  // The newest goes on.
  check_trips(network(three + "NPU_OP_KERNEL_WAIT n=1\n" + dma(1536, 2048)), FindingKind::kMissingKernelWait);
  // A job over what the kernel reads.
  const std::string over = "NPU_SET_DMA0_SRC_REGION region=0\n" + dma(0, 0);
  check_trips(network(kernel + over), FindingKind::kMissingKernelWait);
  check_clean(network(kernel + "NPU_OP_KERNEL_WAIT n=0\n" + over));
}

TEST_CASE("dma-overlap: source and destination") {
  check_trips(network(text_of(copy_registers()) + dma(0, 240)), FindingKind::kDmaOverlap);
  check_clean(network(text_of(copy_registers()) + dma(0, 256)));
}

TEST_CASE("a job onto itself is not an overlap and leaves its bytes written") {
  check_clean(network(text_of(copy_registers()) + dma(0, 0) + "NPU_OP_DMA_WAIT k=0\n" + kCopy));
}

TEST_CASE("rows that are gathered to the place of the first are moved, and so overlap") {
  check_trips(network("NPU_SET_DMA0_SRC_REGION region=1 stride_mode=D2\nNPU_SET_DMA0_DST_REGION region=1\n"
                      "NPU_SET_DMA0_LEN addr=16\nNPU_SET_DMA0_SIZE0 size=4\n"
                      "NPU_SET_DMA0_SRC_STRIDE0 addr=32\nNPU_SET_DMA0_DST_STRIDE0 addr=16\n" +
                          dma(0, 0),
                      {}, "ethos-u85-256"),
              FindingKind::kDmaOverlap);
}

TEST_CASE("blockdep: the last blocks of the operation before") {
  // Two OFM blocks of two rows each; the second operation reads them in the same order.
  const auto two = [](int depth) {
    return network(copy_with({}) + bases(1024, 2048) + fmt::format("NPU_SET_BLOCKDEP blockdep={}\n", depth) + kCopy);
  };
  check_clean(two(0));
  check_clean(two(1));
  const auto finding = check_trips(two(2), FindingKind::kBlockDependency);
  CHECK(finding.range.offset == 1024);
  // Not its input, or a wait between: nothing to cover.
  check_clean(network(copy_with({}) + bases(0, 2048) + "NPU_SET_BLOCKDEP blockdep=3\n" + kCopy));
  check_clean(
      network(copy_with({}) + bases(1024, 2048) + "NPU_SET_BLOCKDEP blockdep=3\nNPU_OP_KERNEL_WAIT n=0\n" + kCopy));
}

TEST_CASE("unaligned: where a region begins") {
  for (const std::uint64_t offset : {16u, 24u}) {
    auto artifact = network(copy_with({{"OFM_REGION", "region=2"}}));
    std::get<CommandStream>(artifact.steps[0]).regions[2] = {1, offset, 2048};
    if (offset == 16) check_clean(artifact);
    else CHECK(check_trips(artifact, FindingKind::kUnaligned).range.offset == 1024 + offset);
  }
}

TEST_CASE("unaligned: lengths of weight streams") {
  BlockOperation op;
  op.family = Family::kU85;
  op.kind = OpKind::kConv;
  op.ublock = {1, 1, 1};
  const auto messages = [&](bool fast, std::uint64_t length) {
    op.fast_weights = fast;
    op.weights[0].length = length;
    std::vector<std::string> found;
    check_registers(op, *find_accelerator("ethos-u85-256"), [&](FindingKind kind, const std::string& message) {
      if (kind == FindingKind::kUnaligned && message.starts_with("WEIGHT")) found.push_back(message);
    });
    return found;
  };
  CHECK(messages(false, 48).empty());
  CHECK(messages(true, 64).empty());
  CHECK(messages(false, 40) == std::vector<std::string>{"WEIGHT_LENGTH 40 is not a multiple of 16"});
  CHECK(messages(true, 48) == std::vector<std::string>{"WEIGHT_LENGTH 48 is not a multiple of 32"});
}

TEST_CASE("registers: an operation on a scalar alone is one that U85 has") {
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kClz;
  op.ifm_broadcast.scalar = true;
  const auto trips = [&](Family family, const char* accelerator) {
    op.family = family;
    bool found = false;
    check_registers(op, *find_accelerator(accelerator), [&](FindingKind kind, const std::string& message) {
      found |= kind == FindingKind::kRegisters && message == "both operands are scalars";
    });
    return found;
  };
  CHECK(trips(Family::kU55, "ethos-u55-128"));
  CHECK_FALSE(trips(Family::kU85, "ethos-u85-256"));
  op.elementwise = ElementwiseMode::kAdd;
  op.ifm2_broadcast.scalar = true;
  CHECK(trips(Family::kU85, "ethos-u85-256"));
}

TEST_CASE("unaligned: bases and lengths") {
  const auto bricks = [](int base) {
    return network(copy_with({{"OFM_PRECISION", "activation_type=SIGNED scale_mode=GLOBAL activation_format=NHCWB16"},
                              {"OFM_BASE0", fmt::format("addr={}", base)}}));
  };
  check_trips(bricks(1032), FindingKind::kUnaligned);
  check_clean(bricks(1040));
  check_trips(network(text_of(copy_registers()) + dma(0, 2056)), FindingKind::kUnaligned);
}

TEST_CASE("unset-tile: more columns or rows than the first tile has") {
  // The second copy reads what the first wrote, its last column or row from another tile.
  const auto second = [](const std::string& registers) {
    return network(copy_with({}) + bases(1024, 2048) + registers + kCopy);
  };
  check_trips(second("NPU_SET_IFM_WIDTH0_M1 width_m1=2\n"), FindingKind::kUnsetTile);
  check_clean(second("NPU_SET_IFM_WIDTH0_M1 width_m1=2\nNPU_SET_IFM_BASE1 addr=1072\n"));
  check_clean(second("NPU_SET_IFM_HEIGHT0_M1 height_m1=2\nNPU_SET_IFM_BASE2 addr=1216\n"));
  check_clean(second("NPU_SET_IFM_HEIGHT0_M1 height_m1=2\n"));  // whole rows away: a buffer that begins at 0
}

TEST_CASE("registers: combinations that the NPU does not take") {
  const auto trips = [](Registers changes) {
    check_trips(network(copy_with(std::move(changes))), FindingKind::kRegisters);
  };
  trips({{"OFM_BLK_WIDTH_M1", "width_m1=2"}});
  check_clean(network(copy_with({{"OFM_BLK_WIDTH_M1", "width_m1=1"}})));
  trips({{"ACTIVATION_MIN", "clip_boundary=0x7f"}, {"ACTIVATION_MAX", "clip_boundary=0xff80"}});
  check_clean(network(copy_with({{"ACTIVATION_MAX", "clip_boundary=0xff80"}})));
  trips({{"IFM_IB_END", "ib_end=15"}});
  check_clean(network(copy_with({{"IFM_IB_END", "ib_end=14"}})));
  trips({{"AB_START", "ab_start=24"}});
  check_clean(network(copy_with({{"AB_START", "ab_start=23"}})));
}

TEST_CASE("weight-stream: too few, too many weights, and scales left over") {
  constexpr int kScaleBase = 2048;
  const auto convolution = [&](std::int64_t extra, int scale_bytes) {
    std::vector<std::uint8_t> constants;
    const auto text = [&](std::size_t length) {
      auto registers = copy_registers();
      registers["OFM_PRECISION"] = "activation_type=SIGNED scale_mode=PER_CHANNEL";
      registers["WEIGHT_REGION"] = registers["SCALE_REGION"] = "region=0";
      registers["WEIGHT_LENGTH"] = fmt::format("length={}", length);
      registers["SCALE_BASE"] = fmt::format("addr={}", kScaleBase);
      registers["SCALE_LENGTH"] = fmt::format("length={}", scale_bytes);
      return text_of(registers) + "NPU_OP_CONV\n";
    };
    const auto draft = network(text(0));
    const auto program = parse_program(*draft.accelerator, std::get<CommandStream>(draft.steps[0]).words);
    REQUIRE(program);
    const auto geometry = weight_geometry(std::get<BlockOperation>(program->at(0).action), *draft.accelerator);
    REQUIRE(geometry);
    const auto symbols = weight_stream_symbols(*geometry, 0).value() + extra;
    const auto stream = encode_weight_stream(std::vector<std::int16_t>(static_cast<std::size_t>(symbols), 1)).value();
    return network(text(stream.size()), stream);
  };
  check_clean(convolution(0, 160));
  check_trips(convolution(-1, 160), FindingKind::kWeightStream, true);
  check_trips(convolution(1, 160), FindingKind::kWeightStream, true);
  check_trips(convolution(0, 144), FindingKind::kWeightStream, true);
  check_trips(convolution(0, 176), FindingKind::kWeightStream);
}
