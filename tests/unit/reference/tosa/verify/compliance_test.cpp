#include <catch2/catch.hpp>

#include <macaw/tosa/verify.hpp>

using namespace macaw;
using namespace macaw::tosa;

namespace {

Result<Compliance> parse(const std::string& tensor) {
  return parse_compliance(R"({"version": "0.1", "tensors": {"out": )" + tensor + "}}", "out");
}

Result<Compliance> parse(const std::string& mode, const std::string& info) {
  return parse(R"({"mode": ")" + mode + R"(", "data_type": "FP32", "shape": [2, 3])" +
               (info.empty() ? "" : ", " + info) + "}");
}

template <class M>
M parsed(const std::string& name, const std::string& info) {
  const auto compliance = parse(name, info);
  REQUIRE(compliance);
  CHECK(compliance->dtype == DType::kFP32);
  CHECK(compliance->shape == Shape{2, 3});
  CHECK(to_string(compliance->mode) == name);
  REQUIRE(std::holds_alternative<M>(compliance->mode));
  return std::get<M>(compliance->mode);
}

}  // namespace

TEST_CASE("modes and their members are read from a description", "[verify]") {
  parsed<mode::Exact>("EXACT", "");
  parsed<mode::FpSpecial>("FP_SPECIAL", "");
  const auto ulp = parsed<mode::Ulp>("ULP", R"("ulp_info": {"ulp": 1.5})");
  CHECK(ulp.ulp == 1.5);
  CHECK(ulp.ulp_lower == 1.5);
  CHECK(parsed<mode::Ulp>("ULP", R"("ulp_info": {"ulp": 1, "ulp_lower": 0})").ulp_lower == 0);
  const auto abs = parsed<mode::AbsError>("ABS_ERROR", R"("abs_error_info": {"base_bound": 2.5, "lower_bound": 0.5,
      "normal_divisor": 2, "bound_as_magnitude": true, "max_compare": 0.25})");
  CHECK(abs.base_bound == 2.5);
  CHECK(abs.lower_bound == 0.5);
  CHECK(abs.normal_divisor == 2);
  CHECK(abs.bound_as_magnitude);
  CHECK(abs.max_compare == 0.25);
  const auto plain = parsed<mode::AbsError>("ABS_ERROR", "");
  CHECK(plain.base_bound == 0);
  CHECK(plain.normal_divisor == 1);
  const auto relative =
      parsed<mode::Relative>("RELATIVE", R"("relative_info": {"max": 1, "scale": 0.006, "ulp_bound": 20})");
  CHECK(relative.scale == 0.006);
  CHECK(relative.ulp_bound == 20);
  CHECK(parsed<mode::ReduceProduct>("REDUCE_PRODUCT", R"("reduce_product_info": {"n": 7})").n == 7);
  CHECK(parsed<mode::RescaleInexact>("RESCALE_INEXACT", R"("rescale_inexact_info": {"unsigned_data": true})")
            .unsigned_data);
}

TEST_CASE("bounds of a dot product that are not stated follow from ksb", "[verify]") {
  const auto stated = parsed<mode::DotProduct>(
      "DOT_PRODUCT", R"("dot_product_info": {"s": 3, "ksb": 10, "abs_bound": 60, "variance_error_bound": 17.5})");
  CHECK(stated.s == 3);
  CHECK(stated.abs_bound == 60);
  CHECK(stated.variance_error_bound == 17.5);
  const auto derived = parsed<mode::DotProduct>("DOT_PRODUCT", R"("dot_product_info": {"s": 3, "ksb": 10})");
  CHECK(derived.abs_bound == 20);
  CHECK(derived.variance_error_bound == Approx(16));
}

TEST_CASE("shapes in a description", "[verify]") {
  CHECK(parse(R"({"mode": "EXACT", "data_type": "INT8", "shape": []})")->shape == Shape{});
  CHECK(parse(R"({"mode": "EXACT", "data_type": "SHAPE", "shape": []})")->shape == Shape{0});
  CHECK_FALSE(parse(R"({"mode": "EXACT", "data_type": "INT8"})")->shape);
  CHECK(parse(R"({"mode": "EXACT", "data_type": "INT8", "shape": [0, 2147483647]})")->shape == Shape{0, 0x7fffffff});
  for (const char* extent : {"2147483648", "-1", "1.5", "18446744073709551615", "\"1\""})
    CHECK_FALSE(parse(R"({"mode": "EXACT", "data_type": "INT8", "shape": [)" + std::string(extent) + "]}"));
}

