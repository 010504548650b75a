#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include <macaw/npy.hpp>
#include <macaw/tosa/verify.hpp>

#include "base/file.hpp"
#include "tests/support/corpus.hpp"
#include "tests/unit/reference/tosa/verify/tensors.hpp"

using namespace macaw;
using namespace macaw::tosa;

namespace {

namespace fs = std::filesystem;

nlohmann::json read_json(const fs::path& file) {
  const auto bytes = io::read_file(file);
  REQUIRE(bytes);
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  return nlohmann::json::parse(text, text + bytes->size());
}

/// Result of Arm's reference model for one output, and its compliance rule.
struct Vector {
  std::string name;
  Compliance compliance;
  Tensor result, reference;
  std::optional<Tensor> bounds;

  [[nodiscard]] Judgement judged(const Tensor& tensor) const {
    const auto judgement = judge(tensor, reference, bounds ? &*bounds : nullptr, compliance);
    INFO(name << ": " << (judgement ? judgement->text : judgement.error().to_string()));
    REQUIRE(judgement);
    return *judgement;
  }
};

template <class T>
T value_of(const Result<T>& result) {
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  return *result;
}

/// A file name, or `otherwise` where the manifest has none.
std::string file_of(const nlohmann::json& output, const char* key, const std::string& otherwise = "") {
  const auto it = output.find(key);
  return it == output.end() || it->is_null() ? otherwise : it->get<std::string>();
}

Vector read_vector(const fs::path& folder, const nlohmann::json& description, const nlohmann::json& output) {
  const auto name = output.at("name").get<std::string>();
  const auto file = output.at("expected").get<std::string>();
  Vector vector{folder.filename().string() + "/" + name, {}, {}, {}, {}};
  if (output.at("compliance").is_null()) {
    // Handmade graphs; the descriptor of the file is all that tells the type.
    vector.result = value_of(read_tensor(folder / file));
    vector.compliance = {value_of(default_tolerance(vector.result.dtype())), vector.result.dtype(), {}};
  } else {
    vector.compliance = value_of(parse_compliance(description.at("meta").at("compliance").dump(), name));
    vector.result = value_of(read_judged(folder / file, vector.compliance.dtype));
  }
  const auto dtype = reference_dtype(vector.compliance.dtype);
  vector.reference = value_of(read_judged(folder / file_of(output, "precise", file), dtype));
  const auto bounds = file_of(output, "bounds");
  if (!bounds.empty()) vector.bounds = value_of(read_judged(folder / bounds, dtype));
  return vector;
}

/// Calls f for every output of every VALID test; false, with a printed line, if there is no corpus.
bool for_each_vector(const std::function<void(const Vector&)>& f) {
  if (!macaw::test::in_corpus("tosa/MANIFEST.json")) return false;
  const auto corpus = macaw::test::corpus("tosa");
  const auto manifest = read_json(corpus / "MANIFEST.json");
  for (const auto& test : manifest.at("tests")) {
    if (test.at("expected_status") != "VALID") continue;
    const auto folder = corpus / test.at("name").get<std::string>();
    const auto description = read_json(folder / "desc.json");
    for (const auto& output : test.at("outputs")) f(read_vector(folder, description, output));
  }
  return true;
}

/// Whether the mode asks for a number: not where the reference, or with rounding errors the sum of magnitudes in the
/// bounds tensor, may overflow.
bool is_bounded(const Vector& vector, std::size_t i) {
  const auto& format = *verify::find_format(vector.compliance.dtype);
  const double reference = vector.reference.data<double>()[i];
  if (std::isnan(reference)) return true;
  if (std::abs(reference) >= format.normal_max) return false;
  if (!vector.bounds) return true;
  const double bounds = vector.bounds->data<double>()[i];
  return std::isfinite(bounds) && !verify::overflows(format, bounds * 2);
}

/// The result with other bits in element i.
Tensor planted(const Vector& vector, std::size_t i, std::uint32_t bits) {
  Tensor tensor = vector.result;
  const auto width = size_of(tensor.dtype());
  std::memcpy(tensor.bytes().data() + i * width, &bits, width);
  return tensor;
}

}  // namespace

TEST_CASE("results of the reference model comply", "[verify][corpus]") {
  std::size_t judged = 0;
  std::map<std::string, std::size_t> by_mode;
  const bool found = for_each_vector([&](const Vector& vector) {
    const auto judgement = vector.judged(vector.result);
    if (!judgement.compliant) FAIL_CHECK(vector.name << ": " << judgement.text);
    ++by_mode[std::string(to_string(vector.compliance.mode))];
    ++judged;
  });
  if (!found) return;
  for (const auto& [mode, count] : by_mode) std::printf("%s %zu\n", mode.c_str(), count);
  CHECK(judged > 4000);
  CHECK(by_mode.size() == 9);
}

