#include "sim/timed/device/faulting_access.hpp"
#include "sim/timed/device/held_writes.hpp"
#include "tests/unit/sim/timed/stepped_device.hpp"

// Which access a job ends at, and what is left of a job for the next one (u55_u65 7.1).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr int kThere = 2;

FeatureMap one_brick(int region) {
  FeatureMap map{.region = region, .h = 1, .w = 1, .c = 16};
  map.stride_x = map.stride_y = 16;
  map.width0 = map.height0 = map.height1 = 1;
  return map;
}

/// A 1x1 convolution, all of it in the region that is there.
BlockOperation convolution(const Accelerator& accelerator) {
  BlockOperation op;
  op.family = accelerator.family;
  op.kind = OpKind::kConv;
  op.scale_per_channel = true;
  op.ifm = op.ofm = one_brick(kThere);
  op.block = {4, 4, 16};
  op.ublock = accelerator.ofm_ublock;
  op.weights[0] = {kThere, 0, 64};
  op.scales[0] = {kThere, 0, 160};
  return op;
}

std::optional<FaultingAccess> fault_of(const BlockOperation& op, const Accelerator& accelerator) {
  std::vector<std::uint8_t> bytes(256), internal(2048);
  MemoryMap memory;
  memory.internal = internal;
  memory.regions[kThere] = {bytes, true, true};
  return faulting_access(op, accelerator, memory);
}

}  // namespace

TEST_CASE("a convolution faults at the first of its operands that is not in its region, each on its channel") {
  struct Case {
    const char* what;
    Channel channel;
    void (*spoil)(BlockOperation&, int region);
  };
  static const Case cases[] = {
      {"IFM", Channel::kReadIfm, [](BlockOperation& op, int region) { op.ifm.region = region; }},
      {"OFM", Channel::kWriteOfm, [](BlockOperation& op, int region) { op.ofm.region = region; }},
      {"scales", Channel::kReadScaleBias, [](BlockOperation& op, int region) { op.scales[0].region = region; }},
      {"weights", Channel::kReadWeights, [](BlockOperation& op, int region) { op.weights[0].region = region; }}};
  for (const char* name : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    const auto& accelerator = *find_accelerator(name);
    CHECK_FALSE(fault_of(convolution(accelerator), accelerator));
    for (const auto& [what, channel, spoil] : cases) {
      INFO(name << ' ' << what);
      auto op = convolution(accelerator);
      spoil(op, 6);
      const auto fault = fault_of(op, accelerator);
      REQUIRE(fault);
      CHECK(fault->channel == channel);
      CHECK(fault->region == 6);
    }
    auto all = convolution(accelerator);
    for (std::size_t i = std::size(cases); i-- > 0;) {
      cases[i].spoil(all, static_cast<int>(i + 3));
      CHECK(fault_of(all, accelerator)->region == static_cast<int>(i + 3));
    }
  }
}

TEST_CASE("the second operand of a sum faults in its own region") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto& accelerator = *find_accelerator(name);
    auto op = convolution(accelerator);
    op.kind = OpKind::kElementwise;
    op.elementwise = ElementwiseMode::kAdd;
    op.scale_per_channel = false;
    op.ifm2 = one_brick(kThere);
    CHECK_FALSE(fault_of(op, accelerator));
    op.ifm2.region = 7;
    const auto fault = fault_of(op, accelerator);
    REQUIRE(fault);
    CHECK(fault->region == 7);
    CHECK(fault->channel == (op.family == Family::kU85 ? Channel::kReadIfmStream : Channel::kReadIfm));
  }
}

TEST_CASE("a stream of no whole words or outside of memory is a bus fault, which the next job after a reset forgets") {
  SteppedDevice stepped("ethos-u55-128", "NPU_OP_STOP mask=0x8\n");
  const std::uint32_t size = stepped.stream_bytes;
  for (const std::uint32_t bytes : {size - 1, size - 2, size + 1, size + 4}) {
    INFO(bytes);
    stepped.stream_bytes = bytes;
    stepped.start();
    stepped.advance(SteppedDevice::kLong);
    CHECK(stepped.read("STATUS") == 0x6);
    CHECK(stepped.device->fault());
    stepped.reset();
    stepped.stream_bytes = size;
    stepped.run();
    CHECK((stepped.read("STATUS") & 0xffff) == 0x22);
    CHECK_FALSE(stepped.device->fault());
    stepped.reset();
  }
}

TEST_CASE("time goes on to a cycle, never back, and to no more than a run may take") {
  SteppedDevice stepped("ethos-u65-256", "NPU_OP_STOP mask=0x8\n");
  const Cycles now = stepped.device->time();
  REQUIRE(stepped.device->advance_to(now + Cycles(1)));
  CHECK(stepped.device->time() == now + Cycles(1));
  REQUIRE(stepped.device->advance_to(now));
  CHECK(stepped.device->time() == now + Cycles(1));
  REQUIRE(stepped.device->advance_to(Cycles(UINT64_MAX)));
  CHECK(stepped.device->time() == Cycles(1'000'000'000'000'000));
}

TEST_CASE("bytes change when the operation that writes them has finished, and those before it") {
  HeldWrites writes;
  std::vector<std::uint8_t> memory(300), first = memory, both;
  // The second has two changes, with more than a few equal bytes between them; one is of bytes that the first wrote.
  const auto write = [&](std::uint8_t value, std::vector<std::size_t> places, const bool& finished) {
    const auto done = writes.add(
        memory, 0x1000,
        [&]() -> Result<void> {
          for (const auto place : places) memory[place] = value;
          return {};
        },
        [&finished] { return finished; });
    REQUIRE(done);
  };
  for (int job = 0; job < 3; ++job) {
    INFO(job);
    std::fill(memory.begin(), memory.end(), std::uint8_t{0});
    const auto before = memory;
    bool one = false, two = false;
    write(1, {0, 63, 299}, one);
    first = memory;
    write(2, {0, 1, 200, 298}, two);
    both = memory;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
    const auto note = [&](std::uint64_t address, std::uint64_t bytes) { written.emplace_back(address, bytes); };
    writes.hold_back();
    CHECK(memory == before);
    two = true;
    writes.release(note);
    CHECK(memory == before);
    CHECK(written.empty());
    one = true;
    two = false;
    writes.release(note);
    CHECK(memory == first);
    CHECK(written == decltype(written){{0x1000, 64}, {0x112b, 1}});
    written.clear();
    two = true;
    writes.release(note);
    CHECK(memory == both);
    CHECK(written == decltype(written){{0x1000, 2}, {0x10c8, 1}, {0x112a, 1}});
    writes.drop();
  }
}
