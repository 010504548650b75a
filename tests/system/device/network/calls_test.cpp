#include <macaw/network.h>
#include <macaw/npy.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace {

const std::string kTrace = "traces/tiny_cnn/";
const std::string kArtifact = kTrace + "ethos-u55-128/tiny_cnn.npz";

struct Network {
  explicit Network(const std::string& file) {
    REQUIRE(macaw_network_load(file.c_str(), nullptr, &network) == MACAW_NETWORK_OK);
  }
  ~Network() { macaw_network_destroy(network); }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  macaw_network_status run(const void* input, void* output, int threads = 1) const {
    return macaw_network_run(network, &input, 1, &output, 1, threads);
  }

  macaw_network* network = nullptr;
};

std::vector<std::byte> bytes_of(const std::string& file) {
  const auto tensor = macaw::read_tensor(file);
  REQUIRE(tensor);
  return {tensor->bytes().begin(), tensor->bytes().end()};
}

std::string message() { return macaw_network_message(); }

}  // namespace

TEST_CASE("inputs and outputs are described") {
  const Network tiny(kArtifact);
  REQUIRE(macaw_network_input_count(tiny.network) == 1);
  REQUIRE(macaw_network_output_count(tiny.network) == 1);
  macaw_network_tensor input = {}, output = {};
  CHECK(macaw_network_input(tiny.network, 0, &input) == MACAW_NETWORK_USAGE);  // no size
  input.struct_size = output.struct_size = sizeof input;
  CHECK(macaw_network_abi() == MACAW_NETWORK_ABI);
  CHECK(std::string(macaw_network_version()).find('.') != std::string::npos);
  REQUIRE(macaw_network_input(tiny.network, 0, &input) == MACAW_NETWORK_OK);
  REQUIRE(macaw_network_output(tiny.network, 0, &output) == MACAW_NETWORK_OK);
  CHECK(input.size == bytes_of(kTrace + "input_0.npy").size());
  CHECK(output.size == bytes_of(kTrace + "ethos-u55-128/output_0.npy").size());
  CHECK(input.type == nullptr);  // npz
  std::size_t elements = 1;
  for (std::size_t i = 0; i < input.rank; ++i) elements *= static_cast<std::size_t>(input.shape[i]);
  CHECK(elements == input.size);
  CHECK(macaw_network_input(tiny.network, 1, &input) == MACAW_NETWORK_USAGE);
  CHECK(message() == "the network has 1 inputs, none of index 1");
}

TEST_CASE("every run of several threads gives the bytes of the simulator") {
  const Network tiny(kArtifact);
  const auto input = bytes_of(kTrace + "input_0.npy"), expected = bytes_of(kTrace + "ethos-u55-128/output_0.npy");
  std::vector<std::vector<std::byte>> outputs(4, std::vector<std::byte>(expected.size()));
  std::vector<macaw_network_status> statuses(outputs.size(), MACAW_NETWORK_INTERNAL);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 3; ++n) statuses[i] = tiny.run(input.data(), outputs[i].data(), static_cast<int>(i));
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    CHECK(statuses[i] == MACAW_NETWORK_OK);
    CHECK(outputs[i] == expected);
  }
}

