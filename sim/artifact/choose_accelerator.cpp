#include <macaw/npu/choose_accelerator.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace macaw::npu {

namespace {

constexpr std::string_view kWithoutStreams = "ethos-u55-128";

}  // namespace

Result<const Accelerator*> choose_accelerator(const Artifact& artifact, const std::string& name) {
  const auto* named = name.empty() ? nullptr : find_accelerator(name);
  if (!name.empty() && !named)
    return fail(ErrorCode::kUsage, fmt::format("unknown accelerator '{}'; 'macaw list accelerators' names them", name));
  if (artifact.accelerator && named && artifact.accelerator != named)
    return fail(
        ErrorCode::kMismatch,
        fmt::format("the network was compiled for {}, not for {}; compile it again with Vela: --accelerator-config {}",
                    artifact.accelerator->name, name, name),
        {.file = artifact.file});
  if (const auto* chosen = artifact.accelerator ? artifact.accelerator : named) return chosen;
  const bool compiled =
      std::ranges::any_of(artifact.steps, [](const auto& step) { return std::holds_alternative<CommandStream>(step); });
  // All operators are on the CPU: no accelerator is used.
  if (!compiled && artifact.format == Artifact::Format::kExecuTorch && !artifact.steps.empty())
    return find_accelerator(kWithoutStreams);
  if (!compiled)
    return fail(ErrorCode::kMismatch,
                "not compiled for Ethos-U (no operator is on the NPU): run Vela first, e.g. vela net.tflite "
                "--accelerator-config ethos-u55-128; with -a ACCELERATOR its operators run on the CPU",
                {.file = artifact.file});
  return fail(ErrorCode::kMismatch,
              "the file does not state its accelerator: give -a ACCELERATOR, e.g. -a ethos-u55-128",
              {.file = artifact.file});
}

}  // namespace macaw::npu
