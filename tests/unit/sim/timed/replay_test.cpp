#include "sim/timed/program.hpp"
#include "tests/support/accelerator.hpp"
#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

void append(std::vector<std::uint32_t>& words, std::string_view name, const std::vector<FieldValue>& fields) {
  const auto* row = find_command(Family::kU85, name);
  REQUIRE(row);
  const auto command = encode(*row, fields);
  REQUIRE(command);
  words.push_back(command->word0);
  if (row->words() == 2) words.push_back(command->payload);
}

/// Operations that are released once the front end has requested the next one.
class Fleeting : public Instructions {
 public:
  Fleeting(const CoreConfig& config, BlockOperation op, std::size_t count)
      : config_(config), op_(std::move(op)), count_(count) {}
  const Instruction* next() override {
    if (made_ == count_) instruction_ = {made_, 0, Stop{}};
    else instruction_ = {made_, 0, make_kernel(config_, op_, made_)};
    ++made_;
    return &instruction_;
  }

 private:
  const CoreConfig& config_;
  BlockOperation op_;
  std::size_t count_, made_ = 0;
  Instruction instruction_;
};

}  // namespace

TEST_CASE("equal operations take the time that they take where all of them are kept") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(name);
    Bench bench(name);
    auto op = pointwise(9, 13, 72, 40, {4, 6, 16}, 3001);
    op.scales[0] = {0, 8192, 400};
    op.family = bench.accelerator.family;
    if (op.family == Family::kU85) op.ublock = {2, 2, 8};
    constexpr std::size_t kCount = 12;
    for (std::size_t i = 0; i < kCount; ++i) bench.kernel(op);
    const auto kept = bench.run();
    Context context;
    const auto entered = context.enter();
    Top top("top", bench.config, bench.memory, {std::make_shared<Fleeting>(bench.config, op, kCount), 0, {}});
    REQUIRE(context.run(ticks(1e9)));
    CHECK(top.core.pmu.counters().counts == kept.pmu.counts);
    CHECK(static_cast<std::int64_t>(whole_cycles(top.core.command_processor.end()).count()) == kept.end);
  }
}

TEST_CASE("a replay makes the instructions that were executed, and the words that they took") {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_KERNEL_WAIT", {{"n", 1}});
  append(words, "NPU_OP_BRANCH", {{"branch_target", 0}, {"branch_cond", 1}});
  append(words, "NPU_OP_STOP", {{"mask", 7}});
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const CoreConfig config{accelerator, default_params(accelerator), {}};
  const ParsedStream stream(accelerator, words);
  int branches = 0;
  StreamTrace trace;
  const StreamActions actions{{}, {}, [&] { return ++branches <= 2; }};
  const auto end = trace_stream(trace, stream, words.size(), config, actions, Work(1 << 30));
  CHECK(end.kind == StreamEnd::Kind::kStop);
  CHECK(end.irq_mask == 7);
  CHECK(trace.operations == 7);
  CHECK(trace.words == 10);

  std::vector<std::uint64_t> ends;
  auto program = program_of(stream, trace, config);
  REQUIRE(program.segments.size() == 3);
  for (;;) {
    const auto* instruction = program.instructions->next();
    ends.push_back(instruction->words_end);
    if (std::holds_alternative<Stop>(instruction->action)) break;
  }
  CHECK(ends == std::vector<std::uint64_t>{1, 3, 4, 6, 7, 9, 10});
}

