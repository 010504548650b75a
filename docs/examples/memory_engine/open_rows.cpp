// A memory of eight banks that each keep a row of 2 KiB open: an access to it is faster than one to another row. A
// system file uses it so:
//   [axi1]
//   engine = "open_rows"
//   engine_setup = "15 45 1.6"
// which is nanoseconds to the first byte of an open row, of another row, and bytes per nanosecond of all banks
// together.
#include <macaw/sc/memory_engine.hpp>

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <sstream>

namespace {

class OpenRows : public sc_core::sc_module, public macaw::sc::MemoryEngine {
 public:
  struct Timing {
    double open = 0, other = 0, bytes_per_ns = 0;
  };

  tlm_utils::multi_passthrough_target_socket<OpenRows> socket{"socket"};

  OpenRows(const sc_core::sc_module_name& name, const Timing& timing, double clock_hz)
      : sc_core::sc_module(name), timing_(timing), cycles_per_ns_(clock_hz / 1e9) {
    socket.register_b_transport(this, &OpenRows::b_transport);
    OpenRows::restart();
  }

  void bind(tlm::tlm_initiator_socket<>& port) override { port.bind(socket); }
  void restart() override {
    rows_.fill(UINT64_MAX);
    free_ = sc_core::SC_ZERO_TIME;
  }

 private:
  static constexpr std::uint64_t kRowBytes = 2048;

  [[nodiscard]] sc_core::sc_time time(double ns) const { return {ns * cycles_per_ns_, sc_core::SC_NS}; }

  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t row = payload.get_address() / kRowBytes;
    std::uint64_t& open = rows_[row % rows_.size()];
    const double first = open == row ? timing_.open : timing_.other;
    open = row;
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    free_ = std::max(free_, now + delay) + time(payload.get_data_length() / timing_.bytes_per_ns);
    delay = free_ - now + time(first);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  Timing timing_;
  double cycles_per_ns_;
  std::array<std::uint64_t, 8> rows_{};
  sc_core::sc_time free_;  ///< of the data bus
};

}  // namespace

macaw::sc::MemoryEngine* macaw_memory_engine(const macaw::sc::MemoryEngineRequest& request, std::string& error) {
  OpenRows::Timing timing;
  std::istringstream text(request.setup);
  if (!(text >> timing.open >> timing.other >> timing.bytes_per_ns) || !(timing.open >= 0 && timing.other >= 0) ||
      !(timing.bytes_per_ns > 0)) {
    error = "'" + request.setup + "' is not three numbers: ns to an open row, ns to another, bytes per ns";
    return nullptr;
  }
  return std::make_unique<OpenRows>(request.name.c_str(), timing, request.clock_hz).release();
}
