#include <macaw/ethosu_linux/uapi/ethosu.h>
#include <macaw/npu/device_job.hpp>
#include <macaw/npu/driver_events.hpp>
#include <macaw/npu/element_type.hpp>
#include <macaw/npu/run.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "device/linux/compiled.hpp"
#include "device/linux/value_or_throw.hpp"

namespace EthosU {
namespace {

using macaw::npu::Artifact;
using macaw::npu::TimedResult;

void check_buffers(const Inference::Buffers& buffers, const char* what) {
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i]) throw Exception((std::string(what) + " " + std::to_string(i) + " has no buffer").c_str());
}

std::vector<macaw::npu::NamedTensor> take(const Artifact& artifact, const Inference::Buffers& ifm) {
  if (ifm.size() != artifact.inputs.size())
    throw Exception(
        ("The network has " + std::to_string(artifact.inputs.size()) + " inputs, not " + std::to_string(ifm.size()))
            .c_str());
  std::vector<macaw::npu::NamedTensor> tensors;
  for (std::size_t i = 0; i < ifm.size(); ++i) {
    const auto& input = artifact.inputs[i];
    auto tensor = value_or_throw(macaw::Tensor::create(macaw::npu::element_type(input), input.shape));
    const auto bytes = tensor.uninitialized_bytes();
    if (ifm[i]->size() < bytes.size())
      throw Exception(("Input " + std::to_string(i) + " has " + std::to_string(bytes.size()) + " bytes, its buffer " +
                       std::to_string(ifm[i]->size()))
                          .c_str());
    if (!bytes.empty()) std::memcpy(bytes.data(), ifm[i]->data(), bytes.size());
    tensors.push_back({"", std::move(tensor)});
  }
  return tensors;
}

void check_outputs(const Artifact& artifact, const Inference::Buffers& ofm) {
  if (ofm.size() != artifact.outputs.size())
    throw Exception(
        ("The network has " + std::to_string(artifact.outputs.size()) + " outputs, not " + std::to_string(ofm.size()))
            .c_str());
}

void give(const std::vector<macaw::Tensor>& outputs, const Inference::Buffers& ofm) {
  for (std::size_t i = 0; i < ofm.size(); ++i) {
    const auto bytes = outputs[i].bytes();
    ofm[i]->write(reinterpret_cast<const char*>(bytes.data()), bytes.size(), ofm[i]->offset());
    ofm[i]->resize(bytes.size(), ofm[i]->offset());
  }
}

Inference::Counters counted(const TimedResult& result, const macaw::npu::Accelerator& accelerator,
                            const std::vector<uint32_t>& events) {
  const auto names = macaw::npu::driver_events(accelerator.family);
  Inference::Counters counters;
  for (const uint32_t event : events) {
    if (event >= names.size())
      throw Exception(
          ("There is no PMU event " + std::to_string(event) + " on " + std::string(accelerator.name)).c_str());
    const auto found = result.pmu.counts.find(names[event]);
    if (event != 0 && found == result.pmu.counts.end())
      throw Exception(("Macaw does not count the PMU event " + names[event]).c_str());
    counters.push_back(event != 0 ? found->second : 0);
  }
  return counters;
}

void report(const TimedResult& result, const macaw::npu::Accelerator& accelerator) {
  static std::atomic<unsigned> jobs = 0;
  const char* folder = std::getenv("MACAW_REPORT_DIR");
  if (folder == nullptr || *folder == '\0') return;
  value_or_throw(macaw::npu::write_job_report(result, accelerator.name,
                                              std::filesystem::path(folder) / ("job_" + std::to_string(++jobs))));
}

constexpr const char* kStatusNames[] = {"ok", "error", "running", "rejected", "aborted", "aborting", "pending"};

}  // namespace

std::ostream& operator<<(std::ostream& out, const InferenceStatus& status) {
  return out << kStatusNames[static_cast<int>(status)];
}

void Inference::run(const std::shared_ptr<Buffer>& intermediate, const std::shared_ptr<Buffer>& constant,
                    const std::vector<uint32_t>& events) {
  if (!network_) throw Exception("An inference without a network");
  check_buffers(ifm_, "Input");
  check_buffers(ofm_, "Output");
  const Network::Compiled& compiled = *network_->compiled_;
  const auto counters = static_cast<std::size_t>(compiled.accelerator.pmu_counters);
  if (std::any_of(events.begin() + static_cast<std::ptrdiff_t>(std::min(events.size(), counters)), events.end(),
                  [](uint32_t event) { return event != 0; }))
    throw Exception(
        (std::string(compiled.accelerator.name) + " has " + std::to_string(counters) + " counters").c_str());
  std::optional<Artifact> own;
  if (!compiled.stream.empty()) own = with_memories(compiled.stream, ifm_, ofm_, intermediate.get(), constant.get());
  const Artifact& artifact = own ? *own : compiled.artifact;
  check_outputs(artifact, ofm_);
  const auto inputs = take(artifact, ifm_);
  const auto result = macaw::npu::execute({.artifact = artifact,
                                           .accelerator = compiled.accelerator,
                                           .inputs = inputs,
                                           .options = {.system = compiled.system}});
  if (!result && result.error().code != macaw::ErrorCode::kHardwareFault) value_or_throw(result);
  if (result) {
    give(result->values.outputs, ofm_);
    counters_ = counted(*result, compiled.accelerator, events);
    cycles_ = result->cycles;
    nanoseconds_left_ = static_cast<int64_t>(static_cast<double>(cycles_) * 1e9 / result->clock_hz);
    report(*result, compiled.accelerator);
  } else {
    std::cerr << "macaw: " << result.error().to_string() << "\n";
    status_ = InferenceStatus::ERROR;
  }
  fd_ = ::eventfd(1, EFD_CLOEXEC);
}

Inference::~Inference() {
  if (fd_ >= 0) ::close(fd_);
}

bool Inference::wait(int64_t timeoutNanos) const {
  if (status_ == InferenceStatus::ABORTED || status_ == InferenceStatus::ERROR) return false;
  const bool longer = timeoutNanos >= 0 && timeoutNanos < nanoseconds_left_;
  nanoseconds_left_ = longer ? nanoseconds_left_ - timeoutNanos : 0;
  status_ = longer ? InferenceStatus::RUNNING : InferenceStatus::OK;
  return longer;
}

bool Inference::cancel() const {
  if (status_ != InferenceStatus::RUNNING) return false;
  status_ = InferenceStatus::ABORTED;
  return true;
}

uint64_t Inference::getCycleCounter() const {
  if (!counts_cycles_) throw Exception("The inference was made without the cycle counter");
  return cycles_;
}

uint32_t Inference::getMaxPmuEventCounters() { return ETHOSU_PMU_EVENT_MAX; }

}  // namespace EthosU
