#include "workflow/trace/forms/etdump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>

#include "etdump_generated.h"

namespace macaw::trace {
namespace {

/// Event that passes tensors to a delegate; it shares the delegate's instruction.
bool is_copy(const npu::HostStep& kernel) { return kernel.name == "EthosUBackend::copy"; }

/// The identifier of an operation within its delegate. Of name and identifier an event has one.
std::string debug_id(const npu::OperationTiming& o) {
  return fmt::format("{} {}", o.command, o.source.empty() ? o.name : o.source);
}

std::optional<fb::ScalarType> scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kUINT8: return fb::ScalarType::BYTE;
    case DType::kINT8: return fb::ScalarType::CHAR;
    case DType::kINT16: return fb::ScalarType::SHORT;
    case DType::kINT32: return fb::ScalarType::INT;
    case DType::kINT64: return fb::ScalarType::LONG;
    case DType::kFP32: return fb::ScalarType::FLOAT;
    case DType::kFP64: return fb::ScalarType::DOUBLE;
    case DType::kBOOL: return fb::ScalarType::BOOL;
    default: return std::nullopt;
  }
}

class Dump {
 public:
  explicit Dump(const npu::RunRecord& run, std::span<const StepTensor> tensors = {})
      : run_(run), kernels_(run.host_operators), tensors_(tensors) {}

  [[nodiscard]] EventDump write() && {
    const auto& all = run_.operations;
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
      while (last < all.size() && all[last].step == all[first].step) ++last;
      add_kernels(all[first].step);
      add_delegate(std::span(all).subspan(first, last - first));
    }
    add_kernels(UINT64_MAX);
    add("Method::execute", -1, 0, run_.cycles);
    for (const auto& tensor : tensors_)
      if (tensor.step == SIZE_MAX) add_tensor(tensor, -1, "", "", true);
    return {finish(), std::move(bytes_)};
  }

 private:
  fb::ProfileEventT& add(std::string name, int instruction, std::uint64_t start, std::uint64_t end) {
    auto event = std::make_unique<fb::EventT>();
    event->profile_event = std::make_unique<fb::ProfileEventT>();
    auto& profile = *event->profile_event;
    profile.name = std::move(name);
    profile.instruction_id = instruction;
    profile.start_time = start;
    profile.end_time = end;
    data_.events.push_back(std::move(event));
    return profile;
  }

  /// Kernels that run before a step.
  void add_kernels(std::uint64_t step) {
    for (; !kernels_.empty() && kernels_.front().step < step; kernels_ = kernels_.subspan(1)) {
      const auto& kernel = kernels_.front();
      const auto instruction = static_cast<int>(kernel.index);
      if (is_copy(kernel)) delegate_ = instruction;
      else add("OPERATOR_CALL", instruction, now_, now_);
      // Copies to a delegate are its operands, those after its operations its results.
      if (is_copy(kernel) && !executed_.contains(instruction)) continue;
      for (const auto& tensor : tensors_)
        if (tensor.step == kernel.step && !tensor.command)
          add_tensor(tensor, instruction, "", is_copy(kernel) ? "DELEGATE_CALL" : kernel.name);
    }
  }

  void add_delegate(std::span<const npu::OperationTiming> operations) {
    std::uint64_t start = UINT64_MAX;
    for (const auto& o : operations) {
      // An event has either a name or an identifier.
      add("", delegate_, o.start, o.end).delegate_debug_id_str = debug_id(o);
      start = std::min(start, o.issued);
      now_ = std::max(now_, o.end);
    }
    add("DELEGATE_CALL", delegate_, start, now_);
    executed_.insert(delegate_);
    for (const auto& o : operations)
      for (const auto& tensor : tensors_)
        if (tensor.step == o.step && tensor.command == o.command) add_tensor(tensor, delegate_, debug_id(o), "");
  }

  void add_tensor(const StepTensor& tensor, int instruction, std::string id, std::string name, bool is_output = false) {
    const auto type = scalar_type(tensor.value.dtype());
    if (!type) return;
    auto value = std::make_unique<fb::ValueT>();
    value->val = fb::ValueType::Tensor;
    value->tensor = std::make_unique<fb::TensorT>();
    value->tensor->scalar_type = *type;
    value->tensor->sizes = tensor.value.shape();
    value->tensor->strides.resize(tensor.value.rank());
    for (std::int64_t i = std::ssize(value->tensor->sizes), stride = 1; i-- > 0;) {
      value->tensor->strides[static_cast<std::size_t>(i)] = stride;
      stride *= value->tensor->sizes[static_cast<std::size_t>(i)];
    }
    constexpr std::size_t kAlignment = 64;  // BufferDataSink::kBufferAlignment
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    value->tensor->offset = static_cast<std::int64_t>(bytes_.size());
    const auto bytes = tensor.value.bytes();
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    if (is_output) {
      value->output = std::make_unique<fb::BoolT>();
      value->output->bool_val = true;
    }
    auto event = std::make_unique<fb::EventT>();
    event->debug_event = std::make_unique<fb::DebugEventT>();
    event->debug_event->instruction_id = instruction;
    event->debug_event->delegate_debug_id_str = std::move(id);
    event->debug_event->name = std::move(name);
    event->debug_event->debug_entry = std::move(value);
    data_.events.push_back(std::move(event));
  }

  [[nodiscard]] std::vector<std::byte> finish() {
    fb::ETDumpT dump;
    dump.run_data.push_back(std::make_unique<fb::RunDataT>(std::move(data_)));
    flatbuffers::FlatBufferBuilder builder;
    fb::FinishETDumpBuffer(builder, fb::ETDump::Pack(builder, &dump));
    const auto* first = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return {first, first + builder.GetSize()};
  }

  const npu::RunRecord& run_;
  std::span<const npu::HostStep> kernels_;  ///< those that have not run
  std::span<const StepTensor> tensors_;
  std::set<int> executed_;  ///< delegates whose operations have run
  std::vector<std::byte> bytes_;
  int delegate_ = -1;
  std::uint64_t now_ = 0;
  fb::RunDataT data_;
};

}  // namespace

Result<EventDump> etdump(const npu::RunRecord& run, const std::string& file, std::span<const StepTensor> tensors) {
  if (std::ranges::none_of(run.host_operators, is_copy))
    return fail(ErrorCode::kUsage, "--etdump: the run was not of an ExecuTorch program with a delegate",
                {.file = file});
  return Dump(run, tensors).write();
}

Result<std::vector<std::byte>> etdump(const npu::RunRecord& run, const std::string& file) {
  MACAW_ASSIGN(auto dump, etdump(run, file, {}));
  return std::move(dump.events);
}

}  // namespace macaw::trace
