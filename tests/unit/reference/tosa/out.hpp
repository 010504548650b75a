#pragma once
#include <macaw/tensor.hpp>

namespace macaw::tosa::test {

/// Result of an operator.
struct Out {
  DType dtype;
  Shape shape;
};

}  // namespace macaw::tosa::test
