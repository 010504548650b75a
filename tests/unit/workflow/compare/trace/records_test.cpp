#include <catch2/catch.hpp>

#include <macaw/npy.hpp>

#include <filesystem>

#include "sim/isa/disasm.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workflow/compare/judge/operator_name.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/compare/match/step_matches.hpp"
#include "workflow/compare/trace/register_state.hpp"
#include "workflow/compare/trace/tensor_dump.hpp"

// Matching of operation records that are written out here.
using namespace macaw;
using namespace macaw::compare;

namespace {

Tensor bytes(DType dtype, const std::vector<int>& values) {
  Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
  std::ranges::transform(values, tensor.bytes().begin(), [](int v) { return static_cast<std::byte>(v); });
  return tensor;
}

bool is_seen(DType dtype, int element, std::int64_t value) {
  Reference reference;
  reference.tensors.push_back({.name = "t", .value = bytes(dtype, {element})});
  IntermediateMatches intermediate(reference);
  intermediate.record(0, {IntermediateValues::Kind::kComputed, std::span(&value, 1), 1, 1, 1});
  return !intermediate.all().empty();
}

/// Whether twelve operations, the first of which write another size, are the twelve steps of an operator.
bool are_steps(std::size_t others) {
  Reference reference;
  reference.tensors.push_back({.name = "in", .value = bytes(DType::kINT8, {0})});
  reference.inputs = {0};
  std::vector<ReferenceStep> steps;
  std::vector<Record> records(12);
  for (std::size_t i = 0; i < records.size(); ++i) {
    steps.push_back({"s", bytes(DType::kINT8, {static_cast<int>(i)})});
    records[i].contents.assign(i < others ? 2 : 1, static_cast<std::byte>(i));
  }
  reference.operators.push_back(
      {.kind = "SOFTMAX", .text = "operator 0", .inputs = {0}, .outputs = {}, .forms = {steps}});
  const npu::Artifact artifact;
  const Alignment alignment(reference, artifact, records, {}, {});
  return !match_steps(reference, alignment, records).empty();
}

}  // namespace

TEST_CASE("a value is seen by its low bits, whichever sign the others have") {
  CHECK(is_seen(DType::kUINT8, 200, 200));
  CHECK(is_seen(DType::kUINT8, 200, 200 - 256));
  CHECK(is_seen(DType::kINT8, -56, 200));
  CHECK_FALSE(is_seen(DType::kUINT8, 200, 199));
  CHECK_FALSE(is_seen(DType::kINT8, -56, 201));
  CHECK_FALSE(is_seen(DType::kUINT8, 200, 200 + 256));
  CHECK_FALSE(is_seen(DType::kUINT8, 5, 5 - 256));
  CHECK_FALSE(is_seen(DType::kINT8, -56, -56 - 256));
}

TEST_CASE("operations are the steps of an operator though two of them have another size, and not with three") {
  CHECK(are_steps(0));
  CHECK(are_steps(1));
  CHECK(are_steps(2));
  CHECK_FALSE(are_steps(3));
}

TEST_CASE("a command is made for the operator of its kind, and those behind it are fused") {
  Reference reference;
  for (const char* kind : {"RESHAPE", "CONV2D", "RESCALE", "CLAMP"})
    reference.operators.push_back({.kind = kind, .text = kind, .inputs = {}, .outputs = {}});
  const npu::Artifact artifact;
  const std::vector<Record> records(1);
  WrongOperator wrong;
  OperatorNames(reference, artifact, records, {})
      .name(wrong, {.frontier = {}, .operators = {0, 1, 2, 3}, .inside = {}}, {0});
  CHECK(wrong.index == std::size_t{1});
  CHECK(wrong.fused == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("registers of an operation are new if they were set since the one before") {
  const auto assembly =
      test::checked(npu::assemble(".accelerator ethos-u85-256\n"
                                  "NPU_SET_IFM_REGION region=1\nNPU_SET_OFM_REGION region=2\n"
                                  "NPU_OP_DMA_START\nNPU_OP_DMA_WAIT k=0\n"
                                  "NPU_SET_OFM_REGION region=3\nNPU_OP_DMA_START\n",
                                  "text"));
  npu::Artifact artifact;
  npu::CommandStream stream;
  stream.words = assembly.streams[0].words;
  artifact.steps.emplace_back(stream);
  const auto lines = register_state(artifact, *assembly.accelerator, 0, 5);
  REQUIRE(lines.size() == 3);
  for (const auto& line : lines) {
    INFO(line.text);
    CHECK(line.changed == (line.text.find("NPU_SET_IFM_REGION") == line.text.npos));
  }
  CHECK(lines.back().text == "NPU_OP_DMA_START");
}

TEST_CASE("bounds of an operation are told with the sign of its OFM") {
  npu::BlockOperation op;
  op.activation.min = 0xFF80;
  op.activation.max = 0x7F;
  op.ofm.is_signed = true;
  CHECK(operation_text(op).back() == "clamp: -128 to 127");
  op.ofm.is_signed = false;
  CHECK(operation_text(op).back() == "clamp: 65408 to 127");
}

TEST_CASE("an operation is told by the maps that it has, and by its kernel if it has one") {
  npu::BlockOperation op;
  op.kind = npu::OpKind::kConv;
  op.ifm.h = 2;
  op.ifm.w = 3;
  op.ifm.c = 4;
  op.ifm.region = 5;
  op.ifm.base[0] = 0x40;
  op.ofm.storage = npu::Storage::kNone;
  const auto has = [&](const std::string& text) {
    const auto lines = operation_text(op);
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != line.npos; });
  };
  CHECK(has("IFM: uint8 [2, 3, 4] "));
  CHECK(has("in region 5 from 0x40"));
  CHECK(has("OFM: uint8 [0, 0, 0], nowhere"));
  CHECK(has("kernel ["));
  CHECK_FALSE(has("IFM2"));
  op.ofm.storage = npu::Storage::kChained;
  op.ofm.region = 1;
  CHECK(has(", chain buffer 1"));
  CHECK_FALSE(has("nowhere"));
  op.kind = npu::OpKind::kElementwise;
  op.elementwise = npu::ElementwiseMode::kAdd;
  CHECK(has("IFM2"));
  CHECK_FALSE(has("kernel ["));
}

TEST_CASE("what operations write is dumped with the width and sign of their OFMs") {
  const macaw::test::TemporaryFolder temporary;
  const auto& folder = temporary.path();
  npu::Artifact artifact;
  artifact.steps.emplace_back(npu::CommandStream{});
  struct Row {
    int bits;
    bool is_signed;
    DType dtype;
  };
  for (const Row& row : {Row{8, true, DType::kINT8}, Row{8, false, DType::kUINT8}, Row{16, true, DType::kINT16},
                         Row{16, false, DType::kUINT16}, Row{32, true, DType::kINT32}}) {
    std::vector<Record> records(1);
    records[0].name = "a/b";
    records[0].operation.ofm.bits = row.bits;
    records[0].operation.ofm.is_signed = row.is_signed;
    records[0].h = records[0].w = records[0].c = 1;
    records[0].contents.assign(static_cast<std::size_t>(row.bits / 8), std::byte{0xF0});
    io::FileSet files;
    REQUIRE(add_tensors(files, folder, artifact, records));
    REQUIRE(files.publish());
    CHECK(test::checked(read_tensor((folder / "00000_a_b.npy").string())).dtype() == row.dtype);
  }
}
