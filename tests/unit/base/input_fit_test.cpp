#include <macaw/input_fit.hpp>

#include <catch2/catch.hpp>

using macaw::same_arrangement;

TEST_CASE("extents of 1 and flattened dimensions are one arrangement, others are not") {
  CHECK(same_arrangement({1, 32, 32, 3}, {32, 32, 3}));
  CHECK(same_arrangement({32, 32, 3}, {32, 1, 32, 3, 1}));
  CHECK(same_arrangement({3072}, {1, 32, 32, 3}));
  CHECK(same_arrangement({1, 32, 32, 3}, {32, 96}));
  CHECK(same_arrangement({}, {1, 1}));
  CHECK(same_arrangement({0, 4}, {2, 0}));
  CHECK_FALSE(same_arrangement({1, 3, 32, 32}, {1, 32, 32, 3}));
  CHECK_FALSE(same_arrangement({2, 12}, {4, 6}));
  CHECK_FALSE(same_arrangement({6, 4}, {4, 6}));
  CHECK_FALSE(same_arrangement({4}, {5}));
}

TEST_CASE("an array becomes what its input takes, or the error names both") {
  const auto array = [](const char* descr, macaw::Shape shape, std::size_t bytes) {
    return macaw::NpyArray{descr, std::move(shape), std::vector<std::byte>(bytes)};
  };
  const macaw::InputPort port{"x", macaw::DType::kINT8, macaw::Shape{1, 2, 3}};
  const auto flat = macaw::fit_input(array("|i1", {6}, 6), port, {}, "x.npy");
  REQUIRE(flat);
  CHECK(flat->shape() == macaw::Shape{1, 2, 3});

  const auto message = [&](const macaw::NpyArray& given) {
    const auto refused = macaw::fit_input(given, port, {}, "x.npy");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == macaw::ErrorCode::kMismatch);
    CHECK(refused.error().place.file == "x.npy");
    return refused.error().message;
  };
  CHECK(message(array("|i1", {3, 2}, 6)).find("has shape [3, 2], expected [1, 2, 3]") != std::string::npos);
  CHECK(message(array("|u1", {2, 3}, 6)).find("is UINT8, expected INT8") != std::string::npos);
  CHECK(message(array("|i1", {7}, 7)).find("has shape [7], expected [1, 2, 3]") != std::string::npos);
  CHECK(macaw::fit_input(array("|i1", {3, 2}, 6), port, {.reshape = true}, ""));
  CHECK(macaw::fit_input(array("|u1", {6}, 6), port, {.reinterpret = true}, ""));
  CHECK_FALSE(macaw::fit_input(array("<i2", {6}, 12), port, {.reshape = true, .reinterpret = true}, ""));

  // A type that numpy has not comes as its bits; one that Macaw has not is not another of its width.
  const macaw::InputPort bf16{"x", macaw::DType::kBF16, {}};
  CHECK(macaw::fit_input(array("<u2", {3}, 6), bf16, {}, ""));
  CHECK(macaw::fit_input(array("|V2", {3}, 6), bf16, {}, ""));
  CHECK_FALSE(macaw::fit_input(array("<f2", {3}, 6), bf16, {}, ""));
  CHECK_FALSE(macaw::fit_input(array("<u8", {1}, 8), {"x", macaw::DType::kINT64, {}}, {}, ""));
}

TEST_CASE("values with scales fit where they have as many of both") {
  // Rows of 16 values have a scale each, rows of 32 as well: four rows of 16 are not two of 32, nor are two of 32 one
  // of 64.
  const auto fits = [](macaw::Shape values, macaw::Shape expected) {
    auto shape = values;
    shape.back() += 1 + (values.back() - 1) / 32;
    std::size_t bytes = 1;
    for (const auto extent : shape) bytes *= static_cast<std::size_t>(extent);
    const macaw::InputPort port{"x", macaw::DType::kBS32_FP8UE8M0_FP8E4M3, std::move(expected)};
    return macaw::fit_input({"|u1", std::move(shape), std::vector<std::byte>(bytes)}, port, {.reshape = true}, "")
        .has_value();
  };
  CHECK(fits({2, 32}, {2, 32}));
  CHECK(fits({2, 32}, {1, 64}));
  CHECK(fits({2, 32}, {2, 1, 32}));
  CHECK_FALSE(fits({4, 16}, {2, 32}));
  CHECK_FALSE(fits({4, 16}, {64}));
  CHECK(fits({4, 16}, {2, 2, 16}));
}
