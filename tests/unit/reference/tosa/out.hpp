#pragma once
#include <macaw/tensor.hpp>

namespace macaw::tosa::test {

/// What an operator gives.
struct Out {
  DType dtype;
  Shape shape;
};

}  // namespace macaw::tosa::test
