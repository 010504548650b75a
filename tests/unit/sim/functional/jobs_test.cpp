#include "sim/functional/host_operator.hpp"
#include "sim/functional/machine.hpp"
#include "sim/isa/decoder.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

// Branches, jobs one after the other, and operators of the CPU at the ends of their memories.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

using Words = std::vector<std::uint32_t>;

void append(Words& words, std::string_view name, const std::vector<FieldValue>& fields) {
  const auto* row = find_command(Family::kU85, name);
  INFO(name);
  REQUIRE(row);
  const auto command = encode(*row, fields);
  REQUIRE(command);
  words.push_back(command->word0);
  if (row->words() == 2) words.push_back(command->payload);
}

/// Registers for |x| of one byte: IFM at 0, OFM at 16 of region 1.
Words absolute_value(int ofm) {
  Words words;
  for (const char* map : {"IFM", "OFM"}) {
    const std::string set = "NPU_SET_" + std::string(map);
    append(words, set + "_REGION", {{"region", 1}});
    append(words, set + "_STRIDE_X", {{"addr", 1}});
    append(words, set + "_STRIDE_Y", {{"addr", 1}});
    append(words, set + "_STRIDE_C", {{"addr", 1}});
  }
  append(words, "NPU_SET_IFM_PRECISION", {{"activation_type", 1}});
  append(words, "NPU_SET_OFM_PRECISION", {{"activation_type", 1}, {"scale_mode", 1}});
  append(words, "NPU_SET_ACTIVATION_MIN", {{"clip_boundary", 0xFF80}});
  append(words, "NPU_SET_ACTIVATION_MAX", {{"clip_boundary", 0x7F}});
  append(words, "NPU_SET_ACC_FORMAT", {{"microblock", 3}});
  append(words, "NPU_SET_IFM_SCALE", {{"scale", 1}});
  append(words, "NPU_SET_OFM_SCALE", {{"scale", 1}});
  append(words, "NPU_SET_OFM_BASE0", {{"addr", static_cast<std::uint64_t>(ofm)}});
  append(words, "NPU_OP_ELEMENTWISE", {{"elementwise_mode", 6}});
  return words;
}

CommandStream stream_of(Words words) {
  append(words, "NPU_OP_STOP", {{"mask", 1}});
  CommandStream stream;
  stream.name = "job";
  stream.words = std::move(words);
  stream.regions[1] = {0, 0, 64};
  return stream;
}

Artifact network(std::vector<Words> jobs) {
  Artifact artifact;
  artifact.accelerator = &accelerator("ethos-u85-256");
  artifact.memories = {{.name = "arena", .size = 64}};
  artifact.inputs.push_back({.name = "in", .shape = {1}, .dtype = DType::kINT8, .memory = 0});
  artifact.outputs.push_back({.name = "out", .shape = {2}, .dtype = DType::kINT8, .memory = 0, .offset = 16});
  for (auto& words : jobs) artifact.steps.emplace_back(stream_of(std::move(words)));
  return artifact;
}

Result<FunctionalResult> run(const Artifact& artifact, std::int8_t input) {
  NamedTensor in{"", Tensor(DType::kINT8, {1})};
  in.tensor.data<std::int8_t>()[0] = input;
  return run_functional(artifact, *artifact.accelerator, {&in, 1});
}

std::vector<int> output(const Artifact& artifact, std::int8_t input) {
  const auto result = run(artifact, input);
  INFO((result ? "" : result.error().to_string()));
  REQUIRE(result);
  const auto bytes = result->outputs[0].bytes();
  return {static_cast<int>(bytes[0]), static_cast<int>(bytes[1])};
}

/// Writes |x| to byte 16, and to byte 17 as well unless a branch behind the first skips that.
Words branching(int condition) {
  Words words = absolute_value(16);
  const std::size_t branch = words.size();
  append(words, "NPU_OP_BRANCH", {{"branch_target", 0}, {"branch_cond", static_cast<std::uint64_t>(condition)}});
  append(words, "NPU_SET_OFM_BASE0", {{"addr", 17}});
  append(words, "NPU_OP_ELEMENTWISE", {{"elementwise_mode", 6}});
  const auto target = static_cast<std::uint64_t>(4 * words.size());
  Words command;
  append(command, "NPU_OP_BRANCH", {{"branch_target", target}, {"branch_cond", static_cast<std::uint64_t>(condition)}});
  std::copy(command.begin(), command.end(), words.begin() + static_cast<std::ptrdiff_t>(branch));
  return words;
}

}  // namespace

TEST_CASE("a conditional branch is taken after an odd result, the other always") {
  CHECK(output(network({branching(1)}), -5) == std::vector{5, 0});
  CHECK(output(network({branching(1)}), -6) == std::vector{6, 6});
  CHECK(output(network({branching(0)}), -6) == std::vector{6, 0});
}

