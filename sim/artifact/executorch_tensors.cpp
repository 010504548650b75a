#include "sim/artifact/executorch_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/flatbuffer_values.hpp"
#include "sim/artifact/bindings.hpp"

namespace macaw::npu {
namespace {

constexpr std::size_t kHeaderOffset = 8;
constexpr std::string_view kHeaderMagic = "eh00";
constexpr std::size_t kMaxRank = 16;  // kTensorDimensionLimit of the runtime
constexpr std::size_t kMaxNamedData = 65536;
constexpr std::size_t kMaxOperands = std::size_t{1} << 19;       // of all calls of a program
constexpr std::size_t kMaxArgumentBytes = std::size_t{1} << 26;  // of all arguments that are not tensors
constexpr int kUnboundShape = 2;                                 // TensorShapeDynamism of schema/program.fbs

bool is_external(const pte::Tensor& tensor) { return tensor.extra() && tensor.extra()->location() != 0; }

std::string key_of(const pte::Tensor& tensor) {
  return tensor.extra() && tensor.extra()->name() ? tensor.extra()->name()->str() : "";
}

}  // namespace

Result<void> ProgramTensors::open(const std::string& method) {
  budget_ = bytes_.size();
  for (const auto& file : data_) budget_ += file.bytes.size();
  MACAW_CHECK(read_header());
  MACAW_CHECK(read_named_data());
  MACAW_CHECK(choose(method));
  return add_memories();
}

/// The extended header states where the flatbuffer ends and the segments begin.
Result<void> ProgramTensors::read_header() {
  std::uint64_t program_size = bytes_.size();
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  };
  constexpr std::size_t kHeaderBytes = 24;  // magic, length, program size, segment base
  if (bytes_.size() >= kHeaderOffset + kHeaderBytes &&
      std::memcmp(bytes_.data() + kHeaderOffset, kHeaderMagic.data(), kHeaderMagic.size()) == 0) {
    program_size = word(kHeaderOffset + 8);
    segment_base_ = word(kHeaderOffset + 16);
    if (program_size > bytes_.size() || segment_base_ > bytes_.size())
      return invalid("the extended header points behind the end of the file");
  }
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes_.data()), program_size);
  if (!verifier.VerifyBuffer<pte::Program>("ET12")) return invalid("not a valid ExecuTorch program of version ET12");
  program_ = pte::GetProgram(bytes_.data());
  return {};
}

/// The program's own data take precedence, as in the runtime (runtime/executor/method.cpp).
Result<void> ProgramTensors::read_named_data() {
  if (count(program_->named_data()) > kMaxNamedData)
    return unsupported(fmt::format("{} keys of named data", count(program_->named_data())));
  for (std::size_t i = 0; i < count(program_->named_data()); ++i) {
    const auto* entry = program_->named_data()->Get(unsigned(i));
    if (!entry->key()) return invalid(fmt::format("named data {} have no key", i));
    MACAW_ASSIGN(const auto bytes, segment(entry->segment()));
    if (!named_.add(entry->key()->str(), {.bytes = bytes}))
      return invalid(fmt::format("named data {} have the key \"{}\" of earlier ones", i, entry->key()->str()));
  }
  for (const auto& file : data_) MACAW_CHECK(named_.add_file(file));
  return {};
}

Result<void> ProgramTensors::choose(const std::string& method) {
  if (count(program_->plans()) == 0) return invalid("there is no method");
  std::vector<std::string> names;
  for (const auto* plan : *program_->plans()) {
    names.push_back(plan->name() ? plan->name()->str() : std::string());
    if (!plan_ && (method.empty() || names.back() == method)) plan_ = plan;
  }
  if (plan_) return {};
  return fail(ErrorCode::kUsage, fmt::format("there is no method \"{}\", only {}", method, fmt::join(names, ", ")),
              {.file = artifact_.file});
}

Result<std::span<const std::byte>> ProgramTensors::segment(std::uint64_t index) const {
  if (index >= count(program_->segments())) return invalid(fmt::format("segment {} does not exist", index));
  const auto* s = program_->segments()->Get(unsigned(index));
  const std::uint64_t room = bytes_.size() - segment_base_;
  if (s->offset() > room || s->size() > room - s->offset())
    return invalid(fmt::format("segment {} lies behind the end of the file", index));
  return bytes_.subspan(segment_base_ + s->offset(), s->size());
}

Result<int> ProgramTensors::add_bytes(std::string name, std::span<const std::byte> bytes) {
  const std::pair key{bytes.data(), bytes.size()};
  if (const auto place = places_.find(key); place != places_.end()) return place->second;
  if (bytes.size() > budget_) return unsupported(fmt::format("the bytes of {} overlap those of other data", name));
  budget_ -= bytes.size();
  return places_[key] = add_constant(std::move(name), bytes);
}