TEST_CASE("words that a branch skips are not counted, those that it goes back to are counted again") {
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const CoreConfig config{accelerator, default_params(accelerator), {}};
  struct Row {
    std::uint64_t target;  // bytes
    std::uint64_t words;
    std::size_t segments;
  };
  // A wait, a branch of two words, three waits, the stop: from the branch on to each of them, or back once.
  for (const Row& row : {Row{12, 7, 2}, Row{16, 6, 2}, Row{24, 4, 2}, Row{4, 9, 2}, Row{0, 10, 2}}) {
    std::vector<std::uint32_t> words;
    append(words, "NPU_OP_KERNEL_WAIT", {{"n", 1}});
    append(words, "NPU_OP_BRANCH", {{"branch_target", row.target}, {"branch_cond", 1}});
    for (int i = 0; i < 3; ++i) append(words, "NPU_OP_DMA_WAIT", {{"k", 1}});
    append(words, "NPU_OP_STOP", {{"mask", 7}});
    const ParsedStream stream(accelerator, words);
    bool taken = false;
    StreamTrace trace;
    const StreamActions actions{{}, {}, [&] { return !std::exchange(taken, true); }};
    const auto end = trace_stream(trace, stream, words.size(), config, actions, Work(1 << 30));
    INFO("to byte " << row.target);
    CHECK(end.kind == StreamEnd::Kind::kStop);
    CHECK(trace.words == row.words);
    REQUIRE(trace.segments.size() == row.segments);
    CHECK(trace.segments[0].end == 3);
    CHECK(trace.segments[1].begin == row.target / 4);
    auto program = program_of(stream, trace, config);
    std::uint64_t last = 0;
    for (bool stop = false; !stop;) {
      const auto* instruction = program.instructions->next();
      last = instruction->words_end;
      stop = std::holds_alternative<Stop>(instruction->action);
    }
    CHECK(last == row.words);
  }
}

TEST_CASE("a stream that jumps for ever ends at the limit of work, and its replay stops there") {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_BRANCH", {{"branch_target", 0}, {"branch_cond", 0}});
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const CoreConfig config{accelerator, default_params(accelerator), {}};
  const ParsedStream stream(accelerator, words);
  StreamTrace trace;
  const auto end =
      trace_stream(trace, stream, words.size(), config, {}, Work(10 * (Work::kOperation + Work::kCommand)));
  CHECK(end.kind == StreamEnd::Kind::kParseError);
  CHECK(trace.operations == 10);
  auto program = program_of(stream, trace, config);
  for (int i = 0; i < 10; ++i) CHECK(std::holds_alternative<Pass>(program.instructions->next()->action));
  CHECK(std::holds_alternative<Stop>(program.instructions->next()->action));
}

TEST_CASE("a fault is told in the words that were executed up to it, whatever was jumped over") {
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const CoreConfig config{accelerator, default_params(accelerator), {}};
  struct Row {
    std::uint64_t target;  // bytes
    int taken;             // times that the branch jumps
    std::uint64_t ended;   // words
  };
  // A wait, a branch of two words, two waits, and in word 5 an unknown command.
  for (const Row& row :
       {Row{12, 0, 5}, Row{12, 1, 5}, Row{16, 1, 4}, Row{20, 1, 3}, Row{0, 1, 8}, Row{0, 2, 11}, Row{4, 1, 7}}) {
    std::vector<std::uint32_t> words;
    append(words, "NPU_OP_KERNEL_WAIT", {{"n", 1}});
    append(words, "NPU_OP_BRANCH", {{"branch_target", row.target}, {"branch_cond", 1}});
    for (int i = 0; i < 2; ++i) append(words, "NPU_OP_DMA_WAIT", {{"k", 1}});
    words.push_back(0x3ff);
    const ParsedStream stream(accelerator, words);
    int branches = 0;
    StreamTrace trace;
    const StreamActions actions{{}, {}, [&] { return ++branches <= row.taken; }};
    const auto end = trace_stream(trace, stream, words.size(), config, actions, Work(1 << 30));
    CAPTURE(row.target, row.taken);
    CHECK(end.kind == StreamEnd::Kind::kParseError);
    CHECK(trace.ended == row.ended);
  }
}

TEST_CASE("an operation counts as all of its steps") {
  const auto& accelerator = macaw::test::accelerator("ethos-u85-256");
  const CoreConfig config{accelerator, default_params(accelerator), {}};
  auto op = pointwise(8, 8, 256, 8, {4, 4, 8}, 4096);
  op.family = Family::kU85;
  op.ublock = {2, 2, 8};
  // Four OFM blocks, each with the IFM's channels in steps of 64.
  for (const auto& [steps, holds] : {std::pair(16, true), {15, false}}) {
    StreamTrace trace;
    Tracer tracer(trace, config, 1);
    Work work(steps * Work::kTimedStep);
    StreamOperation operation;
    operation.action = op;
    CHECK(tracer.add(operation, work).has_value() == holds);
    if (holds) CHECK(work.left() == 0);
  }
}
