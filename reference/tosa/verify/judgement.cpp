#include "reference/tosa/verify/judgement.hpp"

#include <fmt/format.h>

#include <cmath>

namespace macaw::tosa::verify {

std::string position(std::int64_t index, const Shape& shape) {
  Shape at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) at[axis] = index % shape[axis];
  return macaw::to_string(at);
}

void Findings::outside(std::int64_t index, const Element& element) {
  if (count_++ > 0) return;
  first_ = index;
  element_ = element;
}

Judgement Findings::judgement() const {
  if (count_ == 0) return {true, fmt::format("{}: all {} elements are compliant", mode_, tensor_.size())};
  const auto range = std::isnan(element_.lowest) ? std::string()
                                                 : fmt::format(", allowed {} to {}", element_.lowest, element_.highest);
  auto text = fmt::format("{}: {} of {} elements not compliant, the first at {}: {}{} (reference {})", mode_, count_,
                          tensor_.size(), position(first_, tensor_.shape()), element_.value, range, element_.reference);
  return {false,          std::move(text),    count_,          first_,
          element_.value, element_.reference, element_.lowest, element_.highest};
}

}  // namespace macaw::tosa::verify
