#include "workflow/trace/forms/etdump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

#include "base/json_text.hpp"
#include "etdump_generated.h"
#include "workflow/trace/saved_run.hpp"

namespace macaw::trace {
namespace {

/// What hands a delegate its tensors; its instruction is the delegate's.
constexpr std::string_view kCopy = "EthosUBackend::copy";

/// What ran on the CPU.
struct Kernel {
  std::uint64_t step = 0;
  int instruction = 0;
  bool is_copy = false;
};

Result<std::vector<Kernel>> kernels_of(const nlohmann::json& report, const std::string& file) {
  std::vector<Kernel> kernels;
  for (const auto& host : report.value("host_operators", nlohmann::json::array())) {
    const auto step = host.find("step"), instruction = host.find("operator");
    if (step == host.end() || !step->is_number_unsigned() || instruction == host.end() ||
        !instruction->is_number_unsigned() || *instruction > std::numeric_limits<int>::max())
      return fail(ErrorCode::kInvalidFile, "a member of host_operators has no step and operator", {.file = file});
    kernels.push_back({step->get<std::uint64_t>(), instruction->get<int>(), host.value("name", "") == kCopy});
  }
  return kernels;
}

class Dump {
 public:
  Dump(const SavedRun& run, const std::vector<Kernel>& kernels) : run_(run), kernels_(kernels) {}

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
      if (kernel.is_copy) delegate_ = kernel.instruction;
      else add("OPERATOR_CALL", kernel.instruction, now_, now_);
    }
  }

  void add_delegate(std::span<const Operation> operations) {
    std::uint64_t start = UINT64_MAX;
    for (const auto& o : operations) {
      // Of name and identifier an event has one.
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

  const SavedRun& run_;
  std::span<const Kernel> kernels_;  ///< those that have not run
  int delegate_ = -1;
  std::uint64_t now_ = 0;
  fb::RunDataT data_;
};

}  // namespace

Result<std::vector<std::byte>> etdump(std::string_view report, const std::string& file) {
  MACAW_ASSIGN(const auto json, io::parse_json(std::as_bytes(std::span(report)), file));
  MACAW_ASSIGN(const auto run, read_saved_run(json, file));
  MACAW_ASSIGN(const auto kernels, kernels_of(json, file));
  if (std::ranges::none_of(kernels, &Kernel::is_copy))
    return fail(ErrorCode::kUsage, "--etdump: the run was not of an ExecuTorch program", {.file = file});
  return Dump(run, kernels).write();
}

}  // namespace macaw::trace
