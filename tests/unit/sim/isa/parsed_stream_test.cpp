#include "sim/isa/parsed_stream.hpp"

#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

void append(std::vector<std::uint32_t>& words, std::string_view name, std::vector<FieldValue> fields) {
  const auto* row = find_command(Family::kU85, name);
  REQUIRE(row);
  const auto command = encode(*row, fields);
  REQUIRE(command);
  words.push_back(command->word0);
  if (row->words() == 2) words.push_back(command->payload);
}

/// A wait, a branch to the stop, a wait that is jumped over, the stop.
std::vector<std::uint32_t> branching() {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_KERNEL_WAIT", {{"n", 1}});
  append(words, "NPU_OP_BRANCH", {{"branch_target", 16}, {"branch_cond", 1}});
  append(words, "NPU_OP_DMA_WAIT", {{"k", 1}});
  append(words, "NPU_OP_STOP", {{"mask", 7}});
  return words;
}

std::vector<std::uint32_t> indices(StreamReader reader, bool jump) {
  std::vector<std::uint32_t> read;
  for (;;) {
    const auto operation = reader.next();
    REQUIRE(operation);
    read.push_back((*operation)->index);
    if (std::holds_alternative<StreamStop>((*operation)->action)) return read;
    if (const auto* branch = std::get_if<Branch>(&(*operation)->action); branch && jump)
      REQUIRE(reader.branch(branch->target));
  }
}

}  // namespace

TEST_CASE("a stream is read ahead as far as its first branch", "[isa]") {
  const auto words = branching();
  const ParsedStream stream(accelerator("ethos-u85-256"), words);
  CHECK(stream.operations().size() == 2);
  CHECK(stream.branches());
}

TEST_CASE("a reader follows a branch or passes it, and every reader begins anew", "[isa]") {
  const auto words = branching();
  const ParsedStream stream(accelerator("ethos-u85-256"), words);
  CHECK(indices(StreamReader(stream), true) == std::vector<std::uint32_t>{0, 1, 3});
  CHECK(indices(StreamReader(stream), false) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(indices(StreamReader(stream), true) == std::vector<std::uint32_t>{0, 1, 3});
}

TEST_CASE("words after the stop are not read ahead", "[isa]") {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_STOP", {});
  words.push_back(0xffffffff);
  const ParsedStream stream(accelerator("ethos-u85-256"), words);
  CHECK(stream.operations().size() == 1);
  CHECK_FALSE(stream.branches());
}

TEST_CASE("a command that cannot be read is met after what comes before it", "[isa]") {
  std::vector<std::uint32_t> words;
  append(words, "NPU_OP_KERNEL_WAIT", {{"n", 1}});
  words.push_back(0xffffffff);
  const ParsedStream stream(accelerator("ethos-u85-256"), words);
  StreamReader reader(stream);
  CHECK(reader.next());
  for (int again = 0; again < 2; ++again) {
    const auto bad = reader.next();
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == macaw::ErrorCode::kHardwareFault);
    CHECK(bad.error().place.command_index == 1u);
  }
}
