#include "sim/timed/device/device_simulation.hpp"
#include "sim/isa/disasm.hpp"
#include "tests/unit/sim/timed/bench.hpp"
#include "tests/unit/sim/timed/flat_memory.hpp"

#include <macaw/npu/registers.hpp>

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr Cycles kLong(1'000'000);

/// A device whose job interrupts once, goes on for a while and stops.
class Stepped {
 public:
  explicit Stepped(const char* name, std::uint32_t read_latency = 0) : accelerator_(*find_accelerator(name)) {
    std::string text = ".accelerator " + std::string(name) + "\n.stream test\nNPU_OP_IRQ mask=0x5\n";
    for (int i = 0; i < 400; ++i) text += "NPU_SET_IFM_REGION region=0\n";
    const auto assembly = assemble(text + "NPU_OP_STOP mask=0x8\n", "test");
    if (!assembly) FAIL(assembly.error().to_string());
    const auto& words = assembly->streams[0].words;
    memory_.bytes.resize(words.size() * 4);
    std::memcpy(memory_.bytes.data(), words.data(), words.size() * 4);
    const MemoryTiming timing{.read_latency = read_latency};
    auto created = DeviceSimulation::create(accelerator_, default_params(accelerator_), {timing, timing}, memory_);
    if (!created) FAIL(created.error().to_string());
    device = std::move(*created);
  }

  void write(const char* name, std::uint32_t value, unsigned word = 0) {
    if (const auto done = device->write(offset(name) + 4 * word, value); !done) FAIL(done.error().to_string());
  }
  std::uint32_t read(const char* name) { return device->read(offset(name)).value(); }
  void advance(Cycles most) {
    if (const auto done = device->advance(most); !done) FAIL(done.error().to_string());
  }

  void start() {
    while (read("STATUS") & 8) {
    }
    write("QBASE", static_cast<std::uint32_t>(FlatMemory::kBase));
    write("QSIZE", static_cast<std::uint32_t>(memory_.bytes.size()));
    write("CMD", 0xd);
  }
  void clear() { write("CMD", 0xffff000e); }
  /// Runs the job to its end and takes its interrupts; when that was.
  Cycles finish(Cycles most = kLong) {
    while (step(most)) {
    }
    return device->time();
  }
  /// Part of the job, up to the next interrupt, which is taken; false at the end.
  bool step(Cycles most) {
    advance(most);
    if (device->interrupt()) clear();
    return read("STATUS") & 1;
  }

  std::unique_ptr<DeviceSimulation> device;

 private:
  unsigned offset(const char* name) const { return register_offset(accelerator_.family, name).value(); }

  const Accelerator& accelerator_;
  FlatMemory memory_;
};

std::int64_t run_bench() {
  Bench bench;
  bench.kernel(absolute(4, 16, 16, {1, 16, 16}));
  return bench.run().end;
}

}  // namespace

TEST_CASE("advancing a device ends at its interrupt") {
  Stepped stepped(GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-256"));
  stepped.start();
  const Cycles started = stepped.device->time();
  stepped.advance(kLong);
  CHECK(stepped.device->interrupt());
  CHECK(stepped.read("STATUS") == 0x00050003);
  stepped.clear();
  CHECK_FALSE(stepped.device->interrupt());
  stepped.advance(kLong);
  CHECK(stepped.device->interrupt());
  CHECK(stepped.read("STATUS") == 0x00080022);
  CHECK(stepped.device->time() > started + Cycles(400));
  CHECK(stepped.device->time() < started + Cycles(10'000));
  CHECK_FALSE(stepped.device->fault());
}

TEST_CASE("no time passes while an interrupt waits to be taken") {
  Stepped stepped("ethos-u55-128");
  stepped.start();
  stepped.advance(kLong);
  REQUIRE(stepped.device->interrupt());
  const Cycles waiting = stepped.device->time();
  stepped.advance(kLong);
  CHECK(stepped.device->time() == waiting);
  CHECK(stepped.read("STATUS") == 0x00050003);
}

TEST_CASE("advancing an idle device takes all of the time") {
  Stepped stepped("ethos-u55-128");
  const Cycles before = stepped.device->time();
  stepped.advance(Cycles(12'345));
  CHECK(stepped.device->time() == before + Cycles(12'345));
}

TEST_CASE("two devices side by side end when each of them does alone") {
  const auto alone = [](const char* name, std::uint32_t latency) {
    Stepped stepped(name, latency);
    stepped.start();
    return stepped.finish(Cycles(50));
  };
  const Cycles first_alone = alone("ethos-u55-128", 300), second_alone = alone("ethos-u85-512", 700);
  Stepped first("ethos-u55-128", 300), second("ethos-u85-512", 700);
  first.start();
  second.start();
  bool first_runs = true, second_runs = true;
  while (first_runs || second_runs) {
    if (first_runs) first_runs = first.step(Cycles(50));
    if (second_runs) second_runs = second.step(Cycles(50));
  }
  CHECK(first.device->time() == first_alone);
  CHECK(second.device->time() == second_alone);
  CHECK(first_alone != second_alone);
}

TEST_CASE("a simulation beside a living device ends, in the same thread and in another one") {
  const std::int64_t alone = run_bench();
  Stepped undisturbed("ethos-u65-256"), stepped("ethos-u65-256");
  undisturbed.start();
  stepped.start();
  stepped.advance(Cycles(20));
  undisturbed.advance(Cycles(20));
  CHECK(run_bench() == alone);
  std::int64_t beside = 0;
  std::thread([&] { beside = run_bench(); }).join();
  CHECK(beside == alone);
  CHECK(stepped.finish() == undisturbed.finish());
}

TEST_CASE("another thread than the one that built a device may step it") {
  Stepped here("ethos-u55-256"), there("ethos-u55-256");
  here.start();
  const Cycles end = here.finish();
  Cycles other;
  std::thread([&] {
    there.start();
    other = there.finish();
  }).join();
  CHECK(other == end);
}

TEST_CASE("an access outside the registers of the device is a usage error") {
  Stepped stepped("ethos-u55-128");
  for (const unsigned offset : {2u, 0x2000u}) {
    const auto value = stepped.device->read(offset);
    REQUIRE_FALSE(value);
    CHECK(value.error().code == ErrorCode::kUsage);
  }
}

namespace {

/// A process that lets time pass in another simulation.
class Meddler : public sc_core::sc_module {
 public:
  std::optional<Error> error;

  SC_HAS_PROCESS(Meddler);
  Meddler(const sc_core::sc_module_name& name, Stepped& other) : sc_core::sc_module(name), other_(other) {
    SC_THREAD(run);
  }

 private:
  void run() {
    const auto done = other_.device->advance(Cycles(10));
    if (!done) error = done.error();
  }
  Stepped& other_;
};

}  // namespace

TEST_CASE("a process that would run a simulation within its own gets an error") {
  Stepped stepped("ethos-u55-128");
  Context context;
  const auto entered = context.enter();
  Meddler meddler("meddler", stepped);
  REQUIRE(context.run(ticks(100.0)));
  REQUIRE(meddler.error);
  CHECK(meddler.error->code == ErrorCode::kUsage);
}
