#pragma once
#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {

/// acc_t of the operators that sum products: an integer of the type `dtype`, whose every sum must fit, or a float.
class Sum {
 public:
  explicit Sum(DType dtype) : dtype_(dtype) {}

  void add_product(const Tensor& a, std::int64_t i, std::int64_t a_zp, const Tensor& b, std::int64_t j,
                   std::int64_t b_zp) {
    if (is_float(a.dtype())) real_ += float_at(a, i) * float_at(b, j);
    else integer_ = checked(integer_ + Wide{int_at(a, i) - a_zp} * (int_at(b, j) - b_zp), dtype_);
  }
  void add(const Tensor& a, std::int64_t i, std::int64_t zp = 0) {
    if (is_float(a.dtype())) real_ += float_at(a, i);
    else integer_ = checked(integer_ + (Wide{int_at(a, i)} - zp), dtype_);
  }
  void put(Tensor& out, std::int64_t i) const {
    if (is_float(out.dtype())) put_double(out, i, real_);
    else put_int(out, i, static_cast<std::int64_t>(integer_));
  }
  [[nodiscard]] float real() const { return real_; }
  [[nodiscard]] Wide integer() const { return integer_; }

 private:
  DType dtype_;
  float real_ = 0;
  Wide integer_ = 0;
};

/// The zero point in an operand of one element; floating-point operators have none.
inline std::int64_t zero_point(const Tensor& tensor) { return is_float(tensor.dtype()) ? 0 : int_at(tensor, 0); }

}  // namespace macaw::test::naive
