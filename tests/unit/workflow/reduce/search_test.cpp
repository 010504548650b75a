#include "workflow/reduce/search.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/graph_builder.hpp"
#include "tests/support/checked.hpp"
#include "workflow/reduce/tosa_network.hpp"

using namespace macaw;
using macaw::test::checked;
using reduce::NetworkPtr;

namespace {

/// Clamps one behind the other, each with a limit of its own, from 1 on.
NetworkPtr clamps(int count) {
  models::GraphBuilder net;
  auto value = net.input("x", DType::kINT8, {1, 4, 6, 8});
  for (int i = 1; i <= count; ++i) value = net.clamp(value, -100, static_cast<std::int8_t>(i));
  net.output(value, "out");
  return reduce::make_network(net.graph());
}

/// The limits of a network's clamps.
std::set<int> limits(const reduce::Network& network) {
  const auto graph = checked(tosa::parse_graph(checked(network.bytes()), "net.tosa"));
  std::set<int> found;
  for (const auto& op : graph.main().operators)
    if (op.op == tosa::Op::kCLAMP) found.insert(std::to_integer<int>(op.get_bytes(tosa::Attr::k_max_val)[0]));
  return found;
}

/// Searches for the smallest network that has all these clamps.
NetworkPtr search(NetworkPtr network, const std::set<int>& wanted, unsigned jobs) {
  const reduce::StillFails still_fails = [&](const reduce::Network& candidate, const auto&) -> Result<bool> {
    const auto there = limits(candidate);
    return std::ranges::includes(there, wanted);
  };
  reduce::Search search(
      still_fails, jobs, [](const reduce::Network&) {}, [] { return false; });
  return checked(search.run(std::move(network)));
}

}  // namespace

TEST_CASE("all operators are dropped that a failure does not need, wherever they are") {
  for (const auto& wanted : {std::set{1}, std::set{40}, std::set{17}, std::set{3, 30}, std::set{1, 2, 20, 39, 40}}) {
    const auto found = search(clamps(40), wanted, 1);
    CHECK(limits(*found) == wanted);
    CHECK(found->operators() == wanted.size());
  }
}

TEST_CASE("any number of threads finds the same network") {
  const auto bytes = [](unsigned jobs) { return checked(search(clamps(20), {4, 5, 16}, jobs)->bytes()); };
  const auto one = bytes(1);
  for (const unsigned jobs : {2, 3, 8}) CHECK(bytes(jobs) == one);
}

TEST_CASE("extents become 1 where a failure does not need them") {
  const auto found = search(clamps(3), {2}, 1);
  CHECK(found->elements() == 2);  // of the input and of the output
}

TEST_CASE("an error of the command ends the search") {
  const reduce::StillFails still_fails = [](const reduce::Network&, const auto&) -> Result<bool> {
    return fail(ErrorCode::kIo, "no process");
  };
  reduce::Search search(
      still_fails, 3, [](const reduce::Network&) {}, [] { return false; });
  const auto found = search.run(clamps(5));
  REQUIRE_FALSE(found);
  CHECK(found.error().message == "no process");
}

TEST_CASE("filters, biases and scales follow the channels") {
  models::GraphBuilder net;
  std::vector<std::int8_t> weights(4 * 3 * 3 * 8);
  std::iota(weights.begin(), weights.end(), std::int8_t{1});
  models::Rescale narrow;
  for (int c = 0; c < 4; ++c) models::append_scale(narrow, 1.0 / (100 + c));
  const auto sums = net.conv2d(net.input("x", DType::kINT8, {1, 6, 6, 8}), models::int8_tensor({4, 3, 3, 8}, weights),
                               models::int32_tensor({4}, {1, 2, 3, 4}), {.kernel = {3, 3}}, 0);
  net.output(net.rescale(sums, DType::kINT8, narrow), "out");
  // Fails while there is a product behind which something is scaled.
  const reduce::StillFails still_fails = [](const reduce::Network& candidate, const auto&) -> Result<bool> {
    const auto program = candidate.program();
    const auto inputs = checked(program.random_inputs(1));
    return program.reference(inputs).has_value() && candidate.operators() == 2;
  };
  reduce::Search search(
      still_fails, 1, [](const reduce::Network&) {}, [] { return false; });
  const auto found = checked(search.run(reduce::make_network(net.graph())));
  const auto graph = checked(tosa::parse_graph(checked(found->bytes()), "net.tosa"));
  for (const auto& op : graph.main().operators)
    if (op.op == tosa::Op::kCONV2D) {
      CHECK(*graph.main().values[op.inputs[0]].shape == Shape{1, 1, 1, 1});
      CHECK(*graph.main().values[op.inputs[1]].shape == Shape{1, 1, 1, 1});
      CHECK(*graph.main().values[op.inputs[2]].shape == Shape{1});
    } else if (op.op == tosa::Op::kRESCALE) {
      CHECK(*graph.main().values[op.inputs[1]].shape == Shape{1});
    }
}
