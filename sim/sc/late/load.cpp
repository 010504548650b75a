#include "sim/sc/late/timed_model.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

// The definitions that a program has in place of those of macaw_sc.

namespace macaw::npu {
namespace {

constexpr const char* kLibrary = "libmacaw_timed_model.so";

Result<const sc::TimedModel*> load() {
  // SystemC's own pool writes to memory that it did not get; without it an allocation that fails throws.
  setenv("SYSTEMC_MEMPOOL_DONT_USE", "1", 0);
  void* const library = dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);
  const void* const found = library ? dlsym(library, "macaw_timed_model") : nullptr;
  if (!found)
    return fail(ErrorCode::kUnsupported,
                fmt::format("the timed model cannot be loaded, a file or memory being short: {}", dlerror()));
  const auto* const model = static_cast<const sc::TimedModel*>(found);
  if (std::string_view(model->build) != macaw_build)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} is of build {}, this program is of build {}", kLibrary, model->build, macaw_build));
  return model;
}

Result<const sc::TimedModel*> timed_model() {
  static const Result<const sc::TimedModel*> model = load();
  return model;
}

}  // namespace

Result<TimedResult> run_timed(const Artifact& artifact, const Accelerator& accelerator,
                              std::span<const NamedTensor> inputs, const TimedOptions& options) {
  MACAW_ASSIGN(const auto* const model, timed_model());
  return model->run(artifact, accelerator, inputs, options);
}

Result<std::unique_ptr<sc::DeviceSimulation>> sc::DeviceSimulation::create(const Accelerator& accelerator,
                                                                           const std::string& system,
                                                                           SystemMemory& memory) {
  MACAW_ASSIGN(const auto* const model, timed_model());
  return model->create(accelerator, system, memory);
}

}  // namespace macaw::npu
