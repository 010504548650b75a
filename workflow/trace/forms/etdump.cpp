#include "workflow/trace/forms/etdump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "etdump_generated.h"

namespace macaw::trace {
namespace {

/// Event that passes tensors to a delegate; it shares the delegate's instruction.
bool is_copy(const npu::HostStep& kernel) { return kernel.name == "EthosUBackend::copy"; }

class Dump {
 public:
  explicit Dump(const npu::RunRecord& run) : run_(run), kernels_(run.host_operators) {}

  [[nodiscard]] std::vector<std::byte> write() && {
    const auto& all = run_.operations;
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
      while (last < all.size() && all[last].step == all[first].step) ++last;
      add_kernels(all[first].step);
      add_delegate(std::span(all).subspan(first, last - first));
    }
    add_kernels(UINT64_MAX);
    add("Method::execute", -1, 0, run_.cycles);
    return finish();
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
    }
  }

  void add_delegate(std::span<const npu::OperationTiming> operations) {
    std::uint64_t start = UINT64_MAX;
    for (const auto& o : operations) {
      // An event has either a name or an identifier.
      auto& event = add("", delegate_, o.start, o.end);
      event.delegate_debug_id_str = fmt::format("{} {}", o.command, o.source.empty() ? o.name : o.source);
      start = std::min(start, o.issued);
      now_ = std::max(now_, o.end);
    }
    add("DELEGATE_CALL", delegate_, start, now_);
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
  int delegate_ = -1;
  std::uint64_t now_ = 0;
  fb::RunDataT data_;
};

}  // namespace

Result<std::vector<std::byte>> etdump(const npu::RunRecord& run, const std::string& file) {
  if (std::ranges::none_of(run.host_operators, is_copy))
    return fail(ErrorCode::kUsage, "--etdump: the run was not of an ExecuTorch program", {.file = file});
  return Dump(run).write();
}

}  // namespace macaw::trace
