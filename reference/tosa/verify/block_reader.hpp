#pragma once
#include <macaw/tensor.hpp>

#include "reference/tosa/verify/float_format.hpp"

namespace macaw::tosa::verify {

/// Elements of a block-scaled tensor, FP64 ones included.
class BlockReader {
 public:
  struct Element {
    double value, scale;
  };

  explicit BlockReader(const Tensor& tensor);
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] Element operator[](std::size_t i) const {
    return {values_[i], scales_[i / row_ * scales_in_row_ + i % row_ / kInnermostBlockSize]};
  }

 private:
  std::vector<double> values_, scales_;
  std::size_t row_ = 1, scales_in_row_ = 1;
};

}  // namespace macaw::tosa::verify
