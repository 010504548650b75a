#include <catch2/catch.hpp>

#include <macaw/tflite/interpreter.hpp>

#include <map>
#include <set>

#include <fmt/format.h>

#include "tests/differential/tflite/maker.hpp"
#include "tests/support/checked.hpp"

// Which of the operators that Vela 5.1 places on an Ethos-U run in which types.

using namespace macaw;
using namespace macaw::test;

namespace {

using Types = std::set<DType>;

/// The operators of Vela's SUPPORTED_OPS.md, and the types of 8 to 32 bits in which no kernel of TensorFlow Lite has
/// them.
const std::map<std::string_view, Types>& without_kernel() {
  using enum DType;
  static const std::map<std::string_view, Types> operators = {
#define MACAW_VELA_OPERATOR(name, ...) {#name, {__VA_ARGS__}},
#include "tests/differential/tflite/vela_operators.def"
#undef MACAW_VELA_OPERATOR
  };
  return operators;
}

/// The type of what an operator computes from.
DType type_of_last(const tflite::Subgraph& graph) {
  for (const int id : graph.operators.back().inputs) {
    const auto& tensor = graph.tensors[static_cast<std::size_t>(id)];
    if (!tensor.constant) return tensor.dtype;
  }
  FAIL("an operator on constants");
  return DType::kINT8;
}

}  // namespace

TEST_CASE("every operator that Vela takes runs in the types that it has a kernel for") {
  constexpr std::uint64_t kSeeds = 24;
  for (const auto& [name, missing] : without_kernel()) {
    const auto maker = std::ranges::find(operator_makers(), name, &OperatorMaker::name);
    REQUIRE(maker != operator_makers().end());
    Types run, refused;
    for (const auto bytes : {INT8, UINT8, INT16, INT32, BOOL})
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        Maker m(seed * 1009 + static_cast<std::uint64_t>(maker->builtin), bytes);
        maker->make(m, maker->builtin);
        const auto file = m.finish();
        const auto network = checked(tflite::parse_network(file, "types"));
        const auto type = type_of_last(network.main());
        tflite::State state;
        const auto result = tflite::run(network, random_inputs(file, seed), state);
        if (!result) {
          INFO(name << ": " << result.error().to_string());
          CHECK(result.error().code == ErrorCode::kUnsupported);
        }
        (result ? run : refused).insert(type);
      }
    const bool is_logical = run == Types{DType::kBOOL};
    for (const DType type : {DType::kINT8, DType::kUINT8, DType::kINT16, DType::kINT32}) {
      if (is_logical) continue;
      INFO(name << " of " << to_string(type));
      CHECK(run.contains(type) != missing.contains(type));
      CHECK(refused.contains(type) == missing.contains(type));
    }
  }
}