TEST_CASE("a flipped bit of an integer result is found", "[verify][corpus]") {
  std::size_t planted = 0;
  for_each_vector([&](const Vector& vector) {
    if (is_float(vector.compliance.dtype) || vector.result.size() == 0 ||
        !std::holds_alternative<mode::Exact>(vector.compliance.mode))
      return;
    const auto index = planted++ % static_cast<std::size_t>(vector.result.size());
    Tensor wrong = vector.result;
    wrong.bytes()[index * size_of(wrong.dtype())] ^= std::byte{1};
    const auto judgement = vector.judged(wrong);
    if (judgement.compliant || judgement.index != static_cast<std::int64_t>(index)) FAIL_CHECK(vector.name);
  });
}

TEST_CASE("an integer beyond the range of INEXACT_ROUND is found", "[verify][corpus]") {
  for_each_vector([&](const Vector& vector) {
    if (!std::holds_alternative<mode::RescaleInexact>(vector.compliance.mode)) return;
    Tensor wrong = *vector.bounds;
    auto& byte = wrong.bytes()[0];
    if (byte == std::byte{0xFF} || byte == std::byte{0x7F}) return;  // one more may be a carry or a wrap
    byte = static_cast<std::byte>(static_cast<unsigned>(byte) + 1);
    if (vector.judged(wrong).compliant) FAIL_CHECK(vector.name);
    if (!vector.judged(*vector.bounds).compliant) FAIL_CHECK(vector.name);
  });
}

TEST_CASE("a wrong floating point element is found", "[verify][corpus]") {
  std::size_t vectors = 0;
  const bool found = for_each_vector([&](const Vector& vector) {
    if (!is_float(vector.compliance.dtype)) return;
    const auto& format = *verify::find_format(vector.compliance.dtype);
    const auto references = vector.reference.data<double>();
    std::size_t i = 0;
    while (i < references.size() && !is_bounded(vector, i)) ++i;
    if (i == references.size()) return;
    ++vectors;
    const auto expect_found = [&](double value) {
      const auto judgement = vector.judged(planted(vector, i, tosa::test::encode(format, value)));
      if (judgement.compliant || judgement.index != static_cast<std::int64_t>(i))
        FAIL_CHECK(vector.name << " takes " << value << " for " << references[i]);
    };
    const bool is_nan = std::isnan(references[i]);
    expect_found(is_nan ? 0.0 : std::numeric_limits<double>::quiet_NaN());
    if (!is_nan) expect_found(std::signbit(references[i]) ? format.normal_max : -format.normal_max);
  });
  if (found) CHECK(vectors > 1300);
}

TEST_CASE("the last number within a bound complies, the next does not", "[verify][corpus]") {
  std::map<std::string, std::size_t> by_mode;
  const bool found = for_each_vector([&](const Vector& vector) {
    if (!is_float(vector.compliance.dtype)) return;
    const auto& format = *verify::find_format(vector.compliance.dtype);
    // Numbers of the format in their order, counted from zero.
    const int sign_bit = format.exponent_bits + format.mantissa_bits;
    const auto bits_of = [&](std::int64_t n) {
      return n < 0 ? static_cast<std::uint32_t>(-n) | 1U << sign_bit : static_cast<std::uint32_t>(n);
    };
    const auto number = [&](std::int64_t n) { return verify::decode(format, bits_of(n)); };
    const auto judged_at = [&](std::size_t i, std::int64_t n) { return vector.judged(planted(vector, i, bits_of(n))); };
    const auto references = vector.reference.data<double>();
    for (std::size_t i = 0; i < references.size(); i += references.size() / 8 + 1) {
      if (!is_bounded(vector, i)) continue;
      const auto wrong = vector.judged(
          planted(vector, i, tosa::test::encode(format, -std::copysign(format.normal_max, references[i]))));
      if (wrong.compliant || !std::isfinite(wrong.lowest) || !std::isfinite(wrong.highest)) continue;
      const auto largest = static_cast<std::int64_t>(tosa::test::encode(format, format.normal_max));
      std::int64_t low = -largest, high = largest;  // the last number that is not above the bound
      while (low < high) {
        const auto middle = low + (high - low + 1) / 2;
        if (number(middle) <= wrong.highest) low = middle;
        else high = middle - 1;
      }
      if (low == largest || number(low + 1) == 0) continue;  // overflows may comply, and so do flushed subnormals
      ++by_mode[std::string(to_string(vector.compliance.mode))];
      const auto inside = judged_at(i, low), outside = judged_at(i, low + 1);
      // Between two bounds there may be no number at all; the sums of DOT_PRODUCT name no element.
      if (number(low) >= wrong.lowest && inside.index == static_cast<std::int64_t>(i))
        FAIL_CHECK(vector.name << " refuses " << number(low) << ", the bound is " << wrong.highest);
      if (outside.compliant || outside.index != static_cast<std::int64_t>(i))
        FAIL_CHECK(vector.name << " takes " << number(low + 1) << ", the bound is " << wrong.highest);
    }
  });
  if (!found) return;
  for (const char* mode : {"EXACT", "ULP", "ABS_ERROR", "RELATIVE", "REDUCE_PRODUCT", "DOT_PRODUCT", "TOLERANCE"}) {
    INFO(mode << ": " << by_mode[mode] << " elements");
    CHECK(by_mode[mode] > 0);
  }
}
