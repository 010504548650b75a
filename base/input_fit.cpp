#include <macaw/error_context.hpp>
#include <macaw/input_fit.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace macaw {
namespace {

/// Elements of the last 1, 2, ... dimensions: the lengths of rows, planes and so on, each once.
std::vector<std::int64_t> row_ends(const Shape& shape) {
  std::vector<std::int64_t> ends(shape.size());
  std::partial_sum(shape.rbegin(), shape.rend(), ends.begin(), std::multiplies<>());
  ends.insert(ends.begin(), 1);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// A type of numpy that has no meaning of its own, or that is what the expected type is written with.
bool carries(DType given, DType expected) {
  if (given == expected || info(given).npy == info(expected).npy) return true;
  const bool has_no_numpy_type = is_block_scale(expected) || (is_float(expected) && expected != DType::kFP64 &&
                                                              expected != DType::kFP32 && expected != DType::kFP16);
  const bool is_bits =
      given == DType::kUINT8 || given == DType::kUINT16 || info(given).npy.find('V') != std::string_view::npos;
  return has_no_numpy_type && is_bits && size_of(given) == size_of(expected);
}

/// The type of an array's elements; none if it is only so many bytes wide.
std::optional<DType> type_of(const NpyArray& array) {
  const auto empty = to_tensor({array.descr, {0}, {}}, std::nullopt, "");
  return empty ? std::optional(empty->dtype()) : std::nullopt;
}

}  // namespace

bool same_arrangement(const Shape& a, const Shape& b) {
  const auto count = element_count(a), other = element_count(b);
  if (!count || !other || *count != *other) return false;
  if (*count == 0) return true;
  const auto ends = row_ends(a), others = row_ends(b);
  return std::ranges::includes(ends, others) || std::ranges::includes(others, ends);
}

Result<void> check_arrangement(std::string_view input, const Shape& given, const Shape& expected, InputFit allowed) {
  if (allowed.reshape || same_arrangement(given, expected)) return {};
  return fail(ErrorCode::kMismatch,
              fmt::format("input '{}' has shape {}, expected {}: as many elements in another arrangement; 'reshape' "
                          "takes them in the order that they have",
                          input, to_string(given), to_string(expected)));
}

Result<void> check_type(std::string_view input, DType given, DType expected, InputFit allowed) {
  if (allowed.reinterpret || carries(given, expected)) return {};
  return fail(ErrorCode::kMismatch,
              fmt::format("input '{}' is {}, expected {}; 'reinterpret' takes its bytes as they are", input,
                          to_string(given), to_string(expected)));
}

Result<Tensor> fit_input(const NpyArray& array, const InputPort& port, InputFit allowed, const std::string& file) {
  const auto placed = at({.file = file});
  const auto given = type_of(array);
  const bool is_integer = given && !is_float(*given) && *given != DType::kBOOL;
  if (given && size_of(*given) == size_of(port.dtype) && !(port.any_sign && is_integer))
    MACAW_CHECK(check_type(port.name, *given, port.dtype, allowed).map_error(placed));
  if (!given && !allowed.reinterpret && array.descr.find('V') == std::string::npos)
    return fail(ErrorCode::kMismatch,
                fmt::format("input '{}' is '{}', expected {}", port.name, array.descr, to_string(port.dtype)),
                {.file = file});
  MACAW_ASSIGN(auto tensor, to_tensor(array, port.dtype, file));
  if (!port.shape || tensor.shape() == *port.shape) return tensor;
  const auto count = element_count(*port.shape);
  const auto bytes = byte_count(port.dtype, *port.shape);
  if (!count || tensor.size() != *count || !bytes || std::ssize(tensor.bytes()) != *bytes)
    return fail(ErrorCode::kMismatch,
                fmt::format("input '{}' has shape {}, expected {}", port.name, to_string(tensor.shape()),
                            to_string(*port.shape)),
                {.file = file});
  MACAW_CHECK(check_arrangement(port.name, tensor.shape(), *port.shape, allowed).map_error(placed));
  tensor.reshape(*port.shape);
  return tensor;
}

}  // namespace macaw