TEST_CASE("a network in memory is the network of the file") {
  std::ifstream in(kArtifact, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  macaw_network* network = nullptr;
  REQUIRE(macaw_network_load_bytes(file.data(), file.size(), "ethos-u55-128", &network) == MACAW_NETWORK_OK);
  const auto input = bytes_of(kTrace + "input_0.npy"), expected = bytes_of(kTrace + "ethos-u55-128/output_0.npy");
  std::vector<std::byte> output(expected.size());
  const void* from = input.data();
  void* to = output.data();
  CHECK(macaw_network_run(network, &from, 1, &to, 1, 0) == MACAW_NETWORK_OK);
  CHECK(output == expected);
  macaw_network_destroy(network);
}

TEST_CASE("what is wrong is said, and leaves no network") {
  macaw_network* network = nullptr;
  CHECK(macaw_network_load("no/such.npz", nullptr, &network) == MACAW_NETWORK_FILE);
  CHECK(message().find("no/such.npz") != std::string::npos);
  CHECK(macaw_network_load(kArtifact.c_str(), "ethos-u99", &network) == MACAW_NETWORK_USAGE);
  CHECK(message().find("ethos-u99") != std::string::npos);
  CHECK(macaw_network_load(kArtifact.c_str(), "ethos-u85-256", &network) == MACAW_NETWORK_MISMATCH);
  CHECK(macaw_network_load_bytes("nonsense", 8, nullptr, &network) == MACAW_NETWORK_FILE);
  CHECK(network == nullptr);
}

TEST_CASE("null pointers and other numbers of buffers are refused") {
  macaw_network_tensor tensor = {};
  tensor.struct_size = sizeof tensor;
  CHECK(macaw_network_load(nullptr, nullptr, nullptr) == MACAW_NETWORK_USAGE);
  CHECK(macaw_network_input(nullptr, 0, &tensor) == MACAW_NETWORK_USAGE);
  CHECK(macaw_network_input_count(nullptr) == 0);
  macaw_network_destroy(nullptr);

  const Network tiny(kArtifact);
  std::vector<std::byte> bytes(1 << 16);
  CHECK(tiny.run(nullptr, bytes.data()) == MACAW_NETWORK_USAGE);
  CHECK(tiny.run(bytes.data(), nullptr) == MACAW_NETWORK_USAGE);
  CHECK(tiny.run(bytes.data(), bytes.data(), -1) == MACAW_NETWORK_USAGE);
  for (const int threads : {-1, 0, 1, 256, 257}) {
    INFO(threads);
    CHECK((tiny.run(bytes.data(), bytes.data(), threads) == MACAW_NETWORK_OK) == (threads >= 0 && threads <= 256));
  }
  const void* from[] = {bytes.data(), bytes.data()};
  void* to[] = {bytes.data(), bytes.data()};
  for (const std::size_t inputs : {0, 1, 2})
    for (const std::size_t outputs : {0, 1, 2}) {
      INFO(inputs << " inputs, " << outputs << " outputs");
      CHECK((macaw_network_run(tiny.network, from, inputs, to, outputs, 1) == MACAW_NETWORK_OK) ==
            (inputs == 1 && outputs == 1));
    }
  CHECK(macaw_network_run(tiny.network, nullptr, 0, nullptr, 0, 1) == MACAW_NETWORK_MISMATCH);
  CHECK(message().find("has 1") != std::string::npos);
}

TEST_CASE("the program of examples/network prints what the simulator computes") {
  const macaw::test::TemporaryFolder temporary;
  const auto& folder = temporary.path();
  const auto input = bytes_of(kTrace + "input_0.npy"), expected = bytes_of(kTrace + "ethos-u55-128/output_0.npy");
  std::ofstream(folder / "input", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  const auto command =
      fmt::format("{} {} {}/input > {}/printed", MACAW_NETWORK_EXAMPLE, kArtifact, folder.string(), folder.string());
  CHECK(std::system(command.c_str()) == 0);
  std::string printed, first = fmt::format("{} bytes:", expected.size());
  std::getline(std::ifstream(folder / "printed"), printed);
  for (std::size_t i = 0; i < std::min<std::size_t>(expected.size(), 10); ++i)
    first += fmt::format(" {}", static_cast<int>(static_cast<signed char>(expected[i])));
  CHECK_THAT(printed, Catch::Matchers::EndsWith(first));
}

TEST_CASE("a session runs as its network and keeps the variables") {
  const Network tiny(kArtifact);
  CHECK(macaw_network_state_count(tiny.network) == 0);
  macaw_network_tensor variable = {};
  variable.struct_size = sizeof variable;
  CHECK(macaw_network_state(tiny.network, 0, &variable) == MACAW_NETWORK_USAGE);
  macaw_network_session* session = nullptr;
  REQUIRE(macaw_network_session_create(tiny.network, &session) == MACAW_NETWORK_OK);
  const auto input = bytes_of(kTrace + "input_0.npy"), expected = bytes_of(kTrace + "ethos-u55-128/output_0.npy");
  for (int step = 0; step < 2; ++step) {
    std::vector<std::byte> output(expected.size());
    const void* inputs[] = {input.data()};
    void* outputs[] = {output.data()};
    REQUIRE(macaw_network_session_run(session, inputs, 1, outputs, 1, 1) == MACAW_NETWORK_OK);
    CHECK(output == expected);
    REQUIRE(macaw_network_session_reset(session) == MACAW_NETWORK_OK);
  }
  std::byte contents{};
  CHECK(macaw_network_session_get_state(session, 0, &contents, 1) == MACAW_NETWORK_USAGE);
  CHECK(message().find("0 variables") != std::string::npos);
  CHECK(macaw_network_session_set_state(session, 0, nullptr, 1) == MACAW_NETWORK_USAGE);
  CHECK(macaw_network_session_run(session, nullptr, 0, nullptr, 0, 1) == MACAW_NETWORK_MISMATCH);
  macaw_network_session_destroy(session);
  macaw_network_session_destroy(nullptr);
  CHECK(macaw_network_session_create(nullptr, &session) == MACAW_NETWORK_USAGE);
  CHECK(session == nullptr);
}
