#include "app/batch/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/npy.hpp>

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

}  // namespace

Result<Labels> Labels::read(const std::filesystem::path& file, std::size_t runs) {
  Labels labels;
  labels.file_ = file;
  MACAW_ASSIGN(const auto tensor, read_tensor(file));
  auto values = integers(tensor);
  if (!values) return fail(values.error().code, "labels: " + values.error().message, {.file = file.string()});
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
