#include "sim/timed/axi_bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace macaw::npu::timed {

AxiBridge::AxiBridge(const sc_core::sc_module_name& name, Values values)
    : sc_core::sc_module(name), in("in"), out("out"), values_(values) {
  in.register_b_transport(this, &AxiBridge::b_transport);
}

std::optional<std::string> AxiBridge::complaint() const {
  if (in_call_) return "it let time pass in b_transport instead of answering with a delay";
  return complaint_;
}

std::span<std::uint8_t> AxiBridge::direct(std::uint64_t address) {
  tlm::tlm_generic_payload payload;
  payload.set_address(address);
  payload.set_read();
  tlm::tlm_dmi dmi;
  if (!out->get_direct_mem_ptr(payload, dmi) || !dmi.is_read_write_allowed()) return {};
  if (address < dmi.get_start_address() || address > dmi.get_end_address()) return {};
  const std::uint64_t before_end = dmi.get_end_address() - address;
  return {dmi.get_dmi_ptr() + (address - dmi.get_start_address()),
          static_cast<std::size_t>(std::min<std::uint64_t>(before_end, SIZE_MAX - 1) + 1)};
}

bool AxiBridge::pass(Burst& burst, bool write, std::uint64_t bytes) {
  data_.assign(bytes, 0);
  if (write && values_ == Values::kDirect) {
    const auto there = direct(burst.address);
    if (there.size() < bytes) return false;
    std::memcpy(data_.data(), there.data(), bytes);
  }
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(burst.address);
  payload.set_data_ptr(data_.data());
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  burst.accepted = std::max(burst.request, now());
  sc_core::sc_time delay = to_time(burst.accepted - now());
  const Ticks start = now();
  in_call_ = values_ == Values::kNone;
  out->b_transport(payload, delay);
  // If the target let time pass, the flag stays set.
  in_call_ = in_call_ && now() != start;
  burst.data_end = burst.done = now() + Ticks(delay.value());
  if (!payload.is_response_ok() && !complaint_)
    complaint_ = fmt::format("it answered the {} of {} bytes at {:#x} with {}", write ? "write" : "read", bytes,
                             burst.address, payload.get_response_string());
  return payload.is_response_ok();
}

void AxiBridge::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  auto* list = payload.get_extension<BurstList>();
  bool ok = list != nullptr;
  if (list) {
    for (Burst& burst : list->used()) ok &= pass(burst, payload.is_write(), burst.beats.count() * list->beat_bytes);
    list->answered = true;
  }
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace macaw::npu::timed
