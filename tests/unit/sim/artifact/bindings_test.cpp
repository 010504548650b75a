#include "sim/artifact/bindings.hpp"

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/element_type.hpp>

#include <catch2/catch.hpp>

// Where tensors, regions and copies of a network may lie, to the last byte; and what a network is run as.
using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr std::uint64_t kSize = 64, kMost = ~std::uint64_t{0};

struct Place {
  std::uint64_t offset, size;
  bool inside;
};
constexpr Place kPlaces[] = {{0, 64, true},          {0, 65, false},        {63, 1, true},         {64, 0, true},
                             {64, 1, false},         {65, 0, false},        {1, 64, false},        {kMost, 0, false},
                             {kMost, 1, false},      {kMost - 7, 8, false}, {8, kMost - 7, false}, {0, kMost, false},
                             {kMost - 63, 64, false}};

/// Two memories and a stream that names neither.
Artifact network() {
  Artifact artifact;
  artifact.file = "net";
  artifact.memories = {{.name = "a", .size = kSize}, {.name = "b", .size = 2 * kSize}};
  CommandStream stream;
  stream.name = "job";
  artifact.steps.emplace_back(stream);
  return artifact;
}
CommandStream& job(Artifact& artifact) { return std::get<CommandStream>(artifact.steps[0]); }

TensorBinding bytes_at(std::uint64_t offset, std::int64_t bytes, int memory = 0) {
  TensorBinding tensor;
  tensor.name = "t";
  tensor.shape = {bytes};
  tensor.memory = memory;
  tensor.offset = offset;
  return tensor;
}

std::optional<ErrorCode> refusal(const Artifact& artifact) {
  const auto done = check_bindings(artifact);
  return done ? std::nullopt : std::optional(done.error().code);
}

}  // namespace

TEST_CASE("regions lie inside their memory to its last byte, wherever they begin", "[artifact]") {
  for (const std::size_t region : {0u, 7u})
    for (const auto& [offset, size, inside] : kPlaces) {
      INFO(region << ": " << size << " at " << offset);
      auto artifact = network();
      job(artifact).regions[region] = {0, offset, size};
      CHECK(check_regions(artifact, job(artifact)).has_value() == inside);
      CHECK(refusal(artifact).has_value() != inside);
      job(artifact).regions[region].memory = -1;
      CHECK_FALSE(refusal(artifact));
      job(artifact).regions[region] = {2, 0, 0};
      CHECK(refusal(artifact) == ErrorCode::kInvalidFile);
    }
}

TEST_CASE("outputs and variables together take as much as memories may", "[artifact]") {
  auto artifact = network();
  artifact.memories = {{.name = "a", .size = kMaxMemory}};
  artifact.outputs = {bytes_at(0, std::int64_t{kMaxMemory})};
  CHECK_FALSE(refusal(artifact));
  artifact.variables = {bytes_at(0, 1)};
  CHECK(refusal(artifact) == ErrorCode::kUnsupported);
  artifact.outputs = {bytes_at(0, std::int64_t{kMaxMemory} - 1)};
  CHECK_FALSE(refusal(artifact));
}

TEST_CASE("both ends of a copy lie inside their memories and have one size", "[artifact]") {
  for (const auto& [offset, size, inside] : kPlaces) {
    INFO(size << " at " << offset);
    auto artifact = network();
    job(artifact).copies = {{{0, offset, size}, {1, 0, size}}};
    CHECK(refusal(artifact).has_value() != inside);
    job(artifact).copies = {{{1, 0, size}, {0, offset, size}}};
    CHECK(refusal(artifact).has_value() != inside);
  }
  auto artifact = network();
  for (const std::uint64_t size : {15u, 16u, 17u}) {
    job(artifact).copies = {{{0, 0, 16}, {1, 0, size}}};
    CHECK(refusal(artifact).has_value() == (size != 16));
  }
  job(artifact).copies = {{{0, 0, 16}, {2, 0, 16}}};
  CHECK(refusal(artifact) == ErrorCode::kInvalidFile);
  job(artifact).copies = {{{-1, 0, 16}, {0, 0, 16}}};
  CHECK(refusal(artifact) == ErrorCode::kInvalidFile);
}

