#include <cstring>

#include <macaw/tosa/custom.hpp>

#include "tests/unit/reference/tosa/graph_builder.hpp"

#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

Graph custom_graph(const std::string& domain, const std::string& name, Shape out_shape = {3}) {
  GraphBuilder b;
  const auto x = b.input("x", DType::kFP32, {3}), y = b.value("y", DType::kFP32, std::move(out_shape));
  auto& op = b.add(Op::kCUSTOM, {x}, {y});
  op.set(Attr::k_domain_name, domain);
  op.set(Attr::k_operator_name, name);
  op.set(Attr::k_implementation_attrs, std::vector{std::byte{'4'}, std::byte{'2'}});
  b.output(y);
  return b.graph();
}

Tensor floats() { return tensor<float>(DType::kFP32, {3}, {1.5f, -0.0f, 3e30f}); }

macaw_custom_status answer(const macaw_custom_call* call, macaw_custom_status status, const char* text) {
  std::strncpy(call->error, text, call->error_size);
  return status;
}

// Operators of the program itself: what a library cannot easily be made to do.
macaw_custom_status shows_attributes(const macaw_custom_call* call) {
  auto* out = static_cast<float*>(call->outputs[0].data);
  out[0] = static_cast<float>(call->implementation_attrs_size);
  out[1] = static_cast<float>(call->implementation_attrs[0]);
  out[2] = std::strcmp(call->operator_name, "attributes") == 0 ? 1.0f : 0.0f;
  return MACAW_CUSTOM_OK;
}
macaw_custom_status is_unpredictable(const macaw_custom_call* call) {
  return answer(call, MACAW_CUSTOM_UNPREDICTABLE, "the input must be 0");
}
macaw_custom_status is_wrong(const macaw_custom_call* call) {
  return answer(call, MACAW_CUSTOM_ERROR, "the input has the wrong values");
}
macaw_custom_status cannot(const macaw_custom_call* call) {
  // No room for the end of the text.
  std::memset(call->error, 'x', call->error_size);
  return MACAW_CUSTOM_UNSUPPORTED;
}
/// A check is asked of types and shapes alone.
macaw_custom_status has_no_data(const macaw_custom_call* call) {
  for (const auto& [tensors, count] :
       {std::pair{call->inputs, call->input_count}, std::pair{call->outputs, call->output_count}})
    for (std::size_t i = 0; i < count; ++i)
      if (tensors[i].data != nullptr || tensors[i].data_size != 0)
        return answer(call, MACAW_CUSTOM_ERROR, "there is data");
  return MACAW_CUSTOM_OK;
}
constexpr macaw_custom_op kOps[] = {{"test", "attributes", nullptr, shows_attributes},
                                    {"test", "unpredictable", nullptr, is_unpredictable},
                                    {"test", "wrong", nullptr, is_wrong},
                                    {"test", "cannot", nullptr, cannot},
                                    {"test", "checked", has_no_data, shows_attributes}};
constexpr macaw_custom_library kLibrary{MACAW_CUSTOM_OP_ABI, std::size(kOps), kOps};

}  // namespace

TEST_CASE("The example library computes CUSTOM") {
  // Named before any library is loaded.
  const auto unknown = run(custom_graph("ExampleDomain", "NoSuchOp"), {floats()});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::kUnsupported);
  CHECK(unknown.error().message == "CUSTOM operator \"NoSuchOp\" of domain \"ExampleDomain\" is in no loaded library");

  for (int i = 0; i < 2; ++i) REQUIRE(load_custom_ops(MACAW_CUSTOM_OP_EXAMPLE));
  const auto result = run(custom_graph("ExampleDomain", "ExampleOp"), {floats()});
  REQUIRE(result);
  REQUIRE(result->verdict.status() == Status::kValid);
  CHECK(result->outputs[0] == floats());

  Options precise;
  precise.precise = true;
  const auto exact = run(custom_graph("ExampleDomain", "ExampleOp"), {floats()}, precise);
  REQUIRE(exact);
  CHECK(exact->outputs[0].dtype() == DType::kFP64);
  CHECK(exact->outputs[0].data<double>()[0] == 1.5);

  const auto wrong = run(custom_graph("ExampleDomain", "ExampleOp", {1, 3}), {floats()});
  REQUIRE(wrong);
  CHECK(wrong->verdict.status() == Status::kError);
  CHECK(wrong->verdict.first()->text == "output must have the shape of input");
}

TEST_CASE("What a custom operator answers becomes the verdict") {
  REQUIRE(add_custom_ops(kLibrary, "test"));
  const auto attributes = run(custom_graph("test", "attributes"), {floats()});
  REQUIRE(attributes);
  CHECK(attributes->outputs[0] == tensor<float>(DType::kFP32, {3}, {2.0f, 52.0f, 1.0f}));

  const auto checked = run(custom_graph("test", "checked"), {floats()});
  REQUIRE(checked);
  CHECK(checked->verdict.status() == Status::kValid);
  const auto unpredictable = run(custom_graph("test", "unpredictable"), {floats()});
  REQUIRE(unpredictable);
  CHECK(unpredictable->verdict.status() == Status::kUnpredictable);
  CHECK(unpredictable->verdict.first()->text == "the input must be 0");
  const auto error = run(custom_graph("test", "wrong"), {floats()});
  REQUIRE(error);
  CHECK(error->verdict.status() == Status::kError);
  const auto failed = run(custom_graph("test", "cannot"), {floats()});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kUnsupported);
  CHECK(failed.error().message == std::string(511, 'x'));
}

TEST_CASE("Libraries that cannot be used are refused") {
  const auto message = [](const macaw_custom_library& library) {
    const auto added = add_custom_ops(library, "test");
    return added ? std::string("added") : added.error().message;
  };
  CHECK(message({MACAW_CUSTOM_OP_ABI + 1, 0, nullptr}) ==
        "custom operators for version 3 of the interface; this Macaw has version 2");
  const macaw_custom_op nameless{nullptr, "x", nullptr, is_wrong}, idle{"test", "idle", nullptr, nullptr},
      taken{"ExampleDomain", "ExampleOp", nullptr, is_wrong};
  CHECK(message({MACAW_CUSTOM_OP_ABI, 1, nullptr}) == "a library of custom operators without a list");
  CHECK(message({MACAW_CUSTOM_OP_ABI, 1, &nameless}) == "custom operator 0 lacks its domain, its name or eval");
  CHECK(message({MACAW_CUSTOM_OP_ABI, 1, &idle}) == "custom operator 0 lacks its domain, its name or eval");
  REQUIRE(load_custom_ops(MACAW_CUSTOM_OP_EXAMPLE));
  CHECK(message({MACAW_CUSTOM_OP_ABI, 1, &taken}) == "custom operator ExampleDomain/ExampleOp is there already");

  const auto missing = load_custom_ops("no/such/library.so");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::kInvalidFile);
  CHECK_FALSE(load_custom_ops("README.md"));
}
