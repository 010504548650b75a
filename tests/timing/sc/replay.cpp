#include "sim/sc/program.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;

namespace {

void append(std::vector<std::uint32_t>& words, std::string_view name, const std::vector<FieldValue>& fields) {
  const auto* row = find_command(Family::kU85, name);
  REQUIRE(row);
  const auto command = encode(*row, fields);
  REQUIRE(command);
  words.push_back(command->word0);
  if (row->words() == 2) words.push_back(command->payload);
}

}  // namespace

TEST_CASE("a replay makes the instructions that were executed, and the words that they took") {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_KERNEL_WAIT", {{"n", 1}});
  append(words, "NPU_OP_BRANCH", {{"branch_target", 0}, {"branch_cond", 1}});
  append(words, "NPU_OP_STOP", {{"mask", 7}});
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const sc::CoreConfig config{accelerator, default_params(accelerator), {}};
  const ParsedStream stream(accelerator, words);
  int branches = 0;
  sc::StreamTrace trace;
  const sc::StreamActions actions{{}, {}, [&] { return ++branches <= 2; }};
  const auto end = sc::trace_stream(trace, stream, words.size(), config, actions, Work(1 << 30));
  CHECK(end.kind == sc::StreamEnd::Kind::kStop);
  CHECK(end.irq_mask == 7);
  CHECK(trace.operations == 7);
  CHECK(trace.words == 10);

  std::vector<std::uint64_t> ends;
  auto program = sc::program_of(stream, trace, config);
  REQUIRE(program.segments.size() == 3);
  for (;;) {
    const auto* instruction = program.instructions->next();
    ends.push_back(instruction->words_end);
    if (std::holds_alternative<sc::Stop>(instruction->action)) break;
  }
  CHECK(ends == std::vector<std::uint64_t>{1, 3, 4, 6, 7, 9, 10});
}

TEST_CASE("a stream that jumps for ever ends at the limit of work, and its replay stops there") {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_BRANCH", {{"branch_target", 0}, {"branch_cond", 0}});
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const sc::CoreConfig config{accelerator, default_params(accelerator), {}};
  const ParsedStream stream(accelerator, words);
  sc::StreamTrace trace;
  const auto end =
      sc::trace_stream(trace, stream, words.size(), config, {}, Work(10 * (Work::kOperation + Work::kCommand)));
  CHECK(end.kind == sc::StreamEnd::Kind::kParseError);
  CHECK(trace.operations == 10);
  auto program = sc::program_of(stream, trace, config);
  for (int i = 0; i < 10; ++i) CHECK(std::holds_alternative<sc::Pass>(program.instructions->next()->action));
  CHECK(std::holds_alternative<sc::Stop>(program.instructions->next()->action));
}
