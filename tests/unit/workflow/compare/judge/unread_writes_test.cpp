#include <catch2/catch.hpp>

#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"

// Bytes that operations write and that are not read, where the network's outputs are right.
using namespace macaw;
using namespace macaw::compare;

namespace {

constexpr std::uint64_t kUnread = 12;
constexpr std::byte kPadding{7}, kOther{9};

/// A graph that pads its input and takes the middle of it again.
Reference padded_and_sliced() {
  Reference reference;
  Tensor padded(DType::kINT8, {1, 3, 3, 3});
  std::ranges::fill(padded.data<std::int8_t>(), std::to_integer<std::int8_t>(kPadding));
  reference.tensors = {{.name = "in", .value = Tensor(DType::kINT8, {1, 1, 1, 3})},
                       {.name = "padded", .value = padded},
                       {.name = "out", .value = Tensor(DType::kINT8, {1, 1, 1, 3})}};
  reference.operators = {{.kind = "PAD", .text = "operator 0", .inputs = {0}, .outputs = {1}},
                         {.kind = "SLICE", .text = "operator 1", .inputs = {1}, .outputs = {2}}};
  reference.inputs = {0};
  reference.outputs = {2};
  return reference;
}

/// The first operation writes `bytes`, some of which are not read; the second writes the output from it and the input.
std::vector<std::string> notes_of(std::size_t bytes, std::byte value, bool of_constants) {
  const auto reference = padded_and_sliced();
  std::vector<Record> records(2);
  auto& filled = records[0];
  filled.h = static_cast<int>(bytes) / 9;
  filled.w = filled.c = 3;
  filled.contents.assign(bytes, value);
  filled.written = {0, 100, 100 + bytes - 1};
  filled.unread = kUnread;
  if (!of_constants) filled.inputs = {0};
  records[1].h = records[1].w = 1;
  records[1].c = 3;
  records[1].contents.assign(3, std::byte{0});
  records[1].written = {0, 0, 2};
  records[1].inputs = {0};
  records[1].producers = {0};
  npu::Artifact artifact;
  artifact.steps.emplace_back(npu::CommandStream{});
  artifact.inputs.resize(1);
  artifact.inputs[0].name = "in";
  const std::vector<OutputComparison> outputs{{.name = "out", .elements = 3, .index = {}}};
  const IntermediateMatches intermediate(reference);
  const auto location =
      locate(reference, artifact, *npu::find_accelerator("ethos-u85-256"), {records, intermediate, outputs, {}}, {});
  CHECK_FALSE(location.wrong);
  CHECK_FALSE(location.doubtful);
  return location.notes;
}

}  // namespace

TEST_CASE("constants that are written and not read are not noted, as little as a part of a tensor") {
  CHECK(notes_of(18, kOther, true).empty());
  CHECK(notes_of(18, kPadding, false).empty());
}

TEST_CASE("more than a tensor that is written and not read is a note beside right outputs, not a difference") {
  CHECK(notes_of(36, kOther, false) ==
        std::vector<std::string>{"command 0: 12 of the bytes that it writes are never read"});
}
