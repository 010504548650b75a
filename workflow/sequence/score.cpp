#include "workflow/sequence/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <macaw/quantised_values.hpp>

#include "base/tensor_elements.hpp"

namespace macaw::sequence {
namespace {

Result<std::vector<std::int64_t>> integers(const Tensor& tensor, const std::string& file) {
  std::vector<std::int64_t> values;
  const bool done = !is_float(tensor.dtype()) && io::with_elements(tensor, [&](auto elements) {
    for (const auto element : elements) values.push_back(static_cast<std::int64_t>(element));
    return true;
  });
  if (!done)
    return fail(ErrorCode::kMismatch, fmt::format("classes must be integers, not {}", to_string(tensor.dtype())),
                {.file = file});
  return values;
}

Error no_class_counted(const std::string& file) {
  return {ErrorCode::kMismatch, "all classes of the steps are negative, so none is counted", {.file = file}};
}

}  // namespace

Result<Score> Score::create(const Wiring& wiring) {
  const Port& port = wiring.outputs[wiring.scored.value()];
  const auto& name = port.tensor.name;
  const auto& shape = port.tensor.shape;
  const DType dtype = port.tensor.dtype;
  if (!shape || shape->empty() || !std::ranges::all_of(*shape, [](std::int64_t extent) { return extent > 0; }))
    return fail(
        ErrorCode::kMismatch,
        fmt::format("--score: output '{}' must have a known shape with elements, whose last axis has the classes",
                    name));
  Score score;
  score.source_ = wiring.targets;
  if (!is_float(dtype)) {
    if (!port.quantization || port.quantization->scale.empty())
      return fail(
          ErrorCode::kUsage,
          fmt::format("--score: output '{}' is {} and the file does not state its scale; give it (--scale {}=SCALE)",
                      name, to_string(dtype), name));
    score.quantization_ = port.quantization;
  }
  const Tensor& tensor = wiring.classes;
  MACAW_ASSIGN(score.classes_, integers(tensor, wiring.targets));
  MACAW_ASSIGN(const auto elements, element_count(*shape));
  score.width_ = static_cast<std::size_t>(shape->back());
  score.rows_ = static_cast<std::size_t>(elements) / score.width_;
  if (score.classes_.empty() || score.classes_.size() % score.rows_ != 0 || tensor.rank() == 0 ||
      static_cast<std::size_t>(tensor.shape()[0]) != score.steps())
    return fail(ErrorCode::kMismatch,
                fmt::format("shape {}, expected the steps along the first axis and {} classes for each",
                            to_string(tensor.shape()), score.rows_),
                {.file = wiring.targets});
  if (std::ranges::all_of(score.classes_, [](std::int64_t target) { return target < 0; }))
    return tl::unexpected(no_class_counted(wiring.targets));
  return score;
}

Result<void> Score::add(std::size_t step, const Tensor& output) {
  if (step >= steps())
    return fail(ErrorCode::kMismatch, fmt::format("classes of {} steps, and step {} is scored", steps(), step),
                {.file = source_});
  Tensor real = output;
  if (quantization_) {
    MACAW_ASSIGN(real, dequantised(output, *quantization_));
  }
  if (real.dtype() != DType::kFP32)
    return fail(ErrorCode::kUnsupported, fmt::format("scores of type {}", to_string(real.dtype())));
  const auto values = std::as_const(real).data<float>();
  if (values.size() != rows_ * width_)
    return fail(ErrorCode::kMismatch, fmt::format("--score: the output of step {} has {} elements, expected {}", step,
                                                  values.size(), rows_ * width_));
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::int64_t target = classes_[step * rows_ + row];
    if (target < 0) continue;
    if (static_cast<std::size_t>(target) >= width_)
      return fail(ErrorCode::kMismatch, fmt::format("class {} of step {}, expected less than {}", target, step, width_),
                  {.file = source_});
    const auto scores = values.subspan(row * width_, width_);
    const auto best = std::ranges::max_element(scores);
    double sum = 0;
    for (const float value : scores) sum += std::exp(static_cast<double>(value) - static_cast<double>(*best));
    loss_ += std::log(sum) + static_cast<double>(*best) - static_cast<double>(scores[static_cast<std::size_t>(target)]);
    first_ += best - scores.begin() == target ? 1 : 0;
    ++counted_;
  }
  return {};
}

Result<npu::SequenceScore> Score::result() const {
  if (counted_ == 0) return tl::unexpected(no_class_counted(source_));
  const double mean = loss_ / static_cast<double>(counted_);
  return npu::SequenceScore{
      .classes = counted_, .negative_log_likelihood = mean, .perplexity = std::exp(mean), .top1 = first_};
}

}  // namespace macaw::sequence
