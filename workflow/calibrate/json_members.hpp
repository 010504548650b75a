#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <macaw/error.hpp>
#include <nlohmann/json.hpp>

namespace macaw::calibrate {

/// Parses JSON text of at most 64 MB and 16 levels; objects with duplicate members are errors.
[[nodiscard]] Result<nlohmann::json> parse_strict_json(std::string_view text, const std::filesystem::path& file);

/// Reads the members of one JSON object one by one; a member that was not read is an error. Every error is kInvalidFile
/// and names the member by its path in the file. Keeps a reference to the JSON.
class JsonMembers {
 public:
  /// Error: not an object.
  [[nodiscard]] static Result<JsonMembers> of(const nlohmann::json& json, std::string path,
                                              const std::filesystem::path& file);

  /// A required text that is not empty.
  [[nodiscard]] Result<std::string> text(std::string_view key);
  /// `otherwise` if the member is absent.
  [[nodiscard]] Result<std::string> text_or(std::string_view key, std::string otherwise);
  [[nodiscard]] Result<bool> boolean_or(std::string_view key, bool otherwise);
  /// A finite number from `least` to `most`; nothing if the member is absent.
  [[nodiscard]] Result<std::optional<double>> number(std::string_view key, double least, double most);
  /// Texts of a list; none if the member is absent.
  [[nodiscard]] Result<std::vector<std::string>> texts(std::string_view key);
  /// Any member; nullptr if it is absent.
  [[nodiscard]] const nlohmann::json* take(std::string_view key);
  /// Error if a member was not read; the message lists the known ones.
  [[nodiscard]] Result<void> nothing_else() const;

  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] tl::unexpected<Error> error(std::string_view key, const std::string& text) const;

 private:
  JsonMembers(const nlohmann::json& json, std::string path, const std::filesystem::path& file)
      : json_(&json), path_(std::move(path)), file_(file.string()) {}

  const nlohmann::json* json_;
  std::string path_, file_;
  std::vector<std::string> known_;
};

}  // namespace macaw::calibrate