const TensorBinding* ProgramTensors::find_argument(std::int64_t index, Form form) const {
  const auto found = arguments_.find({index, form});
  return found == arguments_.end() ? nullptr : &found->second;
}

Result<TensorBinding> ProgramTensors::add_argument(std::int64_t index, Form form, TensorBinding binding,
                                                   std::span<const std::byte> bytes) {
  argument_bytes_ += bytes.size();
  if (argument_bytes_ > kMaxArgumentBytes)
    return unsupported(fmt::format("arguments of more than {} bytes", kMaxArgumentBytes));
  binding.memory = add_constant(binding.name, bytes);
  return arguments_.insert_or_assign({index, form}, std::move(binding)).first->second;
}

Result<void> ProgramTensors::account_operands(std::size_t number) {
  if (number > kMaxOperands - operands_)
    return unsupported(fmt::format("calls with more than {} operands in all", kMaxOperands));
  operands_ += number;
  return {};
}

int ProgramTensors::add_constant(std::string name, std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  artifact_.memories.push_back(
      {.name = std::move(name), .size = bytes.size(), .initial = {data, data + bytes.size()}, .read_only = true});
  return int(artifact_.memories.size()) - 1;
}

/// Planned memory is numbered from 1.
Result<void> ProgramTensors::add_memories() {
  std::uint64_t total = 0;
  for (std::size_t i = 1; i < count(plan_->buffer_sizes()); ++i) {
    const auto size = io::value_at(*plan_->buffer_sizes(), i);
    if (size < 0 || std::uint64_t(size) > kMaxMemory || (total += std::uint64_t(size)) > kMaxMemory)
      return invalid(fmt::format("buffer {} has {} bytes", i, size));
    planned_.push_back(int(artifact_.memories.size()));
    artifact_.memories.push_back({.name = fmt::format("planned {}", i), .size = std::uint64_t(size)});
  }
  const auto* constants = program_->constant_segment();
  if (!constants || count(constants->offsets()) < 2) return {};
  MACAW_ASSIGN(const auto bytes, segment(constants->segment()));
  constants_ = add_constant("constants", bytes);
  return {};
}

const pte::Value* ProgramTensors::value(std::int64_t index) const {
  if (index < 0 || std::uint64_t(index) >= count(plan_->values())) return nullptr;
  return plan_->values()->Get(unsigned(index));
}

const pte::Tensor* ProgramTensors::tensor(std::int64_t index) const {
  const auto* v = value(index);
  return v ? v->value_as_Tensor() : nullptr;
}

Result<TensorBinding> ProgramTensors::binding(std::int64_t index) {
  const auto* t = tensor(index);
  if (!t) return invalid(fmt::format("value {} is not a tensor", index));
  TensorBinding out;
  out.name = fmt::format("value_{}", index);
  if (t->storage_offset() != 0)
    return unsupported(fmt::format("value {} has the storage offset {}, expected 0", index, t->storage_offset()));
  if (t->dynamism() == kUnboundShape) return unsupported(fmt::format("value {} has a shape without bounds", index));
  if (count(t->sizes()) > kMaxRank)
    return unsupported(fmt::format("value {} has rank {}, expected at most {}", index, count(t->sizes()), kMaxRank));
  const auto shape = shape_in_memory(*t);
  if (!shape) return invalid(fmt::format("value {} has no valid shape or order of dimensions", index));
  out.shape = *shape;
  out.dtype = dtype_of(t->scalar_type());
  if (!out.dtype)
    return unsupported(fmt::format("value {} has elements of ScalarType {}", index, int(t->scalar_type())));
  out.element_size = unsigned(size_of(*out.dtype));
  if (const auto* place = t->allocation()) {
    if (place->memory_id() == 0 || place->memory_id() > planned_.size())
      return invalid(fmt::format("value {} is in buffer {}", index, place->memory_id()));
    out.memory = planned_[place->memory_id() - 1];
    out.offset = std::uint64_t{place->offset_high()} << 32 | place->offset_low();
    if (t->data_buffer() != 0 || is_external(*t)) MACAW_CHECK(set_initial_state(*t, out));
  } else if (is_external(*t)) {
    MACAW_CHECK(place_external(out, *t));
  } else if (t->data_buffer() != 0) {
    MACAW_CHECK(place_constant(out, t->data_buffer(), index));
  } else {
    MACAW_CHECK(place_alone(out, index));
  }
  return out;
}

