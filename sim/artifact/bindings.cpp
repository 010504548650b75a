#include "sim/artifact/bindings.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

const Memory* memory_of(const Artifact& artifact, int index) {
  const auto i = static_cast<std::size_t>(index);
  return i < artifact.memories.size() ? &artifact.memories[i] : nullptr;
}

bool inside(const Memory& memory, std::uint64_t offset, std::uint64_t length) {
  return length <= memory.size && offset <= memory.size - length;
}

Result<void> check_tensor(const Artifact& artifact, const TensorBinding& tensor) {
  if (tensor.memory < 0) return {};
  MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact.file));
  const auto bad = [&](std::string why) {
    return fail(ErrorCode::kInvalidFile, std::move(why),
                {.file = artifact.file, .op = fmt::format("tensor \"{}\"", tensor.name)});
  };
  const Memory* memory = memory_of(artifact, tensor.memory);
  if (!memory) return bad("the tensor is in no memory");
  if (!inside(*memory, tensor.offset, bytes))
    return bad(
        fmt::format("{} bytes at {} are outside {} ({} bytes)", bytes, tensor.offset, memory->name, memory->size));
  return {};
}

/// A run returns a copy of each tensor, independent of its location.
Result<void> check_results(const Artifact& artifact) {
  std::uint64_t total = 0;
  for (const auto* list : {&artifact.outputs, &artifact.variables})
    for (const auto& tensor : *list) {
      MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact.file));
      if (bytes > kMaxMemory || (total += bytes) > kMaxMemory)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("with tensor \"{}\" the outputs and variables of the network take more than {} bytes",
                                tensor.name, kMaxMemory),
                    {.file = artifact.file});
    }
  return {};
}

Result<void> check_copies(const Artifact& artifact, const std::vector<OperandCopy>& copies, const std::string& name) {
  for (const auto& copy : copies)
    for (const auto* end : {&copy.from, &copy.to}) {
      const Memory* memory = memory_of(artifact, end->memory);
      if (!memory || end->size != copy.from.size || !inside(*memory, end->offset, end->size))
        return fail(ErrorCode::kInvalidFile, "an operand is not inside its memory",
                    {.file = artifact.file, .op = name});
    }
  return {};
}

Result<void> check_control(const Artifact& artifact, const ControlStep& step) {
  MACAW_CHECK(check_copies(artifact, step.copies, step.name));
  const auto bad = [&](std::string what) {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = artifact.file, .op = step.name});
  };
  for (const auto& copy : step.copies)
    if (memory_of(artifact, copy.to.memory)->read_only) return bad("an operand is written and lies in a constant");
  if (step.target > artifact.steps.size()) return bad("a jump out of the network");
  if (!step.unless) return {};
  const Memory* memory = memory_of(artifact, step.unless->memory);
  if (!memory || step.unless->size != 1 || !inside(*memory, step.unless->offset, 1))
    return bad("a condition is not inside its memory");
  return {};
}

Result<void> check_memories(const Artifact& artifact) {
  std::uint64_t total = 0;
  for (const auto& memory : artifact.memories) {
    if (memory.size > kMaxMemory || (total += memory.size) > kMaxMemory)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("with {} of {} bytes the memories of the network take more than {} bytes", memory.name,
                              memory.size, kMaxMemory),
                  {.file = artifact.file});
    if (memory.initial.size() > memory.size)
      return fail(
          ErrorCode::kInvalidFile,
          fmt::format("{} of {} bytes has {} bytes of contents", memory.name, memory.size, memory.initial.size()),
          {.file = artifact.file});
  }
  return {};
}

}  // namespace

Result<std::uint64_t> byte_size(const TensorBinding& tensor, const std::string& file) {
  const auto count = element_count(tensor.shape, tensor.element_size);
  if (!count)
    return fail(ErrorCode::kInvalidFile, count.error().message,
                {.file = file, .op = fmt::format("tensor \"{}\"", tensor.name)});
  return std::uint64_t(*count) * tensor.element_size;
}

Result<void> check_regions(const Artifact& artifact, const CommandStream& stream) {
  for (std::size_t i = 0; i < stream.regions.size(); ++i) {
    const auto& region = stream.regions[i];
    if (region.memory < 0) continue;
    const Memory* memory = memory_of(artifact, region.memory);
    if (!memory || !inside(*memory, region.offset, region.size))
      return fail(ErrorCode::kInvalidFile, fmt::format("region {} is not inside its memory", i),
                  {.file = artifact.file, .op = stream.name});
  }
  return {};
}

Result<void> check_bindings(const Artifact& artifact) {
  MACAW_CHECK(check_memories(artifact));
  const auto check = [&](const std::vector<TensorBinding>& tensors) -> Result<void> {
    for (const auto& tensor : tensors) MACAW_CHECK(check_tensor(artifact, tensor));
    return {};
  };
  for (const auto* list : {&artifact.inputs, &artifact.outputs, &artifact.variables}) MACAW_CHECK(check(*list));
  MACAW_CHECK(check_results(artifact));
  for (const auto& step : artifact.steps) {
    if (const auto* stream = std::get_if<CommandStream>(&step)) {
      MACAW_CHECK(check_regions(artifact, *stream));
      MACAW_CHECK(check_copies(artifact, stream->copies, stream->name));
    } else if (const auto* control = std::get_if<ControlStep>(&step)) {
      MACAW_CHECK(check_control(artifact, *control));
    } else {
      const auto& host = std::get<HostOperator>(step);
      MACAW_CHECK(check(host.inputs));
      MACAW_CHECK(check(host.outputs));
    }
  }
  return {};
}

}  // namespace macaw::npu
