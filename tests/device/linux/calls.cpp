#include <uapi/ethosu.h>
#include <catch2/catch.hpp>
#include <ethosu.hpp>

#include <poll.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using Buffers = std::vector<std::shared_ptr<EthosU::Buffer>>;

std::string load(const std::string& file) {
  std::ifstream in("traces/tiny_cnn/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What an npy file has behind its header of 128 bytes.
std::string tensor(const std::string& file) { return load(file).substr(128); }

/// An NPU that the environment names.
struct Npu {
  explicit Npu(const char* accelerator) { ::setenv("MACAW_ACCELERATOR", accelerator, 1); }
  ~Npu() { ::unsetenv("MACAW_ACCELERATOR"); }
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;
};

std::shared_ptr<EthosU::Buffer> filled(const EthosU::Device& device, const std::string& bytes) {
  const auto buffer = std::make_shared<EthosU::Buffer>(device, bytes.size());
  buffer->write(bytes.data(), bytes.size());
  return buffer;
}

/// The bundled network, its input in a buffer and its output.
struct Tiny {
  explicit Tiny(const std::string& npu)
      : network(std::make_shared<EthosU::Network>(device, filled(device, load(npu + "/tiny_cnn.npz")))),
        ifm{filled(device, tensor("input_0.npy"))},
        ofm(device.createBuffers(network->getOfmDims())),
        golden(tensor(npu + "/output_0.npy")) {}

  EthosU::Device device;
  std::shared_ptr<EthosU::Network> network;
  Buffers ifm, ofm;
  std::string golden;
};

std::string contents(const EthosU::Buffer& buffer) { return {buffer.data(), buffer.size()}; }

}  // namespace

TEST_CASE("an inference leaves the golden output and equal counters again and again", "[linux]") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    INFO(name);
    const Npu npu(name);
    Tiny tiny(name);
    const std::vector<std::uint8_t> counters = {1, 0};
    std::uint64_t cycles = 0;
    for (int i = 0; i < 2; ++i) {
      EthosU::Inference inference(tiny.network, tiny.ifm.begin(), tiny.ifm.end(), tiny.ofm.begin(), tiny.ofm.end(),
                                  counters, true);
      pollfd over = {inference.getFd(), POLLIN, 0};
      CHECK(::poll(&over, 1, 0) == 1);
      CHECK_FALSE(inference.wait());
      CHECK(inference.status() == EthosU::InferenceStatus::OK);
      CHECK(contents(*inference.getOfmBuffers().at(0)) == tiny.golden);
      CHECK((cycles == 0 || cycles == inference.getCycleCounter()));
      cycles = inference.getCycleCounter();
      const std::vector<std::uint32_t> values = inference.getPmuCounters();
      CHECK(values == std::vector<std::uint32_t>{static_cast<std::uint32_t>(cycles), 0});  // event 1 is CYCLE
      tiny.ofm[0]->clear();
    }
    CHECK(cycles > 1000);
  }
}

TEST_CASE("a wait ends before an inference that takes longer, which can be cancelled", "[linux]") {
  const Npu npu("ethos-u65-512");
  const Tiny tiny("ethos-u65-512");
  EthosU::Inference inference(tiny.network, tiny.ifm.begin(), tiny.ifm.end(), tiny.ofm.begin(), tiny.ofm.end());
  CHECK(inference.wait(10));
  CHECK(inference.status() == EthosU::InferenceStatus::RUNNING);
  CHECK(inference.cancel());
  CHECK(inference.status() == EthosU::InferenceStatus::ABORTED);
  CHECK(inference.failed());
  CHECK_FALSE(inference.cancel());
  EthosU::Inference second(tiny.network, tiny.ifm.begin(), tiny.ifm.end(), tiny.ofm.begin(), tiny.ofm.end());
  CHECK(second.wait(10));
  CHECK_FALSE(second.wait(1'000'000'000));
  CHECK_FALSE(second.failed());
  CHECK_FALSE(second.cancel());
  CHECK_THROWS_AS(second.getCycleCounter(), EthosU::Exception);
}

TEST_CASE("a device says what its registers say", "[linux]") {
  const Npu npu("ethos-u85-256");
  const EthosU::Device device;
  const auto capabilities = device.capabilities();
  CHECK(capabilities.hwCfg.macsPerClockCycle == 8);
  CHECK(capabilities.hwId.architecture == EthosU::SemanticVersion(2, 0, 0));
  CHECK(capabilities.driver == device.getDriverVersion());
  CHECK(device.ioctl(ETHOSU_IOCTL_PING) == 0);
  CHECK_THROWS_AS(device.ioctl(ETHOSU_IO(0x99)), EthosU::Exception);
}

TEST_CASE("a network tells its operands", "[linux]") {
  const Npu npu("ethos-u55-128");
  const Tiny tiny("ethos-u55-128");
  CHECK(tiny.network->getIfmDims() == std::vector<std::size_t>{3072});
  CHECK(tiny.network->getIfmShapes().at(0) == std::vector<std::size_t>{1, 32, 32, 3});
  CHECK(tiny.network->getOfmTypes() == std::vector<int>{EthosU::TensorType_INT8});
  CHECK(tiny.network->getOfmSize() == 10);
}

TEST_CASE("what does not fit is named", "[linux]") {
  const auto says = [](auto&& call, const std::string& words) {
    try {
      call();
    } catch (const EthosU::Exception& exception) {
      INFO(exception.what());
      CHECK(std::string(exception.what()).find(words) != std::string::npos);
      return;
    }
    FAIL("no exception: " << words);
  };
  const Npu npu("ethos-u65-512");
  const Tiny tiny("ethos-u65-512");
  const auto infer = [&](const Buffers& ifm, const std::vector<unsigned>& events) {
    EthosU::Inference(tiny.network, ifm.begin(), ifm.end(), tiny.ofm.begin(), tiny.ofm.end(), events, false);
  };
  says([&] { infer({}, {}); }, "1 inputs, not 0");
  says([&] { infer({std::make_shared<EthosU::Buffer>(tiny.device, 9)}, {}); }, "3072 bytes");
  says([&] { infer(tiny.ifm, {0, 0, 0, 0, 1}); }, "4 counters");
  says([&] { infer(tiny.ifm, {1000}); }, "no PMU event 1000");
  says([&] { EthosU::Network(tiny.device, 0u); }, "firmware");
  says([&] { EthosU::Network(tiny.device, filled(tiny.device, "no network at all")); }, "neither");
  says([&] { tiny.ifm[0]->resize(3073); }, "3073");
  says([] { Tiny("ethos-u55-128"); }, "MACAW_ACCELERATOR");
  const Npu unknown("ethos-u99");
  says([] { EthosU::Device(); }, "ethos-u99");
}

TEST_CASE("a range of a buffer is its data", "[linux]") {
  const EthosU::Device device;
  EthosU::Buffer buffer(device, 8);
  buffer.write("abcdefgh", 8);
  buffer.resize(3, 2);
  CHECK(contents(buffer) == "cde");
  char two[2];
  buffer.read(two, 2, 6);
  CHECK(std::string(two, 2) == "gh");
  buffer.clear();
  CHECK(buffer.size() == 0);
  CHECK(buffer.capacity() == 8);
  CHECK_THROWS_AS(buffer.write("x", 1, 8), EthosU::Exception);
}
