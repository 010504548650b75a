#include <algorithm>
#include <numeric>

#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

using Extents = std::vector<std::int64_t>;

/// Required divisor of an extent.
std::int64_t block_of(DType dtype, const Shape& shape, std::size_t axis) {
  return is_block_scale(dtype) && axis + 1 == shape.size() ? kInnermostBlockSize : 1;
}

void concat(Maker& m) {
  const auto dtype = m.type("in_out_t");
  Shape shape = m.take(dtype, 1, 6).shape();
  const auto axis = static_cast<std::size_t>(m.pick(0, std::ssize(shape) - 1));
  m.set(Attr::k_axis, static_cast<std::int64_t>(axis));
  auto total = shape[axis];
  for (auto more = m.pick(0, 3); more > 0; --more) {
    shape[axis] = m.pick(1, 4) * block_of(dtype, shape, axis);
    total += shape[axis];
    m.add(dtype, shape);
  }
  shape[axis] = total;
  m.out(dtype, shape);
}

void pad(Maker& m) {
  const auto dtype = m.type("in_out_t");
  Shape shape = m.take(dtype, 1, 6).shape();
  Extents padding;
  for (auto& extent : shape) {
    const auto before = m.one_in(2) ? m.pick(0, 2) : 0, after = m.one_in(2) ? m.pick(0, 2) : 0;
    padding.insert(padding.end(), {before, after});
    extent += before + after;
  }
  m.add_shape(padding);
  m.add(dtype, {1});
  m.out(dtype, shape);
}

void reshape(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& in = m.take(dtype, 0, 6);
  // The prime factors of the element count, spread over a new rank.
  Shape shape(static_cast<std::size_t>(m.pick(in.size() == 1 ? 0 : 1, 6)), 1);
  const auto block = shape.empty() ? 1 : block_of(dtype, shape, shape.size() - 1);
  auto left = in.size() / block;
  for (std::int64_t factor = 2; left > 1; ++factor)
    for (; left % factor == 0; left /= factor)
      shape[static_cast<std::size_t>(m.pick(0, std::ssize(shape) - 1))] *= factor;
  if (!shape.empty()) shape.back() *= block;
  m.add_shape(shape);
  m.out(dtype, shape);
}

void reverse(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& in = m.take(dtype, 1, 6);
  m.set(Attr::k_axis, m.pick(0, std::ssize(in.shape()) - 1));
  m.out(dtype, in.shape());
}

void slice(Maker& m) {
  const auto dtype = m.type("in_out_t");
  Extents start, size;
  const auto& shape = m.take(dtype, 1, 6).shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto block = block_of(dtype, shape, i), blocks = shape[i] / block, first = m.pick(0, blocks - 1);
    start.push_back(first * block);
    size.push_back(m.pick(1, blocks - first) * block);
  }
  m.add_shape(start);
  m.add_shape(size);
  m.out(dtype, size);
}

void tile(Maker& m) {
  const auto dtype = m.type("in_out_t");
  Shape shape = m.take(dtype, 1, 6).shape();
  Extents multiples;
  for (auto& extent : shape) {
    multiples.push_back(m.one_in(2) ? m.pick(1, 3) : 1);
    extent *= multiples.back();
  }
  m.add_shape(multiples);
  m.out(dtype, shape);
}

void transpose(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& in = m.take(dtype, 1, 6);
  Extents perms(in.rank());
  std::iota(perms.begin(), perms.end(), 0);
  const auto free = is_block_scale(dtype) ? perms.size() - 1 : perms.size();
  for (std::size_t i = free; i > 1; --i)
    std::swap(perms[i - 1], perms[static_cast<std::size_t>(m.pick(0, static_cast<std::int64_t>(i) - 1))]);
  Shape shape;
  for (const auto axis : perms) shape.push_back(in.shape()[static_cast<std::size_t>(axis)]);
  m.set(Attr::k_perms, perms);
  m.out(dtype, shape);
}

void gather(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& values = m.take(dtype, 3, 3);
  const auto n = values.shape()[0], k = values.shape()[1], w = m.pick(1, 9);
  const auto most = m.one_in(20) ? k : k - 1;
  m.add(m.type("index_t"), {n, w}, m.one_in(20) ? -1 : 0, most);
  m.out(dtype, {n, w, values.shape()[2]});
}

void row_gather(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& values = m.take(dtype, 3, 3);
  const auto n = values.shape()[0], k = values.shape()[1], w = m.pick(1, 5), count = m.pick(1, k);
  const auto most = m.one_in(20) ? k : k - count;
  m.add(m.type("index_t"), {n, w}, m.one_in(20) ? -1 : 0, most);
  m.add(DType::kINT32, {1}, count, count);
  m.out(dtype, {n, w * count, values.shape()[2]});
}

void scatter(Maker& m) {
  const auto dtype = m.type("in_out_t"), index = m.type("index_t");
  const auto& values = m.take(dtype, 3, 3);
  const auto n = values.shape()[0], k = values.shape()[1], w = m.pick(1, k);
  Tensor indices = m.values(index, {n, w}, 0, k - 1);
  if (!m.one_in(20)) {
    for (std::int64_t batch = 0; batch < n; ++batch) {  // w different ones
      Extents rows(static_cast<std::size_t>(k));
      std::iota(rows.begin(), rows.end(), 0);
      for (std::int64_t i = 0; i < w; ++i) {
        std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(m.pick(i, k - 1))]);
        const auto at = static_cast<std::size_t>(batch * w + i);
        const auto row = rows[static_cast<std::size_t>(i)];
        if (index == DType::kINT32) indices.data<std::int32_t>()[at] = static_cast<std::int32_t>(row);
        else indices.data<std::int64_t>()[at] = row;
      }
    }
  }
  m.add(std::move(indices));
  m.add(dtype, {n, w, values.shape()[2]});
  m.out(dtype, values.shape());
}

constexpr OperatorCases kDataLayoutCases[] = {
    {Op::kCONCAT, concat},         {Op::kPAD, pad},       {Op::kRESHAPE, reshape},
    {Op::kREVERSE, reverse},       {Op::kSLICE, slice},   {Op::kTILE, tile},
    {Op::kTRANSPOSE, transpose},   {Op::kGATHER, gather}, {Op::kSCATTER, scatter},
    {Op::kROW_GATHER, row_gather},
};

}  // namespace

std::span<const OperatorCases> data_layout_cases() { return kDataLayoutCases; }

}  // namespace macaw::test
