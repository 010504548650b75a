#include "tests/support/cases/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/tosa/arith/float_tensor.hpp"

namespace macaw::test {
namespace {

constexpr std::int64_t kLargestTensor = 4096;

struct Range {
  std::int64_t low, high;
};

Range full_range(DType dtype) {
  const auto bits = info(dtype).bits;
  if (bits == 64) return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

void store(Tensor& tensor, std::size_t i, std::int64_t value) {
  switch (size_of(tensor.dtype())) {
    case 1: tensor.data<std::int8_t>()[i] = static_cast<std::int8_t>(value); break;
    case 2: tensor.data<std::int16_t>()[i] = static_cast<std::int16_t>(value); break;
    case 4: tensor.data<std::int32_t>()[i] = static_cast<std::int32_t>(value); break;
    default: tensor.data<std::int64_t>()[i] = value; break;
  }
}

}  // namespace

Maker::Maker(Random& random, const tosa::Definition& definition, const tosa::TypeRow& row, const Tensor* given)
    : random_(random), definition_(definition), row_(row), given_(given) {
  case_.op.op = definition.op;
  for (const auto& argument : definition.arguments)
    if (argument.type == "acc_type_t") set(tosa::Attr::k_acc_type, static_cast<std::int64_t>(type("acc_t")));
    else if (argument.name == "nan_mode") set_bool(tosa::Attr::k_nan_mode);
    else if (argument.name == "local_bound") set_bool(tosa::Attr::k_local_bound);
}

std::int64_t Maker::pick(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
}

DType Maker::type(std::string_view variable) const {
  const auto& names = definition_.type_variables;
  const auto it = std::ranges::find(names, variable);
  if (it == names.end())
    throw std::logic_error(fmt::format("{} has no type variable {}", to_string(definition_.op), variable));
  return row_.types[static_cast<std::size_t>(it - names.begin())];
}

Shape Maker::shape(int min_rank, int max_rank) {
  Shape shape(static_cast<std::size_t>(pick(min_rank, max_rank)));
  // One long axis now and then, so that vector kernels have whole vectors and a rest.
  for (auto& extent : shape) extent = pick(1, shape.size() > 4 ? 3 : 5);
  if (!shape.empty() && one_in(3)) shape[static_cast<std::size_t>(pick(0, std::ssize(shape) - 1))] = pick(6, 70);
  return shape;
}

std::vector<std::int64_t> Maker::extents(std::int64_t length, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> values;
  for (; length > 0; --length) values.push_back(pick(low, high));
  return values;
}

Shape Maker::shape(DType dtype, int min_rank, int max_rank) {
  if (!is_block_scale(dtype)) return shape(min_rank, max_rank);
  Shape shape = this->shape(std::max(min_rank, 1) - 1, std::min(max_rank, 4) - 1);
  for (auto& extent : shape) extent = std::min<std::int64_t>(extent, 5);
  shape.push_back(kInnermostBlockSize * pick(1, 3));
  return shape;
}

/// Any encodings of values, scales near 1 and now and then any.
void Maker::fill_blocks(Tensor& tensor) {
  const auto bits = info(tensor.dtype()).bits;
  const auto count = static_cast<std::size_t>(tensor.size());
  for (auto& byte : tensor.bytes().first(count)) byte = static_cast<std::byte>(random_() & ((1U << bits) - 1));
  const bool any = one_in(6);
  for (auto& byte : tensor.bytes().subspan(count)) byte = static_cast<std::byte>(any ? random_() : 120 + random_() % 8);
}

void Maker::fill_floats(Tensor& tensor) {
  const auto size = static_cast<std::size_t>(tensor.size());
  if (size_of(tensor.dtype()) < 4 && one_in(6)) {  // any encoding
    for (auto& byte : tensor.bytes()) byte = static_cast<std::byte>(random_());
    return;
  }
  using Limits = std::numeric_limits<double>;
  constexpr double kSpecial[] = {Limits::quiet_NaN(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 0.0,
                                 -0.0,
                                 1e-40,
                                 -1e-40,
                                 6e-8,
                                 3.4e38,
                                 -3.4e38,
                                 65504,
                                 448,
                                 57344,
                                 0.5,
                                 1.5,
                                 -2.5};
  const bool special = one_in(8), wide = one_in(6);
  std::vector<double> values(size);
  std::normal_distribution<double> normal(0, 3);
  for (auto& value : values) {
    value = normal(random_);
    if (wide) value = std::ldexp(value, static_cast<int>(pick(-30, 30)));
    if (special && one_in(5)) value = kSpecial[static_cast<std::size_t>(pick(0, std::ssize(kSpecial) - 1))];
  }
  tosa::store_floats<double>(values, tensor);
}

Tensor Maker::values(DType dtype, Shape shape) {
  if (is_float(dtype)) {
    Tensor tensor(dtype, std::move(shape));
    is_block_scale(dtype) ? fill_blocks(tensor) : fill_floats(tensor);
    return tensor;
  }
  if (dtype == DType::kBOOL) return values(dtype, std::move(shape), 0, 1);
  const auto full = full_range(dtype);
  if (info(dtype).bits <= 16 || one_in(20)) return values(dtype, std::move(shape), full.low, full.high);
  const std::int64_t limit = one_in(2) ? 1000 : full.high / 4;
  return values(dtype, std::move(shape), -limit, limit);
}

Tensor Maker::values(DType dtype, Shape shape, std::int64_t low, std::int64_t high) {
  Tensor tensor(dtype, std::move(shape));
  std::uniform_int_distribution<std::int64_t> any(low, high);
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.size()); ++i) store(tensor, i, any(random_));
  return tensor;
}

const Tensor& Maker::take(DType dtype, int min_rank, int max_rank) {
  const bool fits = given_ && given_->dtype() == dtype && std::ssize(given_->shape()) >= min_rank &&
                    std::ssize(given_->shape()) <= max_rank && given_->size() <= kLargestTensor;
  if (!fits) return add(dtype, shape(dtype, min_rank, max_rank));
  return take_given();
}

const Tensor& Maker::take_shape(std::int64_t low, std::int64_t high) {
  constexpr std::int64_t kMaxLength = 6;  // so that a CONCAT_SHAPE stays below level 8K's MAX_SHAPE_LEN
  const bool fits =
      given_ && given_->dtype() == DType::kSHAPE && given_->size() >= 1 && given_->size() <= kMaxLength &&
      std::ranges::all_of(given_->data<std::int64_t>(), [&](auto extent) { return extent >= low && extent <= high; });
  return fits ? take_given() : add_shape(extents(pick(1, kMaxLength), low, high));
}

const Tensor& Maker::take_given() {
  case_.given = static_cast<int>(case_.inputs.size());
  return add(*given_);
}

const Tensor& Maker::add(DType dtype, Shape shape) { return add(values(dtype, std::move(shape))); }
const Tensor& Maker::add(DType dtype, Shape shape, std::int64_t low, std::int64_t high) {
  return add(values(dtype, std::move(shape), low, high));
}
const Tensor& Maker::add(Tensor tensor) {
  // References to earlier operands stay valid: no operator has more.
  case_.inputs.reserve(16);
  return case_.inputs.emplace_back(std::move(tensor));
}
const Tensor& Maker::add_shape(const std::vector<std::int64_t>& values) {
  Tensor tensor(DType::kSHAPE, {std::ssize(values)});
  std::ranges::copy(values, tensor.data<std::int64_t>().begin());
  return add(std::move(tensor));
}

Tensor filled(DType dtype, Shape shape, std::int64_t value) {
  Tensor tensor(dtype, std::move(shape));
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.size()); ++i) store(tensor, i, value);
  return tensor;
}

Make find_cases(tosa::Op op) {
  for (const auto table : {tensor_cases(), convolution_cases(), elementwise_cases(), data_layout_cases(),
                           block_scaled_cases(), shape_cases(), other_cases()})
    for (const auto& row : table)
      if (row.op == op) return row.make;
  return nullptr;
}

Case make_case(Random& random, const tosa::Definition& definition, const tosa::TypeRow& row, const Tensor* given) {
  Maker maker(random, definition, row, given);
  find_cases(definition.op)(maker);
  return std::move(maker.made());
}

}  // namespace macaw::test
