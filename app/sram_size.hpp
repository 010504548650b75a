#pragma once
#include <macaw/npu/run.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "app/options.hpp"

namespace macaw::app {

/// --sram-size
void add_sram_size(Command command, std::optional<std::uint64_t>& size);

/// Whether a network fits into --sram-size, and lines about it.
struct SramFit {
  bool fits = true;
  std::string text = {};
};

/// The fit of a network in functional mode, from a timing run on the same inputs. kUsage for a network without a
/// command stream.
[[nodiscard]] Result<SramFit> sram_fit(const npu::RunSpec& spec, std::uint64_t size);

}  // namespace macaw::app
