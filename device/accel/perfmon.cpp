// Performance monitors (drivers/accel/ethosu/ethosu_perfmon.c of torvalds/linux at 67f8bc84).
#include "device/accel/npu.hpp"

namespace macaw::accel {
namespace {

constexpr std::uint32_t kEnable = 1, kResetEvents = 2, kResetCycles = 4;  // of PMCR
constexpr std::uint32_t kCycleCounter = 1u << 31, kCycleEvent = 0x11;

/// The bits of a monitor's counters in PMCNTENSET and PMCNTENCLR.
std::uint32_t mask_of(const Perfmon& perfmon) { return kCycleCounter | ((1u << perfmon.events.size()) - 1); }

}  // namespace

std::uint32_t Npu::pmu(const char* name, std::uint32_t index) {
  std::uint32_t offset = 0;
  return check(macaw_device_register(device_, name, &offset)) ? read(offset + 4 * index) : 0;
}

void Npu::set_pmu(const char* name, std::uint32_t value, std::uint32_t index) {
  std::uint32_t offset = 0;
  if (check(macaw_device_register(device_, name, &offset))) write(offset + 4 * index, value);
}

void Npu::start(const std::shared_ptr<Perfmon>& perfmon) {
  set_pmu("PMCR", kEnable);
  set_pmu("PMCCNTR_CFG", kCycleEvent);
  for (std::uint32_t i = 0; i < perfmon->events.size(); ++i) set_pmu("PMEVTYPER", perfmon->events[i], i);
  set_pmu("PMCNTENSET", mask_of(*perfmon));
  set_pmu("PMCR", kEnable | kResetEvents | kResetCycles);
  active_ = perfmon;
}

void Npu::stop(const std::shared_ptr<Perfmon>& perfmon) {
  if (!perfmon || perfmon != active_) return;
  for (std::uint32_t i = 0; i < perfmon->events.size(); ++i) perfmon->values[i] += pmu("PMEVCNTR", i);
  const std::uint64_t low = pmu("PMCCNTR", 0);
  perfmon->values.back() += low | std::uint64_t{pmu("PMCCNTR", 1)} << 32;
  set_pmu("PMCNTENCLR", mask_of(*perfmon));
  set_pmu("PMCR", 0);
  active_ = nullptr;
}

void Npu::remove(const std::shared_ptr<Perfmon>& perfmon) {
  if (global_ == perfmon) global_ = nullptr;
  if (active_ != perfmon) return;
  set_pmu("PMCNTENCLR", mask_of(*perfmon));
  set_pmu("PMCR", 0);
  active_ = nullptr;
}

}  // namespace macaw::accel
