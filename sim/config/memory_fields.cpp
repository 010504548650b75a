#include "sim/config/system_config.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

template <auto member>
constexpr MemoryField field(std::string_view name, std::string_view unit, double max, std::string_view text) {
  using Value = std::remove_cvref_t<decltype(MemoryTiming{}.*member)>;
  return {.name = name,
          .unit = unit,
          .text = text,
          .max = max,
          .integer = std::is_integral_v<Value>,
          .get = [](const MemoryTiming& memory) { return static_cast<double>(memory.*member); },
          .set = [](MemoryTiming& memory, double value) { memory.*member = static_cast<Value>(value); }};
}

// The maximum of a register of the timing adapter follows from its width (ml-embedded-evaluation-kit,
// core-platform/drivers/timing_adapter).
constexpr MemoryField kFields[] = {
    field<&MemoryTiming::max_reads>("max_reads", "transactions", 63, "reads outstanding, 0: no limit"),
    field<&MemoryTiming::max_writes>("max_writes", "transactions", 63, "writes outstanding, 0: no limit"),
    field<&MemoryTiming::max_reads_writes>("max_reads_writes", "transactions", 63,
                                           "reads and writes outstanding, 0: no limit"),
    field<&MemoryTiming::read_latency>("read_latency", "cycles", 4095, "from the address to the first beat"),
    field<&MemoryTiming::write_latency>("write_latency", "cycles", 4095, "from the last beat to the response"),
    field<&MemoryTiming::pulse_on>("pulse_on", "cycles", 65535, "window in which addresses pass, 0: always"),
    field<&MemoryTiming::pulse_off>("pulse_off", "cycles", 65535, "pause after each window"),
    field<&MemoryTiming::bandwidth_cap>("bandwidth_cap", "beats", 65535,
                                        "beats of reads and writes per window and pause, 0: as many as fit"),
    field<&MemoryTiming::pulse_phase>("pulse_phase", "cycles", 131070,
                                      "of window and pause that are over when the NPU starts"),
    field<&MemoryTiming::beats_per_cycle>("beats_per_cycle", "beats/cycle", 16,
                                          "of the memory, reads and writes together, 0: one per port and direction"),
    field<&MemoryTiming::access_latency>(
        "access_latency", "cycles", 4095,
        "of the memory itself, from the address to the first beat: part of a longer read_latency"),
    field<&MemoryTiming::least_bytes>("least_bytes", "bytes", 65536,
                                      "an access to consecutive bytes takes the time of so many at least"),
    field<&MemoryTiming::partial_write_cycles>("partial_write_cycles", "cycles", 4095,
                                               "least time of a write to part of the word that the write before ended "
                                               "in (it is read, changed and written back)"),
    field<&MemoryTiming::separate_pixels>(
        "separate_pixels", "flag", 1,
        "1: the NPU writes each pixel of an NHWC map by itself, 0: it joins those that touch"),
    field<&MemoryTiming::traffic>("traffic", "share", 0.95, "of the memory's time that other masters take"),
};

}  // namespace

std::span<const MemoryField> memory_fields() { return kFields; }

const MemoryField* find_memory_field(std::string_view name) {
  const auto* found = std::ranges::find(kFields, name, &MemoryField::name);
  return found == std::end(kFields) ? nullptr : found;
}

std::string_view contradiction(const MemoryTiming& memory) {
  // The virtual platform hangs if a window is open and never closes (PULSE_OFF 0).
  if ((memory.pulse_on == 0) != (memory.pulse_off == 0))
    return "pulse_on and pulse_off must both be 0 (no window) or both be positive";
  if (memory.bandwidth_cap != 0 && memory.pulse_on == 0)
    return "bandwidth_cap needs a window: set pulse_on and pulse_off";
  if (memory.beats_per_cycle != 0 && memory.beats_per_cycle < 1e-4)
    return "beats_per_cycle must be 0 or 0.0001 and more";
  if (memory.partial_write_cycles != 0 && memory.beats_per_cycle == 0)
    return "partial_write_cycles needs a rate of the memory: set beats_per_cycle";
  const bool own_values =
      memory.beats_per_cycle != 0 || memory.access_latency != 0 || memory.least_bytes != 0 || memory.traffic != 0;
  if (!memory.engine.empty() && own_values)
    return "beats_per_cycle, access_latency, least_bytes and traffic are the engine's own where there is an engine";
  if (memory.engine.empty() && !memory.engine_setup.empty()) return "engine_setup needs an engine";
  return {};
}

}  // namespace macaw::npu
