#include <catch2/catch.hpp>

#include <macaw/npu/debug_database.hpp>

#include "tests/support/checked.hpp"
#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/judge/unread_writes.hpp"
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

namespace {

/// A database that makes the whole first stream of an operator with this OFM.
std::shared_ptr<const npu::DebugDatabase> database_of(const std::string& name) {
  const auto table = [](const std::string& title, const std::string& rows) {
    return "<table name='" + title + "'><![CDATA[" + rows + "]]></table>";
  };
  const std::string text = "<debug>" + table("source", "id,operator,ofm_w,ofm_h,ofm_d\n1,Pad,3,3,3\n") +
                           table("optimised", "id,source_id,operator,ofm_w,ofm_h,ofm_d\n7,1,Pad,3,3,3\n") +
                           table("cmdstream", "id\n0\n") +
                           table("perf", "source_id,optimised_id,name\n1,7," + name + "\n") +
                           table("queue", "offset,cmdstream_id,optimised_id\n100000000,0,7\n") + "</debug>";
  return std::make_shared<const npu::DebugDatabase>(
      test::checked(npu::DebugDatabase::parse(std::as_bytes(std::span(text)), "net_debug.xml")));
}

/// The bytes in vain of an operation of 3 rows or more that writes over `overwritten` of them again.
std::uint64_t bytes_in_vain(int rows, std::uint64_t overwritten, const char* named) {
  const auto reference = padded_and_sliced();
  std::vector<Record> records(1);
  auto& record = records[0];
  record.h = rows;
  record.w = record.c = 3;
  record.contents.assign(static_cast<std::size_t>(rows) * 9, kOther);
  record.written = {0, 100, 100 + record.contents.size() - 1};
  record.unread = kUnread;
  record.overwritten = overwritten;
  record.inputs = {0};
  npu::Artifact artifact;
  artifact.steps.emplace_back(npu::CommandStream{});
  artifact.inputs.resize(1);
  artifact.inputs[0].name = "in";
  if (named != nullptr) artifact.debug = database_of(named);
  const Alignment alignment(reference, artifact, records, {}, {});
  const ConstantCheck constants;
  CandidateFinder candidates(reference, alignment, constants, records);
  const auto found = find_unread_writes({reference, artifact, records, alignment, candidates});
  return found.empty() ? 0 : found[0].bytes;
}

}  // namespace

TEST_CASE("bytes that are written again before they are read count where the database says that less is written") {
  CHECK(bytes_in_vain(4, 5, nullptr) == kUnread);
  CHECK(bytes_in_vain(4, 5, "another") == kUnread);
  CHECK(bytes_in_vain(4, 5, "padded") == kUnread + 5);  // which has 3 rows
  CHECK(bytes_in_vain(4, 0, "padded") == kUnread);
  CHECK(bytes_in_vain(4, 36 - kUnread, "padded") == 0);  // all of it: it has no reader at all
  CHECK(bytes_in_vain(4, 35 - kUnread, "padded") == 35);
}

TEST_CASE("parts of a tensor that is written rightly are not noted, whatever is read of them") {
  const auto reference = padded_and_sliced();
  std::vector<Record> records(2);
  for (std::size_t i = 0; i < records.size(); ++i) {  // one row, and two
    auto& record = records[i];
    record.h = static_cast<int>(i) + 1;
    record.w = record.c = 3;
    record.contents.assign((i + 1) * 9, kPadding);
    record.written = {0, 100 + 9 * i, 100 + 9 * i + record.contents.size() - 1};
    record.unread = 3;
    record.inputs = {0};
  }
  npu::Artifact artifact;
  artifact.inputs.resize(1);
  artifact.inputs[0].name = "in";
  const ConstantCheck constants;
  const auto found = [&] {
    const Alignment alignment(reference, artifact, records, {}, {});
    CandidateFinder candidates(reference, alignment, constants, records);
    return find_unread_writes({reference, artifact, records, alignment, candidates}).size();
  };
  CHECK(found() == 0);
  for (auto& record : records) record.contents.assign(record.contents.size() + 36, kOther);
  CHECK(found() == 2);
}
