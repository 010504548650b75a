#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <macaw/tosa/verify.hpp>

#include "reference/tosa/verify/overloaded.hpp"

namespace macaw::tosa {
namespace {

using Json = nlohmann::json;

tl::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::kInvalidFile, std::move(message)); }

/// The "<mode>_info" object of a tensor; members are checked as they are read.
class Info {
 public:
  Info(const Json& tensor, const char* name) : name_(name) {
    if (const auto it = tensor.find(name); it != tensor.end()) json_ = &*it;
  }

  [[nodiscard]] bool present() const { return json_ != nullptr; }

  [[nodiscard]] Result<void> require() const {
    if (json_ && json_->is_object()) return {};
    return invalid(fmt::format("compliance needs an object \"{}\"", name_));
  }

  /// Reads a number that is not negative. A member without a default has to be there.
  [[nodiscard]] Result<void> number(const char* key, double& value, bool required) const {
    const auto* member = find(key);
    if (!member && !required) return {};
    if (!member || !member->is_number()) return invalid(fmt::format("\"{}\" needs a number \"{}\"", name_, key));
    value = member->get<double>();
    if (value >= 0 && std::isfinite(value)) return {};
    return invalid(fmt::format("\"{}.{}\" is {}, expected a number from 0", name_, key, value));
  }

  [[nodiscard]] Result<void> integer(const char* key, std::int64_t& value) const {
    const auto* member = find(key);
    // get() would keep only the low bits of an unsigned number above 2^63.
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (!member || !member->is_number_integer() ||
        (member->is_number_unsigned() && member->get<std::uint64_t>() > kMost))
      return invalid(fmt::format("\"{}\" needs an integer \"{}\" below 2^40", name_, key));
    value = member->get<std::int64_t>();
    if (value >= 0) return {};
    return invalid(fmt::format("\"{}.{}\" is {}, expected a number from 0", name_, key, value));
  }

  [[nodiscard]] Result<void> boolean(const char* key, bool& value) const {
    const auto* member = find(key);
    if (!member) return {};
    if (!member->is_boolean()) return invalid(fmt::format("\"{}.{}\" must be true or false", name_, key));
    value = member->get<bool>();
    return {};
  }

  [[nodiscard]] Result<void> text(const char* key, std::string& value) const {
    const auto* member = find(key);
    if (!member) return {};
    if (!member->is_string()) return invalid(fmt::format("\"{}.{}\" must be a string", name_, key));
    value = member->get<std::string>();
    return {};
  }

 private:
  [[nodiscard]] const Json* find(const char* key) const {
    const auto it = json_->find(key);
    return it == json_->end() ? nullptr : &*it;
  }

  const Json* json_ = nullptr;
  const char* name_;
};

Result<Mode> parse_ulp(const Json& tensor) {
  const Info info(tensor, "ulp_info");
  MACAW_CHECK(info.require());
  mode::Ulp mode;
  MACAW_CHECK(info.number("ulp", mode.ulp, true));
  mode.ulp_lower = mode.ulp;
  MACAW_CHECK(info.number("ulp_lower", mode.ulp_lower, false));
  return mode;
}

Result<Mode> parse_abs_error(const Json& tensor) {
  const Info info(tensor, "abs_error_info");
  mode::AbsError mode;
  if (!info.present()) return mode;
  MACAW_CHECK(info.require());
  MACAW_CHECK(info.number("base_bound", mode.base_bound, false));
  MACAW_CHECK(info.number("lower_bound", mode.lower_bound, false));
  MACAW_CHECK(info.number("normal_divisor", mode.normal_divisor, false));
  MACAW_CHECK(info.boolean("bound_as_magnitude", mode.bound_as_magnitude));
  MACAW_CHECK(info.number("max_compare", mode.max_compare, false));
  if (mode.normal_divisor < 1)
    return invalid(fmt::format("\"abs_error_info.normal_divisor\" is {}, expected 1 or more", mode.normal_divisor));
  return mode;
}

Result<Mode> parse_relative(const Json& tensor) {
  const Info info(tensor, "relative_info");
  MACAW_CHECK(info.require());
  mode::Relative mode;
  MACAW_CHECK(info.number("max", mode.max, true));
  MACAW_CHECK(info.number("scale", mode.scale, true));
  MACAW_CHECK(info.number("ulp_bound", mode.ulp_bound, true));
  return mode;
}

Result<Mode> parse_reduce_product(const Json& tensor) {
  const Info info(tensor, "reduce_product_info");
  MACAW_CHECK(info.require());
  mode::ReduceProduct mode;
  MACAW_CHECK(info.integer("n", mode.n));
  return mode;
}

Result<Mode> parse_dot_product(const Json& tensor) {
  const Info info(tensor, "dot_product_info");
  MACAW_CHECK(info.require());
  mode::DotProduct mode;
  mode.abs_bound = mode.variance_error_bound = 0;
  MACAW_CHECK(info.integer("s", mode.s));
  MACAW_CHECK(info.integer("ksb", mode.ksb));
  MACAW_CHECK(info.number("abs_bound", mode.abs_bound, false));
  MACAW_CHECK(info.number("variance_error_bound", mode.variance_error_bound, false));
  // The specification's bounds for all cases but FP32 and narrow inputs with FP32 results; 0 means not given.
  if (mode.abs_bound == 0) mode.abs_bound = 2.0 * static_cast<double>(mode.ksb);
  if (mode.variance_error_bound == 0) mode.variance_error_bound = 4 * 0.4 * static_cast<double>(mode.ksb);
  return mode;
}

