#include <macaw/tosa/view_graph.hpp>

#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using macaw::test::checked;

namespace {

constexpr std::int64_t kLarge = 2'500'001;

Tensor numbers(DType dtype, std::int64_t count) {
  Tensor tensor(dtype, {count});
  auto bytes = tensor.bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = dtype == DType::kBOOL ? std::byte(i % 2) : static_cast<std::byte>(static_cast<int>(i % 15) - 7);
  return tensor;
}

std::shared_ptr<const std::vector<std::byte>> file_of(const std::vector<Tensor>& constants) {
  tosa::test::GraphBuilder b;
  for (std::size_t i = 0; i < constants.size(); ++i) b.output(b.constant("c" + std::to_string(i), constants[i]));
  return std::make_shared<const std::vector<std::byte>>(checked(write_graph(b.graph(kVersion1_1), kVersion1_1)));
}

const Tensor& constant(const Graph& graph, std::size_t i) {
  return *graph.main().values[*graph.main().find_value("c" + std::to_string(i))].data;
}

}  // namespace

TEST_CASE("large constants that lie in a file as in memory are views, if the file stays") {
  const std::vector<Tensor> constants = {numbers(DType::kINT8, 8192), numbers(DType::kINT32, 4096),
                                         numbers(DType::kINT8, 100), numbers(DType::kBOOL, 8192),
                                         numbers(DType::kINT4, 16384)};
  auto file = file_of(constants);
  const auto bytes = std::span<const std::byte>(*file);
  const auto copied = checked(view_graph(bytes, nullptr, "file"));
  const auto viewed = checked(view_graph(bytes, file, "file"));
  for (std::size_t i = 0; i < constants.size(); ++i) {
    CHECK_FALSE(constant(copied, i).is_view());
    CHECK(constant(viewed, i).is_view() == (i < 2));
    CHECK(constant(viewed, i) == constants[i]);
  }
  const std::weak_ptr<const std::vector<std::byte>> watched = file;
  file = nullptr;
  CHECK_FALSE(watched.expired());
  CHECK(constant(viewed, 1) == constants[1]);
}

TEST_CASE("constants of a file that lies at an odd address are copies") {
  const auto constants = std::vector{numbers(DType::kINT8, 8192)};
  const auto file = file_of(constants);
  auto moved = std::make_shared<std::vector<std::byte>>(file->size() + 1);
  std::ranges::copy(*file, moved->begin() + 1);
  const auto graph = checked(view_graph(std::span(*moved).subspan(1), moved, "file"));
  std::ranges::fill(*moved, std::byte{0});
  CHECK(constant(graph, 0) == constants[0]);
}

TEST_CASE("threads unpack the same int4 numbers, and refuse the same") {
  for (const auto count : {kLarge, kLarge + 1}) {
    const auto numbers_of_file = numbers(DType::kINT4, count);
    const auto file = file_of({numbers_of_file});
    for (const int threads : {0, 1, 2, 3})
      CHECK(constant(checked(view_graph(*file, nullptr, "file", threads)), 0) == numbers_of_file);
  }
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1'048'575}, std::size_t{1'048'576}, std::size_t{2'500'000}}) {
    auto wrong = numbers(DType::kINT4, kLarge);
    wrong.data<std::int8_t>()[at] = -8;
    const auto file = file_of({wrong});
    for (const int threads : {1, 2, 3})
      CHECK(view_graph(*file, nullptr, "file", threads).error().code == ErrorCode::kInvalidGraph);
  }
}