TEST_CASE("tensors lie inside their memory, also those of operators of the CPU", "[artifact]") {
  const auto lists = [](Artifact& artifact) {
    auto& host = std::get<HostOperator>(artifact.steps.emplace_back(HostOperator{}));
    return std::array{&artifact.inputs, &artifact.outputs, &artifact.variables, &host.inputs, &host.outputs};
  };
  for (std::size_t list = 0; list < 5; ++list)
    for (const auto& [offset, size, inside] : kPlaces) {
      if (size > kSize + 1) continue;
      INFO(list << ": " << size << " at " << offset);
      auto artifact = network();
      lists(artifact)[list]->push_back(bytes_at(offset, static_cast<std::int64_t>(size)));
      CHECK(refusal(artifact).has_value() != inside);
    }
  auto artifact = network();
  artifact.inputs = {bytes_at(0, 16)};
  artifact.inputs[0].element_size = 4;
  CHECK_FALSE(refusal(artifact));
  artifact.inputs[0].element_size = 8;
  CHECK(refusal(artifact) == ErrorCode::kInvalidFile);
  artifact.inputs = {bytes_at(0, 16, 2)};
  CHECK(refusal(artifact) == ErrorCode::kInvalidFile);
  artifact.inputs = {bytes_at(99, 16, -1)};
  CHECK_FALSE(refusal(artifact));
  artifact.inputs[0].shape = {-1};
  CHECK_FALSE(byte_size(artifact.inputs[0], "net"));
}

TEST_CASE("memories hold their contents, and all of them no more than a network may", "[artifact]") {
  auto artifact = network();
  artifact.memories[0].initial.resize(kSize);
  CHECK_FALSE(refusal(artifact));
  artifact.memories[0].initial.resize(kSize + 1);
  CHECK(refusal(artifact) == ErrorCode::kInvalidFile);
  artifact = network();
  artifact.memories[1].size = kMaxMemory - kSize;
  CHECK_FALSE(refusal(artifact));
  artifact.memories[1].size += 1;
  CHECK(refusal(artifact) == ErrorCode::kUnsupported);
  artifact.memories = {{.name = "a", .size = kMaxMemory}};
  CHECK_FALSE(refusal(artifact));
  artifact.memories[0].size = kMost;
  CHECK(refusal(artifact) == ErrorCode::kUnsupported);
  artifact.memories = {{.name = "a", .size = 1}, {.name = "b", .size = kMost}};
  CHECK(refusal(artifact) == ErrorCode::kUnsupported);
}

TEST_CASE("results are copies: all outputs and variables together fit memory", "[artifact]") {
  auto artifact = network();
  artifact.memories = {{.name = "a", .size = kMaxMemory}};
  artifact.outputs = {bytes_at(0, kMaxMemory / 2)};
  artifact.variables = {bytes_at(0, kMaxMemory / 2)};
  CHECK_FALSE(refusal(artifact));
  artifact.outputs.push_back(bytes_at(0, 1));
  CHECK(refusal(artifact) == ErrorCode::kUnsupported);
  artifact.outputs = {bytes_at(0, kMaxMemory / 2), bytes_at(0, kMaxMemory / 2)};
  CHECK(refusal(artifact) == ErrorCode::kUnsupported);
}

TEST_CASE("an accelerator is the network's or the one that is named, and never another than the network's") {
  const auto *u55 = find_accelerator("ethos-u55-128"), *u85 = find_accelerator("ethos-u85-256");
  auto artifact = network();
  const auto chosen = [&](const std::string& name) { return choose_accelerator(artifact, name); };
  CHECK(chosen("").error().code == ErrorCode::kMismatch);
  CHECK(chosen("ethos-u85-256").value() == u85);
  CHECK(chosen("ethos-u85-255").error().code == ErrorCode::kUsage);
  artifact.accelerator = u55;
  CHECK(chosen("").value() == u55);
  CHECK(chosen("ethos-u55-128").value() == u55);
  CHECK(chosen("ethos-u85-256").error().code == ErrorCode::kMismatch);
  artifact.accelerator = nullptr;
  const auto compiled = chosen("").error().message;
  artifact.steps = {HostOperator{}};
  CHECK(chosen("").error().message != compiled);  // not compiled
  CHECK(chosen("ethos-u85-256").value() == u85);
}

TEST_CASE("elements without a type are integers with a sign, of their width") {
  TensorBinding tensor;
  for (const auto& [size, type] :
       {std::pair{1u, DType::kINT8}, {2u, DType::kINT16}, {4u, DType::kINT32}, {8u, DType::kINT64}}) {
    tensor.element_size = size;
    CHECK(element_type(tensor) == type);
  }
  tensor.dtype = DType::kUINT16;
  CHECK(element_type(tensor) == DType::kUINT16);
}
