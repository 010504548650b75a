#include <macaw/tflite/index_ranges.hpp>

#include <catch2/catch.hpp>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

constexpr int kLookupOp = 7, kGatherOp = 36, kSplitOp = 49, kGatherNdOp = 107, kScatterNdOp = 122;

/// The greatest value of each input, or -1 if the input is not limited.
std::vector<std::int64_t> greatest(const TfliteFile& file) {
  std::vector<std::int64_t> result;
  for (const auto& range : tflite::index_ranges(checked(tflite::parse_network(file.bytes(), "test"))))
    result.push_back(range ? range->most : -1);
  return result;
}

}  // namespace

TEST_CASE("the operand of each operator that holds indices is limited, and the other ones are not") {
  TfliteFile gather;
  gather.op(kGatherOp, {gather.input(INT8, {5, 2}), gather.input(INT32, {3})}, {gather.tensor(INT8, {3, 2})},
            fb::GatherOptionsT{});
  CHECK(greatest(gather) == std::vector<std::int64_t>{-1, 4});
  TfliteFile lookup;
  lookup.op(kLookupOp, {lookup.input(INT32, {3}), lookup.input(INT8, {7, 2})}, {lookup.tensor(INT8, {3, 2})});
  CHECK(greatest(lookup) == std::vector<std::int64_t>{6, -1});
  TfliteFile gather_nd;
  gather_nd.op(kGatherNdOp, {gather_nd.input(INT8, {5, 4, 2}), gather_nd.input(INT32, {3, 2})},
               {gather_nd.tensor(INT8, {3, 2})});
  CHECK(greatest(gather_nd) == std::vector<std::int64_t>{-1, 3});
  TfliteFile scatter;
  const int shape = scatter.constant<std::int32_t>(INT32, {2}, {9, 2});
  scatter.op(kScatterNdOp, {scatter.input(INT32, {3, 1}), scatter.input(INT8, {3, 2}), shape},
             {scatter.tensor(INT8, {9, 2})});
  CHECK(greatest(scatter) == std::vector<std::int64_t>{8, -1});
}

TEST_CASE("indices are followed through the operand that operators move, not through those that say where") {
  TfliteFile reshaped;
  const int rows = reshaped.input(INT8, {5, 2}), given = reshaped.input(INT32, {1, 3}),
            shape = reshaped.input(INT32, {1});
  const int indices = reshaped.tensor(INT32, {3});
  reshaped.op(kReshape, {given, shape}, {indices});
  reshaped.op(kGatherOp, {rows, indices}, {reshaped.tensor(INT8, {3, 2})}, fb::GatherOptionsT{});
  CHECK(greatest(reshaped) == std::vector<std::int64_t>{-1, 4, -1});
  TfliteFile split;
  const int table = split.input(INT8, {5, 2}), axis = split.input(INT32, {1}), both = split.input(INT32, {6});
  const int left = split.tensor(INT32, {3}), right = split.tensor(INT32, {3});
  split.op(kSplitOp, {axis, both}, {left, right});
  split.op(kGatherOp, {table, right}, {split.tensor(INT8, {3, 2})}, fb::GatherOptionsT{});
  CHECK(greatest(split) == std::vector<std::int64_t>{-1, -1, 4});
}

TEST_CASE("operators with too few operands have no ranges") {
  for (const int kind : {kLookupOp, kGatherOp, kSplitOp, kGatherNdOp, kScatterNdOp, int{kReshape}}) {
    TfliteFile file;
    const int x = file.input(INT32, {3});
    file.op(kind, {}, {}).op(kind, {x}, {file.tensor(INT32, {3})}).op(kind, {-1, x}, {-1});
    CHECK(greatest(file).size() == 1);
  }
}
