#pragma once
#include "sim/timed/context.hpp"
#include "sim/timed/program.hpp"
#include "sim/timed/top.hpp"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Small machines for timing tests: hand-made operations, a memory that counts for itself, one AXI port alone.
namespace macaw::npu::timed {

/// Beats and transactions as a target sees them.
struct Seen {
  std::uint64_t reads = 0, read_beats = 0, writes = 0, write_beats = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// Answers after a fixed latency, one beat per cycle, and counts from the payloads.
class CountingMemory : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<CountingMemory> socket;
  Seen seen;

  CountingMemory(const sc_core::sc_module_name& name, double latency)
      : sc_core::sc_module(name), socket("socket"), latency_(ticks(latency)) {
    socket.register_b_transport(this, &CountingMemory::b_transport);
  }

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    auto* list = payload.get_extension<BurstList>();
    const std::uint64_t beats = payload.get_data_length() / list->beat_bytes;
    (payload.is_write() ? seen.write_beats : seen.read_beats) += beats;
    (payload.is_write() ? seen.writes : seen.reads) += list->count;
    Ticks& free = free_[payload.is_write()];
    for (Burst& burst : list->used()) {
      burst.accepted = burst.request;
      free = std::max(free, burst.accepted + latency_) + burst.beats * kBeatEachCycle;
      burst.data_end = burst.done = free;
    }
    list->answered = true;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  Ticks latency_;
  std::array<Ticks, 2> free_{};
};

/// Has its process go on at times at which the NPU's do, which gives those other places in the kernel's queue.
class Bystander : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Bystander);
  Bystander(const sc_core::sc_module_name& name, unsigned seed) : sc_core::sc_module(name), random_(seed) {
    SC_THREAD(stand_by);
  }

 private:
  void stand_by() {
    for (int i = 0; i < 4000; ++i) wait_for(random_() % 8 * kCycle);
  }

  std::mt19937 random_;
};

/// Whole cycles up to a time; a fraction shows as -1.
inline std::int64_t cycles(Ticks t) { return t % kCycle == Ticks() ? static_cast<std::int64_t>(t / kCycle) : -1; }

struct BenchResult {
  std::vector<KernelRef> kernels;
  std::vector<DmaRef> dmas;
  PmuCounters pmu;
  std::int64_t end = 0;
  bool stopped = false;
  std::array<Seen, 2> seen;  ///< what the memory of each side counted, when there is a counting one

  [[nodiscard]] std::uint64_t count(const std::string& event) const { return pmu.counts.at("ETHOSU_PMU_" + event); }
};

/// Count of the performance monitor for a memory on that port; `port` is its name in PMU events.
inline Seen counted(const BenchResult& result, const std::string& port) {
  return {result.count(port + "_RD_TRANS_ACCEPTED"), result.count(port + "_RD_DATA_BEAT_RECEIVED"),
          result.count(port + "_WR_TRANS_ACCEPTED"), result.count(port + "_WR_DATA_BEAT_WRITTEN")};
}

/// Counters that are independent of the memory.
struct Traffic {
  std::array<Seen, 2> ports;
  std::uint64_t mac_active;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

inline Traffic traffic(const BenchResult& result, const std::string& port0, const std::string& port1) {
  return {{counted(result, port0), counted(result, port1)}, result.count("MAC_ACTIVE")};
}

/// A program made by hand.
struct ListedProgram {
  std::vector<Instruction> instructions;
  std::uint64_t words = 0;
  std::vector<Program::Segment> segments;
};

/// Its instructions, one after the other.
class Listed : public Instructions {
 public:
  explicit Listed(std::vector<Instruction> list) : list_(std::move(list)) {}
  const Instruction* next() override { return &list_.at(next_++); }

 private:
  std::vector<Instruction> list_;
  std::size_t next_ = 0;
};

/// An Ethos-U55-128 with constants on AXI1 and feature maps on AXI0, and a program to be filled.
struct Bench {
  const Accelerator& accelerator;
  CoreConfig config;
  ListedProgram program;
  std::array<MemoryTiming, 2> memory{};
  unsigned bystanders = 0;
  bool alone = true;  ///< processes may run ahead of the kernel's time

  explicit Bench(const char* name = "ethos-u55-128") : Bench(*find_accelerator(name)) {}
  explicit Bench(const Accelerator& chosen)
      : accelerator(chosen),
        config{accelerator, default_params(accelerator), {"Shared_Sram", 3, {3, 0, 1, 1, 1, 1, 1, 1}}} {}

