#include <fmt/format.h>

#include "sim/artifact/executorch_kernels.hpp"
#include "sim/artifact/loader.hpp"
#include "sim/artifact/state.hpp"

// ExecuTorch programs, with or without Ethos-U delegates (pytorch/executorch schema/program.fbs,
// backends/arm/runtime/EthosUBackend.cpp). A delegate call becomes copies into its scratch memory, its command streams,
// and copies out of it; a kernel call becomes an operator of the CPU.
namespace macaw::npu {
namespace {

constexpr std::string_view kBackend = "EthosUBackend";
constexpr std::size_t kMaxCommandWords = std::size_t{1} << 25;  // of all delegate calls

class ProgramLoader {
 public:
  ProgramLoader(std::span<const std::byte> bytes, const std::string& file, std::span<const ExternalData> data)
      : tensors_(artifact_, bytes, data) {
    artifact_.file = file;
    artifact_.format = Artifact::Format::kExecuTorch;
  }

  /// An empty name selects the first method.
  Result<Artifact> load(const std::string& method) {
    MACAW_CHECK(tensors_.open(method));
    const auto& plan = tensors_.plan();
    MACAW_CHECK(add_bindings(plan.inputs(), "input", artifact_.inputs));
    MACAW_CHECK(add_bindings(plan.outputs(), "output", artifact_.outputs));
    for (std::size_t c = 0; c < count(plan.chains()); ++c) {
      const auto* instructions = plan.chains()->Get(unsigned(c))->instructions();
      for (std::size_t i = 0; i < count(instructions); ++i) MACAW_CHECK(add(*instructions->Get(unsigned(i))));
    }
    MACAW_CHECK(add_state(artifact_, tensors_.planned()));
    MACAW_CHECK(check_bindings(artifact_));
    return std::move(artifact_);
  }

 private:
  Result<void> add_bindings(const flatbuffers::Vector<std::int32_t>* values, const char* kind,
                            std::vector<TensorBinding>& out) {
    for (std::size_t i = 0; i < count(values); ++i) {
      MACAW_ASSIGN(auto tensor, tensors_.binding(values->Get(unsigned(i))));
      tensor.name = fmt::format("{}_{}", kind, i);
      out.push_back(std::move(tensor));
    }
    return {};
  }

  Result<void> add(const pte::Instruction& instruction) {
    const auto index = instructions_++;
    auto done = add_call(instruction, index);
    if (!done && done.error().place.op.empty()) done.error().place.op = fmt::format("instruction {}", index);
    return done;
  }

  Result<void> add_call(const pte::Instruction& instruction, std::size_t index) {
    if (const auto* call = instruction.call_as_KernelCall()) {
      MACAW_ASSIGN(auto op, kernel_operator(tensors_, *call, index));
      artifact_.steps.emplace_back(std::move(op));
      return {};
    }
    if (const auto* call = instruction.call_as_DelegateCall()) return add_delegate(*call);
    if (instruction.call_type() == pte::Call::FreeCall) return {};
    return tensors_.unsupported(
        fmt::format("{}: only kernel and delegate calls are supported", pte::EnumNameCall(instruction.call_type())));
  }

  Result<std::span<const std::byte>> delegate_data(const pte::Delegate& delegate) const {
    const auto* place = delegate.processed();
    if (!place) return tensors_.invalid("a delegate has no data");
    if (place->location() == pte::DataLocation::SEGMENT) return tensors_.segment(place->index());
    if (place->index() >= count(tensors_.program().delegate_data()))
      return tensors_.invalid("the data of a delegate do not exist");
    const auto* data = tensors_.program().delegate_data()->Get(place->index())->data();
    return std::span(reinterpret_cast<const std::byte*>(data ? data->data() : nullptr), count(data));
  }

