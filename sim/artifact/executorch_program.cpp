#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/flatbuffer_values.hpp"
#include "sim/artifact/executorch_tensor.hpp"
#include "sim/artifact/loader.hpp"
#include "sim/artifact/state.hpp"

// ExecuTorch programs with Ethos-U delegates (pytorch/executorch schema/program.fbs and extended_header.h,
// backends/arm/runtime/EthosUBackend.cpp). A delegate call becomes copies into its scratch
// memory, its command streams, and copies out of it; a kernel call becomes an operator of the CPU.
namespace macaw::npu {
namespace {

constexpr std::size_t kHeaderOffset = 8;
constexpr std::string_view kHeaderMagic = "eh00", kBackend = "EthosUBackend";

template <class T>
std::size_t count(const flatbuffers::Vector<T>* list) {
  return list ? list->size() : 0;
}

class ProgramLoader {
 public:
  ProgramLoader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {
    artifact_.file = file;
    artifact_.format = Artifact::Format::kExecuTorch;
  }

  /// An empty name is the first method.
  Result<Artifact> load(const std::string& method) {
    MACAW_CHECK(open());
    MACAW_CHECK(choose(method));
    MACAW_CHECK(add_memories());
    MACAW_CHECK(add_bindings(plan_->inputs(), "input", artifact_.inputs));
    MACAW_CHECK(add_bindings(plan_->outputs(), "output", artifact_.outputs));
    for (std::size_t c = 0; c < count(plan_->chains()); ++c) {
      const auto* instructions = plan_->chains()->Get(unsigned(c))->instructions();
      for (std::size_t i = 0; i < count(instructions); ++i) MACAW_CHECK(add(*instructions->Get(unsigned(i))));
    }
    MACAW_CHECK(add_state(artifact_, planned_));
    MACAW_CHECK(check_bindings(artifact_));
    return std::move(artifact_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> invalid(std::string what) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = file_});
  }
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string what) const {
    return fail(ErrorCode::kUnsupported, std::move(what), {.file = file_});
  }

  Result<void> choose(const std::string& method) {
    if (count(program_->plans()) == 0) return invalid("there is no method");
    std::vector<std::string> names;
    for (const auto* plan : *program_->plans()) {
      names.push_back(plan->name() ? plan->name()->str() : std::string());
      if (!plan_ && (method.empty() || names.back() == method)) plan_ = plan;
    }
    if (plan_) return {};
    return fail(ErrorCode::kUsage, fmt::format("there is no method \"{}\", only {}", method, fmt::join(names, ", ")),
                {.file = file_});
  }

