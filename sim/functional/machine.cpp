#include "sim/functional/machine.hpp"

#include <macaw/error_context.hpp>
#include <macaw/npu/element_type.hpp>

#include "sim/artifact/bindings.hpp"
#include "sim/datapath/dma.hpp"
#include "sim/functional/host_operator.hpp"
#include "sim/isa/geometry.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Inputs and outputs must have the element size of some type; results must have a place in memory, while an input that
/// the network does not read may have none.
Result<void> check_tensor(const Artifact& artifact, const TensorBinding& binding, bool may_be_absent) {
  const auto bad = [&](std::string why) {
    return fail(ErrorCode::kInvalidFile, fmt::format("tensor '{}' {}", binding.name, why), {.file = artifact.file});
  };
  const unsigned size = binding.element_size;
  if ((size != 1 && size != 2 && size != 4 && size != 8) || size_of(element_type(binding)) != size)
    return bad(fmt::format("has elements of {} bytes", size));
  MACAW_CHECK(byte_size(binding, artifact.file));
  if (binding.memory >= 0 || may_be_absent) return {};
  return bad(artifact.format == Artifact::Format::kVelaNpz ? "has no place: the compiler wrote -1 as its offset"
                                                           : "lies in no memory");
}

/// Returns the index of the binding to which a tensor belongs.
Result<std::size_t> find_binding(std::span<const TensorBinding> bindings, const NamedTensor& tensor,
                                 std::size_t position, std::string_view kind) {
  if (tensor.name.empty()) {
    if (position < bindings.size()) return position;
    return fail(ErrorCode::kMismatch,
                fmt::format("{} {} does not exist: the network has {}", kind, position, bindings.size()));
  }
  for (std::size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].name == tensor.name) return i;
  std::string names;
  for (const auto& binding : bindings) names += (names.empty() ? "" : ", ") + binding.name;
  return fail(ErrorCode::kMismatch, fmt::format("no {} is called '{}'; there are: {}", kind, tensor.name, names));
}

/// Whether nothing ever writes to a memory and the artifact has its complete contents.
bool stays_constant(const Artifact& artifact, std::size_t index) {
  const Memory& memory = artifact.memories[index];
  if (!memory.read_only || memory.initial.size() != memory.size) return false;
  const auto holds = [&](int place) { return place >= 0 && static_cast<std::size_t>(place) == index; };
  for (const auto* bindings : {&artifact.inputs, &artifact.variables})
    if (std::ranges::any_of(*bindings, [&](const TensorBinding& b) { return holds(b.memory); })) return false;
  for (const auto& step : artifact.steps)
    if (const auto* stream = std::get_if<CommandStream>(&step))
      if (std::ranges::any_of(stream->copies, [&](const OperandCopy& c) { return holds(c.to.memory); })) return false;
  return true;
}

}  // namespace

Result<Machine> Machine::create(const Artifact& artifact, const Accelerator& accelerator, const Execution& execution) {
  if (artifact.accelerator && artifact.accelerator->name != accelerator.name)
    return fail(ErrorCode::kMismatch,
                fmt::format("compiled for {}, not {}", artifact.accelerator->name, accelerator.name),
                {.file = artifact.file});
  if (artifact.memories.empty() && artifact.outputs.empty())
    return fail(
        ErrorCode::kUnsupported,
        "a command payload alone: weights and the sizes of its memories are not in the file; macaw disasm prints "
        "its commands",
        {.file = artifact.file});
  MACAW_CHECK(check_bindings(artifact));
  for (const auto* bindings : {&artifact.inputs, &artifact.outputs, &artifact.variables})
    for (const auto& binding : *bindings) MACAW_CHECK(check_tensor(artifact, binding, bindings != &artifact.outputs));

  Machine machine(artifact, accelerator, execution);
  machine.own_.resize(artifact.memories.size());
  for (std::size_t i = 0; i < artifact.memories.size(); ++i) {
    const Memory& memory = artifact.memories[i];
    if (stays_constant(artifact, i)) {
      // Shared with other machines: write access is checked before anything is written.
      machine.memories_.emplace_back(const_cast<std::uint8_t*>(memory.initial.data()), memory.initial.size());
      continue;
    }
    machine.own_[i].resize(memory.size);
    machine.memories_.emplace_back(machine.own_[i]);
  }
  machine.internal_.resize(internal_memory_bytes(accelerator));
  machine.fill();
  return machine;
}

void Machine::fill() {
  for (std::size_t i = 0; i < own_.size(); ++i)
    if (!own_[i].empty()) std::ranges::copy(artifact_->memories[i].initial, own_[i].begin());
  for (const auto& variable : artifact_->variables) reset(variable);
}

void Machine::reset(const Execution& execution) {
  execution_ = execution;
  for (std::size_t i = 0; i < own_.size(); ++i) std::ranges::fill(own_[i], std::uint8_t{0});
  std::ranges::fill(internal_, std::uint8_t{0});
  fill();
}