  Result<void> add_delegate(const pte::DelegateCall& call) {
    if (call.delegate() < 0 || std::size_t(call.delegate()) >= count(tensors_.plan().delegates()))
      return tensors_.invalid(fmt::format("delegate {} does not exist", call.delegate()));
    const auto* delegate = tensors_.plan().delegates()->Get(unsigned(call.delegate()));
    const auto name = fmt::format("delegate {}", call.delegate());
    if (!delegate->id() || delegate->id()->string_view() != kBackend)
      return tensors_.unsupported(fmt::format("{} belongs to {}, not to {}", name,
                                              delegate->id() ? delegate->id()->str() : "no delegate", kBackend));
    MACAW_CHECK(tensors_.account_operands(1 + count(call.args())));
    MACAW_ASSIGN(const auto bytes, delegate_data(*delegate));
    std::span<const std::byte> weights;
    MACAW_ASSIGN(auto part,
                 parse_vela_bin(bytes, fmt::format("{}: {}", artifact_.file, name), &tensors_.named_data(), &weights));
    const auto tensors = part.inputs.size() + part.outputs.size();
    if (count(call.args()) != tensors)
      return tensors_.invalid(
          fmt::format("{} has {} inputs and outputs and is called with {}", name, tensors, count(call.args())));
    if (artifact_.accelerator && part.accelerator && artifact_.accelerator != part.accelerator)
      return tensors_.invalid(fmt::format("{} is for {}, an earlier one for {}", name, part.accelerator->name,
                                          artifact_.accelerator->name));
    if (part.accelerator) artifact_.accelerator = part.accelerator;

    // The weights come first; calls with the same weights share a memory.
    std::vector<int> places;
    for (auto& memory : part.memories) {
      memory.name = fmt::format("{} {}", name, memory.name);
      if (places.empty()) {
        MACAW_ASSIGN(const int shared, tensors_.add_bytes(std::move(memory.name), weights));
        places.push_back(shared);
        continue;
      }
      places.push_back(int(artifact_.memories.size()));
      artifact_.memories.push_back(std::move(memory));
    }
    unsigned argument = 0;
    for (auto& inner : part.inputs) {
      inner.memory = places[std::size_t(inner.memory)];
      MACAW_CHECK(add_copy(call.args()->Get(argument++), std::move(inner), true));
    }
    for (auto& step : part.steps) {
      auto& stream = std::get<CommandStream>(step);
      stream.name = name;
      if (stream.words.size() > kMaxCommandWords - command_words_)
        return tensors_.unsupported(
            fmt::format("{}: calls of delegates with more than {} words of commands in all", name, kMaxCommandWords));
      command_words_ += stream.words.size();
      for (auto& region : stream.regions)
        if (region.memory >= 0) region.memory = places[std::size_t(region.memory)];
      artifact_.steps.push_back(std::move(step));
    }
    for (auto& inner : part.outputs) {
      inner.memory = places[std::size_t(inner.memory)];
      MACAW_CHECK(add_copy(call.args()->Get(argument++), std::move(inner), false));
    }
    return {};
  }

  Result<void> add_copy(std::int64_t index, TensorBinding inner, bool in) {
    MACAW_ASSIGN(auto outer, tensors_.binding(index));
    if (outer.element_size != inner.element_size)
      return tensors_.invalid(fmt::format("value {} has elements of {} bytes, {} of the delegate of {}", index,
                                          outer.element_size, inner.name, inner.element_size));
    inner.dtype = outer.dtype;
    HostOperator copy{
        .index = instructions_ - 1, .name = fmt::format("{}::copy", kBackend), .inputs = {}, .outputs = {}};
    copy.inputs.push_back(in ? outer : inner);
    copy.outputs.push_back(in ? std::move(inner) : std::move(outer));
    artifact_.steps.emplace_back(std::move(copy));
    return {};
  }

  Artifact artifact_;
  ProgramTensors tensors_;
  std::size_t instructions_ = 0, command_words_ = 0;
};

}  // namespace

Result<Artifact> parse_executorch(std::span<const std::byte> bytes, const std::string& name, const std::string& method,
                                  std::span<const ExternalData> data) {
  return ProgramLoader(bytes, name, data).load(method);
}

}  // namespace macaw::npu