  /// The extended header says where the flatbuffer ends and the segments begin.
  Result<void> open() {
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

  Result<std::span<const std::byte>> segment(std::uint64_t index) const {
    if (index >= count(program_->segments())) return invalid(fmt::format("segment {} does not exist", index));
    const auto* s = program_->segments()->Get(unsigned(index));
    const std::uint64_t room = bytes_.size() - segment_base_;
    if (s->offset() > room || s->size() > room - s->offset())
      return invalid(fmt::format("segment {} lies behind the end of the file", index));
    return bytes_.subspan(segment_base_ + s->offset(), s->size());
  }

  int add_constant(std::string name, std::span<const std::byte> bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    artifact_.memories.push_back(
        {.name = std::move(name), .size = bytes.size(), .initial = {data, data + bytes.size()}, .read_only = true});
    return int(artifact_.memories.size()) - 1;
  }

  /// Planned memory is numbered from 1.
  Result<void> add_memories() {
    for (std::size_t i = 1; i < count(plan_->buffer_sizes()); ++i) {
      const auto size = io::value_at(*plan_->buffer_sizes(), i);
      if (size < 0 || std::uint64_t(size) > kMaxMemory) return invalid(fmt::format("buffer {} has {} bytes", i, size));
      planned_.push_back(int(artifact_.memories.size()));
      artifact_.memories.push_back({.name = fmt::format("planned {}", i), .size = std::uint64_t(size)});
    }
    const auto* constants = program_->constant_segment();
    if (!constants || count(constants->offsets()) < 2) return {};
    MACAW_ASSIGN(const auto bytes, segment(constants->segment()));
    constants_ = add_constant("constants", bytes);
    return {};
  }

  [[nodiscard]] const pte::Value* value(std::int64_t index) const {
    if (index < 0 || std::uint64_t(index) >= count(plan_->values())) return nullptr;
    return plan_->values()->Get(unsigned(index));
  }
  [[nodiscard]] const pte::Tensor* tensor(std::int64_t index) const {
    const auto* v = value(index);
    return v ? v->value_as_Tensor() : nullptr;
  }

  Result<TensorBinding> binding(std::int64_t index) {
    const auto* t = tensor(index);
    if (!t) return invalid(fmt::format("value {} is not a tensor", index));
    TensorBinding out;
    out.name = fmt::format("value_{}", index);
    const auto shape = shape_in_memory(*t);
    if (!shape) return invalid(fmt::format("value {} has no valid shape", index));
    out.shape = *shape;
    out.dtype = dtype_of(t->scalar_type());
    if (!out.dtype)
      return unsupported(fmt::format("value {} has elements of ScalarType {}", index, int(t->scalar_type())));
    out.element_size = unsigned(size_of(*out.dtype));
    if (t->extra() && t->extra()->location() != 0)
      return unsupported(fmt::format("value {} lies outside the file", index));
    if (const auto* place = t->allocation()) {
      if (place->memory_id() == 0 || place->memory_id() > planned_.size())
        return invalid(fmt::format("value {} is in buffer {}", index, place->memory_id()));
      out.memory = planned_[place->memory_id() - 1];
      out.offset = std::uint64_t{place->offset_high()} << 32 | place->offset_low();
      if (t->data_buffer() != 0) MACAW_CHECK(set_initial_state(out, t->data_buffer()));
    } else if (t->data_buffer() != 0) {
      MACAW_CHECK(place_constant(out, t->data_buffer(), index));
    } else {
      MACAW_CHECK(place_alone(out, index));
    }
    return out;
  }

  /// The runtime takes the first list of segments, whatever a tensor says
  /// (runtime/executor/tensor_parser_exec_aten.cpp).
  Result<void> set_initial_state(const TensorBinding& tensor, std::uint32_t buffer) {
    const auto* lists = program_->mutable_data_segments();
    const auto* offsets = count(lists) > 0 ? lists->Get(0)->offsets() : nullptr;
    if (buffer >= count(offsets))
      return invalid(fmt::format("{}: the file has no initial state {}", tensor.name, buffer));
    MACAW_ASSIGN(const auto bytes, segment(lists->Get(0)->segment()));
    MACAW_ASSIGN(const auto size, byte_size(tensor, file_));
    const auto first = io::value_at(*offsets, buffer);
    auto& memory = artifact_.memories[std::size_t(tensor.memory)];
    if (first > bytes.size() || size > bytes.size() - first)
      return invalid(fmt::format("{}: its initial state lies behind the end of its segment", tensor.name));
    if (tensor.offset > memory.size || size > memory.size - tensor.offset)
      return invalid(fmt::format("{} lies behind the end of memory '{}'", tensor.name, memory.name));
    memory.initial.resize(std::max<std::size_t>(memory.initial.size(), tensor.offset + size));
    std::memcpy(memory.initial.data() + tensor.offset, bytes.data() + first, size);
    return {};
  }

  Result<void> place_constant(TensorBinding& out, std::uint32_t buffer, std::int64_t index) {
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
    const auto [place, fresh] = alone_.try_emplace(index, 0);
    if (fresh)
      place->second =
          add_constant(fmt::format("constant {}", buffer),
                       {reinterpret_cast<const std::byte*>(storage ? storage->data() : nullptr), count(storage)});
    out.memory = place->second;
    return {};
  }

  /// A tensor that the caller or the runtime places.
  Result<void> place_alone(TensorBinding& out, std::int64_t index) {
    MACAW_ASSIGN(const auto size, byte_size(out, file_));
    if (size > kMaxMemory) return invalid(fmt::format("value {} has {} bytes", index, size));
    const auto [place, fresh] = alone_.try_emplace(index, int(artifact_.memories.size()));
    if (fresh) artifact_.memories.push_back({.name = out.name, .size = size});
    out.memory = place->second;
    return {};
  }

  Result<void> add_bindings(const flatbuffers::Vector<std::int32_t>* values, const char* kind,
                            std::vector<TensorBinding>& out) {
    for (std::size_t i = 0; i < count(values); ++i) {
      MACAW_ASSIGN(auto tensor, binding(values->Get(unsigned(i))));
      tensor.name = fmt::format("{}_{}", kind, i);
      out.push_back(std::move(tensor));
    }
    return {};
  }

  Result<void> add(const pte::Instruction& instruction) {
    ++instructions_;
    if (const auto* call = instruction.call_as_KernelCall()) return add_kernel(*call);
    if (const auto* call = instruction.call_as_DelegateCall()) return add_delegate(*call);
    if (instruction.call_type() == pte::Call::FreeCall) return {};
    return unsupported(fmt::format("instruction {} ({}): only kernel and delegate calls are supported",
                                   instructions_ - 1, pte::EnumNameCall(instruction.call_type())));
  }

  /// A number among the arguments, as a constant operand.
  void add_number(HostOperator& op, const char* name, DType dtype, const void* bytes) {
    TensorBinding out{.name = name, .shape = {1}, .element_size = 4, .dtype = dtype};
    out.memory = add_constant(name, {static_cast<const std::byte*>(bytes), 4});
    op.inputs.push_back(std::move(out));
  }

  /// A list of numbers of one type, as a constant operand.
  template <class T>
  void add_list(HostOperator& op, DType dtype, Shape shape, const std::vector<T>& list) {
    TensorBinding out{.name = "argument", .shape = std::move(shape), .element_size = sizeof(T), .dtype = dtype};
    out.memory = add_constant(out.name, std::as_bytes(std::span(list)));
    op.inputs.push_back(std::move(out));
  }

  Result<void> add_ordered_tensor(HostOperator& op, std::int64_t index) {
    const auto* t = tensor(index);
    for (std::size_t d = 0; t && d < count(t->dim_order()); ++d)
      if (t->dim_order()->Get(unsigned(d)) != d)
        return unsupported(fmt::format("{}: value {} is not stored in the order of its dimensions", op.name, index));
    MACAW_ASSIGN(auto operand, binding(index));
    op.inputs.push_back(std::move(operand));
    return {};
  }

  /// An argument as an operand in its place; a list of tensors as as many.
  Result<void> add_argument(HostOperator& op, std::int64_t index) {
    const auto* v = value(index);
    if (!v) return invalid(fmt::format("{}: value {} does not exist", op.name, index));
    if (v->value_type() == pte::Kernel::Tensor) return add_ordered_tensor(op, index);
    if (const auto* list = v->value_as_TensorList()) {
      for (std::size_t i = 0; i < count(list->items()); ++i)
        MACAW_CHECK(add_ordered_tensor(op, list->items()->Get(unsigned(i))));
    } else if (const auto* integer = v->value_as_Int()) {
      add_list<std::int64_t>(op, DType::kINT64, {1}, {integer->value()});
    } else if (const auto* flag = v->value_as_Bool()) {
      add_list<std::uint8_t>(op, DType::kBOOL, {1}, {std::uint8_t(flag->value())});
    } else if (const auto* real = v->value_as_Double()) {
      add_list<double>(op, DType::kFP64, {1}, {real->value()});
    } else if (const auto* integers = v->value_as_IntList()) {
      // The items are values of their own (runtime/executor/method.cpp).
      std::vector<std::int64_t> list;
      for (std::size_t i = 0; i < count(integers->items()); ++i) {
        const auto* item = value(io::value_at(*integers->items(), i));
        if (!item || !item->value_as_Int())
          return invalid(fmt::format("{}: a list of values that are not numbers", op.name));
        list.push_back(item->value_as_Int()->value());
      }
      add_list<std::int64_t>(op, DType::kINT64, {std::int64_t(list.size())}, list);
    } else if (v->value_type() == pte::Kernel::Null) {
      op.inputs.emplace_back();
    } else {
      return unsupported(fmt::format("{}: an argument that is a {}", op.name, pte::EnumNameKernel(v->value_type())));
    }
    return {};
  }

  /// Kernels whose arguments are operands by their places. The output is the last argument, and once more the result.
  Result<void> add_placed(const pte::KernelCall& call, HostOperator op) {
    const auto size = count(call.args());
    if (size < 2 || call.args()->Get(unsigned(size - 1)) != call.args()->Get(unsigned(size - 2)))
      return unsupported(fmt::format("{}: more than one output", op.name));
    for (std::size_t i = 0; i + 2 < size; ++i) MACAW_CHECK(add_argument(op, call.args()->Get(unsigned(i))));
    HostOperator output{.index = 0, .name = op.name, .inputs = {}, .outputs = {}};
    MACAW_CHECK(add_ordered_tensor(output, call.args()->Get(unsigned(size - 1))));
    op.outputs = std::move(output.inputs);
    artifact_.steps.emplace_back(std::move(op));
    return {};
  }

  Result<void> add_kernel(const pte::KernelCall& call) {
    if (call.op() < 0 || std::size_t(call.op()) >= count(plan_->operators()))
      return invalid(fmt::format("operator {} does not exist", call.op()));
    const auto* entry = plan_->operators()->Get(unsigned(call.op()));
    const auto* name = entry->name();
    HostOperator op{.index = instructions_ - 1, .name = name ? name->str() : "", .inputs = {}, .outputs = {}};
    if (op.name.starts_with("aten::") || op.name.ends_with("_per_channel")) {
      const std::string overload = entry->overload() ? entry->overload()->str() : "";
      if (!overload.empty() && overload != "out") op.name += "." + overload;
      return add_placed(call, std::move(op));
    }
    const auto* args = call.args();
    if (count(args) == 0) return invalid(fmt::format("{} has no arguments", op.name));
    // The output is the last argument, and once more the result.
    const auto output = args->Get(args->size() - 1);
    for (const auto arg : *args) {
      if (arg == output) continue;
      const auto* v = value(arg);
      if (!v) return invalid(fmt::format("{}: value {} does not exist", op.name, arg));
      if (v->value_type() == pte::Kernel::Tensor) {
        MACAW_ASSIGN(auto operand, binding(arg));
        op.inputs.push_back(std::move(operand));
      } else if (const auto* real = v->value_as_Double()) {
        const auto scale = float(real->value());
        add_number(op, "scale", DType::kFP32, &scale);
      } else if (const auto* integer = v->value_as_Int()) {
        const auto number = std::int32_t(std::clamp<std::int64_t>(integer->value(), INT32_MIN, INT32_MAX));
        add_number(op, "argument", DType::kINT32, &number);
      }
    }
    // The last number is the type of the integers, which the tensors have as well.
    if (op.name.ends_with("quantize_per_tensor") && op.inputs.size() > 5) op.inputs.resize(5);
    MACAW_ASSIGN(auto result, binding(output));
    op.outputs.push_back(std::move(result));
    artifact_.steps.emplace_back(std::move(op));
    return {};
  }

  Result<std::span<const std::byte>> delegate_data(const pte::Delegate& delegate) const {
    const auto* place = delegate.processed();
    if (!place) return invalid("a delegate has no data");
    if (place->location() == pte::DataLocation::SEGMENT) return segment(place->index());
    if (place->index() >= count(program_->delegate_data())) return invalid("the data of a delegate do not exist");
    const auto* data = program_->delegate_data()->Get(place->index())->data();
    return std::span(reinterpret_cast<const std::byte*>(data ? data->data() : nullptr), count(data));
  }

  Result<void> add_delegate(const pte::DelegateCall& call) {
    if (call.delegate() < 0 || std::size_t(call.delegate()) >= count(plan_->delegates()))
      return invalid(fmt::format("delegate {} does not exist", call.delegate()));
    const auto* delegate = plan_->delegates()->Get(unsigned(call.delegate()));
    const auto name = fmt::format("delegate {}", call.delegate());
    if (!delegate->id() || delegate->id()->string_view() != kBackend)
      return unsupported(fmt::format("{} belongs to {}, not to {}", name,
                                     delegate->id() ? delegate->id()->str() : "no delegate", kBackend));
    MACAW_ASSIGN(const auto bytes, delegate_data(*delegate));
    MACAW_ASSIGN(auto part, parse_vela_bin(bytes, fmt::format("{}: {}", file_, name)));
    const auto tensors = part.inputs.size() + part.outputs.size();
    if (count(call.args()) != tensors)
      return invalid(
          fmt::format("{} has {} inputs and outputs and is called with {}", name, tensors, count(call.args())));
    if (artifact_.accelerator && part.accelerator && artifact_.accelerator != part.accelerator)
      return invalid(fmt::format("{} is for {}, an earlier one for {}", name, part.accelerator->name,
                                 artifact_.accelerator->name));
    if (part.accelerator) artifact_.accelerator = part.accelerator;

    const int first = int(artifact_.memories.size());
    for (auto& memory : part.memories) {
      memory.name = fmt::format("{} {}", name, memory.name);
      artifact_.memories.push_back(std::move(memory));
    }
    unsigned argument = 0;
    for (auto& inner : part.inputs) {
      inner.memory += first;
      MACAW_CHECK(add_copy(call.args()->Get(argument++), std::move(inner), true));
    }
    for (auto& step : part.steps) {
      auto& stream = std::get<CommandStream>(step);
      stream.name = name;
      for (auto& region : stream.regions)
        if (region.memory >= 0) region.memory += first;
      artifact_.steps.push_back(std::move(step));
    }
    for (auto& inner : part.outputs) {
      inner.memory += first;
      MACAW_CHECK(add_copy(call.args()->Get(argument++), std::move(inner), false));
    }
    return {};
  }

  Result<void> add_copy(std::int64_t index, TensorBinding inner, bool in) {
    MACAW_ASSIGN(auto outer, binding(index));
    if (outer.element_size != inner.element_size)
      return invalid(fmt::format("value {} has elements of {} bytes, {} of the delegate of {}", index,
                                 outer.element_size, inner.name, inner.element_size));
    inner.dtype = outer.dtype;
    HostOperator copy{
        .index = instructions_ - 1, .name = fmt::format("{}::copy", kBackend), .inputs = {}, .outputs = {}};
    copy.inputs.push_back(in ? outer : inner);
    copy.outputs.push_back(in ? std::move(inner) : std::move(outer));
    artifact_.steps.emplace_back(std::move(copy));
    return {};
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint64_t segment_base_ = 0;
  const pte::Program* program_ = nullptr;
  const pte::Plan* plan_ = nullptr;
  std::vector<int> planned_;
  int constants_ = -1;
  std::map<std::int64_t, int> alone_;  // memories of tensors that have one of their own
  std::size_t instructions_ = 0;
  Artifact artifact_;
};

}  // namespace

Result<Artifact> parse_executorch(std::span<const std::byte> bytes, const std::string& name,
                                  const std::string& method) {
  return ProgramLoader(bytes, name).load(method);
}

}  // namespace macaw::npu