Result<void> Machine::write(const TensorBinding& binding, const Tensor& tensor) {
  const std::int64_t expected = *element_count(binding.shape);
  if (tensor.size() != expected || size_of(tensor.dtype()) != binding.element_size || is_block_scale(tensor.dtype()))
    return fail(
        ErrorCode::kMismatch,
        fmt::format("tensor '{}' expects {} elements of {} bytes (shape {}), got {} {} with {} elements of {} bytes",
                    binding.name, expected, binding.element_size, macaw::to_string(binding.shape),
                    macaw::to_string(tensor.dtype()), macaw::to_string(tensor.shape()), tensor.size(),
                    size_of(tensor.dtype())));
  if (binding.memory < 0) return {};
  const auto bytes = tensor.bytes();
  auto& memory = memories_[static_cast<std::size_t>(binding.memory)];
  std::transform(bytes.begin(), bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(binding.offset),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return {};
}

void Machine::reset(const TensorBinding& variable) {
  const bool starts_at_zero_point = variable.memory >= 0 && variable.dtype == DType::kINT8 && variable.quantization &&
                                    !variable.quantization->zero_point.empty();
  if (!starts_at_zero_point) return;
  auto& memory = memories_[static_cast<std::size_t>(variable.memory)];
  std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(variable.offset), *element_count(variable.shape),
              static_cast<std::uint8_t>(variable.quantization->zero_point.front()));
}

Tensor Machine::read(const TensorBinding& binding) const {
  Tensor tensor(element_type(binding), binding.shape);
  if (binding.memory >= 0) {
    const auto& memory = memories_[static_cast<std::size_t>(binding.memory)];
    std::transform(memory.begin() + static_cast<std::ptrdiff_t>(binding.offset),
                   memory.begin() + static_cast<std::ptrdiff_t>(binding.offset + tensor.bytes().size()),
                   tensor.bytes().begin(), [](std::uint8_t b) { return std::byte{b}; });
  }
  return tensor;
}

Result<void> Machine::set_input(std::size_t index, const Tensor& tensor) {
  if (index >= artifact_->inputs.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("input {} does not exist: the network has {}", index, artifact_->inputs.size()));
  return write(artifact_->inputs[index], tensor);
}

Result<void> Machine::set_inputs(std::span<const NamedTensor> tensors) {
  std::vector<bool> given(artifact_->inputs.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    MACAW_ASSIGN(const std::size_t index, find_binding(artifact_->inputs, tensors[i], i, "input"));
    if (given[index])
      return fail(ErrorCode::kMismatch, fmt::format("input '{}' is given twice", artifact_->inputs[index].name));
    MACAW_CHECK(set_input(index, tensors[i].tensor));
    given[index] = true;
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!given[i] && artifact_->inputs[i].memory >= 0)
      return fail(
          ErrorCode::kMismatch,
          fmt::format("input {} '{}' (shape {}, {} bytes per element) is not given", i, artifact_->inputs[i].name,
                      macaw::to_string(artifact_->inputs[i].shape), artifact_->inputs[i].element_size));
  return {};
}

Result<void> Machine::set_variables(std::span<const NamedTensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    MACAW_ASSIGN(const std::size_t index, find_binding(artifact_->variables, tensors[i], i, "variable"));
    MACAW_CHECK(write(artifact_->variables[index], tensors[i].tensor));
  }
  return {};
}

Tensor Machine::output(std::size_t index) const { return read(artifact_->outputs.at(index)); }
Tensor Machine::variable(std::size_t index) const { return read(artifact_->variables.at(index)); }

void Machine::copy(std::span<const OperandCopy> copies) {
  for (const auto& [from, to] : copies) {
    const auto source = bytes({from.memory, from.offset, from.size});
    if (!source.empty())
      std::memmove(memories_.at(static_cast<std::size_t>(to.memory)).data() + to.offset, source.data(), source.size());
  }
}

Result<void> Machine::start(const CommandStream& stream) {
  MACAW_CHECK(check_regions(*artifact_, stream));
  copy(stream.copies);
  bindings_ = stream.regions;
  map_ = {};
  map_.internal = internal_;
  *core_ = {};
  map_.core = core_.get();
  for (std::size_t r = 0; r < bindings_.size(); ++r) {
    const RegionBinding& binding = bindings_[r];
    if (binding.memory < 0) continue;
    const auto index = static_cast<std::size_t>(binding.memory);
    map_.regions[r] = {memories_[index].subspan(binding.offset, binding.size), true,
                       !artifact_->memories[index].read_only};
  }
  return {};
}

Result<void> Machine::check(const BlockOperation& operation) const {
  return check_addresses(operation, *accelerator_, map_);
}

Result<void> Machine::check(const DmaOperation& operation) const { return check_addresses(operation, map_); }

Result<void> Machine::prepare(const BlockOperation& operation) const {
  if (!execution_.weights || !operation.has_weights()) return {};
  for (const Stream& stream : operation.weights) {
    const auto region = static_cast<std::size_t>(stream.region);
    if (stream.length > 0 && region < map_.regions.size() && map_.regions[region].writable) return {};
  }
  MACAW_CHECK(execution_.weights->get(operation, *accelerator_, map_, execution_.scalar));
  return {};
}

Result<Footprint> Machine::execute(const BlockOperation& operation) {
  return npu::execute(operation, *accelerator_, map_, execution_);
}

Result<ByteRange> Machine::execute(const DmaOperation& operation) { return npu::execute(operation, map_); }

Result<std::int64_t> Machine::execute(const HostOperator& operation, const HostOperators* host, std::int64_t max_work) {
  return run_host_operator(operation, host, artifact_->memories, memories_, max_work)
      .map_error(at({.file = artifact_->file}));
}

MemoryRange Machine::locate(int region, const ByteRange& range) const {
  const RegionBinding& binding = bindings_.at(static_cast<std::size_t>(region));
  return {binding.memory, binding.offset + range.first, range.last - range.first};
}

std::span<const std::uint8_t> Machine::bytes(const MemoryRange& range) const {
  if (range.memory < 0) return {};
  return std::span<const std::uint8_t>(memories_.at(static_cast<std::size_t>(range.memory)))
      .subspan(range.offset, range.length);
}

}  // namespace macaw::npu
