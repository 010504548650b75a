#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "reference/executorch/arguments.hpp"
#include "reference/executorch/positions.hpp"
#include "reference/tflite/copy.hpp"
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// Elements by their numbers (pytorch/executorch kernels/portable/cpu: op_index.cpp, op_index_put.cpp,
// op_index_select.cpp, op_select_copy.cpp, util/advanced_index_util.cpp).
namespace macaw::executorch::indexing {
namespace {

constexpr std::int64_t kMaxChosen = std::int64_t{1} << 26;  // elements that one call may write

/// Elements of `in` selected by index tensors, one for each leading axis; None keeps an axis whole.
/// The axes of the indices, which broadcast to one shape, stand where the first index stands if all indices are of
/// neighbouring axes, else first.
struct Selection {
  Shape shape;                        ///< of the selection
  std::vector<std::int64_t> offsets;  ///< of each element in `in`
};

struct IndexedAxis {
  std::size_t axis;
  const Tensor* indices;
};

Result<std::int64_t> normal_index(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) return invalid(fmt::format("index {} of {} elements", index, extent));
  return index < 0 ? index + extent : index;
}

/// The shape that the index tensors broadcast to.
Result<Shape> common_shape(const std::vector<IndexedAxis>& indexed) {
  Shape shape;
  for (const auto& [axis, indices] : indexed) {
    if (indices->dtype() != DType::kINT64 && indices->dtype() != DType::kINT32)
      return unsupported(fmt::format("indices of type {}", to_string(indices->dtype())));
    const auto& given = indices->shape();
    if (given.size() > shape.size()) shape.insert(shape.begin(), given.size() - shape.size(), 1);
    for (std::size_t i = 0; i < given.size(); ++i) {
      auto& extent = shape[shape.size() - 1 - i];
      const auto own = given[given.size() - 1 - i];
      if (extent == 1) extent = own;
      else if (own != 1 && own != extent) return invalid("the indices do not broadcast to one shape");
    }
  }
  return shape;
}

/// Sums of products of the indices with their axes' strides, in the order of the common shape, which has elements.
Result<std::vector<std::int64_t>> index_offsets(const Tensor& in, const std::vector<IndexedAxis>& indexed,
                                                const Shape& shape) {
  MACAW_ASSIGN(const auto count, element_count(shape));
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count));
  for (const auto& [axis, tensor] : indexed) {
    MACAW_ASSIGN(auto numbers, integers(*tensor, "the indices"));
    const auto stride = product(in.shape(), axis + 1, in.rank());
    for (auto& number : numbers) {
      MACAW_ASSIGN(number, normal_index(number, in.shape()[axis]));
    }
    MACAW_ASSIGN(const auto broadcast, Broadcast::create({tensor->shape()}, shape));
    broadcast.for_each<1>([&](std::size_t i, const auto& at) { sums[i] += numbers[at[0]] * stride; });
  }
  return sums;
}

/// Adds an axis to offsets: each becomes `extent` of them, `stride` apart.
void add_axis(std::vector<std::int64_t>& offsets, std::int64_t extent, std::int64_t stride) {
  std::vector<std::int64_t> next;
  next.reserve(offsets.size() * static_cast<std::size_t>(extent));
  for (const auto offset : offsets)
    for (std::int64_t i = 0; i < extent; ++i) next.push_back(offset + i * stride);
  offsets = std::move(next);
}

/// Inputs from `first` to `last` are the indices. `limit` bounds how many elements may be chosen.
Result<Selection> selection_of(Call& call, const Tensor& in, std::size_t first, std::size_t last, std::int64_t limit) {
  if (last - first > in.rank()) return invalid(fmt::format("{} indices of rank {}", last - first, in.rank()));
  std::vector<IndexedAxis> indexed;
  for (std::size_t i = first; i < last; ++i)
    if (const auto* tensor = call.optional_input(i)) indexed.push_back({i - first, tensor});
  if (indexed.empty()) return invalid("there is no index");
  MACAW_ASSIGN(const auto common, common_shape(indexed));
  const bool adjacent = indexed.back().axis - indexed.front().axis + 1 == indexed.size();
  const auto at = adjacent ? indexed.front().axis : 0;
  Selection result;
  const auto is_indexed = [&](std::size_t axis) {
    return std::ranges::any_of(indexed, [&](const auto& entry) { return entry.axis == axis; });
  };
  for (std::size_t axis = 0; axis < in.rank(); ++axis)
    if (!is_indexed(axis)) result.shape.push_back(in.shape()[axis]);
  result.shape.insert(result.shape.begin() + std::ptrdiff_t(at), common.begin(), common.end());
  MACAW_ASSIGN(const auto count, element_count(result.shape));
  if (count > limit) return invalid(fmt::format("{} elements are chosen, expected at most {}", count, limit));
  MACAW_CHECK(call.account(count));
  // A tensor without elements may have axes of any extent, which must not be walked through.
  if (count == 0) return result;
  MACAW_ASSIGN(const auto sums, index_offsets(in, indexed, common));
  result.offsets = {0};
  const auto add_whole = [&](std::size_t from, std::size_t to) {
    for (std::size_t axis = from; axis < to; ++axis)
      if (!is_indexed(axis)) add_axis(result.offsets, in.shape()[axis], product(in.shape(), axis + 1, in.rank()));
  };
  add_whole(0, at);
  std::vector<std::int64_t> next;
  next.reserve(result.offsets.size() * sums.size());
  for (const auto offset : result.offsets)
    for (const auto sum : sums) next.push_back(offset + sum);
  result.offsets = std::move(next);
  add_whole(at, in.rank());
  return result;
}

