#include "sim/config/cost.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

// The tables of timing 1.2, 1.5 and 1.6, row by row as the documentation has them.
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

constexpr std::array kU85 = {"ethos-u85-128", "ethos-u85-256", "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"};

struct Rate {
  const char* what;
  std::array<double, 5> cycles;  ///< U55-32, -64, -128, -256 and U65-256, U65-512; of U85 by MACs
  std::function<void(BlockOperation&)> make;
};

void elementwise(BlockOperation& op, ElementwiseMode mode, int ifm_bits, int ofm_bits) {
  op.kind = OpKind::kElementwise;
  op.elementwise = mode;
  op.ifm.bits = op.ifm2.bits = ifm_bits;
  op.ofm.bits = ofm_bits;
}
auto elementwise_op(ElementwiseMode mode, int ifm_bits, int ofm_bits,
                    OperandScaling scaling = OperandScaling::kOpaOpb16) {
  return [=](BlockOperation& op) {
    elementwise(op, mode, ifm_bits, ofm_bits);
    op.operand_scaling = scaling;
  };
}
auto wide_sums(OpKind kind) {
  return [=](BlockOperation& op) {
    op.kind = kind;
    op.pool = PoolMode::kAverage;
    op.acc_format = AccFormat::kI40;
  };
}
auto pool(PoolMode mode) {
  return [=](BlockOperation& op) {
    op.kind = OpKind::kPool;
    op.pool = mode;
  };
}
auto turned(int ofm_bits, int transpose, int reverse) {
  return [=](BlockOperation& op) {
    op.ofm.bits = ofm_bits;
    op.transpose = transpose;
    op.reverse = reverse;
  };
}

using enum ElementwiseMode;
const std::vector<Rate> kRatesU65 = {
    {"32-bit IFM, unary", {2, 1, .75, .625, .3125}, elementwise_op(kAbs, 32, 32)},
    {"32-bit IFM, unary, narrow OFM", {2, 1, .75, .625, .3125}, elementwise_op(kClz, 32, 8)},
    {"32-bit IFM, binary", {3, 1.5, 1.25, 1.125, .5625}, elementwise_op(kMin, 32, 32)},
    {"32-bit ADD", {3, 1.5, 1.25, 1.125, .5625}, elementwise_op(kAdd, 32, 32)},
    {"32-bit SUB in any scale mode", {3, 1.5, 1.25, 1.125, .5625}, elementwise_op(kSub, 32, 8, OperandScaling::kOpa32)},
    {"MUL to 32 bits", {3, 1.5, .75, .5, .25}, elementwise_op(kMul, 16, 32)},
    {"MUL to 8 bits", {3, 1.5, .75, .375, .1875}, elementwise_op(kMul, 8, 8)},
    {"MUL of 32 to 16 bits", {3, 1.5, .75, .375, .1875}, elementwise_op(kMul, 32, 16)},
    {"40-bit accumulators", {3, 1.5, .75, .375, .1875}, wide_sums(OpKind::kConv)},
    {"40-bit accumulators of a pool", {3, 1.5, .75, .375, .1875}, wide_sums(OpKind::kPool)},
    {"ADD, scale mode 0", {4, 2, 1, .5, .25}, elementwise_op(kAdd, 8, 8)},
    {"SUB, scale mode 0", {4, 2, 1, .5, .25}, elementwise_op(kSub, 16, 16)},
    {"ADD, scale mode 1", {6, 3, 1.5, .75, .375}, elementwise_op(kAdd, 8, 8, OperandScaling::kOpa32)},
    {"SUB, scale mode 2", {6, 3, 1.5, .75, .375}, elementwise_op(kSub, 8, 8, OperandScaling::kOpb32)},
    {"MAX pool", {1, .5, .25, .125, .0625}, pool(PoolMode::kMax)},
    {"average pool", {2, 1, .5, .25, .125}, pool(PoolMode::kAverage)},
    {"MAX of bytes", {2, 1, .5, .25, .125}, elementwise_op(kMax, 8, 8)},
    {"convolution", {2, 1, .5, .25, .125}, [](BlockOperation&) {}},
};

const std::vector<Rate> kRatesU85 = {
    {"8 bits", {.5, .25, .125, .0625, .03125}, turned(8, 0, 0)},
    {"16 bits", {.5, .25, .125, .125, .0625}, turned(16, 0, 0)},
    {"32 bits", {.5, .25, .25, .25, .125}, turned(32, 0, 0)},
    {"64 bits", {1, .5, .5, .5, .25}, turned(64, 0, 0)},
    {"binary, 32 to 8 bits", {1, .5, .25, .125, .0625}, elementwise_op(kAdd, 32, 8)},
    {"binary, 32 to 32 bits", {1, .5, .25, .25, .125}, elementwise_op(kMul, 32, 32)},
    {"unary, 32 to 32 bits", {.5, .25, .25, .25, .125}, elementwise_op(kAbs, 32, 32)},
    {"binary, 16 to 8 bits", {.5, .25, .125, .0625, .03125}, elementwise_op(kAdd, 16, 8)},
    {"axes exchanged", {1, .5, .25, .125, .0625}, turned(8, 1, 0)},
    {"the last exchange of axes", {1, .5, .25, .125, .0625}, turned(8, 7, 0)},
    {"W reversed", {1, .5, .25, .125, .0625}, turned(8, 0, 2)},
    {"H or C reversed", {.5, .25, .125, .0625, .03125}, turned(8, 0, 1)},
    {"axes exchanged, 64 bits", {1, .5, .5, .5, .25}, turned(64, 1, 0)},
    {"DIV", {33, 33, 33, 33, 33}, elementwise_op(kDiv, 32, 32)},
};

