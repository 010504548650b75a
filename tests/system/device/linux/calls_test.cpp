#include <uapi/ethosu.h>
#include <catch2/catch.hpp>
#include <ethosu.hpp>

#include <poll.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Buffers = std::vector<std::shared_ptr<EthosU::Buffer>>;

std::string load(const std::string& file) {
  std::ifstream in("traces/tiny_cnn/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The bytes of an npy file behind its header of 128 bytes.
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

/// A command stream alone for U65 that copies 16 bytes each between operands, 3 the inputs, 4 the outputs, 1 the
/// intermediate memory.
struct Copy {
  std::uint32_t from, source, to, target;
};
std::string copying(const std::vector<Copy>& copies) {
  std::vector<std::uint32_t> words;
  for (const Copy& c : copies)
    words.insert(words.end(), {0x0130 | c.from << 16, 0x0131 | c.to << 16, 0x4030, c.source, 0x4031, c.target, 0x4032,
                               16, 0x0010, 0x0011});
  words.push_back(0xffff0000);
  const std::uint32_t config = 0x10000008, id = 0x10061000;  // of U65-256
  std::vector<std::uint32_t> payload = {0x31504f43, 1, config, id,
                                        5,          5, 5,      static_cast<std::uint32_t>(words.size()) << 16 | 2};
  payload.insert(payload.end(), words.begin(), words.end());
  return {reinterpret_cast<const char*>(payload.data()), payload.size() * 4};
}

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
  says([&] { infer({nullptr}, {}); }, "Input 0 has no buffer");
  const Buffers nowhere{nullptr};
  const auto into = [&](const std::shared_ptr<EthosU::Network>& network, const Buffers& ofm) {
    EthosU::Inference(network, tiny.ifm.begin(), tiny.ifm.end(), ofm.begin(), ofm.end());
  };
  says([&] { into(tiny.network, nowhere); }, "Output 0 has no buffer");
  says([&] { into(nullptr, tiny.ofm); }, "without a network");
  says([&] { EthosU::Network(tiny.device, nullptr, 16); }, "null pointer");
  says([&] { infer(tiny.ifm, {0, 0, 0, 0, 1}); }, "4 counters");
  says([&] { infer(tiny.ifm, {1000}); }, "no PMU event 1000");
  says([&] { EthosU::Network(tiny.device, 0u); }, "firmware");
  says([&] { EthosU::Network(tiny.device, filled(tiny.device, "no network at all")); }, "unknown kind of file");
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

TEST_CASE("operands of a command stream lie one behind the other, each in as many bytes as its buffer", "[linux]") {
  const Npu npu("ethos-u65-256");
  EthosU::Device device;
  const std::string first(16, 'a'), second(32, 'b'), third = std::string(16, 'c');
  const auto network = std::make_shared<EthosU::Network>(
      device, filled(device, copying({{3, 0, 4, 32}, {3, 48, 1, 64}, {1, 64, 4, 16}, {3, 32, 4, 0}})));
  const Buffers ifm{filled(device, first), filled(device, second), filled(device, third)};
  const Buffers ofm = device.createBuffers({16, 16, 16});
  const auto run = [&](std::size_t scratch) {
    const auto intermediate = std::make_shared<EthosU::Buffer>(device, scratch);
    return EthosU::Inference(network, ifm.begin(), ifm.end(), ofm.begin(), ofm.end(), intermediate, nullptr,
                             std::vector<std::uint32_t>(), false)
        .failed();
  };
  CHECK_FALSE(run(80));
  CHECK(contents(*ofm[0]) == std::string(16, 'b'));
  CHECK(contents(*ofm[1]) == third);
  CHECK(contents(*ofm[2]) == first);
  CHECK(run(79));
}

TEST_CASE("waits add up to the time that the NPU takes at its clock", "[linux]") {
  const Npu npu("ethos-u65-512");
  const Tiny tiny("ethos-u65-512");
  const auto inference = [&] {
    return EthosU::Inference(tiny.network, tiny.ifm.begin(), tiny.ifm.end(), tiny.ofm.begin(), tiny.ofm.end(),
                             std::vector<std::uint32_t>(), true);
  };
  const auto cycles = static_cast<std::int64_t>(inference().getCycleCounter());
  // The clock of the NPU's usual system is 1 GHz: a cycle is a nanosecond.
  for (const std::int64_t part : {cycles - 1, cycles / 2, std::int64_t{1}}) {
    EthosU::Inference waited = inference();
    CHECK(waited.wait(part));
    CHECK(waited.wait(cycles - part - 1));
    CHECK_FALSE(waited.wait(1));
    CHECK(waited.status() == EthosU::InferenceStatus::OK);
  }
  CHECK_FALSE(inference().wait(cycles));
  CHECK(inference().wait(cycles - 1));
  CHECK_FALSE(inference().wait(-1));
}

TEST_CASE("an operand is a range of its buffer, and its size is what counts", "[linux]") {
  const Npu npu("ethos-u65-512");
  const Tiny tiny("ethos-u65-512");
  const auto bytes = contents(*tiny.ifm[0]);
  const auto larger = std::make_shared<EthosU::Buffer>(tiny.device, bytes.size() + 64);
  larger->resize(bytes.size(), 48);
  std::memcpy(larger->data(), bytes.data(), bytes.size());
  const auto out = std::make_shared<EthosU::Buffer>(tiny.device, tiny.golden.size() + 32);
  out->resize(0, 32);
  const Buffers ifm{larger}, ofm{out};
  const auto run = [&] { EthosU::Inference(tiny.network, ifm.begin(), ifm.end(), ofm.begin(), ofm.end()); };
  for (int i = 0; i < 2; ++i) {
    run();
    CHECK(out->offset() == 32);
    CHECK(contents(*out) == tiny.golden);
  }
  larger->resize(bytes.size() - 1, 48);
  CHECK_THROWS_AS(run(), EthosU::Exception);
}

TEST_CASE("the numbers of each NPU are in the fields of its registers", "[linux]") {
  struct Row {
    const char* name;
    EthosU::SemanticVersion version, product, architecture;
    std::uint32_t macs, stream;
    bool dma;
  };
  // ID and CONFIG of sim/isa/registers.def and accelerators.def, a digit each but for the architecture's minor number.
  const Row rows[] = {{"ethos-u55-256", {2, 0}, {4}, {1, 1, 0}, 8, 0, false},
                      {"ethos-u65-512", {0, 0}, {6}, {1, 0, 6}, 9, 0, false},
                      {"ethos-u85-2048", {0, 0}, {7}, {2, 0, 0}, 11, 1, false}};
  for (const Row& row : rows) {
    INFO(row.name);
    const Npu npu(row.name);
    const auto found = EthosU::Device().capabilities();
    CHECK(found.hwId.versionStatus == 1);
    CHECK(found.hwId.version == row.version);
    CHECK(found.hwId.product == row.product);
    CHECK(found.hwId.architecture == row.architecture);
    CHECK(found.hwCfg.macsPerClockCycle == row.macs);
    CHECK(found.hwCfg.cmdStreamVersion == row.stream);
    CHECK(found.hwCfg.customDma == row.dma);
  }
}

TEST_CASE("every event of an NPU is counted or named, the number behind the last is none", "[linux]") {
  const Npu npu("ethos-u65-512");
  const Tiny tiny("ethos-u65-512");
  std::uint32_t known = 0;
  for (std::uint32_t event = 0; event < 200; ++event) {
    const std::vector<std::uint32_t> events{event};
    try {
      EthosU::Inference(tiny.network, tiny.ifm.begin(), tiny.ifm.end(), tiny.ofm.begin(), tiny.ofm.end(), events,
                        false);
      CHECK(event == known++);
    } catch (const EthosU::Exception& exception) {
      if (std::string(exception.what()).starts_with("Macaw does not count")) {
        CHECK(event == known++);
        continue;
      }
      CHECK(exception.what() == "There is no PMU event " + std::to_string(event) + " on ethos-u65-512");
      break;
    }
  }
  CHECK(known > 50);
}