  void kernel(const BlockOperation& op) {
    const std::size_t index = program.instructions.size();
    program.instructions.push_back({index, 0, make_kernel(config, op, index)});
  }
  void dma(const DmaOperation& op) {
    const std::size_t index = program.instructions.size();
    program.instructions.push_back({index, 0, make_dma(op, index)});
  }
  void kernel_wait(std::uint64_t n) { program.instructions.push_back({program.instructions.size(), 0, KernelWait{n}}); }
  void dma_wait(std::uint64_t n) { program.instructions.push_back({program.instructions.size(), 0, DmaWait{n}}); }

  /// Behind timing adapters, or with `counting_latency` >= 0 on counting memories.
  BenchResult run(double counting_latency = -1) {
    auto list = program.instructions;
    list.push_back({list.size(), program.words, Stop{}});
    BenchResult result;
    for (const Instruction& instruction : list) {
      if (const auto* kernel = std::get_if<KernelRef>(&instruction.action)) result.kernels.push_back(*kernel);
      if (const auto* dma = std::get_if<DmaRef>(&instruction.action)) result.dmas.push_back(*dma);
    }
    const Program listed{std::make_shared<Listed>(std::move(list)), program.words, program.segments};
    Context context;
    const auto entered = context.enter();
    std::vector<std::unique_ptr<Bystander>> others;
    for (unsigned i = 0; i < bystanders; ++i)
      others.push_back(std::make_unique<Bystander>(("bystander" + std::to_string(i)).c_str(), i));
    auto finish = [&](Core& core) {
      if (const auto done = context.run(ticks(1e9), {}, alone); !done)
        throw std::runtime_error(done.error().to_string());
      result.pmu = core.pmu.counters();
      result.end = static_cast<std::int64_t>(whole_cycles(core.command_processor.end()).count());
      result.stopped = core.command_processor.stopped();
    };
    if (counting_latency < 0) {
      Top top("top", config, memory, listed);
      finish(top.core);
    } else {
      Core core("core", config, listed);
      CountingMemory memory0("memory0", counting_latency), memory1("memory1", counting_latency);
      for (auto& socket : core.axi[0].sockets) socket.bind(memory0.socket);
      for (auto& socket : core.axi[1].sockets) socket.bind(memory1.socket);
      finish(core);
      result.seen = {memory0.seen, memory1.seen};
    }
    return result;
  }
};

/// Memories of which reads and writes share something.
inline std::array<MemoryTiming, 4> shared_memories() {
  return {{{.read_latency = 20, .write_latency = 10, .pulse_on = 40, .pulse_off = 60, .bandwidth_cap = 9},
           {.max_reads_writes = 3, .read_latency = 7},
           {.read_latency = 7, .beats_per_cycle = 0.5, .least_bytes = 64},
           {.beats_per_cycle = 1, .traffic = 0.3}}};
}

/// Whether a count differs where other processes go on at the same times, or where none runs ahead of the kernel, on
/// any shared memory. `fill` gives a Bench
/// its operations.
template <class Fill>
bool moved_by_bystanders(const char* accelerator, Fill fill) {
  for (const MemoryTiming& memory : shared_memories()) {
    const auto counts = [&](unsigned bystanders, bool ahead) {
      Bench bench(accelerator);
      bench.memory = {memory, memory};
      bench.bystanders = bystanders;
      bench.alone = ahead;
      fill(bench);
      return bench.run().pmu.counts;
    };
    const auto alone = counts(0, true);
    for (unsigned bystanders = 0; bystanders <= 6; ++bystanders)
      if (counts(bystanders, false) != alone || counts(bystanders, true) != alone) return true;
  }
  return false;
}

inline FeatureMap feature_map(int h, int w, int c, std::uint64_t base, int region = 1) {
  FeatureMap map;
  map.region = region;
  map.is_signed = true;
  map.h = h, map.w = w, map.c = c;
  map.base.fill(base);
  map.width0 = w, map.height0 = map.height1 = h;
  map.stride_c = 1, map.stride_x = c, map.stride_y = std::int64_t{w} * c;
  return map;
}

/// ABS of an h x w x c map, in blocks of `block`.
inline BlockOperation absolute(int h, int w, int c, Hwc block, int blockdep = 0) {
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kAbs;
  op.ifm = feature_map(h, w, c, 0);
  op.ifm2 = op.ifm;
  op.ofm = feature_map(h, w, c, 1 << 16);
  op.block = block;
  op.blockdep = blockdep;
  return op;
}

/// 1x1 convolution with weights of `weight_bytes` on AXI1 and no scales.
inline BlockOperation pointwise(int h, int w, int ifm_c, int ofm_c, Hwc block, std::uint64_t weight_bytes) {
  BlockOperation op;
  op.kind = OpKind::kConv;
  op.ifm = feature_map(h, w, ifm_c, 0);
  op.ifm2 = op.ifm;
  op.ofm = feature_map(h, w, ofm_c, 1 << 16);
  op.block = block;
  op.weights[0] = {0, 0, weight_bytes};
  return op;
}

}  // namespace macaw::npu::timed
