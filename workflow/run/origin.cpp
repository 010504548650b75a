#include "workflow/run/origin.hpp"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/crc32.hpp"
#include "base/file.hpp"
#include "sim/config/setup.hpp"
#include "sim/config/timing_model.hpp"

namespace macaw::run {

Result<npu::RunOrigin> origin_of(const npu::RunSpec& spec, std::string version, std::string command) {
  MACAW_ASSIGN(const auto setup, npu::resolve_setup(spec.accelerator, npu::setup_request(spec.options)));
  npu::RunOrigin origin{.version = std::move(version),
                        .timing_model = npu::kTimingModelVersion,
                        .command = std::move(command),
                        .system_confidence = setup.system.confidence,
                        .system_source = setup.system.source,
                        .system_checked_against = setup.system.checked_against};
  std::error_code error;
  if (!std::filesystem::is_regular_file(spec.artifact.file, error)) return origin;
  MACAW_ASSIGN(const auto file, io::read_file(spec.artifact.file));
  origin.artifact_bytes = file.size();
  origin.artifact_crc32 = io::crc32(file);
  return origin;
}

}  // namespace macaw::run
