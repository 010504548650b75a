#include <fmt/format.h>

#include <cstring>

#include <macaw/npy.hpp>

#include "python/native.hpp"

namespace macaw::python {

namespace py = pybind11;

namespace {

/// Whether numpy's kind of a type ('f', 'i', 'u', 'b', 'V') can hold elements of a type.
bool kind_fits(DType dtype, char kind) {
  switch (dtype) {
    case DType::kBOOL: return kind == 'b';
    case DType::kFP64:
    case DType::kFP32:
    case DType::kFP16: return kind == 'f';
    default: break;
  }
  if (is_float(dtype)) return kind == 'u' || kind == 'V';
  return kind == 'i' || kind == 'u';
}

const char* numpy_type(DType dtype) {
  switch (dtype) {
    case DType::kBF16: return "<u2";
    case DType::kFP8E4M3: return "|u1";
    default: return info(dtype).npy.data();
  }
}

}  // namespace

py::array as_array(py::handle object, const std::string& name) {
  auto array = py::array::ensure(object);
  if (!array) raise({ErrorCode::kMismatch, name + " is no array", {}});
  return array;
}

Result<Tensor> to_tensor(const py::array& array, std::optional<DType> dtype, const std::string& name, bool raw) {
  const py::array rows = py::array::ensure(array, py::array::c_style);
  if (!rows) return fail(ErrorCode::kUnsupported, name + ": no memory for a copy of the array");
  NpyArray contents{
      py::cast<std::string>(rows.dtype().attr("str")), Shape(rows.shape(), rows.shape() + rows.ndim()), {}};
  contents.bytes.resize(static_cast<std::size_t>(rows.nbytes()));
  if (!contents.bytes.empty()) std::memcpy(contents.bytes.data(), rows.data(), contents.bytes.size());
  if (dtype && !raw && !kind_fits(*dtype, rows.dtype().kind()))
    return fail(ErrorCode::kMismatch,
                fmt::format("{}: an array of {} cannot be {}", name, contents.descr, to_string(*dtype)));
  return macaw::to_tensor(contents, dtype, name);
}

py::array to_array(const Tensor& tensor) {
  const auto filled = [&](const Shape& shape, std::span<const std::byte> bytes) {
    py::array array(py::dtype(numpy_type(tensor.dtype())), shape);
    if (!bytes.empty()) std::memcpy(array.mutable_data(), bytes.data(), bytes.size());
    return array;
  };
  if (!is_block_scale(tensor.dtype())) return filled(tensor.shape(), tensor.bytes());
  const auto rows = to_npy(tensor);
  return filled(rows.shape, rows.bytes);
}

}  // namespace macaw::python
