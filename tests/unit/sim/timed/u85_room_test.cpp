#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

// Ethos-U85: which unit waits where a RAM holds a block, or a buffer a request, and where it lacks a byte or a word of
// that.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

BlockOperation of_u85(BlockOperation op) {
  op.family = Family::kU85;
  op.ublock = {2, 2, 8};
  return op;
}

/// The end of a convolution of two IFM blocks, each of 8 x 8 elements of `channels`, with so many bytes for IFM blocks.
std::int64_t end_with(int channels, int ram_bytes) {
  Accelerator accelerator = *find_accelerator("ethos-u85-256");
  accelerator.ram.ifm = ram_bytes;
  Bench bench(accelerator);
  bench.memory[0].read_latency = 500;
  bench.kernel(of_u85(pointwise(16, 8, channels, 8, {8, 8, 8}, 64)));
  const auto result = bench.run();
  CHECK(result.stopped);
  return result.end;
}

}  // namespace

TEST_CASE("U85: IFM blocks take the room of channels in eights") {
  for (const int channels : {1, 4, 8, 9, 12, 15, 16}) {
    const int both = 2 * 8 * 8 * ((channels + 7) / 8 * 8);
    CAPTURE(channels);
    CHECK(end_with(channels, both) == end_with(channels, 2 * both));
    CHECK(end_with(channels, both - 1) > end_with(channels, both));
  }
}

TEST_CASE("U85: the last request for scales takes the words that are left of them") {
  // Eight channels have 80 bytes: four words of 16 bytes and one.
  const auto end = [](double words) {
    Bench bench("ethos-u85-256");
    bench.config.params.read_buffer_scales = words;
    bench.memory[1].read_latency = 1000;
    auto op = of_u85(pointwise(2, 2, 8, 8, {2, 2, 8}, 64));
    op.weights[0].region = 1;  // behind the other memory, which is fast
    op.scales[0] = {0, 8192, 80};
    bench.kernel(op);
    return bench.run().end;
  };
  CHECK(end(5) == end(100));
  CHECK(end(4) > end(5) + 900);
}

TEST_CASE("U85: scales keep their places until the output unit has used them") {
  // 64 channels have 40 words of scales. The output unit starts once the IFM is there, long after all scales could be.
  const auto end = [](double words) {
    Bench bench("ethos-u85-256");
    bench.config.params.scale_storage = words;
    bench.memory[0].read_latency = 8000;
    bench.memory[1].read_latency = 1000;
    auto op = of_u85(pointwise(2, 2, 8, 64, {2, 2, 64}, 64));
    op.scales[0] = {0, 8192, 640};
    bench.kernel(op);
    return bench.run().end;
  };
  CHECK(end(40) == end(1000));
  CHECK(end(36) > end(40) + 900);
  CHECK(end(20) > end(36) + 900);
}

TEST_CASE("U85: the places of the one block that accumulators have room for are free as its first part is taken") {
  // Two blocks of four rows of micro-blocks, which the output unit takes far longer for than the MAC array.
  const auto waits = [](bool room_for_two) {
    Accelerator accelerator = *find_accelerator("ethos-u85-256");
    accelerator.ram.accumulators = (room_for_two ? 2 : 1) * 4 * 8 * 8 * 8;
    Bench bench(accelerator);
    bench.config.params.ao_block_start = 0;
    auto op = of_u85(pointwise(16, 8, 8, 8, {8, 8, 8}, 64));
    bench.kernel(op);
    std::get<KernelRef>(bench.program.instructions[0].action)->output_per_element = 10;
    const auto result = bench.run();
    CHECK(result.end > 2 * 8 * 8 * 8 * 10);
    return result.count("MAC_STALLED_BY_ACC");
  };
  CHECK(waits(true) == 0);
  CHECK(waits(false) < 8 * 8 * 8 * 10 / 4);
}
