#include "reference/executorch/arguments.hpp"

// Products of matrices in single precision, summed from the first element on (pytorch/executorch
// kernels/portable/cpu: op_mm.cpp, op_bmm.cpp, op_addmm.cpp, vec_ops.h). aten::linear has a kernel in the optimized
// library alone (kernels/optimized/cpu/op_linear.cpp), whose BLAS decides the order of its sums: the results differ by
// their rounding.
namespace macaw::executorch::matrices {
namespace {

struct Product {
  const float *a, *b;
  std::size_t rows, inner, columns;
  bool transposed;  ///< b has a row for each column of the result

  [[nodiscard]] float at(std::size_t row, std::size_t column) const {
    float sum = 0;
    for (std::size_t k = 0; k < inner; ++k)
      sum += a[row * inner + k] * (transposed ? b[column * inner + k] : b[k * columns + column]);
    return sum;
  }
};

/// Calls f(row, column) for every element of a matrix of the product, in their order. A matrix without elements may
/// have any number of rows.
template <class F>
void for_each_element(const Product& product, F f) {
  if (product.columns == 0) return;
  for (std::size_t row = 0; row < product.rows; ++row)
    for (std::size_t column = 0; column < product.columns; ++column) f(row, column);
}

/// Multiplies over the last two axes; `transposed`: those of b are exchanged. The output is `shape`.
Result<Product> product_of(Call& call, const Tensor& a, const Tensor& b, const Shape& shape, bool transposed = false) {
  MACAW_CHECK(expect(a, DType::kFP32, "the first factor"));
  MACAW_CHECK(expect(b, DType::kFP32, "the second factor"));
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  const auto inner = a.shape().back();
  if (b.shape()[b.rank() - (transposed ? 1 : 2)] != inner)
    return invalid("the factors have different extents along the axis that is summed");
  MACAW_ASSIGN(const auto macs, element_count({call.output().size(), inner}));
  MACAW_CHECK(call.account(macs));
  return Product{a.data<float>().data(),
                 b.data<float>().data(),
                 static_cast<std::size_t>(a.shape()[a.rank() - 2]),
                 static_cast<std::size_t>(inner),
                 static_cast<std::size_t>(shape.back()),
                 transposed};
}

/// Inputs of rank 2.
Result<void> mm(Call& call) {
  MACAW_ASSIGN(const Tensor* a, call.input(0));
  MACAW_ASSIGN(const Tensor* b, call.input(1));
  MACAW_CHECK(expect_rank(*a, 2, "the first factor"));
  MACAW_CHECK(expect_rank(*b, 2, "the second factor"));
  MACAW_ASSIGN(const auto product, product_of(call, *a, *b, {a->shape()[0], b->shape()[1]}));
  auto to = call.output().uninitialized_data<float>().begin();
  for_each_element(product, [&](std::size_t row, std::size_t column) { *to++ = product.at(row, column); });
  return {};
}

/// Inputs of rank 3.
Result<void> bmm(Call& call) {
  MACAW_ASSIGN(const Tensor* a, call.input(0));
  MACAW_ASSIGN(const Tensor* b, call.input(1));
  MACAW_CHECK(expect_rank(*a, 3, "the first factor"));
  MACAW_CHECK(expect_rank(*b, 3, "the second factor"));
  if (a->shape()[0] != b->shape()[0]) return invalid("the factors have different numbers of matrices");
  MACAW_ASSIGN(auto product, product_of(call, *a, *b, {a->shape()[0], a->shape()[1], b->shape()[2]}));
  auto to = call.output().uninitialized_data<float>().begin();
  const std::int64_t count = call.output().size() == 0 ? 0 : a->shape()[0];
  for (std::int64_t n = 0; n < count; ++n) {
    for_each_element(product, [&](std::size_t row, std::size_t column) { *to++ = product.at(row, column); });
    product.a += product.rows * product.inner;
    product.b += product.inner * product.columns;
  }
  return {};
}

/// beta * self + alpha * (mat1 @ mat2); self has the output's shape, or repeats along axes of extent 1.
Result<void> addmm(Call& call) {
  MACAW_ASSIGN(const Tensor* self, call.input(0));
  MACAW_ASSIGN(const Tensor* a, call.input(1));
  MACAW_ASSIGN(const Tensor* b, call.input(2));
  MACAW_ASSIGN(const auto beta_number, number_argument(call, 3));
  MACAW_ASSIGN(const auto alpha_number, number_argument(call, 4));
  MACAW_ASSIGN(const float beta, beta_number.as<float>());
  MACAW_ASSIGN(const float alpha, alpha_number.as<float>());
  MACAW_CHECK(expect(*self, DType::kFP32, "the summand"));
  MACAW_CHECK(expect_rank(*a, 2, "the first factor"));
  MACAW_CHECK(expect_rank(*b, 2, "the second factor"));
  MACAW_ASSIGN(const auto product, product_of(call, *a, *b, {a->shape()[0], b->shape()[1]}));
  Shape shape = self->shape();
  if (shape.size() > 2) return invalid("the summand has more than two axes");
  shape.insert(shape.begin(), 2 - shape.size(), 1);
  for (std::size_t axis = 0; axis < 2; ++axis)
    if (shape[axis] != 1 && shape[axis] != call.output().shape()[axis])
      return invalid("the shape of the summand does not fit the output");
  const std::size_t row_step = shape[0] == 1 ? 0 : static_cast<std::size_t>(shape[1]);
  const std::size_t column_step = shape[1] == 1 ? 0 : 1;
  const auto summand = self->data<float>();
  auto to = call.output().uninitialized_data<float>().begin();
  for_each_element(product, [&](std::size_t row, std::size_t column) {
    // The products of both numbers are rounded before the sum.
    const float scaled = product.at(row, column) * alpha;
    *to++ = scaled + summand[row * row_step + column * column_step] * beta;
  });
  return {};
}

/// input @ weight^T + bias; the weight has a row for each output.
Result<void> linear(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* weight, call.input(1));
  const Tensor* bias = call.optional_input(2);
  MACAW_CHECK(expect_rank(*weight, 2, "the weights"));
  if (in->rank() == 0) return invalid("the input has no axis");
  Tensor matrix = *in;
  Shape shape = in->shape();
  shape.back() = weight->shape()[0];
  matrix.reshape({product(in->shape(), 0, in->rank() - 1), in->shape().back()});
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  if (bias) {
    MACAW_CHECK(expect(*bias, DType::kFP32, "the bias"));
    MACAW_CHECK(expect(*bias, Shape{weight->shape()[0]}, "the bias"));
  }
  MACAW_ASSIGN(const auto result, product_of(call, matrix, *weight, shape, true));
  auto to = call.output().uninitialized_data<float>().begin();
  for_each_element(result, [&](std::size_t row, std::size_t column) {
    const float sum = result.at(row, column);
    *to++ = bias ? sum + bias->data<float>()[column] : sum;
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"aten::mm", 2, 2, 1, 1, mm},
    {"aten::bmm", 2, 2, 1, 1, bmm},
    {"aten::addmm", 5, 5, 1, 1, addmm},
    {"aten::linear", 2, 3, 1, 1, linear},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::matrices
