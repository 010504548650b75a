// run_network NETWORK OUTPUT INPUT...: runs a compiled network through the classes of Arm's Linux driver library.
// Inputs are raw files, outputs become OUTPUT.0, OUTPUT.1, ...; prints the cycles, and those in which the NPU was
// active.
#include <uapi/ethosu.h>
#include <ethosu.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr unsigned kNpuActive = 5;  // ETHOSU_PMU_NPU_ACTIVE of Ethos-U55 and U65 in Arm's core driver
constexpr int64_t kMinute = 60000000000;

std::shared_ptr<EthosU::Buffer> load(const EthosU::Device& device, const char* file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw EthosU::Exception((std::string("cannot read ") + file).c_str());
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::shared_ptr<EthosU::Buffer> buffer = std::make_shared<EthosU::Buffer>(device, bytes.size());
  buffer->resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(), buffer->data());
  return buffer;
}

void run(int argc, char** argv) {
  EthosU::Device device;
  device.ioctl(ETHOSU_IOCTL_PING);
  const EthosU::Capabilities capabilities = device.capabilities();
  std::cout << "architecture " << capabilities.hwId.architecture << "\n";

  std::shared_ptr<EthosU::Buffer> file = load(device, argv[1]);
  const std::shared_ptr<EthosU::Network> network = std::make_shared<EthosU::Network>(device, file);
  std::vector<std::shared_ptr<EthosU::Buffer>> ifm, ofm;
  for (int i = 3; i < argc; ++i) ifm.push_back(load(device, argv[i]));
  for (const std::size_t size : network->getOfmDims()) ofm.push_back(std::make_shared<EthosU::Buffer>(device, size));

  const std::vector<unsigned> counters(1, kNpuActive);
  EthosU::Inference inference(network, ifm.begin(), ifm.end(), ofm.begin(), ofm.end(), counters, true);
  if (inference.wait(kMinute)) throw EthosU::Exception("the inference takes longer than a minute");
  if (inference.status() != EthosU::InferenceStatus::OK) throw EthosU::Exception("the inference failed");
  std::cout << inference.getCycleCounter() << " cycles, " << inference.getPmuCounters()[0] << " active\n";
  for (std::size_t i = 0; i < ofm.size(); ++i)
    std::ofstream(std::string(argv[2]) + "." + std::to_string(i), std::ios::binary)
        .write(ofm[i]->data(), static_cast<std::streamsize>(ofm[i]->size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: run_network NETWORK OUTPUT INPUT...\n";
    return 2;
  }
  try {
    run(argc, argv);
  } catch (const EthosU::Exception& exception) {
    std::cerr << "run_network: " << exception.what() << "\n";
    return 1;
  }
}
