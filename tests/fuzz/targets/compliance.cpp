#include <macaw/tosa/verify.hpp>

#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto compliance = tosa::parse_compliance(fuzz::text_of(data, size), "t");
  fuzz::expect_message(compliance);
  if (!compliance) return 0;
  const Shape shape = compliance->shape.value_or(Shape{2, 3});
  const auto count = element_count(shape, 16);
  if (!count || *count > 1 << 20) return 0;
  const Tensor result(compliance->dtype, shape), reference(tosa::reference_dtype(compliance->dtype), shape);
  fuzz::expect_message(tosa::judge(result, reference, &reference, *compliance));
  return 0;
}
