#include <macaw/npu/choose_accelerator.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace macaw::npu {

Result<const Accelerator*> choose_accelerator(const Artifact& artifact, const std::string& name) {
  const auto* named = name.empty() ? nullptr : find_accelerator(name);
  if (!name.empty() && !named)
    return fail(ErrorCode::kUsage, fmt::format("unknown accelerator '{}'; 'macaw list accelerators' names them", name));
  if (artifact.accelerator && named && artifact.accelerator != named)
    return fail(ErrorCode::kMismatch,
                fmt::format("the network was compiled for {}, not for {}", artifact.accelerator->name, name),
                {.file = artifact.file});
  if (const auto* chosen = artifact.accelerator ? artifact.accelerator : named) return chosen;
  const bool compiled =
      std::ranges::any_of(artifact.steps, [](const auto& step) { return std::holds_alternative<CommandStream>(step); });
  if (!compiled)
    return fail(ErrorCode::kMismatch,
                "no Ethos-U operator in this file: Vela or another compiler makes them; with --accelerator-config its "
                "operators run on the CPU",
                {.file = artifact.file});
  return fail(ErrorCode::kMismatch, "the file does not say its accelerator: give --accelerator-config",
              {.file = artifact.file});
}

}  // namespace macaw::npu
