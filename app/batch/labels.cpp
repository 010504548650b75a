#include "app/batch/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include <macaw/npy.hpp>

#include "base/file.hpp"
#include "base/number_text.hpp"

namespace macaw::app {
namespace {

template <class T, class Wide>
std::vector<Wide> widened(const Tensor& tensor) {
  const auto values = tensor.data<T>();
  return {values.begin(), values.end()};
}

Result<std::vector<std::int64_t>> integers(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kINT8: return widened<std::int8_t, std::int64_t>(tensor);
    case DType::kUINT8: return widened<std::uint8_t, std::int64_t>(tensor);
    case DType::kINT16: return widened<std::int16_t, std::int64_t>(tensor);
    case DType::kUINT16: return widened<std::uint16_t, std::int64_t>(tensor);
    case DType::kINT32: return widened<std::int32_t, std::int64_t>(tensor);
    case DType::kUINT32: return widened<std::uint32_t, std::int64_t>(tensor);
    case DType::kINT64: return widened<std::int64_t, std::int64_t>(tensor);
    default: return fail(ErrorCode::kUnsupported, fmt::format("{}, not integers", to_string(tensor.dtype())));
  }
}

template <class T>
std::size_t place_of(const std::vector<T>& scores, std::size_t label) {
  std::size_t before = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    before += scores[i] > scores[label] || (scores[i] == scores[label] && i < label);
  return before;
}

/// A line of a .csv: the file, if it names one, and the class.
struct Line {
  std::string name;
  std::int64_t label = 0;
};

std::string trimmed(const std::string& cell) {
  constexpr std::string_view kAround = " \t\r\"";
  const auto first = cell.find_first_not_of(kAround);
  return first == cell.npos ? "" : cell.substr(first, cell.find_last_not_of(kAround) + 1 - first);
}

/// A first line without a class is a header.
Result<std::vector<Line>> read_lines(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<Line> lines;
  std::string line;
  for (std::size_t at = 1; std::getline(text, line); ++at) {
    if (trimmed(line).empty()) continue;
    const auto comma = line.rfind(',');
    const auto label = io::number_of<std::int64_t>(trimmed(comma == line.npos ? line : line.substr(comma + 1)));
    if (!label && at == 1) continue;
    if (!label)
      return fail(ErrorCode::kInvalidFile, fmt::format("line {}: expected the class, an integer, as last column", at),
                  {.file = file.string()});
    lines.push_back({comma == line.npos ? "" : trimmed(line.substr(0, line.find(','))), *label});
  }
  return lines;
}

/// The classes in the order of the runs, matched by file name if both sides have names.
Result<std::vector<std::int64_t>> read_csv(const std::filesystem::path& file, const std::vector<std::string>& names) {
  MACAW_ASSIGN(const auto lines, read_lines(file));
  std::map<std::string, std::int64_t> by_name;
  std::vector<std::int64_t> labels;
  for (const auto& [name, label] : lines) {
    labels.push_back(label);
    if (!name.empty() && !by_name.emplace(name, label).second)
      return fail(ErrorCode::kInvalidFile, fmt::format("'{}' has two classes", name), {.file = file.string()});
  }
  const bool are_named = std::ranges::none_of(names, &std::string::empty);
  if (by_name.empty() || !are_named) return labels;
  labels.clear();
  for (const auto& name : names) {
    auto found = by_name.find(name);
    if (found == by_name.end()) found = by_name.find(std::filesystem::path(name).stem().string());
    if (found == by_name.end())
      return fail(ErrorCode::kMismatch, fmt::format("there is not a line for '{}'", name), {.file = file.string()});
    labels.push_back(found->second);
  }
  return labels;
}

Result<std::vector<std::int64_t>> read_npy_labels(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto tensor, read_tensor(file));
  return integers(tensor);
}

}  // namespace

Result<Labels> Labels::read(const std::filesystem::path& file, const std::vector<std::string>& names) {
  Labels labels;
  labels.file_ = file;
  const auto runs = names.size();
  auto values = file.extension() == ".csv" ? read_csv(file, names) : read_npy_labels(file);
  if (!values) {
    auto error = values.error();
    error.message = "labels: " + error.message;
    error.place.file = file.string();
    return tl::unexpected(error);
  }
  if (values->size() != runs)
    return fail(ErrorCode::kMismatch, fmt::format("{} labels for {} sets of inputs", values->size(), runs),
                {.file = file.string()});
  labels.labels_ = *std::move(values);
  return labels;
}

Result<std::size_t> Labels::rank(std::size_t run, const Tensor& scores) const {
  const std::int64_t label = labels_[run];
  if (label < 0 || label >= scores.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("label {} of run {} is none of {} classes", label, run, scores.size()),
                {.file = file_.string()});
  const auto at = static_cast<std::size_t>(label);
  if (scores.dtype() == DType::kFP32) return place_of(widened<float, float>(scores), at);
  MACAW_ASSIGN(const auto values, integers(scores));
  return place_of(values, at);
}

}  // namespace macaw::app