TEST_CASE("numbers of a description reach their limits and no further", "[verify]") {
  const auto holds = [](const char* mode, const char* member, const std::string& value) {
    return parse(mode, std::string(R"(")") + member + R"(": {)" + value + "}").has_value();
  };
  CHECK(holds("ULP", "ulp_info", R"("ulp": 0)"));
  CHECK_FALSE(holds("ULP", "ulp_info", R"("ulp": -0.001)"));
  CHECK_FALSE(holds("ULP", "ulp_info", R"("ulp": 1, "ulp_lower": -1)"));
  CHECK_FALSE(holds("ULP", "ulp_info", R"("ulp_lower": 1)"));
  CHECK(holds("ABS_ERROR", "abs_error_info", R"("normal_divisor": 1)"));
  CHECK_FALSE(holds("ABS_ERROR", "abs_error_info", R"("normal_divisor": 0.999)"));
  CHECK_FALSE(holds("ABS_ERROR", "abs_error_info", R"("bound_as_magnitude": 1)"));
  for (const auto& [n, fits] : {std::pair("0", true),
                                {"1099511627776", true},
                                {"1099511627777", false},
                                {"-1", false},
                                {"18446744073709551615", false},
                                {"1.0", false}})
    CHECK(holds("REDUCE_PRODUCT", "reduce_product_info", std::string(R"("n": )") + n) == fits);
  CHECK_FALSE(holds("RELATIVE", "relative_info", R"("max": 1, "scale": 1)"));
}

TEST_CASE("descriptions that make no sense are refused", "[verify]") {
  const auto refused = [](const Result<Compliance>& compliance, ErrorCode code = ErrorCode::kInvalidFile) {
    REQUIRE_FALSE(compliance);
    INFO(compliance.error().message);
    CHECK(compliance.error().code == code);
  };
  refused(parse_compliance("", "out"));
  refused(parse_compliance("[]", "out"));
  refused(parse_compliance("{}", "out"));
  refused(parse_compliance(R"({"tensors": []})", "out"));
  refused(parse_compliance(R"({"tensors": {}})", "out"));
  refused(parse("3"));
  refused(parse("{}"));
  refused(parse(R"({"mode": "EXACT", "data_type": 3})"));
  refused(parse(R"({"mode": "EXACT", "data_type": "FP31"})"), ErrorCode::kUnsupported);
  refused(parse(R"({"mode": "CLOSE", "data_type": "FP32"})"), ErrorCode::kUnsupported);
  for (const char* shape : {"3", "[-1]", "[1.5]", "[4294967296]", "[\"1\"]", "null"})
    refused(parse(std::string(R"({"mode": "EXACT", "data_type": "FP32", "shape": )") + shape + "}"));
  refused(parse("ULP", ""));
  refused(parse("ULP", R"("ulp_info": 1)"));
  refused(parse("ULP", R"("ulp_info": {})"));
  refused(parse("ULP", R"("ulp_info": {"ulp": -1})"));
  refused(parse("ULP", R"("ulp_info": {"ulp": "1"})"));
  refused(parse("ABS_ERROR", R"("abs_error_info": {"normal_divisor": 0})"));
  refused(parse("ABS_ERROR", R"("abs_error_info": {"bound_as_magnitude": 1})"));
  refused(parse("RELATIVE", R"("relative_info": {"max": 1, "scale": 1})"));
  refused(parse("REDUCE_PRODUCT", R"("reduce_product_info": {"n": 18446744073709551615})"));
  refused(parse("REDUCE_PRODUCT", R"("reduce_product_info": {"n": -1})"));
  refused(parse("REDUCE_PRODUCT", R"("reduce_product_info": {"n": 1.5})"));
  refused(parse("DOT_PRODUCT", R"("dot_product_info": {"s": 0})"));
  refused(parse("RESCALE_INEXACT", R"("rescale_inexact_info": {"unsigned_data": "yes"})"));
}