Result<const NamedBytes*> ProgramTensors::external(const pte::Tensor& tensor, const TensorBinding& binding) const {
  const auto key = key_of(tensor);
  if (key.empty()) return invalid(fmt::format("{} has external data without a name", binding.name));
  const auto* found = named_.find(key);
  if (!found)
    return fail(ErrorCode::kMismatch,
                fmt::format("{} is external data: {} \"{}\"; give the .ptd that the program was exported with: --data "
                            "FILE.ptd",
                            binding.name, data_.empty() ? "the program does not have" : "no file has the key", key),
                {.file = artifact_.file});
  MACAW_ASSIGN(const auto size, byte_size(binding, artifact_.file));
  const auto& layout = found->layout;
  if (found->bytes.size() < size ||
      (layout && (layout->scalar_type != int(tensor.scalar_type()) || layout->shape != binding.shape)))
    return invalid(fmt::format("the external data \"{}\" do not fit {}: {} bytes{}, expected {} bytes of {} {}", key,
                               binding.name, found->bytes.size(),
                               layout ? fmt::format(" of {}", macaw::to_string(layout->shape)) : "", size,
                               macaw::to_string(*binding.dtype), macaw::to_string(binding.shape)));
  return found;
}

/// The runtime uses the first list of segments, whatever a tensor states.
Result<std::span<const std::byte>> ProgramTensors::initial_state(const pte::Tensor& tensor,
                                                                 const TensorBinding& binding) const {
  if (is_external(tensor)) {
    MACAW_ASSIGN(const auto* data, external(tensor, binding));
    return data->bytes;
  }
  const auto* lists = program_->mutable_data_segments();
  const auto* offsets = count(lists) > 0 ? lists->Get(0)->offsets() : nullptr;
  if (tensor.data_buffer() >= count(offsets))
    return invalid(fmt::format("{}: the file has no initial state {}", binding.name, tensor.data_buffer()));
  MACAW_ASSIGN(const auto bytes, segment(lists->Get(0)->segment()));
  const auto first = io::value_at(*offsets, tensor.data_buffer());
  if (first > bytes.size())
    return invalid(fmt::format("{}: its initial state lies behind the end of its segment", binding.name));
  return bytes.subspan(first);
}

Result<void> ProgramTensors::set_initial_state(const pte::Tensor& tensor, const TensorBinding& binding) {
  MACAW_ASSIGN(const auto bytes, initial_state(tensor, binding));
  MACAW_ASSIGN(const auto size, byte_size(binding, artifact_.file));
  auto& memory = artifact_.memories[std::size_t(binding.memory)];
  if (size > bytes.size())
    return invalid(fmt::format("{}: its initial state lies behind the end of its segment", binding.name));
  if (binding.offset > memory.size || size > memory.size - binding.offset)
    return invalid(fmt::format("{} lies behind the end of memory '{}'", binding.name, memory.name));
  memory.initial.resize(std::max<std::size_t>(memory.initial.size(), binding.offset + size));
  if (size > 0) std::memcpy(memory.initial.data() + binding.offset, bytes.data(), size);
  return {};
}

Result<void> ProgramTensors::place_constant(TensorBinding& out, std::uint32_t buffer, std::int64_t index) {
  if (constants_ >= 0) {
    const auto* offsets = program_->constant_segment()->offsets();
    if (buffer >= offsets->size()) return invalid(fmt::format("value {} is constant {}", index, buffer));
    out.memory = constants_;
    out.offset = io::value_at(*offsets, buffer);
    return {};
  }
  if (buffer >= count(program_->constant_buffers()))
    return invalid(fmt::format("value {} is constant {}", index, buffer));
  const auto* storage = program_->constant_buffers()->Get(buffer)->storage();
  MACAW_ASSIGN(out.memory,
               add_bytes(fmt::format("constant {}", buffer),
                         {reinterpret_cast<const std::byte*>(storage ? storage->data() : nullptr), count(storage)}));
  return {};
}

Result<void> ProgramTensors::place_external(TensorBinding& out, const pte::Tensor& tensor) {
  MACAW_ASSIGN(const auto* data, external(tensor, out));
  MACAW_ASSIGN(out.memory, add_bytes(key_of(tensor), data->bytes));
  return {};
}

/// Places a tensor whose address is chosen by the caller or the runtime.
Result<void> ProgramTensors::place_alone(TensorBinding& out, std::int64_t index) {
  MACAW_ASSIGN(const auto size, byte_size(out, artifact_.file));
  if (size > kMaxMemory) return invalid(fmt::format("value {} has {} bytes", index, size));
  const auto [place, fresh] = alone_.try_emplace(index, int(artifact_.memories.size()));
  if (fresh) artifact_.memories.push_back({.name = out.name, .size = size});
  out.memory = place->second;
  return {};
}

}  // namespace macaw::npu
