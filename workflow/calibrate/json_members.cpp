#include "workflow/calibrate/json_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/near_names.hpp"

namespace macaw::calibrate {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = 64'000'000;
constexpr int kMaxDepth = 16;

/// Why a file is no JSON that this program takes, found while it is parsed.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxDepth) problem_ = fmt::format("more than {} levels", kMaxDepth);
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      problem_ = fmt::format("member '{}' is given twice", parsed.get<std::string>());
    return problem_.empty();
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string problem_;
};

}  // namespace

Result<Json> parse_strict_json(std::string_view text, const std::filesystem::path& file) {
  const Place place{.file = file.string()};
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::kInvalidFile, fmt::format("{} bytes, more than {}", text.size(), kMaxBytes), place);
  Watch watch;
  // A reference: the parser copies what it calls.
  auto json = Json::parse(text, std::ref(watch), false);
  if (!watch.problem().empty()) return fail(ErrorCode::kInvalidFile, watch.problem(), place);
  if (json.is_discarded()) return fail(ErrorCode::kInvalidFile, "not a JSON file", place);
  return json;
}

Result<JsonMembers> JsonMembers::of(const Json& json, std::string path, const std::filesystem::path& file) {
  JsonMembers members(json, std::move(path), file);
  if (!json.is_object())
    return fail(ErrorCode::kInvalidFile,
                (members.path_.empty() ? std::string("the file") : members.path_) + " must be an object",
                {.file = members.file_});
  return members;
}

std::string JsonMembers::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

tl::unexpected<Error> JsonMembers::error(std::string_view key, const std::string& text) const {
  return fail(ErrorCode::kInvalidFile, path_of(key) + " " + text, {.file = file_});
}

const Json* JsonMembers::take(std::string_view key) {
  known_.emplace_back(key);
  const auto found = json_->find(std::string(key));
  return found == json_->end() ? nullptr : &*found;
}

Result<std::string> JsonMembers::text(std::string_view key) {
  MACAW_ASSIGN(auto found, text_or(key, ""));
  if (found.empty()) return error(key, "must be a text that is not empty");
  return found;
}

Result<std::string> JsonMembers::text_or(std::string_view key, std::string otherwise) {
  const auto* member = take(key);
  if (!member) return otherwise;
  if (!member->is_string()) return error(key, "must be a text");
  return member->get<std::string>();
}

Result<bool> JsonMembers::boolean_or(std::string_view key, bool otherwise) {
  const auto* member = take(key);
  if (!member) return otherwise;
  if (!member->is_boolean()) return error(key, "must be true or false");
  return member->get<bool>();
}

Result<std::optional<double>> JsonMembers::number(std::string_view key, double least, double most) {
  const auto* member = take(key);
  if (!member) return std::optional<double>();
  const double value = member->is_number() ? member->get<double>() : NAN;
  if (!(value >= least && value <= most)) return error(key, fmt::format("must be a number from {} to {}", least, most));
  return std::optional(value);
}

Result<std::vector<std::string>> JsonMembers::texts(std::string_view key) {
  std::vector<std::string> list;
  const auto* member = take(key);
  if (!member) return list;
  if (!member->is_array()) return error(key, "must be a list");
  for (std::size_t i = 0; i < member->size(); ++i) {
    if (!(*member)[i].is_string()) return error(fmt::format("{}[{}]", key, i), "must be a text");
    list.push_back((*member)[i].get<std::string>());
  }
  return list;
}

Result<void> JsonMembers::nothing_else() const {
  for (const auto& [key, value] : json_->items())
    if (std::ranges::find(known_, key) == known_.end()) return error(key, "is not known" + io::near_names(key, known_));
  return {};
}

}  // namespace macaw::calibrate
