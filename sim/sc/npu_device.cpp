#include "sim/sc/npu_device.hpp"

#include "sim/datapath/dma.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/isa/geometry.hpp"
#include "sim/sc/program.hpp"

#include <cstring>

#include <fmt/format.h>

namespace macaw::npu::sc {
namespace {

constexpr std::uint64_t kMaxOperations = 1'000'000;  // of a job; a hostile stream has to end

/// QBASE and BASEP are addresses of 16 bytes (u55_u65 1.2, 7.1); the driver refuses others.
std::optional<Error> unaligned(const JobRegisters& registers) {
  const auto check = [](const std::string& name, std::uint64_t address) -> std::optional<Error> {
    if (address % 16 == 0) return std::nullopt;
    return Error{ErrorCode::kHardwareFault, fmt::format("{} {:#x} is not a multiple of 16", name, address), {}};
  };
  auto found = check("QBASE", registers.queue_base);
  for (std::size_t r = 0; !found && r < registers.region_bases.size(); ++r)
    found = check(fmt::format("BASEP{}", r), registers.region_bases[r]);
  return found;
}

}  // namespace

NpuDevice::NpuDevice(const sc_core::sc_module_name& name, const Accelerator& accelerator, const Params& params,
                     SystemMemory& memory)
    : sc_core::sc_module(name),
      config_{accelerator, params, {}},
      core("core", config_, {}),
      registers("registers", accelerator, core.pmu),
      memory_(memory),
      internal_(internal_memory_bytes(accelerator)) {
  registers.job(*this);
}

void NpuDevice::execute(std::span<const std::uint32_t> words, const MemoryMap& map, Program& program) {
  const StreamActions actions{[&](const BlockOperation& op) -> Result<void> {
                                MACAW_CHECK(npu::execute(op, config_.accelerator, map));
                                return {};
                              },
                              [&](const DmaOperation& op) -> Result<void> {
                                MACAW_CHECK(npu::execute(op, map));
                                return {};
                              },
                              [&] { return state_.result_flag; }};
  const StreamEnd end = trace_stream(program, words, config_, actions, kMaxOperations);
  status_.end_reached = end.kind == StreamEnd::Kind::kStop;
  status_.parse_error = end.kind == StreamEnd::Kind::kParseError;
  status_.bus_fault = end.kind == StreamEnd::Kind::kBusFault;
  status_.branch_fault = end.kind == StreamEnd::Kind::kBranchFault;
  status_.irq_history = end.irq_mask;
  if (!end.result) fault_ = end.result.error();
}

void NpuDevice::start(const JobRegisters& registers) {
  config_.mode = registers.mode;
  config_.bases[0] = registers.queue_base;
  std::copy(registers.region_bases.begin(), registers.region_bases.end(), config_.bases.begin() + 1);
  status_ = {};
  fault_.reset();
  state_ = {};
  MemoryMap map;
  map.internal = internal_;
  if (config_.accelerator.family == Family::kU85) map.core = &state_;
  for (std::size_t r = 0; r < map.regions.size(); ++r) {
    const auto bytes = memory_.from(registers.region_bases[r]);
    map.regions[r] = {bytes, !bytes.empty(), true};
  }
  Program program;
  const auto stream = memory_.from(registers.queue_base);
  if (auto error = unaligned(registers)) {
    status_.bus_fault = true;
    fault_ = std::move(error);
  } else if (registers.queue_bytes % 4 != 0 || registers.queue_bytes > stream.size()) {
    status_.bus_fault = true;
    fault_ = Error{ErrorCode::kHardwareFault, "no memory for the command stream", {}};
  } else {
    std::vector<std::uint32_t> words(registers.queue_bytes / 4);
    if (!words.empty()) std::memcpy(words.data(), stream.data(), registers.queue_bytes);
    execute(words, map, program);
  }
  // A job that faults ends where it does so.
  if (!status_.end_reached) program.instructions.push_back({0, program.words, Stop{}});
  core.command_processor.start(std::move(program));
}

}  // namespace macaw::npu::sc
