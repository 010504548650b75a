#pragma once
#include "tests/unit/sim/timed/bench.hpp"

namespace macaw::npu::timed {

/// Posts a contiguous request on an AXI port at a given time and keeps when it was complete.
class PortDriver : public sc_core::sc_module {
 public:
  struct Order {
    double at = 0;
    std::uint64_t bytes = 0;
    bool write = false;
    Master master = Master::kIfm;
    double pace = 1;
  };
  sc_core::sc_port<AxiMasterInterface> axi;
  std::int64_t done = 0;  ///< cycles

  SC_HAS_PROCESS(PortDriver);
  PortDriver(const sc_core::sc_module_name& name, const Order& order, std::uint64_t address, std::uint32_t burst_bytes)
      : sc_core::sc_module(name),
        order_(order),
        transfer_(contiguous(order.write ? Channel::kWriteOfm : Channel::kReadIfm, 0, address, order.bytes)) {
    cursor_.start({&transfer_, 1}, 0, 8, burst_bytes);
    SC_THREAD(post);
  }

 private:
  void post() {
    wait_until(ticks(order_.at));
    request_.master = order_.master;
    request_.write = order_.write;
    request_.cursor = &cursor_;
    request_.beats = Beats(transfer_.beats(8));
    request_.pace = pace(order_.pace);
    request_.last = true;
    axi->post(request_);
    request_.wait_done();
    done = cycles(request_.done());
  }

  Order order_;
  Transfer transfer_;
  BurstCursor cursor_;
  AxiRequest request_;
};

struct PortResult {
  std::vector<std::int64_t> done;
  PortCounters counters;
};

/// One side with ports of 8-byte beats behind a timing adapter and a memory.
inline PortResult run_port(const std::vector<PortDriver::Order>& orders, int max_reads, const MemoryTiming& adapter,
                           double memory_latency = 0, int ports = 1, double memory_traffic = 0) {
  const Accelerator& accelerator = *find_accelerator(ports == 1 ? "ethos-u55-128" : "ethos-u85-128");
  Context context;
  const auto entered = context.enter();
  Pmu pmu("pmu", accelerator);
  AxiPort port("port", {.side = 0, .ports = ports, .max_reads = max_reads, .max_writes = max_reads, .beat_bytes = 8},
               pmu);
  port.answered_at_once = true;
  TimingAdapter timing_adapter("timing_adapter", adapter);
  const Ticks latency = ticks(memory_latency);
  Memory memory("memory", {.read_latency = latency, .write_latency = latency, .traffic = memory_traffic});
  std::vector<std::unique_ptr<PortDriver>> drivers;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto name = "driver" + std::to_string(i);
    drivers.push_back(std::make_unique<PortDriver>(name.c_str(), orders[i], i << 20, 64));
    drivers.back()->axi(port.master);
  }
  for (auto& socket : port.sockets) {
    socket.bind(timing_adapter.target);
    timing_adapter.initiator.bind(memory.socket);
  }
  if (const auto done = context.run(ticks(1e9)); !done) throw std::runtime_error(done.error().to_string());
  PortResult result;
  for (const auto& driver : drivers) result.done.push_back(driver->done);
  for (int i = 0; i < ports; ++i) result.counters += pmu.port(0, i);
  return result;
}

}  // namespace macaw::npu::timed
