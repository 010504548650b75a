#pragma once
#include "tests/unit/sim/datapath/support.hpp"

#include <functional>

namespace macaw::npu::test {

using Values = std::vector<std::int64_t>;
using Change = std::function<void(BlockOperation&)>;

inline BlockOperation operation_u85(OpKind kind, const FeatureMap& ifm, const FeatureMap& ofm) {
  BlockOperation op = operation(kind, ifm, ofm);
  op.family = Family::kU85;
  op.ublock = {2, 2, 8};
  op.ofm_scale.rounding = Rounding::kNatural;
  return op;
}

/// Runs an operation, which must succeed, and reads its OFM.
inline Values finish(Bench& bench, const BlockOperation& op) {
  const auto done = bench.run(op);
  INFO((done ? "" : done.error().to_string()));
  REQUIRE(done);
  return read(bench, op.ofm);
}

}  // namespace macaw::npu::test
