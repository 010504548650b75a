#include <macaw/sc/npu_device.hpp>

#include "sim/config/params.hpp"
#include "sim/timed/axi_bridge.hpp"
#include "sim/timed/device/npu_device.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace macaw::sc {
namespace {

using Bridges = std::vector<std::unique_ptr<npu::timed::AxiBridge>>;

/// Memory to which the AXI sockets grant direct access. Values do not depend on the registers that assign regions to
/// sides, so both sides are tried.
class DirectMemory : public npu::timed::SystemMemory {
 public:
  explicit DirectMemory(const std::array<Bridges, 2>& sides) : sides_(sides) {}

  std::span<std::uint8_t> from(std::uint64_t address) override {
    for (const auto& bridges : sides_)
      if (const auto bytes = bridges.at(0)->direct(address); !bytes.empty()) return bytes;
    return {};
  }

 private:
  const std::array<Bridges, 2>& sides_;
};

}  // namespace

struct NpuDevice::Implementation {
  explicit Implementation(const npu::Accelerator& accelerator)
      : memory(sides), device("npu", accelerator, npu::default_params(accelerator), memory) {
    for (std::size_t side = 0; side < sides.size(); ++side)
      for (auto& socket : device.core.axi[side].sockets) {
        const auto name = fmt::format("axi{}_{}", side, sides[side].size());
        sides[side].push_back(std::make_unique<npu::timed::AxiBridge>(name.c_str()));
        socket.bind(sides[side].back()->in);
      }
  }

  std::array<Bridges, 2> sides;
  DirectMemory memory;
  npu::timed::NpuDevice device;
};

NpuDevice::NpuDevice(const sc_core::sc_module_name& name, const npu::Accelerator& accelerator)
    : sc_core::sc_module(name), implementation_(std::make_unique<Implementation>(accelerator)) {}

NpuDevice::~NpuDevice() = default;

tlm::tlm_target_socket<>& NpuDevice::registers() { return implementation_->device.registers.socket; }

sc_core::sc_out<bool>& NpuDevice::interrupt() { return implementation_->device.registers.irq; }

std::size_t NpuDevice::ports(int side) const {
  return implementation_->sides.at(static_cast<std::size_t>(side)).size();
}

tlm::tlm_initiator_socket<>& NpuDevice::axi(int side, std::size_t port) {
  return implementation_->sides.at(static_cast<std::size_t>(side)).at(port)->out;
}

std::optional<Error> NpuDevice::fault() const { return implementation_->device.fault(); }

}  // namespace macaw::sc
