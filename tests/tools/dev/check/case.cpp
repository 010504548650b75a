#include "tests/tools/dev/check/case.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include <macaw/npy.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"

namespace macaw::app::check {

Result<nlohmann::json> read_json(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return io::parse_json(bytes, file.string());
}

Result<void> compare_bytes(const Tensor& actual, const std::filesystem::path& expected_file, const std::string& what) {
  MACAW_ASSIGN(const auto expected, read_npy(expected_file));
  MACAW_ASSIGN(const auto count, element_count(expected.shape));
  const auto actual_bytes = actual.bytes();
  if (count != actual.size() || expected.bytes.size() != actual_bytes.size())
    return fail(ErrorCode::kMismatch, fmt::format("{}: {} elements of {} bytes, expected {} of {} bytes", what,
                                                  actual.size(), size_of(actual.dtype()), count,
                                                  count ? expected.bytes.size() / static_cast<std::size_t>(count) : 0));
  if (std::equal(actual_bytes.begin(), actual_bytes.end(), expected.bytes.begin())) return {};
  const auto width = size_of(actual.dtype());
  std::size_t different = 0, first = 0;
  for (std::size_t i = actual_bytes.size() / width; i-- > 0;) {
    if (std::memcmp(actual_bytes.data() + i * width, expected.bytes.data() + i * width, width) != 0) {
      ++different;
      first = i;
    }
  }
  const auto value = [&](const std::byte* bytes) {
    std::int64_t v = 0;
    std::memcpy(&v, bytes + first * width, std::min<std::size_t>(width, sizeof v));
    const auto unused = 64 - 8 * static_cast<int>(width);
    return unused > 0 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(v) << unused) >> unused : v;
  };
  return fail(ErrorCode::kMismatch,
              fmt::format("{}: {} of {} elements differ, the first at {}: {}, expected {}", what, different, count,
                          first, value(actual_bytes.data()), value(expected.bytes.data())));
}

std::map<std::string, std::string> string_fields(const nlohmann::json& object) {
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::map<std::string, std::string> fields;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string() || value.is_number()) fields[key] = text(value);
    if (!value.is_array()) continue;
    auto& joined = fields[key];
    for (const auto& item : value) {
      if (!joined.empty()) joined += ',';
      joined += text(item);
    }
  }
  return fields;
}

}  // namespace macaw::app::check
