#include <macaw/npu/external_data.hpp>

#include "executorch_generated.h"
#include "flat_tensor_generated.h"
#include "tests/unit/sim/artifact/vela_stream.hpp"

#include <algorithm>
#include <cstring>

#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::npu;
using Catch::Matchers::Contains;

namespace {

using ByteList = std::vector<std::uint8_t>;

struct Entry {
  std::string key;
  ByteList bytes;
  std::vector<std::int32_t> sizes = {};  ///< of int8; empty: not a tensor
};

/// A .ptd, its segments without gaps; `header` may change the header's four numbers.
ByteList ptd_file(const std::vector<Entry>& entries, void (*header)(std::uint64_t*) = nullptr) {
  ptd::FlatTensorT root;
  ByteList segments;
  for (const auto& entry : entries) {
    auto segment = std::make_unique<ptd::DataSegmentT>();
    segment->offset = segments.size();
    segment->size = entry.bytes.size();
    segments.insert(segments.end(), entry.bytes.begin(), entry.bytes.end());
    auto named = std::make_unique<ptd::NamedDataT>();
    named->key = entry.key;
    named->segment = static_cast<std::uint32_t>(root.segments.size());
    if (!entry.sizes.empty()) {
      named->layout = std::make_unique<ptd::TensorLayoutT>();
      named->layout->scalar_type = 1;  // CHAR
      named->layout->sizes = entry.sizes;
      for (std::uint8_t d = 0; d < entry.sizes.size(); ++d) named->layout->dim_order.push_back(d);
    }
    root.segments.push_back(std::move(segment));
    root.named_data.push_back(std::move(named));
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(ptd::FlatTensor::Pack(builder, &root), "FT01");
  // The header stands behind root and identifier.
  constexpr std::uint32_t kSize = 48;
  ByteList bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  bytes.insert(bytes.begin() + 8, kSize, 0);
  std::uint32_t offset = 0;
  std::memcpy(&offset, bytes.data(), 4);
  offset += kSize;
  std::memcpy(bytes.data(), &offset, 4);
  std::uint64_t numbers[] = {kSize, builder.GetSize(), (bytes.size() + 15) / 16 * 16, segments.size()};
  if (header) header(numbers);
  std::memcpy(bytes.data() + 8, "FH01", 4);
  const std::uint32_t length = 40;
  std::memcpy(bytes.data() + 12, &length, 4);
  std::memcpy(bytes.data() + 16, numbers, sizeof numbers);
  bytes.resize((bytes.size() + 15) / 16 * 16);
  bytes.insert(bytes.end(), segments.begin(), segments.end());
  return bytes;
}

ByteList bytes_of(const pte::ProgramT& program) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(pte::Program::Pack(builder, &program), "ET12");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

/// A program that clones int8 [3], the external tensor "net.weight"; planned: it is a mutable one with initial state.
pte::ProgramT program_of_external(bool planned) {
  pte::ProgramT program;
  auto plan = std::make_unique<pte::PlanT>();
  plan->name = "forward";
  plan->buffer_sizes = {0, 16};
  for (const bool external : {true, false}) {
    pte::TensorT tensor;
    tensor.scalar_type = pte::ScalarType::CHAR;
    tensor.sizes = {3};
    tensor.dim_order = {0};
    if (external) {
      tensor.extra = std::make_unique<pte::ExtraTensorInfoT>();
      tensor.extra->name = "net.weight";
      tensor.extra->location = 1;
    }
    if (!external || planned) {
      tensor.allocation = std::make_unique<pte::AllocationDetailsT>();
      tensor.allocation->memory_id = 1;
      tensor.allocation->offset_low = external ? 8 : 0;
    }
    auto value = std::make_unique<pte::ValueT>();
    value->value.Set(std::move(tensor));
    plan->values.push_back(std::move(value));
  }
  plan->outputs = {1};
  auto op = std::make_unique<pte::OperatorT>();
  op->name = "aten::view_copy";
  op->overload = "out";
  plan->operators.push_back(std::move(op));
  pte::KernelCallT call;
  call.args = {0, 1, 1};
  auto instruction = std::make_unique<pte::InstructionT>();
  instruction->call.Set(std::move(call));
  plan->chains.push_back(std::make_unique<pte::ChainT>());
  plan->chains[0]->instructions.push_back(std::move(instruction));
  program.plans.push_back(std::move(plan));
  return program;
}

Result<Artifact> load_with(const ByteList& program, const std::vector<ByteList>& files) {
  std::vector<ExternalData> data;
  for (const auto& file : files) data.push_back({"data.ptd", std::as_bytes(std::span(file))});
  return parse_artifact(std::as_bytes(std::span(program)), "net.pte", "", data);
}

std::string fault(const Result<Artifact>& artifact) { return artifact ? "read" : artifact.error().to_string(); }

}  // namespace

TEST_CASE("an external tensor is where the first .ptd that has its key says", "[external_data]") {
  const auto program = bytes_of(program_of_external(false));
  const auto artifact =
      load_with(program, {ptd_file({{"other", {9}}}), ptd_file({{"pad", {0, 0}}, {"net.weight", {1, 2, 3}, {3}}}),
                          ptd_file({{"net.weight", {7, 7, 7}}})});
  INFO(fault(artifact));
  REQUIRE(artifact);
  const auto& in = std::get<HostOperator>(artifact->steps.at(0)).inputs.at(0);
  const auto& memory = artifact->memories.at(std::size_t(in.memory));
  CHECK(memory.read_only);
  CHECK(memory.initial == ByteList{1, 2, 3});
  CHECK(artifact->variables.empty());
}

TEST_CASE("external initial state lies in planned memory, which is kept", "[external_data]") {
  const auto artifact = load_with(bytes_of(program_of_external(true)), {ptd_file({{"net.weight", {1, 2, 3}, {3}}})});
  INFO(fault(artifact));
  REQUIRE(artifact);
  REQUIRE(artifact->variables.size() == 1);
  const auto& variable = artifact->variables[0];
  CHECK(variable.offset == 8);
  const auto& initial = artifact->memories.at(std::size_t(variable.memory)).initial;
  CHECK(ByteList(initial.begin() + 8, initial.end()) == ByteList{1, 2, 3});
}

TEST_CASE("external data that are missing, too short or of another shape are named", "[external_data]") {
  const auto program = bytes_of(program_of_external(false));
  CHECK_THAT(fault(load_with(program, {})), Contains("\"net.weight\"; give the .ptd"));
  CHECK_THAT(fault(load_with(program, {ptd_file({{"weight", {1, 2, 3}}})})), Contains("no file has the key"));
  CHECK_THAT(fault(load_with(program, {ptd_file({{"net.weight", {1, 2}}})})), Contains("2 bytes, expected 3 bytes"));
  CHECK_THAT(fault(load_with(program, {ptd_file({{"net.weight", {1, 2, 3}, {1, 3}}})})),
             Contains("3 bytes of [1, 3], expected 3 bytes of INT8 [3]"));
  CHECK_THAT(fault(load_with(program, {program})), Contains("expected the identifier FT01"));
  const auto file = ptd_file({{"net.weight", {1, 2, 3}}});
  CHECK_THAT(fault(parse_artifact(std::as_bytes(std::span(file)), "data.ptd")), Contains("--data"));
  const std::vector<ExternalData> data = {{"data.ptd", std::as_bytes(std::span(file))}};
  const std::string npz = "PK";
  const auto other = parse_artifact(std::as_bytes(std::span(npz)), "net.npz", "", data);
  REQUIRE(!other);
  CHECK(other.error().code == ErrorCode::kUsage);
}

TEST_CASE("a .ptd that is cut off or points outside itself is refused", "[external_data]") {
  const auto program = bytes_of(program_of_external(false));
  const auto file = ptd_file({{"net.weight", {1, 2, 3}, {3}}});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto artifact = load_with(program, {ByteList(file.begin(), file.begin() + std::ptrdiff_t(size))});
    REQUIRE(!artifact);
    CHECK(artifact.error().code == ErrorCode::kInvalidFile);
  }
  const std::pair<void (*)(std::uint64_t*), const char*> faults[] = {
      {[](std::uint64_t* h) { h[0] = UINT64_MAX; }, "behind the end of the file"},
      {[](std::uint64_t* h) { h[1] += 4096; }, "behind the end of the file"},
      {[](std::uint64_t* h) { h[2] = UINT64_MAX - 1; }, "behind the end of the file"},
      {[](std::uint64_t* h) { h[3] = 1; }, "segment 0 lies behind the end of the file"},
      {[](std::uint64_t* h) { h[1] = 8; }, "malformed"}};
  for (const auto& [change, message] : faults)
    CHECK_THAT(fault(load_with(program, {ptd_file({{"net.weight", {1, 2, 3}}}, change)})), Contains(message));
  CHECK_THAT(fault(load_with(program, {ptd_file({{"", {1}}})})), Contains("0 characters"));
}

