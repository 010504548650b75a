#pragma once
#include "tests/timing/sc/bench.hpp"

namespace macaw::npu::sc {

/// Posts contiguous requests on an AXI port at given times and keeps when they were complete.
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
  std::vector<std::int64_t> done;  ///< cycles, in the order of the orders

  SC_HAS_PROCESS(PortDriver);
  PortDriver(const sc_core::sc_module_name& name, std::vector<Order> orders, std::uint32_t burst_bytes)
      : sc_core::sc_module(name), orders_(std::move(orders)), burst_bytes_(burst_bytes) {
    SC_THREAD(post);
  }

 private:
  void post() {
    std::vector<std::unique_ptr<AxiRequest>> requests;
    std::vector<Transfer> transfers(orders_.size());
    std::vector<BurstCursor> cursors(orders_.size());
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      const Order& order = orders_[i];
      wait_until(ticks(order.at));
      transfers[i] = contiguous(order.write ? Channel::kWriteOfm : Channel::kReadIfm, 0, i << 20, order.bytes);
      cursors[i].start({&transfers[i], 1}, 0, 8, burst_bytes_);
      requests.push_back(std::make_unique<AxiRequest>());
      AxiRequest& request = *requests.back();
      request.master = order.master;
      request.write = order.write;
      request.cursor = &cursors[i];
      request.beats = Beats(transfers[i].beats(8));
      request.pace = pace(order.pace);
      axi->post(request);
    }
    for (auto& request : requests) {
      request->wait_done();
      done.push_back(cycles(request->done()));
    }
  }

  std::vector<Order> orders_;
  std::uint32_t burst_bytes_;
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
  TimingAdapter timing_adapter("timing_adapter", adapter);
  const Ticks latency = ticks(memory_latency);
  Memory memory("memory", {.read_latency = latency, .write_latency = latency, .traffic = memory_traffic});
  PortDriver driver("driver", orders, 64);
  for (auto& socket : port.sockets) {
    socket.bind(timing_adapter.target);
    timing_adapter.initiator.bind(memory.socket);
  }
  driver.axi(port.master);
  if (const auto done = context.run(ticks(1e9)); !done) throw std::runtime_error(done.error().to_string());
  PortCounters counters;
  for (int i = 0; i < ports; ++i) counters += pmu.port(0, i);
  return {driver.done, counters};
}

}  // namespace macaw::npu::sc
