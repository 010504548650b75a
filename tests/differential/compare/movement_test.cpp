#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <macaw/tosa/graph.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"
#include "workflow/prove/prove.hpp"

#include <span>

// Operators that move elements behind pools: proved where the stream moves them so, and not where it moves them
// otherwise.
using namespace macaw;
using macaw::test::checked;

namespace {

/// Two pools, p and q, and what is made of them.
tosa::Graph moved(const std::string& operators, const std::string& shape) {
  const auto text = fmt::format(R"(func.func @main(%x: tensor<1x8x8x8xi8>) -> tensor<{1}> {{
  %z = "tosa.const"() {{values = dense<5> : tensor<1xi8>}} : () -> tensor<1xi8>
  %p = tosa.max_pool2d %x {{kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}} : (tensor<1x8x8x8xi8>) -> tensor<1x4x4x8xi8>
  %q = tosa.max_pool2d %x {{kernel = array<i64: 3, 2>, pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 3, 2>}} : (tensor<1x8x8x8xi8>) -> tensor<1x3x4x8xi8>
  {0}
  return %o : tensor<{1}>
}})",
                                operators, shape);
  return checked(tosa::parse_graph(std::as_bytes(std::span(text.data(), text.size())), "moved.mlir"));
}

std::string shape_constant(const char* values) {
  return fmt::format("%s = tosa.const_shape {{values = dense<[{}]> : tensor<{}xindex>}} : () -> !tosa.shape<{}>\n  ",
                     values, std::count(values, values + std::string(values).size(), ',') + 1,
                     std::count(values, values + std::string(values).size(), ',') + 1);
}

std::string reverse(int axis) {
  return fmt::format("%o = tosa.reverse %p {{axis = {} : i32}} : (tensor<1x4x4x8xi8>) -> tensor<1x4x4x8xi8>", axis);
}
std::string transpose(const char* perms, const char* shape) {
  return fmt::format("%o = tosa.transpose %q {{perms = array<i32: {}>}} : (tensor<1x3x4x8xi8>) -> tensor<{}>", perms,
                     shape);
}
/// Contents at `start` of a padded image: without padding around it, which is known by no operation.
std::string pad(const char* start) {
  const auto size = shape_constant("1, 4, 4, 8"), place = shape_constant(start);
  return shape_constant("0, 0, 1, 0, 0, 1, 0, 0") +
         "%i = tosa.pad %p, %s, %z : (tensor<1x4x4x8xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x5x8xi8>\n  %t" +
         size.substr(2) + "%u" + place.substr(2) +
         "%o = tosa.slice %i, %u, %t : (tensor<1x5x5x8xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x4x4x8xi8>";
}
std::string slice(const char* start) {
  const auto size = shape_constant("1, 2, 3, 4");
  return "%t" + size.substr(2) + shape_constant(start) +
         "%o = tosa.slice %p, %s, %t : (tensor<1x4x4x8xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x3x4xi8>";
}
std::string concat(const char* order, const char* shapes) {
  return fmt::format("%o = tosa.concat {} {{axis = 1 : i32}} : ({}) -> tensor<1x10x4x8xi8>", order, shapes);
}

struct Row {
  const char* shape;
  std::string right, wrong;
};

std::vector<Row> rows() {
  constexpr const char* kP = "tensor<1x4x4x8xi8>";
  constexpr const char* kQ = "tensor<1x3x4x8xi8>";
  return {{"1x4x4x8xi8", reverse(1), reverse(2)},
          {"1x4x3x8xi8", transpose("0, 2, 1, 3", "1x4x3x8xi8"),
           "%s = tosa.const_shape {values = dense<[1, 4, 3, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>\n"
           "  %o = tosa.reshape %q, %s : (tensor<1x3x4x8xi8>, !tosa.shape<4>) -> tensor<1x4x3x8xi8>"},
          {"1x8x3x4xi8", transpose("0, 3, 1, 2", "1x8x3x4xi8"),
           "%s = tosa.const_shape {values = dense<[1, 8, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>\n"
           "  %o = tosa.reshape %q, %s : (tensor<1x3x4x8xi8>, !tosa.shape<4>) -> tensor<1x8x3x4xi8>"},
          {"1x4x4x8xi8", pad("0, 1, 0, 0"), pad("0, 0, 1, 0")},
          {"1x2x3x4xi8", slice("0, 1, 0, 3"), slice("0, 2, 1, 3")},
          {"1x10x4x8xi8", concat("%q, %p, %q", fmt::format("{}, {}, {}", kQ, kP, kQ).c_str()),
           concat("%q, %q, %p", fmt::format("{}, {}, {}", kQ, kQ, kP).c_str())},
          {"1x4x8x8xi8",
           shape_constant("1, 1, 2, 1") +
               "%o = tosa.tile %p, %s : (tensor<1x4x4x8xi8>, !tosa.shape<4>) -> tensor<1x4x8x8xi8>",
           "%r = tosa.reverse %p {axis = 2 : i32} : (tensor<1x4x4x8xi8>) -> tensor<1x4x4x8xi8>\n"
           "  %o = tosa.concat %p, %r {axis = 2 : i32} : (tensor<1x4x4x8xi8>, tensor<1x4x4x8xi8>) -> "
           "tensor<1x4x8x8xi8>"}};
}

const prove::TensorProof& output(const prove::Proof& proof) {
  const auto found = std::ranges::find(proof.tensors, std::string("output"), &prove::TensorProof::kind);
  REQUIRE(found != proof.tensors.end());
  return *found;
}

}  // namespace

TEST_CASE("moved elements are proved to be where the graph moves them, and those of another graph are not") {
  for (const auto& row : rows())
    for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
      INFO(name << ": " << row.right);
      const auto& accelerator = *npu::find_accelerator(name);
      const auto right = moved(row.right, row.shape), wrong = moved(row.wrong, row.shape);
      const auto stream = [&](const tosa::Graph& graph) {
        return npu::to_artifact(checked(npu::compile(graph, accelerator)));
      };
      const auto proof = checked(prove::prove(right, stream(right), accelerator, {.runs = 1}));
      CHECK_FALSE(proof.refuted());
      for (const auto& tensor : proof.tensors) {
        INFO(tensor.kind << " " << tensor.tensor << ": " << tensor.reason);
        CHECK(tensor.verdict == prove::Verdict::kProved);
      }
      INFO(output(proof).reason);
      CHECK(output(proof).verdict == prove::Verdict::kProved);
      const auto other = checked(prove::prove(right, stream(wrong), accelerator, {.runs = 1}));
      CHECK(output(other).verdict != prove::Verdict::kProved);
    }
}