TEST_CASE("a job begins without the result flag and the accumulators of the job before") {
  // The second job branches at once, over a stop, to nowhere: taken, that is a fault.
  Words jump;
  append(jump, "NPU_OP_BRANCH", {{"branch_target", 4096}, {"branch_cond", 1}});
  CHECK(output(network({absolute_value(16), jump}), 5) == std::vector{5, 0});
  Words both = absolute_value(16);
  both.insert(both.end(), jump.begin(), jump.end());
  CHECK_FALSE(run(network({both}), 5));

  const auto summing = [](int source, int output_off) {
    Words words = absolute_value(16);
    words.pop_back();  // the operation
    append(words, "NPU_SET_ACC_FORMAT",
           {{"acc_input", static_cast<std::uint64_t>(source)},
            {"acc_output", static_cast<std::uint64_t>(output_off)},
            {"microblock", 3}});
    append(words, "NPU_OP_POOL", {{"pooling_mode", 3}});
    return words;
  };
  Words kept = summing(0, 1), continued = summing(1, 0), one = kept;
  one.insert(one.end(), continued.begin(), continued.end());
  CHECK(output(network({one}), 5) == std::vector{10, 0});
  CHECK_FALSE(run(network({kept, continued}), 5));
}

namespace {

/// Leaves its first input, one added to each byte, in its output; changes the input as well if told to.
class Increment : public HostOperators {
 public:
  explicit Increment(bool in_place = false) : in_place_(in_place) {}
  Result<HostResult> run(const HostOperator&, std::vector<std::optional<Tensor>>& inputs, std::int64_t) const override {
    for (auto& value : inputs[0]->data<std::int8_t>()) ++value;
    HostResult result;
    result.outputs.push_back(*inputs[0]);
    if (in_place_) result.changed_inputs = {0};
    result.work = 3;
    return result;
  }

 private:
  bool in_place_;
};

struct HostBench {
  std::vector<Memory> memories = {{.name = "arena", .size = 8}, {.name = "constants", .size = 8, .read_only = true}};
  std::vector<std::vector<std::uint8_t>> contents = {{0, 1, 2, 3, 4, 5, 6, 7}, {9, 8, 7, 6, 5, 4, 3, 2}};
  HostOperator op;

  HostBench() {
    op.name = "TEST";
    op.inputs.push_back({.name = "a", .shape = {4}, .dtype = DType::kINT8, .memory = 0});
    op.outputs.push_back({.name = "b", .shape = {4}, .dtype = DType::kINT8, .memory = 0, .offset = 4});
  }
  Result<std::int64_t> run(std::int64_t limit = 100, bool in_place = false) {
    const Increment host(in_place);
    const std::vector<std::span<std::uint8_t>> views(contents.begin(), contents.end());
    return run_host_operator(op, &host, memories, views, limit);
  }
};

}  // namespace

TEST_CASE("an operator of the CPU reads and writes up to the last byte of a memory") {
  HostBench bench;
  const auto work = bench.run();
  REQUIRE(work);
  CHECK(*work == 4 + 4 + 3);  // bytes of both operands, and what the operator says
  CHECK(bench.contents[0] == std::vector<std::uint8_t>{0, 1, 2, 3, 1, 2, 3, 4});
  for (auto* operands : {&bench.op.inputs, &bench.op.outputs})
    for (const std::uint64_t offset : {std::uint64_t{4}, std::uint64_t{5}, std::uint64_t{9}, ~std::uint64_t{0}}) {
      const auto before = std::exchange((*operands)[0].offset, offset);
      const auto done = bench.run();
      INFO("offset " << offset);
      CHECK(done.has_value() == (offset == 4));
      if (!done) CHECK(done.error().code == ErrorCode::kInvalidFile);
      (*operands)[0].offset = before;
    }
}

TEST_CASE("an operator of the CPU changes what may be written, within the work that is left") {
  HostBench bench;
  bench.op.inputs[0].memory = 1;
  REQUIRE(bench.run());
  CHECK(bench.contents[0][4] == 10);
  CHECK(bench.contents[1][0] == 9);
  CHECK(bench.run(100, true).error().code == ErrorCode::kInvalidFile);
  bench.op.inputs[0].memory = 0;
  REQUIRE(bench.run(100, true));
  CHECK(bench.contents[0][0] == 1);
  CHECK(bench.run(8));
  CHECK(bench.run(7).error().code == ErrorCode::kUnsupported);
  bench.op.outputs[0].memory = 1;
  CHECK(bench.run().error().code == ErrorCode::kInvalidFile);
  bench.op.outputs[0].memory = 2;
  CHECK(bench.run().error().code == ErrorCode::kInvalidFile);
  bench.op.outputs[0].memory = 0;
  bench.op.inputs[0].dtype.reset();
  CHECK(bench.run().error().code == ErrorCode::kUnsupported);
  CHECK(run_host_operator(bench.op, nullptr, bench.memories, {}, 100).error().code == ErrorCode::kUnsupported);
}
