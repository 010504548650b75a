#include <macaw/npu/bundled_program.hpp>

#include "bundled_program_generated.h"

#include <catch2/catch.hpp>

// Cases of a bundled program that share contents, which a file is not larger for.
using namespace macaw;
using namespace macaw::npu;

namespace {

/// Lists of values that are one tensor of so many bytes again and again, in as many cases.
Result<BundledProgram> repeated(std::size_t bytes, std::size_t values, std::size_t cases) {
  flatbuffers::FlatBufferBuilder builder;
  bpte::TensorT tensor;
  tensor.sizes = {static_cast<std::int32_t>(bytes)};
  tensor.data.assign(bytes, 1);
  tensor.scalar_type = 1;  // CHAR
  bpte::ValueT value;
  value.content.Set(std::move(tensor));
  const auto one = bpte::Value::Pack(builder, &value);
  const auto inputs = builder.CreateVector(std::vector(values, one));
  const auto test = bpte::CreateTestCase(builder, inputs);
  const auto tests = builder.CreateVector(std::vector(cases, test));
  const auto suite = bpte::CreateSuite(builder, builder.CreateString("forward"), tests);
  const auto suites = builder.CreateVector(std::vector{suite});
  builder.Finish(bpte::CreateBundledProgram(builder, 0, suites), "BP08");
  return parse_bundled_program(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), "net.bpte");
}

}  // namespace

TEST_CASE("bundled tensors have no more bytes together than the file", "[executorch]") {
  const auto once = repeated(2000, 1, 1);
  if (!once) FAIL(once.error().to_string());
  CHECK(once->cases.at(0).inputs.size() == 1);
  for (const auto& [values, cases] : {std::pair<std::size_t, std::size_t>{2, 1}, {1, 2}, {50, 50}}) {
    const auto more = repeated(2000, values, cases);
    REQUIRE_FALSE(more);
    CHECK(more.error().code == ErrorCode::kInvalidFile);
  }
  CHECK(repeated(8, 4, 2));
  CHECK(repeated(0, 3, 3));
}