TEST_CASE("blocks of a delegate may lie outside it, under a key of 64 characters", "[external_data]") {
  const std::string key(64, 'a');
  // Weights of three words; the key stands in their place, with the flag behind the block's size.
  auto stream = test::vela_stream<std::uint8_t>({0}, {0});
  const std::string name = "weight_data";
  const auto block = std::search(stream.begin(), stream.end(), name.begin(), name.end()) - stream.begin();
  auto external = stream;
  external[std::size_t(block) + 16] = 64;
  external[std::size_t(block) + 20] = 1;
  external.erase(external.begin() + block + 32, external.begin() + block + 48);
  external.insert(external.begin() + block + 32, key.begin(), key.end());
  auto program = program_of_external(true);
  auto& plan = *program.plans[0];
  plan.values[0]->value.AsTensor()->extra.reset();
  auto backend = std::make_unique<pte::DelegateT>();
  backend->id = "EthosUBackend";
  backend->processed = std::make_unique<pte::DataReferenceT>();
  plan.delegates.push_back(std::move(backend));
  auto instruction = std::make_unique<pte::InstructionT>();
  instruction->call.Set(pte::DelegateCallT{});
  plan.chains[0]->instructions.push_back(std::move(instruction));
  auto data = std::make_unique<pte::DelegateDataT>();
  data->data = external;
  program.delegate_data.push_back(std::move(data));
  const auto weights = [](const Artifact& artifact) {
    for (const auto& memory : artifact.memories)
      if (memory.name == "delegate 0 weights") return memory.initial;
    return ByteList{};
  };
  const auto artifact = load_with(bytes_of(program), {ptd_file({{key, {5, 6, 7}}})});
  INFO(fault(artifact));
  REQUIRE(artifact);
  CHECK(weights(*artifact) == ByteList{5, 6, 7});
  CHECK_THAT(fault(load_with(bytes_of(program), {})), Contains("have the key " + key));
  program.delegate_data[0]->data[std::size_t(block) + 20] = 2;
  CHECK_THAT(fault(load_with(bytes_of(program), {})), Contains("placement 2"));
  program.delegate_data[0]->data[std::size_t(block) + 20] = 1;
  program.delegate_data[0]->data[std::size_t(block) + 32] = '\n';
  CHECK_THAT(fault(load_with(bytes_of(program), {})), Contains("is not 64 characters"));
  // The program's own data count before those of files.
  program.delegate_data[0]->data = external;
  program.segments.push_back(std::make_unique<pte::DataSegmentT>());
  program.segments[0]->offset = 4;
  program.segments[0]->size = 4;
  program.named_data.push_back(std::make_unique<pte::NamedDataT>());
  program.named_data[0]->key = key;
  const auto own = load_with(bytes_of(program), {ptd_file({{key, {5, 6, 7}}})});
  INFO(fault(own));
  REQUIRE(own);
  CHECK(weights(*own) == ByteList{'E', 'T', '1', '2'});
}