Result<void> index(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_ASSIGN(const auto chosen, selection_of(call, *in, 1, call.inputs.size(), out.size()));
  MACAW_CHECK(expect(out, chosen.shape, "the output"));
  with_element_size(size_of(in->dtype()), [&]<class T>(T) {
    const auto* from = reinterpret_cast<const T*>(in->bytes().data());
    auto* to = reinterpret_cast<T*>(out.uninitialized_bytes().data());
    for (std::size_t i = 0; i < chosen.offsets.size(); ++i) to[i] = from[chosen.offsets[i]];
  });
  return {};
}

/// Inputs: the tensor, the indices, values that broadcast to the selection, and whether values are added. If they are
/// not, the last of several values for one element is stored.
Result<void> index_put(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  const auto last = call.inputs.size() - 2;
  MACAW_ASSIGN(const Tensor* values, call.input(last));
  MACAW_ASSIGN(const auto accumulate, integer_argument(call, last + 1));
  Tensor& out = call.output();
  MACAW_CHECK(expect(*values, in->dtype(), "the values"));
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect(out, in->shape(), "the output"));
  MACAW_ASSIGN(const auto chosen, selection_of(call, *in, 1, last, kMaxChosen));
  MACAW_ASSIGN(const auto broadcast, Broadcast::create({values->shape()}, chosen.shape));
  std::ranges::copy(in->bytes(), out.uninitialized_bytes().begin());
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    const auto from = values->data<T>();
    const auto to = out.data<T>();
    broadcast.for_each<1>([&](std::size_t i, const auto& at) {
      T& element = to[static_cast<std::size_t>(chosen.offsets[i])];
      const T value = from[at[0]];
      if (!accumulate) element = value;
      else if constexpr (std::is_same_v<T, bool>) element = element || value;
      else if constexpr (std::is_same_v<T, float>) element = element + value;
      else element = static_cast<T>(static_cast<std::uint64_t>(element) + static_cast<std::uint64_t>(value));
    });
    return {};
  });
}

/// Inputs: the tensor, an axis, and the number of the slice.
Result<void> select_copy(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
  MACAW_ASSIGN(const auto given, integer_argument(call, 2));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
  MACAW_ASSIGN(const auto index, normal_index(given, in->shape()[axis]));
  Shape shape = in->shape();
  shape.erase(shape.begin() + std::ptrdiff_t(axis));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  MACAW_CHECK(call.account(call.output().size()));
  auto strides = strides_of(in->shape());
  const auto offset = index * strides[axis];
  strides.erase(strides.begin() + std::ptrdiff_t(axis));
  gather_strided(*in, offset, strides, call.output());
  return {};
}

/// Inputs: the tensor, an axis, and the numbers of slices.
Result<void> index_select(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
  MACAW_ASSIGN(const Tensor* tensor, call.input(2));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
  MACAW_ASSIGN(const auto numbers, integers(*tensor, "the indices"));
  Tensor& out = call.output();
  Shape shape = in->shape();
  shape[axis] = static_cast<std::int64_t>(numbers.size());
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect(out, shape, "the output"));
  MACAW_CHECK(call.account(out.size()));
  for (const auto number : numbers)
    if (number < 0 || number >= in->shape()[axis])
      return invalid(fmt::format("index {} of {} elements", number, in->shape()[axis]));
  if (out.size() == 0) return {};
  const auto run = static_cast<std::size_t>(product(in->shape(), axis + 1, in->rank())) * size_of(in->dtype());
  auto to = out.uninitialized_bytes().begin();
  for (std::int64_t outer = 0; outer < product(in->shape(), 0, axis); ++outer)
    for (const auto number : numbers)
      to = std::ranges::copy(
               in->bytes().subspan(static_cast<std::size_t>(outer * in->shape()[axis] + number) * run, run), to)
               .out;
  return {};
}

constexpr Definition kDefinitions[] = {
    {"aten::index.Tensor_out", 2, -1, 1, 1, index},   {"aten::index_put", 4, -1, 1, 1, index_put},
    {"aten::index_put_", 4, -1, 1, 1, index_put},     {"aten::select_copy.int_out", 3, 3, 1, 1, select_copy},
    {"aten::index_select", 3, 3, 1, 1, index_select},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::indexing