void check(const char* name, std::size_t column, const std::vector<Rate>& rates) {
  const Accelerator& npu = accelerator(name);
  for (const Rate& rate : rates) {
    BlockOperation op;
    op.family = npu.family;
    op.activation.function = ActivationFunction::kNone;
    rate.make(op);
    CAPTURE(name, rate.what);
    CHECK(output_cycles_per_element(op, default_params(npu)) == rate.cycles[column]);
    op.activation.function = ActivationFunction::kTanh;
    const double least = npu.family == Family::kU85 ? 0 : column == 4 ? .5 : 1;
    CHECK(output_cycles_per_element(op, default_params(npu)) == std::max(rate.cycles[column], least));
  }
}

}  // namespace

TEST_CASE("elements take the output unit as long as the tables of its throughput say") {
  constexpr std::array kU65 = {"ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256", "ethos-u65-512"};
  for (std::size_t column = 0; column < kU65.size(); ++column) check(kU65[column], column, kRatesU65);
  check("ethos-u65-256", 3, kRatesU65);
  for (std::size_t column = 0; column < kU85.size(); ++column) check(kU85[column], column, kRatesU85);
}

TEST_CASE("a chained result of 32 bits leaves as a narrower one does") {
  for (std::size_t column = 0; column < kU85.size(); ++column) {
    constexpr std::array<double, 5> kChained = {1, .5, .25, .125, .0625};
    BlockOperation op;
    op.family = Family::kU85;
    elementwise(op, kSub, 32, 32);
    op.ofm.storage = Storage::kChained;
    CHECK(output_cycles_per_element(op, default_params(accelerator(kU85[column]))) == kChained[column]);
  }
}

TEST_CASE("the read buffers of U85 and its output buffer hold the words of their table") {
  constexpr std::array<std::array<double, 6>, 5> kWords = {{{64, 104, 128, 128, 16, 128},
                                                            {104, 128, 128, 128, 16, 128},
                                                            {128, 128, 256, 256, 16, 256},
                                                            {256, 256, 416, 208, 16, 256},
                                                            {256, 256, 512, 256, 16, 512}}};
  for (std::size_t row = 0; row < kU85.size(); ++row) {
    const Params p = default_params(accelerator(kU85[row]));
    CAPTURE(kU85[row]);
    CHECK(std::array{p.read_buffer_mem2mem, p.read_buffer_ifm, p.read_buffer_weights, p.read_buffer_fast_weights,
                     p.read_buffer_scales, p.output_buffer} == kWords[row]);
    CHECK(p.read_buffer_ifm_stream == p.read_buffer_mem2mem);
  }
}

TEST_CASE("ports, transactions and queues of a family are those of its documentation") {
  struct Row {
    const char* name;
    int ports0, ports1, beat, reads0, writes0, reads1, writes1, burst, copies, blockdep;
  };
  for (const Row& row : {Row{"ethos-u55-32", 1, 1, 8, 32, 16, 32, 16, 64, 1, 3},
                         {"ethos-u55-256", 1, 1, 8, 32, 16, 32, 16, 64, 1, 3},
                         {"ethos-u65-256", 1, 1, 16, 64, 32, 64, 32, 128, 2, 3},
                         {"ethos-u65-512", 1, 1, 16, 64, 32, 64, 32, 128, 2, 3},
                         {"ethos-u85-128", 2, 1, 16, 12, 16, 64, 32, 256, 4, 7},
                         {"ethos-u85-512", 2, 1, 16, 12, 16, 64, 32, 256, 4, 7},
                         {"ethos-u85-1024", 2, 2, 16, 12, 16, 64, 32, 256, 4, 7},
                         {"ethos-u85-2048", 4, 2, 16, 12, 16, 64, 32, 256, 4, 7}}) {
    const Accelerator& a = accelerator(row.name);
    CAPTURE(row.name);
    CHECK(std::array{a.ports0, a.ports1, a.beat_bytes, a.max_reads0, a.max_writes0} ==
          std::array{row.ports0, row.ports1, row.beat, row.reads0, row.writes0});
    CHECK(std::array{a.max_reads1, a.max_writes1, a.burst_bytes, a.max_dma, a.max_blockdep} ==
          std::array{row.reads1, row.writes1, row.burst, row.copies, row.blockdep});
    CHECK(default_params(a).kernels_in_flight == 2);
  }
}

TEST_CASE("what a family alone has does not apply to the others") {
  const Params u55 = default_params(accelerator("ethos-u55-128")), u65 = default_params(accelerator("ethos-u65-256")),
               u85 = default_params(accelerator("ethos-u85-256"));
  CHECK(std::array{u55.ofm_write_beat, u65.ofm_write_beat} == std::array{1., 2.});
  CHECK(std::array{u55.ifm_transaction_axi0, u65.ifm_transaction_axi0} == std::array{32., 64.});
  for (const double none : {u85.ofm_write_beat, u85.accumulators, u65.kernel_start, u55.mac_pass + u55.ao_latency})
    CHECK(std::isnan(none));
}
