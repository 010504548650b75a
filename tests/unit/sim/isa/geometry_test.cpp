#include "sim/isa/geometry.hpp"

#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

BlockOperation depth_first(int ifm_bits, bool sparse) {
  BlockOperation op;
  op.family = Family::kU85;
  op.ifm.bits = ifm_bits;
  op.sparse_weights = sparse;
  op.ublock = {1, 2, 16};
  return op;
}

}  // namespace

TEST_CASE("an IFM block of 32 bits is 32 channels deep on U85, sparse weights or not", "[isa]") {
  for (const char* name : {"ethos-u85-256", "ethos-u85-2048"}) {
    CHECK(ifm_block_depth(depth_first(32, false), accelerator(name)) == 32);
    CHECK(ifm_block_depth(depth_first(32, true), accelerator(name)) == 32);
  }
}

TEST_CASE("sparse weights deepen an IFM block of 8 bits on U85 to 128 channels", "[isa]") {
  CHECK(ifm_block_depth(depth_first(8, true), accelerator("ethos-u85-2048")) == 128);
  CHECK(ifm_block_depth(depth_first(16, true), accelerator("ethos-u85-2048")) == 64);
}

TEST_CASE("a micro-block of 16 channels halves the IFM block of a U85 of up to 256 MACs", "[isa]") {
  CHECK(ifm_block_depth(depth_first(8, false), accelerator("ethos-u85-256")) == 32);
  CHECK(ifm_block_depth(depth_first(8, true), accelerator("ethos-u85-256")) == 128);
  CHECK(ifm_block_depth(depth_first(8, false), accelerator("ethos-u85-512")) == 64);
}

TEST_CASE("part-kernel order takes 16 channels of the IFM on every family", "[isa]") {
  BlockOperation op;
  op.kernel.part_kernel_first = true;
  CHECK(ifm_block_depth(op, accelerator("ethos-u55-128")) == 16);
  CHECK(ifm_block_depth(op, accelerator("ethos-u85-512")) == 16);
  op.kind = OpKind::kPool;
  op.pool = PoolMode::kReduceSum;
  CHECK(ifm_block_depth(op, accelerator("ethos-u55-128")) == 32);
}

TEST_CASE("every accelerator has the RAMs of its family", "[isa]") {
  for (const auto& a : accelerators()) {
    INFO(a.name);
    const bool u85 = a.family == Family::kU85;
    for (const int bytes : {a.ram.ifm, a.ram.accumulators, a.ram.chain, a.ram.output, a.ram.lut})
      CHECK((bytes > 0) == u85);
    CHECK((a.shram_banks > 0) == !u85);
    CHECK(internal_memory_bytes(a) >= 2048);
  }
}

TEST_CASE("an IFM block of U55 and U65 has 32, 16 or 8 channels by the width of its elements", "[isa]") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-512"}) {
    CHECK(ifm_block_depth(depth_first(8, false), accelerator(name)) == 32);
    CHECK(ifm_block_depth(depth_first(16, false), accelerator(name)) == 16);
    CHECK(ifm_block_depth(depth_first(32, false), accelerator(name)) == 8);
  }
}
