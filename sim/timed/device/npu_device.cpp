#include "sim/timed/device/npu_device.hpp"

#include <macaw/npu/simulator.hpp>

#include "sim/datapath/dma.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/operation_maps.hpp"
#include "sim/isa/geometry.hpp"
#include "sim/timed/program.hpp"
#include "sim/timed/stream_trace.hpp"

#include <cstring>

#include <fmt/format.h>

namespace macaw::npu::timed {
namespace {

/// QBASE and BASEP are multiples of 16 bytes (u55_u65 1.2, 7.1); the driver rejects others.
std::optional<std::string> unaligned(const JobRegisters& registers) {
  const auto check = [](const std::string& name, std::uint64_t address) -> std::optional<std::string> {
    if (address % 16 == 0) return std::nullopt;
    return fmt::format("{} {:#x} is not a multiple of 16", name, address);
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
  SC_METHOD(release_writes);
  sensitive << core.operation_finished();
  dont_initialize();
  SC_METHOD(end_job);
  sensitive << core.command_processor.finished();
  dont_initialize();
}

void NpuDevice::set_fault(const FaultingAccess& access) {
  status_.faulting_channel = access.channel;
  status_.faulting_side = config_.mode.side(access.region);
}

Result<void> NpuDevice::execute(const BlockOperation& op, const MemoryMap& map, std::size_t index) {
  std::span<std::uint8_t> bytes;
  std::uint64_t address = 0;
  if (const auto target = open_output(op, map); target && target->view && op.ofm.storage != Storage::kChained) {
    const ByteRange range = target->view->range();
    bytes = map.regions[static_cast<std::size_t>(op.ofm.region)].bytes.subspan(range.first, range.last - range.first);
    address = address_of(op.ofm.region) + range.first;
  }
  const auto compute = [&]() -> Result<void> {
    MACAW_CHECK(npu::execute(op, config_.accelerator, map));
    return {};
  };
  const auto done = writes_.add(bytes, address, compute,
                                [this, index] { return index < kernels_.size() && kernels_[index]->is_finished(); });
  if (done) return done;
  if (const auto access = faulting_access(op, config_.accelerator, map)) set_fault(*access);
  return done;
}

Result<void> NpuDevice::execute(const DmaOperation& op, const MemoryMap& map, std::size_t index) {
  std::span<std::uint8_t> bytes;
  std::uint64_t address = 0;
  if (const auto target = destination(op, map); target && !target->empty() && !op.dst_internal) {
    bytes = *target;
    const auto region = static_cast<std::size_t>(op.dst_region);
    address = address_of(op.dst_region) + static_cast<std::uint64_t>(bytes.data() - map.regions[region].bytes.data());
  }
  const auto compute = [&]() -> Result<void> {
    MACAW_CHECK(npu::execute(op, map));
    return {};
  };
  const auto done = writes_.add(bytes, address, compute,
                                [this, index] { return index < dmas_.size() && dmas_[index]->is_finished(); });
  if (!done) set_fault(faulting_access(op, map));
  return done;
}

Program NpuDevice::execute(std::span<const std::uint8_t> bytes, const MemoryMap& map) {
  words_.resize(bytes.size() / 4);
  if (!words_.empty()) std::memcpy(words_.data(), bytes.data(), bytes.size());
  stream_.emplace(config_.accelerator, words_);
  kernels_.clear();
  dmas_.clear();
  std::size_t kernels = 0, dmas = 0;
  const StreamActions actions{
      [&](const BlockOperation& op) { return execute(op, map, kernels++); },
      [&](const DmaOperation& op) { return execute(op, map, dmas++); }, [&] { return state_.result_flag; },
      [&](const BlockOperation& op) {
        const bool counts = config_.generation.rules.decodes_by_chunk && op.has_weights();
        return counts ? weight_stream_sizes(op, config_.accelerator, map) : std::vector<WeightStreamSize>();
      }};
  StreamTrace trace;
  const Work work(FunctionalOptions().max_work);  // a hostile stream must end
  const StreamEnd end = trace_stream(trace, *stream_, words_.size(), config_, actions, work);
  status_.end_reached = end.kind == StreamEnd::Kind::kStop;
  status_.parse_error = end.kind == StreamEnd::Kind::kParseError;
  status_.bus_fault = end.kind == StreamEnd::Kind::kBusFault;
  status_.branch_fault = end.kind == StreamEnd::Kind::kBranchFault;
  status_.irq_history = end.irq_mask;
  if (!end.result) fault_ = end.result.error();
  return program_of(*stream_, std::move(trace), config_, [this](const Instruction& instruction) {
    breakdown_->add(instruction);
    if (const auto* kernel = std::get_if<KernelRef>(&instruction.action)) kernels_.push_back(*kernel);
    if (const auto* dma = std::get_if<DmaRef>(&instruction.action)) dmas_.push_back(*dma);
  });
}

void NpuDevice::set_bus_fault(std::string message) {
  status_.bus_fault = true;
  status_.faulting_side = config_.mode.side(-1);
  fault_ = Error{ErrorCode::kHardwareFault, std::move(message), {}};
}

void NpuDevice::start(const JobRegisters& registers) {
  config_.mode = registers.mode;
  config_.limits = registers.limits;
  config_.bases[0] = registers.queue_base;
  std::copy(registers.region_bases.begin(), registers.region_bases.end(), config_.bases.begin() + 1);
  status_ = {};
  fault_.reset();
  operations_.clear();
  breakdown_.emplace(operations_, config_, BreakdownOptions{0, Cycles() - whole_cycles(now()), true, now()});
  core.pmu.round_up();
  counted_before_ = core.pmu.counters();
  state_ = {};
  MemoryMap map;
  map.internal = internal_;
  map.core = &state_;
  map.access = this;
  for (std::size_t r = 0; r < map.regions.size(); ++r) {
    const auto bytes = memory_.from(registers.region_bases[r]);
    map.regions[r] = {bytes, !bytes.empty(), true};
  }
  // A job that faults ends at the fault; here, immediately.
  stream_.emplace(config_.accelerator, std::span<const std::uint32_t>());
  Program program = program_of(*stream_, {}, config_);
  const auto stream = memory_.from(registers.queue_base);
  if (auto message = unaligned(registers)) {
    set_bus_fault(*std::move(message));
  } else if (registers.queue_bytes % 4 != 0 || registers.queue_bytes > stream.size()) {
    set_bus_fault("no memory for the command stream");
  } else {
    memory_.before_access(registers.queue_base, registers.queue_bytes);
    program = execute(stream.first(registers.queue_bytes), map);
    writes_.hold_back();
  }
  core.command_processor.start(std::move(program));
}

void NpuDevice::cancel() {
  writes_.drop();
  core.cancel();
}

void NpuDevice::before(int region, const ByteRange& range) {
  memory_.before_access(address_of(region) + range.first, range.last - range.first);
}

std::vector<std::uint32_t> NpuDevice::save() {
  StateWriter state;
  state.add(config_.accelerator.config_word);
  registers.save(state);
  for (const std::uint8_t byte : internal_) state.add(byte);
  return state.take();
}

Result<void> NpuDevice::restore(std::span<const std::uint32_t> words) {
  StateReader state(words);
  if (words.size() != save().size() || state.next() != config_.accelerator.config_word)
    return fail(ErrorCode::kMismatch, fmt::format("the state is not one of {}", config_.accelerator.name));
  registers.restore(state);
  for (std::uint8_t& byte : internal_) byte = static_cast<std::uint8_t>(state.next());
  fault_.reset();
  return {};
}

void NpuDevice::release_writes() {
  writes_.release([this](std::uint64_t address, std::uint64_t bytes) { memory_.after_write(address, bytes); });
}

void NpuDevice::keep_spent() {
  breakdown_->finish();
  spent_ = {std::move(operations_), core.pmu.counters(), config_.mode, {}};
  std::copy(config_.bases.begin() + 1, config_.bases.end(), spent_.region_bases.begin());
  operations_.clear();
  for (auto& [event, count] : spent_.pmu.counts) count -= counted_before_.counts.at(event);
}

void NpuDevice::end_job() {
  release_writes();
  writes_.drop();
  status_.interrupts = core.command_processor.stopped();
  if (status_.interrupts) keep_spent();
  if (!status_.interrupts) {
    status_.end_reached = false;
    status_.irq_history = 0;
  }
  finished_.notify();
}

}  // namespace macaw::npu::timed