Result<Mode> parse_rescale_inexact(const Json& tensor) {
  const Info info(tensor, "rescale_inexact_info");
  mode::RescaleInexact mode;
  if (!info.present()) return mode;
  MACAW_CHECK(info.require());
  MACAW_CHECK(info.boolean("unsigned_data", mode.unsigned_data));
  return mode;
}

Result<Mode> parse_block_scale(const Json& tensor) {
  const Info info(tensor, "block_scale_info");
  mode::ToBlock mode;
  if (!info.present()) return mode;
  MACAW_CHECK(info.require());
  MACAW_CHECK(info.text("scale_tensor", mode.scale_tensor));
  return mode;
}

using Parse = Result<Mode> (*)(const Json& tensor);
struct NamedMode {
  std::string_view name;
  Parse parse;
};
constexpr NamedMode kModes[] = {
    {"EXACT", [](const Json&) -> Result<Mode> { return mode::Exact{}; }},
    {"ULP", parse_ulp},
    {"ABS_ERROR", parse_abs_error},
    {"RELATIVE", parse_relative},
    {"REDUCE_PRODUCT", parse_reduce_product},
    {"FP_SPECIAL", [](const Json&) -> Result<Mode> { return mode::FpSpecial{}; }},
    {"DOT_PRODUCT", parse_dot_product},
    {"RESCALE_INEXACT", parse_rescale_inexact},
    {"FROM_BLOCK", [](const Json&) -> Result<Mode> { return mode::FromBlock{}; }},
    {"BLOCK_SCALE", parse_block_scale},
};

Result<std::string> text(const Json& tensor, const char* key) {
  const auto it = tensor.find(key);
  if (it == tensor.end() || !it->is_string()) return invalid(fmt::format("compliance needs a string \"{}\"", key));
  return it->get<std::string>();
}

Result<Shape> parse_shape(const Json& json) {
  Shape shape;
  const auto wrong = [] { return invalid("compliance \"shape\" must be a list of extents below 2^31"); };
  if (!json.is_array()) return wrong();
  for (const auto& extent : json) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > 0x7FFFFFFF) return wrong();
    shape.push_back(extent.get<std::int64_t>());
  }
  return shape;
}

Result<Compliance> parse_tensor(const Json& tensor) {
  if (!tensor.is_object()) return invalid("the compliance of a tensor must be an object");
  Compliance compliance;
  MACAW_ASSIGN(const auto type, text(tensor, "data_type"));
  const auto dtype = dtype_from_name(type);
  if (!dtype) return fail(ErrorCode::kUnsupported, fmt::format("data type \"{}\" is not known", type));
  compliance.dtype = *dtype;
  if (const auto shape = tensor.find("shape"); shape != tensor.end()) {
    MACAW_ASSIGN(compliance.shape, parse_shape(*shape));
    // Descriptions write an empty shape as if it were a scalar.
    if (*dtype == DType::kSHAPE && compliance.shape->empty()) compliance.shape = Shape{0};
  }
  MACAW_ASSIGN(const auto name, text(tensor, "mode"));
  for (const auto& mode : kModes) {
    if (mode.name != name) continue;
    MACAW_ASSIGN(compliance.mode, mode.parse(tensor));
    return compliance;
  }
  return fail(ErrorCode::kUnsupported, fmt::format("compliance mode \"{}\" is not known", name));
}

}  // namespace

std::string_view to_string(const Mode& mode) {
  return std::visit(
      verify::Overloaded{
          [](const mode::Exact&) { return "EXACT"; }, [](const mode::Ulp&) { return "ULP"; },
          [](const mode::AbsError&) { return "ABS_ERROR"; }, [](const mode::Relative&) { return "RELATIVE"; },
          [](const mode::ReduceProduct&) { return "REDUCE_PRODUCT"; },
          [](const mode::FpSpecial&) { return "FP_SPECIAL"; }, [](const mode::DotProduct&) { return "DOT_PRODUCT"; },
          [](const mode::RescaleInexact&) { return "RESCALE_INEXACT"; },
          [](const mode::FromBlock&) { return "FROM_BLOCK"; }, [](const mode::ToBlock&) { return "BLOCK_SCALE"; },
          [](const mode::Tolerance&) { return "TOLERANCE"; }},
      mode);
}

Result<Compliance> parse_compliance(std::string_view json, const std::string& tensor) {
  const auto root = Json::parse(json, nullptr, false);
  if (!root.is_object()) return invalid("compliance is not a JSON object");
  const auto tensors = root.find("tensors");
  if (tensors == root.end() || !tensors->is_object()) return invalid("compliance needs an object \"tensors\"");
  const auto it = tensors->find(tensor);
  if (it == tensors->end()) return invalid(fmt::format("there is no compliance for tensor \"{}\"", tensor));
  auto compliance = parse_tensor(*it);
  if (!compliance) compliance.error().message = fmt::format("tensor \"{}\": {}", tensor, compliance.error().message);
  return compliance;
}

}  // namespace macaw::tosa
