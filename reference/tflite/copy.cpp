#include "reference/tflite/copy.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::tflite {

Result<void> copy_elements(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (out.size() != in->size()) return invalid(fmt::format("{} elements become {}", in->size(), out.size()));
  std::ranges::copy(in->bytes(), out.bytes_to_fill().begin());
  return {};
}

}  // namespace macaw::tflite
